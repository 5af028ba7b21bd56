// SPDX-License-Identifier: Apache-2.0
/// What a design tells of its runs: in spans of a trace, and in its nodes' status lines.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ligament/fpga_member.hpp>
#include <ligament/trace.hpp>
#include <numeric>
#include <utility>

namespace ligament::fpga {
namespace {

std::uint64_t sum(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

}  // namespace

/// Those of a service are its node's.
void Design::name_streams() {
  if (!hardware_.counts_cycles()) {
    return;  // a board does not count what its streams do
  }
  for (std::size_t i = 0; i < places_.size(); ++i) {
    Place& node = node_of(i);
    const auto add = [&](const auto& link, bool is_input, bool in_memory) {
      node.figures.streams.push_back({link.port, is_input, in_memory});
      node.probes.push_back(link.probe);
    };
    for (const InputPlan& input : plan_.nodes[i].inputs) {
      add(input, true, input.entry.has_value());
    }
    for (const OutputPlan& output : plan_.nodes[i].outputs) {
      add(output, false, output.exit.has_value());
    }
  }
}

/// Of a node with services, what was the tightest of them all.
void Design::count_streams() {
  for (Place& place : places_) {
    for (std::size_t i = 0; i < place.probes.size(); ++i) {
      const StreamFigures counted = hardware_.stream(place.probes[i]);
      const StreamFigures before = place.before.empty() ? StreamFigures{} : place.before[i];
      ligament::detail::StreamCounts& stream = place.figures.streams[i];
      stream.beats = counted.beats - before.beats;
      stream.stalls = counted.stalls - before.stalls;
      stream.gaps = counted.gaps - before.gaps;
    }
  }
  const std::vector<PaceFigures> paces = hardware_.paces();
  for (std::size_t i = 0; i < paces.size(); ++i) {
    ligament::detail::HardwareFigures& node = node_of(i).figures;
    const PaceFigures& before = places_[i].pace_before;
    if (paces[i].full - before.full >= node.full) {
      node.held = paces[i].held - before.held;
      node.starved = paces[i].starved - before.starved;
      node.full = paces[i].full - before.full;
    }
  }
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

/// Tells each node's work, and adds it to the figures.
void Design::account(const Outcome& outcome, std::int64_t doorbell_ns) {
  const std::lock_guard lock(mutex_);
  const bool is_simulated = hardware_.counts_cycles();
  cycles_ += is_simulated ? outcome.end - outcome.begin : 0;
  count_streams();
  networks_ = hardware_.networks();
  gateway_figures_ = hardware_.gateways();
  port_ = hardware_.port();
  std::vector<std::size_t> told(places_.size());
  const auto at = [&](std::uint64_t cycle) -> std::int64_t {
    if (!is_simulated) {
      return static_cast<std::int64_t>(cycle);
    }
    const auto cycles = static_cast<double>(cycle - outcome.begin);
    return doorbell_ns + std::llround(cycles * 1e9 / plan_.memory.clock_hz);
  };
  for (const Work& work : outcome.works) {
    const Place& place = places_[work.node];
    ++node_of(work.node).figures.messages;
    node_of(work.node).figures.cycles += is_simulated ? work.end - work.begin : 0;
    const auto* const cause = cause_of(place, work.cause, told[work.node]++);
    if (place.member != nullptr && cause != nullptr && work.end > work.begin) {
      trace::tell_device_work(
          *place.member,
          {.device = plan_.device,
           .name = "hardware",
           .base = is_simulated ? trace::TimeBase::modelled : trace::TimeBase::device,
           .begin_ns = at(work.begin),
           .end_ns = at(work.end)},
          *cause);
    }
  }
  for (const Crossing& crossing : outcome.crossings) {
    tell_crossing(crossing, at(crossing.begin), at(crossing.end));
  }
  for (const Trouble& trouble : outcome.troubles) {
    node_of(trouble.node).figures.refused += trouble.messages;
    node_of(trouble.node).figures.isolated |= trouble.isolated;
  }
  for (std::size_t node = 0; node < outcome.left.size(); ++node) {
    node_of(node).figures.left += outcome.left[node];
  }
}

/// At each node: what it did wrong, and what a stop has left of its messages.
void Design::tell_losses(const Outcome& outcome) const {
  for (const Trouble& trouble : outcome.troubles) {
    if (Member* node = places_[trouble.node].member; node != nullptr) {
      node->refuse(trouble.text);
    }
  }
  for (std::size_t i = 0; i < outcome.left.size(); ++i) {
    if (places_[i].member != nullptr && outcome.left[i] != 0) {
      tell_left(*places_[i].member, outcome.left[i]);
    }
  }
}

void Design::tell_left(const Member& member, std::uint64_t messages) {
  member.get_logger().write(
      LogLevel::warn, fmt::format("asked to stop: {} of its messages have no answer", messages));
}

/// Of a node that was asked to stop: messages that no run has answered, nor left. Whole sets that
/// have not gone in wait as in a subscription's queue, and are counted as little.
std::uint64_t Design::left(std::size_t place) const {
  const Member* const member = places_[place].member;
  if (member == nullptr || member->state().context->is_valid()) {
    return 0;
  }
  std::vector<std::uint64_t> waiting;
  for (const auto& queue : waiting_) {
    waiting.push_back(queue.size());
  }
  for (const Place& each : places_) {
    for (const std::size_t entry : each.entries) {
      waiting[entry] -= std::min<std::uint64_t>(waiting[entry], whole_sets(each));
    }
  }
  const auto open = hardware_.open(waiting);
  std::uint64_t messages = 0;
  for (std::size_t i = 0; i < open.size(); ++i) {
    messages += places_[i].member == member ? open[i] : 0;
  }
  return messages;
}

ligament::detail::HardwareFigures Design::figures(std::size_t place) const {
  const std::unique_lock turn(turns_, std::try_to_lock);  // else a run is at it
  const std::uint64_t still_left = turn ? left(place) : 0;
  const std::lock_guard lock(mutex_);
  ligament::detail::HardwareFigures figures = places_[place].figures;
  figures.left += still_left;
  figures.device = plan_.device;
  figures.design_cycles = cycles_;
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
  add_gateway_figures(place, figures);
  return figures;
}

}  // namespace ligament::fpga
