// SPDX-License-Identifier: Apache-2.0
#include "fpga/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace ligament::fpga::detail {
namespace {

/// Beats are on their way unseen for some cycles: in queues, and between a frame and its fields.
constexpr std::uint64_t quiet_cycles = 64;
/// A node that hung so often gets no further message.
constexpr std::size_t most_chances = 3;
constexpr std::size_t word_bits = 64;
/// 3 at least (hdl/rtl/lig_gate.sv), and one behind the register that a reset comes from.
constexpr int reset_cycles = 4;
/// How often it is asked whether to stop: some milliseconds of a large design's simulation.
constexpr std::uint64_t stop_cycles = 4096;

/// Codes below are those of lig_fields_pkg::problem_e.
constexpr std::uint8_t first_own_code = 16;

const char* problem_text(std::uint8_t problem) {
  static constexpr std::array texts{
      "no problem",
      "its frame ends within the header",
      "it is not little-endian CDR",
      "its frame ends before it does",
      "a field has more elements than its bound",
      "a text has no length or no end, or a character above 0xFFFF",
      "bytes follow behind it",
      "a field comes where the layout has another one",
      "it is not as long as its header says",
  };
  return problem < texts.size() ? texts[problem] : "the core gives no reason";
}

}  // namespace

Engine::Engine(Wires wires, std::vector<NodePlan> nodes, const Memory& memory, Boundary boundary,
               Delegate delegate)
    : wires_(std::move(wires)),
      nodes_(std::move(nodes)),
      memory_(memory),
      watches_(wires_.valid.size() * word_bits),
      inside_(wires_.valid.size()),
      sources_(boundary.rooms.size()),
      blamed_(wires_.problem.size()),
      states_(nodes_.size()),
      network_parts_(wires_.networks.size()),
      past_(wires_.networks.size()),
      ends_(wires_, nodes_, std::move(boundary), std::move(delegate), memory_.latency()) {
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
      blamed_.at(output.problem) = node;
      if (output.exit) {
        sources_.at(*output.exit) = node;
      } else {
        network_parts_.at(output.network) = nodes_[node].part;
      }
    }
  }
  for (std::size_t i = 0; i < past_.size(); ++i) {
    past_[i].drops.resize(wires_.networks[i].drops.size());
    past_[i].peaks.resize(wires_.networks[i].peaks.size());
  }
}

Outcome Engine::run(std::vector<Arrival>&& arrivals, const Stop& stop) {
  limit_ = 0;
  begin_again(std::exchange(stale_, Parts(stale_.size())));
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

/// Nobody waits for the answers any more; the next run begins with a reset.
void Engine::leave() {
  outcome_.stopped = true;
  stale_ = all_parts();
  tell_ends();
  ends_.reset();
}

/// Software's own time: the table of pages is written before the doorbell, in cycles that nobody's
/// message counts, nor what others take of the memory.
void Engine::prepare(const std::vector<Arrival>& arrivals) {
  ends_.prepare(arrivals);
  while (ends_.is_telling()) {
    cycle();
  }
}

void Engine::begin_run(std::vector<Arrival>&& arrivals) {
  progress_at_ = moved_at_ = cycle_;
  double bytes = 0;
  for (Arrival& arrival : arrivals) {
    bytes += static_cast<double>(arrival.message.size());
    retained_.push_back(arrival);
    ends_.send(std::move(arrival));
  }
  const double rate = std::min(memory_.bytes_per_cycle(), static_cast<double>(beat_bytes));
  limit_ = std::max(
      limit_, patience_cycles + memory_.latency() + static_cast<std::uint64_t>(32 * bytes / rate));
  memory_.ring(cycle_, retained_.empty() ? 0 : retained_.front().sequence);
}

void Engine::end_run() {
  tell_works();
  tell_ends();
  // What nobody owes any more is over when the last byte was in memory, not when that was seen.
  outcome_.end = progress_at_;
  outcome_.starved = !outcome_.stopped && ends_.is_starved() && owes_anything();
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
    if (state.isolated && state.hung < most_chances) {
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
  for (int cycle = 0; cycle < reset_cycles; ++cycle) {
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
  for (int cycle = 0; cycle < reset_cycles; ++cycle) {
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
      watch = Watch{watch.node, watch.input};
      inside_[probe / word_bits] &= ~(std::uint64_t{1} << probe % word_bits);
    }
  }
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (parts[nodes_[node].part]) {
      states_[node].works.clear();
      states_[node].messages = 0;
    }
  }
}

void Engine::turn() {
  *wires_.clock = 0;
  wires_.evaluate();
  *wires_.clock = 1;
  wires_.evaluate();
}

void Engine::step() {
  memory_.advance(cycle_);
  cycle();
}

void Engine::cycle() {
  ends_.offer(memory_, cycle_);
  *wires_.clock = 0;
  wires_.evaluate();
  if (wires_.wave) {
    wires_.wave(2 * cycle_);
  }
  observe_probes();
  observe_problems();
  observe_ends();
  *wires_.clock = 1;
  wires_.evaluate();
  if (wires_.wave) {
    wires_.wave(2 * cycle_ + 1);
  }
  ++cycle_;
  ends_.settle();
}

// --- what passed ---------------------------------------------------------------------------------

void Engine::observe_ends() {
  ends_.observe(memory_, cycle_);
  if (!ends_.is_idle()) {
    moved_at_ = cycle_;
  }
  if (ends_.has_answers()) {
    for (Answer& answer : ends_.take_answers()) {
      finish_answer(std::move(answer));
    }
  }
}

void Engine::observe_probes() {
  for (std::size_t word = 0; word < inside_.size(); ++word) {
    const std::uint64_t beats = *wires_.valid[word] & *wires_.ready[word];
    if (beats == 0) {
      continue;
    }
    moved_at_ = cycle_;
    // Nearly all beats are amidst a message, of which nothing is to be noted.
    const std::uint64_t last = *wires_.last[word];
    for (std::uint64_t left = beats & (last | ~inside_[word]); left != 0; left &= left - 1) {
      const auto bit = static_cast<std::size_t>(__builtin_ctzll(left));
      observe_beat(word * word_bits + bit, (last >> bit & 1U) != 0);
    }
  }
}

/// The first beat of a message, the last one, or both.
void Engine::observe_beat(std::size_t probe, bool last) {
  Watch& watch = watches_[probe];
  if (!is_inside(probe)) {
    inside_[probe / word_bits] |= std::uint64_t{1} << probe % word_bits;
    ++watch.begun;
    if (watch.input != nullptr) {
      begin_work(watch);
    }
  }
  if (!last) {
    return;
  }
  inside_[probe / word_bits] &= ~(std::uint64_t{1} << probe % word_bits);
  ++watch.done;
  progress_at_ = cycle_;
  if (watch.input == nullptr || nodes_[watch.node].outputs.empty()) {
    end_work(watch.node, watch.done - 1, cycle_ + 1);
  }
}

void Engine::observe_problems() {
  for (std::size_t i = 0; i < wires_.problem.size(); ++i) {
    if (*wires_.problem[i] != 0) {
      tell(blamed_[i], fmt::format("its output breaks the layout of the message: {}",
                                   problem_text(*wires_.problem[i])));
    }
    if (*wires_.refusal[i] != 0) {
      tell(blamed_[i], refusal_text(blamed_[i], *wires_.refusal[i]));
    }
  }
}

/// Why a node answered with a Broken beat.
std::string Engine::refusal_text(std::size_t node, std::uint8_t code) const {
  if (code < first_own_code) {
    return fmt::format("it passes on that the message is broken: {}", problem_text(code));
  }
  const auto& known = nodes_[core_of(node)].refusals;
  const auto found = known.find(code);
  return found != known.end()
             ? fmt::format("it refuses the message: {}", found->second)
             : fmt::format(
                   "it refuses the message with code {}, which its manifest does not explain",
                   static_cast<unsigned>(code));
}

/// The work on a message is over when software learns that the answer is in memory.
void Engine::finish_answer(Answer&& answer) {
  const std::size_t node = sources_[answer.exit];
  progress_at_ = cycle_;
  if (!answer.fault.empty()) {
    tell(node, answer.fault);
    return;
  }
  outcome_.departures.push_back(std::move(answer.departure));
  end_work(node, answer.frame, cycle_ + 1);
}

/// The first input that begins is the beginning of a node's work on a message.
void Engine::begin_work(const Watch& watch) {
  State& state = states_[watch.node];
  const std::uint64_t message = watch.begun - 1;
  std::uint64_t begin = cycle_;
  if (watch.input->entry) {
    begin = ends_.began(*watch.input->entry, message).value_or(begin);
  }
  if (Work* work = find_work(watch.node, message); work != nullptr) {
    work->begin = std::min(work->begin, begin);
  } else if (message == state.messages + state.works.size()) {
    state.works.push_back({watch.node, message, begin, 0});
  }
}

void Engine::end_work(std::size_t node, std::uint64_t message, std::uint64_t cycle) {
  if (Work* work = find_work(node, message); work != nullptr) {
    work->end = std::max(work->end, cycle);
  }
}

Work* Engine::find_work(std::size_t node, std::uint64_t message) {
  State& state = states_[node];
  const std::uint64_t place = message - state.messages;  // wraps for what was told
  return place < state.works.size() ? &state.works[place] : nullptr;
}

// --- who owes what -------------------------------------------------------------------------------

bool Engine::is_over() const {
  if (cycle_ - moved_at_ < quiet_cycles) {
    return false;
  }
  // What waits for memory waits for the next run, and so does who cannot go on because of it.
  const bool starved = ends_.is_starved();
  if (!starved && ends_.owes()) {
    return false;
  }
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (owes(node) && !(starved && is_held_up(node))) {
      return false;
    }
  }
  return true;
}

bool Engine::owes_anything() const {
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (owes(node)) {
      return true;
    }
  }
  return ends_.owes();
}

bool Engine::is_set(const std::vector<const std::uint64_t*>& words, std::size_t probe) const {
  return (*words[probe / word_bits] >> probe % word_bits & 1U) != 0;
}

bool Engine::is_inside(std::size_t probe) const {
  return (inside_[probe / word_bits] >> probe % word_bits & 1U) != 0;
}

/// Messages that an input has got: those that are whole in its queue, or that have begun.
std::uint64_t Engine::given(const InputPlan& input) const {
  const Watch& watch = watches_[input.probe];
  const bool begins = is_inside(input.probe) || is_set(wires_.valid, input.probe);
  const std::uint64_t begun = watch.done + static_cast<std::uint64_t>(begins);
  if (input.entry) {
    return std::max(begun, ends_.given(*input.entry));
  }
  const NetworkWires& network = wires_.networks[input.network];
  const std::uint64_t frames = *network.frames;
  const std::uint64_t drops = *network.drops[input.subscription];
  return std::max(begun, frames - std::min(frames, drops));
}

bool Engine::owes(std::size_t node) const {
  const NodePlan& plan = nodes_[node];
  if (states_[core_of(node)].isolated || plan.inputs.empty()) {
    return false;
  }
  std::uint64_t sets = UINT64_MAX;
  std::uint64_t answered = UINT64_MAX;
  for (const InputPlan& input : plan.inputs) {
    sets = std::min(sets, given(input));
    if (plan.outputs.empty()) {
      answered = std::min(answered, watches_[input.probe].done);
    }
  }
  for (const OutputPlan& output : plan.outputs) {
    answered = std::min(answered, watches_[output.probe].done);
  }
  return answered < sets;
}

/// Its core has something to say and nobody listens, or the rest of a message does not come.
bool Engine::is_held_up(std::size_t node) const {
  for (std::size_t part = 0; part < nodes_.size(); ++part) {
    if (core_of(part) == core_of(node) && is_stuck(part)) {
      return true;
    }
  }
  return false;
}

/// The same of a node without its services, or of one of these.
bool Engine::is_stuck(std::size_t node) const {
  const auto& inputs = nodes_[node].inputs;
  const auto& outputs = nodes_[node].outputs;
  const auto is_starved = [this](const InputPlan& input) {
    return is_inside(input.probe) && !is_set(wires_.valid, input.probe);
  };
  const auto is_blocked = [this](const OutputPlan& output) {
    return is_set(wires_.valid, output.probe) && !is_set(wires_.ready, output.probe);
  };
  return std::any_of(inputs.begin(), inputs.end(), is_starved) ||
         std::any_of(outputs.begin(), outputs.end(), is_blocked);
}

/// Who owes and could answer; else who owes at all; else who does not end what it says.
std::optional<std::size_t> Engine::silent_node() const {
  const auto first = [this](auto&& is_to_blame) -> std::optional<std::size_t> {
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      if (!states_[core_of(node)].isolated && is_to_blame(node)) {
        return node;
      }
    }
    return std::nullopt;
  };
  auto found = first([this](std::size_t node) { return owes(node) && !is_held_up(node); });
  found = found ? found : first([this](std::size_t node) { return owes(node); });
  found = found ? found : first([this](std::size_t node) {
    const auto& outputs = nodes_[node].outputs;
    return std::any_of(outputs.begin(), outputs.end(),
                       [this](const OutputPlan& output) { return is_inside(output.probe); });
  });
  return found ? found : first([](std::size_t) { return true; });
}

/// What a node that hangs did not do, and on which ports: on inputs where it has no output.
std::string Engine::shortcoming(std::size_t node) const {
  const NodePlan& plan = nodes_[node];
  std::uint64_t sets = plan.inputs.empty() ? 0 : UINT64_MAX;
  for (const InputPlan& input : plan.inputs) {
    sets = std::min(sets, given(input));
  }
  std::vector<std::string_view> ports;
  const auto name_owing = [&](const auto& links) {
    for (const auto& link : links) {
      if (is_inside(link.probe) || watches_[link.probe].done < sets) {
        ports.emplace_back(link.port);
      }
    }
  };
  const bool only_takes = plan.outputs.empty();
  if (only_takes) {
    name_owing(plan.inputs);
  } else {
    name_owing(plan.outputs);
  }
  return fmt::format("it {} no whole message{}{}", only_takes ? "took" : "gave",
                     ports.empty() ? "" : " on ", fmt::join(ports, ", "));
}

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
    const char* end = for_good ? "it gets no further one"
                               : "`fpga: {waveforms: true}` of the variant shows what it does";
    tell(*node, fmt::format("{} within {} cycles; {}", shortcoming(*node), limit_, end), for_good);
  }
  drop_answers(parts);
  begin_again(parts);
}

/// The other parts go on where they are, if nothing is on its way at the port that they share.
Parts Engine::part_to_reset(std::size_t node) const {
  Parts parts(stale_.size(), !ends_.is_idle());
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
                       Boundary boundary, Delegate delegate)
    : engine_(std::make_unique<detail::Engine>(std::move(wires), std::move(nodes), memory,
                                               std::move(boundary), std::move(delegate))) {}
Simulation::~Simulation() = default;

Outcome Simulation::run(std::vector<Arrival> arrivals, const Stop& stop) {
  return engine_->run(std::move(arrivals), stop);
}

std::vector<NetworkFigures> Simulation::networks() const { return engine_->networks(); }
std::vector<GatewayFigures> Simulation::gateways() const { return engine_->ends().figures(); }
PortFigures Simulation::port() const { return engine_->ends().port(); }

}  // namespace ligament::fpga
