// SPDX-License-Identifier: Apache-2.0
#include "fpga/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ligament::fpga::detail {
namespace {

/// A node that hung so often gets no further message.
constexpr std::size_t most_chances = 3;
/// 3 at least (hdl/rtl/lig_gate.sv), and one behind the register that a reset comes from.
constexpr std::uint64_t reset_cycles = 4;
/// How often it is asked whether to stop: some milliseconds of a large design's simulation.
constexpr std::uint64_t stop_cycles = 4096;

}  // namespace

Engine::Engine(Wires wires, std::vector<NodePlan> nodes, const Memory& memory,
               const Boundary& boundary, Delegate delegate)
    : wires_(std::move(wires)),
      nodes_(std::move(nodes)),
      memory_(memory),
      streams_(wires_.valid.size(), nodes_),
      watches_(wires_.valid.size() * word_bits),
      inside_(wires_.valid.size()),
      sources_(boundary.rooms.size()),
      leaving_(boundary.rooms.size()),
      blamed_(wires_.problem.size()),
      answers_(boundary.rooms.size()),
      states_(nodes_.size()),
      network_parts_(wires_.networks.size()),
      past_(wires_.networks.size()),
      ends_(wires_, nodes_, Boundary(boundary), std::move(delegate), memory_.latency()) {
  if (wires_.port_clock != nullptr) {
    const double hz = memory.port_clock_hz > 0 ? memory.port_clock_hz : memory.clock_hz;
    port_clock_.emplace(hz, memory.clock_hz);
    slowest_ = std::max(slowest_, port_clock_->cores_per_cycle());
  }
  if (wires_.registers_clock != nullptr) {
    const double hz = memory.registers_clock_hz > 0 ? memory.registers_clock_hz : memory.clock_hz;
    registers_clock_.emplace(hz, memory.clock_hz);
    slowest_ = std::max(slowest_, registers_clock_->cores_per_cycle());
  }
  if (memory.pages.count != 0) {
    ends_.scatter(memory.pages, memory.seed);
  }
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    stale_.resize(std::max(stale_.size(), nodes_[node].part + 1), true);
    for (const InputPlan& input : nodes_[node].inputs) {
      watches_.at(input.probe).node = node;
      watches_[input.probe].input = &input;
      if (!input.entry) {
        network_parts_.at(input.network) = nodes_[node].part;
      }
    }
    for (const OutputPlan& output : nodes_[node].outputs) {
      watches_.at(output.probe).node = node;
      watches_[output.probe].output = &output;
      blamed_.at(output.problem) = node;
      if (output.exit) {
        sources_.at(*output.exit) = node;
        leaving_.at(*output.exit) = output.probe;
      } else {
        network_parts_.at(output.network) = nodes_[node].part;
      }
    }
  }
  for (std::size_t i = 0; i < past_.size(); ++i) {
    past_[i].drops.resize(wires_.networks[i].drops.size());
    past_[i].peaks.resize(wires_.networks[i].peaks.size());
  }
  for (std::size_t slot = 0; slot < wires_.foreign.size(); ++slot) {
    states_[slot].isolated = states_[slot].vacant = true;
  }
  find_frames(boundary.gateways);
}

Outcome Engine::run(std::vector<Arrival>&& arrivals, const Stop& stop) {
  limit_ = 0;
  begin_again(std::exchange(stale_, Parts(stale_.size())));
  count_frames(arrivals);
  prepare(arrivals);
  outcome_.begin = cycle_;
  begin_run(std::move(arrivals));
  ends_.begin(all_parts());
  while (!is_over()) {
    if (cycle_ - progress_at_ > limit_) {
      give_up();
    }
    if (stop && cycle_ % stop_cycles == 0 && stop()) {
      leave();
      break;
    }
    step();
  }
  end_run();
  return std::exchange(outcome_, {});
}

/// The part stands still between its resets: who drives it has seen to that.
void Engine::exchange(std::size_t slot, const SlotUse* use) {
  states_.at(slot) = {};
  states_[slot].isolated = states_[slot].vacant = use == nullptr;
  const SlotUse none;
  const SlotUse& now = use == nullptr ? none : *use;
  NodePlan& plan = nodes_[slot];
  plan.name = now.node;
  plan.refusals = now.refusals;
  plan.inputs.front().port = now.input;
  plan.outputs.front().port = now.output;
  ends_.change(*plan.inputs.front().entry, now.input, now.room_bytes);
  stale_[plan.part] = true;
  begin_again(std::exchange(stale_, Parts(stale_.size())));
}

/// Nobody waits for the answers any more; the next run begins with a reset.
void Engine::leave() {
  outcome_.stopped = true;
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    outcome_.left.push_back(open(node, {}));
  }
  stale_ = all_parts();
  tell_ends();
  ends_.reset();
}

/// Software's own time: the table of pages is written before the doorbell, in cycles that nobody's
/// message counts, nor what others take of the memory.
void Engine::prepare(const std::vector<Arrival>& arrivals) {
  ends_.prepare(arrivals);
  while (ends_.is_telling()) {
    cycle(false);
  }
}

void Engine::begin_run(std::vector<Arrival>&& arrivals) {
  progress_at_ = moved_at_ = cycle_;
  double bytes = 0;
  for (Arrival& arrival : arrivals) {
    bytes += static_cast<double>(arrival.message.size());
    retained_.push_back(arrival);
    if (!arrival.gateway) {
      numbers_.resize(std::max(numbers_.size(), arrival.entry + 1));
      numbers_[arrival.entry].push_back(arrival.number);
    }
    ends_.send(std::move(arrival));
  }
  const double rate = std::min(memory_.bytes_per_cycle(), static_cast<double>(beat_bytes));
  const auto transfer = memory_.latency() + static_cast<std::uint64_t>(32 * bytes / rate);
  limit_ = std::max(limit_, patience_cycles + slowest_ * transfer);
  align();
  memory_.ring(port_cycle(), retained_.empty() ? 0 : retained_.front().sequence);
}

void Engine::end_run() {
  tell_works();
  tell_ends();
  // What nobody owes any more is over when the last byte was in memory, not when that was seen.
  outcome_.end = progress_at_;
  outcome_.starved = !outcome_.stopped && ends_.is_starved() && owes_anything();
  if (!outcome_.stopped && !ends_.is_starved()) {
    ends_.drop_unread();
    numbers_.clear();
  }
  for (const Work& work : outcome_.works) {
    outcome_.end = std::max(outcome_.end, work.end);
  }
  for (const Crossing& crossing : outcome_.crossings) {
    outcome_.end = std::max(outcome_.end, crossing.end);
  }
  retained_.clear();
  ends_.add_waiting(retained_);
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    State& state = states_[node];
    state.faulty = false;
    if (state.isolated && !state.vacant && state.hung < most_chances) {
      state.isolated = false;
      stale_[nodes_[node].part] = true;  // with the next run's reset it has another chance
    }
  }
}

/// Complete works are told; those of messages that wait for others stay.
void Engine::tell_works() {
  for (State& state : states_) {
    while (!state.works.empty() && state.works.front().end != 0) {
      outcome_.works.push_back(state.works.front());
      state.works.pop_front();
      ++state.messages;
    }
  }
}

/// What the ends did is part of the run, up to the last event.
void Engine::tell_ends() {
  EndNews news = ends_.take_news();
  for (const Trouble& trouble : news.troubles) {
    tell(trouble.node, trouble.text);
  }
  for (const Trouble& cause : news.causes) {
    tell_cause(cause);
  }
  for (FilledRoom& stored : news.stored) {
    outcome_.stored.push_back(std::move(stored));
  }
  outcome_.crossings.insert(outcome_.crossings.end(), news.crossings.begin(), news.crossings.end());
}

// --- a cycle -------------------------------------------------------------------------------------

/// What others do in the meantime counts.
void Engine::reset(const Parts& parts) {
  keep_counters(parts);
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (parts[nodes_[node].part] && !nodes_[node].offered_by) {
      *wires_.isolate[node] = static_cast<std::uint8_t>(states_[node].isolated);
    }
  }
  parts == all_parts() ? reset_all() : reset_parts(parts);
  forget(parts);
}

void Engine::reset_all() {
  ends_.keep_port();
  ends_.reset();
  *wires_.reset = 1;
  for (std::uint64_t cycle = 0; cycle < reset_cycles * slowest_; ++cycle) {
    turn();
  }
  *wires_.reset = 0;
  turn();  // what depends on the reset has settled before anything is looked at
}

void Engine::reset_parts(const Parts& parts) {
  ends_.reset(parts);
  const auto set = [&](std::uint8_t level) {
    for (std::size_t part = 0; part < parts.size(); ++part) {
      *wires_.parts[part] = static_cast<std::uint8_t>(parts[part] && level != 0);
    }
  };
  set(1);
  for (std::uint64_t cycle = 0; cycle < reset_cycles; ++cycle) {
    step();
  }
  set(0);
  step();
}

/// What its nodes have done since the reset before.
void Engine::forget(const Parts& parts) {
  for (std::size_t probe = 0; probe < watches_.size(); ++probe) {
    Watch& watch = watches_[probe];
    if (parts[nodes_[watch.node].part]) {
      watch = Watch{watch.node, watch.input, watch.output};
      inside_[probe / word_bits] &= ~(std::uint64_t{1} << probe % word_bits);
    }
  }
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (parts[nodes_[node].part]) {
      states_[node].works.clear();
      states_[node].messages = 0;
      for (const InputPlan& input : nodes_[node].inputs) {
        if (input.entry && *input.entry < numbers_.size()) {
          numbers_[*input.entry].clear();
        }
      }
    }
  }
  for (std::size_t exit = 0; exit < answers_.size(); ++exit) {
    if (parts[nodes_[sources_[exit]].part]) {
      answers_[exit] = {};
    }
  }
}

// --- who does not answer -------------------------------------------------------------------------

/// Names who does not answer, and lets the others of its part have their messages again.
void Engine::give_up() {
  Parts parts = all_parts();
  if (const auto node = silent_node()) {
    parts = part_to_reset(*node);
    State& state = states_[core_of(*node)];
    ++state.hung;
    state.isolated = true;
    states_[*node].faulty = false;
    const bool for_good = state.hung >= most_chances;
    const std::string wave =
        fmt::format("`ligament run --wave {}` shows what it does", frames_in(nodes_[*node].part));
    const std::string end = for_good ? "it gets no further one" : wave;
    const Waits waits(nodes_, [this](std::size_t probe) { return state_of(probe); });
    tell(*node,
         fmt::format("{} within {} cycles: {}; {}", shortcoming(*node), limit_, waits.around(*node),
                     end),
         for_good);
  }
  drop_answers(parts);
  begin_again(parts);
}

/// The other parts go on where they are, if nothing is on its way at the port that they share.
Parts Engine::part_to_reset(std::size_t node) const {
  // What crosses to another clock is seen on neither side for some cycles.
  const bool crosses = port_clock_ && !is_quiet();
  Parts parts(stale_.size(), crosses || !ends_.is_idle());
  parts[nodes_[node].part] = true;
  return parts;
}

void Engine::drop_answers(const Parts& parts) {
  std::erase_if(outcome_.departures, [&](const Departure& departure) {
    return parts[nodes_[sources_[departure.exit]].part];
  });
  // Some of what they gave is in the pool already: nothing may come twice.
  if (ends_.has_handed_over(parts)) {
    (void)take_retained(parts);
  }
}

/// What goes in again after their reset.
std::vector<Arrival> Engine::take_retained(const Parts& parts) {
  std::vector<Arrival> taken;
  for (Arrival& arrival : std::exchange(retained_, {})) {
    auto& to = parts[ends_.part_of(arrival)] ? taken : retained_;
    to.push_back(std::move(arrival));
  }
  return taken;
}

void Engine::begin_again(const Parts& parts) {
  if (std::find(parts.begin(), parts.end(), true) == parts.end()) {
    return;
  }
  auto again = take_retained(parts);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    frames_[part].wanted = frames_[part].wanted && !parts[part];
  }
  reset(parts);
  ends_.begin(parts);
  while (!ends_.is_idle()) {
    step();  // memory is lent before the first doorbell, as it is behind every message
  }
  begin_run(std::move(again));
}

void Engine::tell(std::size_t node, const std::string& text, bool isolated) {
  if (!states_[node].faulty) {
    states_[node].faulty = true;
    outcome_.troubles.push_back({node, text, isolated});
  }
}

/// What memory did to a message is the reason for what its node says of it.
void Engine::tell_cause(const Trouble& trouble) {
  const auto told = std::find_if(outcome_.troubles.rbegin(), outcome_.troubles.rend(),
                                 [&](const Trouble& one) { return one.node == trouble.node; });
  if (told == outcome_.troubles.rend()) {
    tell(trouble.node, trouble.text);
  } else {
    told->text = fmt::format("{}; {}", trouble.text, told->text);
  }
}

// --- counters ------------------------------------------------------------------------------------

void Engine::keep_counters(const Parts& parts) {
  const auto now = networks();
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (parts[network_parts_[i]]) {
      past_[i] = now[i];
    }
  }
  ends_.keep_counters(parts);
}

std::vector<NetworkFigures> Engine::networks() const {
  std::vector<NetworkFigures> all = past_;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const NetworkWires& wires = wires_.networks[i];
    all[i].frames += *wires.frames;
    all[i].beats += *wires.beats;
    all[i].stalls += *wires.stalls;
    all[i].gaps += *wires.gaps;
    for (std::size_t j = 0; j < wires.drops.size(); ++j) {
      all[i].drops[j] += *wires.drops[j];
      all[i].peaks[j] = std::max<std::uint64_t>(all[i].peaks[j], *wires.peaks[j]);
    }
  }
  return all;
}

}  // namespace ligament::fpga::detail

namespace ligament::fpga {

Simulation::Simulation(Wires wires, std::vector<NodePlan> nodes, const Memory& memory,
                       const Boundary& boundary, Delegate delegate)
    : engine_(std::make_unique<detail::Engine>(std::move(wires), std::move(nodes), memory, boundary,
                                               std::move(delegate))) {}
Simulation::~Simulation() = default;

Outcome Simulation::run(std::vector<Arrival> arrivals, const Stop& stop) {
  return engine_->run(std::move(arrivals), stop);
}

std::vector<std::uint64_t> Simulation::open(const std::vector<std::uint64_t>& waiting) const {
  return engine_->open(waiting);
}
void Simulation::exchange(std::size_t slot, const SlotUse* use) { engine_->exchange(slot, use); }
bool Simulation::is_foreign(std::size_t slot) const { return engine_->is_foreign(slot); }
std::vector<NetworkFigures> Simulation::networks() const { return engine_->networks(); }
StreamFigures Simulation::stream(std::size_t probe) const {
  return engine_->streams().stream(probe);
}
std::vector<PaceFigures> Simulation::paces() const { return engine_->streams().paces(); }
std::vector<GatewayFigures> Simulation::gateways() const { return engine_->ends().figures(); }
PortFigures Simulation::port() const { return engine_->ends().port(); }

}  // namespace ligament::fpga
