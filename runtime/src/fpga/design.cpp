// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ligament/detail/pool.hpp>
#include <ligament/fpga_member.hpp>
#include <ligament/trace.hpp>
#include <numeric>
#include <utility>

#include "node/node_state.hpp"

namespace ligament {

void Node::set_hardware_figures(std::function<detail::HardwareFigures()> figures) {
  const std::lock_guard lock(state_->mutex);
  state_->hardware_figures = std::move(figures);
}

namespace fpga {
namespace {

std::uint64_t sum(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

}  // namespace

Design::Design(DesignPlan plan, Wires wires)
    : plan_(std::move(plan)),
      simulation_(std::move(wires), plan_.nodes, plan_.memory),
      places_(plan_.nodes.size()),
      networks_(simulation_.networks()) {
  std::vector<bool> first(networks_.size(), true);
  for (std::size_t place = 0; place < places_.size(); ++place) {
    for (const InputPlan& input : plan_.nodes[place].inputs) {
      if (input.entry) {
        places_[place].entries.push_back(*input.entry);
        waiting_.resize(std::max(waiting_.size(), *input.entry + 1));
      }
    }
    for (const OutputPlan& output : plan_.nodes[place].outputs) {
      if (output.exit) {
        exits_.resize(std::max(exits_.size(), *output.exit + 1));
        exits_[*output.exit].place = place;
      } else if (first[output.network]) {
        first[output.network] = false;  // of a topic with several publishers, one tells
        places_[place].networks.push_back(output.network);
      }
    }
  }
  find_sources();
}

Design::~Design() = default;

/// Whose messages a node's own go back to: its own, or those of the first node in front of it that
/// has any. In a trace its work then belongs to them.
void Design::find_sources() {
  for (std::size_t place = 0; place < places_.size(); ++place) {
    std::vector<std::size_t> front{place};
    for (std::size_t i = 0; i < front.size() && places_[front[i]].entries.empty(); ++i) {
      for (const InputPlan& input : plan_.nodes[front[i]].inputs) {
        for (std::size_t other = 0; other < places_.size(); ++other) {
          const auto& outputs = plan_.nodes[other].outputs;
          const bool feeds = std::any_of(outputs.begin(), outputs.end(), [&](const auto& output) {
            return !output.exit && output.network == input.network;
          });
          if (feeds && std::find(front.begin(), front.end(), other) == front.end()) {
            front.push_back(other);
          }
        }
      }
    }
    const auto found = std::find_if(front.begin(), front.end(), [this](std::size_t other) {
      return !places_[other].entries.empty();
    });
    places_[place].source = found == front.end() ? place : *found;
  }
}

void Design::join(Member& member, std::size_t place) { places_.at(place).member = &member; }

void Design::leave(std::size_t place) {
  places_[place].member = nullptr;
  for (const OutputPlan& output : plan_.nodes[place].outputs) {
    if (output.exit) {
      exits_[*output.exit].publish = {};
    }
  }
  for (const std::size_t entry : places_[place].entries) {
    waiting_[entry].clear();
  }
}

void Design::set_exit(std::size_t exit, std::function<void(std::span<const std::byte>)> publish) {
  exits_.at(exit).publish = std::move(publish);
}

std::size_t Design::whole_sets(const Place& place) const {
  std::size_t sets = SIZE_MAX;
  for (const std::size_t entry : place.entries) {
    sets = std::min(sets, waiting_[entry].size());
  }
  return place.entries.empty() ? 0 : sets;
}

void Design::take(Member& member, Arrival&& arrival, const trace::MessageIdentity& message) {
  const std::size_t entry = arrival.entry;
  waiting_.at(entry).push_back({std::move(arrival), message});
  came_ = true;
  const auto is_full = [this](const Place& place) {
    return place.entries.empty() || whole_sets(place) >= plan_.in_flight;
  };
  if (plan_.in_flight == 1 || std::all_of(places_.begin(), places_.end(), is_full)) {
    run(member, plan_.in_flight);
  }
}

void Design::hurry() {
  if (std::exchange(came_, false)) {
    return;
  }
  for (Place& place : places_) {
    if (place.member != nullptr && whole_sets(place) > 0) {
      run(*place.member, plan_.in_flight);
      return;
    }
  }
}

/// Whole sets of every node, at most so many. The first of each entry go in first.
void Design::collect(std::size_t most, std::vector<Arrival>& arrivals) {
  for (Place& place : places_) {
    place.messages.clear();
    const std::size_t sets = std::min(most, whole_sets(place));
    for (std::size_t set = 0; set < sets; ++set) {
      place.messages.push_back(waiting_[place.entries.front()].front().message);
      for (const std::size_t entry : place.entries) {
        arrivals.push_back(std::move(waiting_[entry].front().arrival));
        waiting_[entry].pop_front();
      }
    }
  }
}

void Design::run(Member& member, std::size_t most) {
  std::vector<Arrival> arrivals;
  collect(most, arrivals);
  if (arrivals.empty()) {
    return;  // the others of the set are still to come
  }
  const auto& messages = places_[0].messages;
  const auto own = std::find_if(places_.begin(), places_.end(),
                                [&](const Place& place) { return place.member == &member; });
  const auto& mine = own == places_.end() ? messages : own->messages;
  trace::Span span(member, "simulator", trace::Category::device,
                   mine.empty() ? trace::MessageIdentity{} : mine.front());
  const std::int64_t doorbell_ns = trace::enabled() ? pool::monotonic_now_ns() : 0;
  const Outcome outcome = simulation_.run(std::move(arrivals));
  const auto before = networks_;
  account(outcome, doorbell_ns);
  // The span's own length is the simulator's; the hardware's time is its cycles.
  span.finish([&](auto& values) {
    values.tell("cycles", outcome.end - outcome.begin);
    values.tell("clock_hz", plan_.memory.clock_hz);
    tell_networks(values, before);
  });
  for (const Trouble& trouble : outcome.troubles) {
    if (Member* node = places_[trouble.node].member; node != nullptr) {
      node->refuse(trouble.text);
    }
  }
  hand_over(outcome);
}

/// What the networks counted in a run.
void Design::tell_networks(trace::SpanValues& values,
                           const std::vector<NetworkFigures>& before) const {
  for (std::size_t i = 0; i < networks_.size(); ++i) {
    const NetworkFigures& now = networks_[i];
    const auto peak = std::max_element(now.peaks.begin(), now.peaks.end());
    const std::string& topic = plan_.networks[i];
    values.tell(topic + " beats", now.beats - before[i].beats);
    values.tell(topic + " stalls", now.stalls - before[i].stalls);
    values.tell(topic + " drops", sum(now.drops) - sum(before[i].drops));
    values.tell(topic + " peak beats", peak == now.peaks.end() ? 0 : *peak);
  }
}

/// Publishes what came out, each as what the message caused that its node worked on.
void Design::hand_over(const Outcome& outcome) {
  std::vector<std::size_t> left(exits_.size());
  for (const Departure& departure : outcome.departures) {
    const Exit& exit = exits_[departure.exit];
    const Place& place = places_[exit.place];
    if (!exit.publish || place.member == nullptr) {
      continue;
    }
    const auto& messages = places_[place.source].messages;
    const std::size_t message = left[departure.exit]++;
    const bool known = message < messages.size();
    trace::Span copy(*place.member, "into the pool", trace::Category::copy,
                     known ? messages[message] : trace::MessageIdentity{});
    exit.publish(departure.message);
  }
}

/// Tells each node's work, and adds it to the figures.
void Design::account(const Outcome& outcome, std::int64_t doorbell_ns) {
  const std::lock_guard lock(mutex_);
  networks_ = simulation_.networks();
  std::vector<std::size_t> told(places_.size());
  const auto at = [&](std::uint64_t cycle) {
    const auto cycles = static_cast<double>(cycle - outcome.begin);
    return doorbell_ns + std::llround(cycles * 1e9 / plan_.memory.clock_hz);
  };
  for (const Work& work : outcome.works) {
    Place& place = places_[work.node];
    ++place.figures.messages;
    place.figures.cycles += work.end - work.begin;
    const auto& messages = places_[place.source].messages;
    const std::size_t message = told[work.node]++;
    if (place.member != nullptr && message < messages.size()) {
      trace::tell_device_work(*place.member,
                              {.device = plan_.device,
                               .name = "hardware",
                               .base = trace::TimeBase::modelled,
                               .begin_ns = at(work.begin),
                               .end_ns = at(work.end)},
                              messages[message]);
    }
  }
  for (const Trouble& trouble : outcome.troubles) {
    ++places_[trouble.node].figures.refused;
    places_[trouble.node].figures.isolated |= trouble.isolated;
  }
}

ligament::detail::HardwareFigures Design::figures(std::size_t place) const {
  const std::lock_guard lock(mutex_);
  ligament::detail::HardwareFigures figures = places_[place].figures;
  for (const std::size_t number : places_[place].networks) {
    const NetworkFigures& network = networks_[number];
    ligament::detail::NetworkCounts counts{plan_.networks[number], network.frames, network.beats,
                                           network.stalls, network.gaps};
    counts.drops = sum(network.drops);
    for (const std::uint64_t peak : network.peaks) {
      counts.peak = std::max(counts.peak, peak);
    }
    figures.networks.push_back(std::move(counts));
  }
  return figures;
}

// --- members -------------------------------------------------------------------------------------

Member::Member(const std::string& name, const NodeOptions& options, std::shared_ptr<Design> design,
               std::size_t place)
    : Node(name, options), design_(std::move(design)), place_{place} {
  design_->join(*this, place_);
  set_hardware_figures([this] { return design_->figures(place_); });
  if (design_->in_flight() > 1) {
    timer_ = create_wall_timer(std::chrono::milliseconds(200), [this] { design_->hurry(); });
  }
}

Member::~Member() {
  set_hardware_figures({});
  design_->leave(place_);
}

std::size_t Member::queue_depth() const { return std::max<std::size_t>(5, design_->in_flight()); }

void Member::refuse(const std::string& why) {
  if (std::find(told_.begin(), told_.end(), why) == told_.end()) {
    told_.push_back(why);
    report_error("a message gives no output: " + why);
  }
}

}  // namespace fpga
}  // namespace ligament
