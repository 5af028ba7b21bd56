// SPDX-License-Identifier: Apache-2.0
/// What passed the probes of an engine's streams, and who owes what because of it.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fpga/engine.hpp"
#include "fpga/refusals.hpp"

namespace ligament::fpga::detail {
namespace {

/// Beats are on their way unseen for some cycles: in queues, and between a frame and its fields.
constexpr std::uint64_t quiet_cycles = 64;

}  // namespace

// --- what passed ---------------------------------------------------------------------------------

void Engine::observe_ends(const Edges& edges) {
  if (edges.port) {
    ends_.observe_memory(memory_, port_cycle(), cycle_);
  }
  if (edges.registers) {
    ends_.observe_words(cycle_);
  }
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
    const std::uint64_t valid = *wires_.valid[word];
    const std::uint64_t beats = valid & *wires_.ready[word];
    streams_.observe(word, valid, *wires_.ready[word], inside_[word]);
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
  streams_.judge();
}

/// The first beat of a message, the last one, or both.
void Engine::observe_beat(std::size_t probe, bool last) {
  Watch& watch = watches_[probe];
  const bool is_first = !is_inside(probe);
  if (is_first) {
    inside_[probe / word_bits] |= std::uint64_t{1} << probe % word_bits;
    ++watch.begun;
    watch.beats_before = streams_.stream(probe).beats - 1;
    if (watch.input != nullptr) {
      begin_work(watch);
    }
  }
  if (!last) {
    return;
  }
  inside_[probe / word_bits] &= ~(std::uint64_t{1} << probe % word_bits);
  if (is_surplus(watch)) {
    tell_surplus(probe, is_first);
    return;
  }
  ++watch.done;
  progress_at_ = cycle_;
  if (watch.output != nullptr) {
    end_answer(watch, is_first);
  } else if (nodes_[watch.node].outputs.empty()) {
    end_work(watch.node, watch.done - 1, cycle_ + 1);
  }
}

/// A message has left an output. One of a single beat is a Broken one, and no frame. Of a node that
/// answers each message, that alone ends the answer: there may be frames in front of it.
void Engine::end_answer(Watch& watch, bool single_beat) {
  if (watch.output->exit && !single_beat) {
    answers_[*watch.output->exit].messages.push_back(watch.answered);
  }
  if (single_beat || !nodes_[watch.node].each) {
    end_work(watch.node, watch.answered++, cycle_ + 1);
  }
}

void Engine::observe_problems() {
  for (std::size_t i = 0; i < wires_.problem.size(); ++i) {
    if (*wires_.problem[i] != 0) {
      const auto& outputs = nodes_[blamed_[i]].outputs;
      const auto output = std::find_if(outputs.begin(), outputs.end(),
                                       [i](const OutputPlan& one) { return one.problem == i; });
      tell(blamed_[i], broken_text(output->port, *wires_.problem[i]));
    }
    if (*wires_.refusal[i] != 0 && *wires_.refusal[i] != nothing_code) {
      tell(blamed_[i], refusal_text(nodes_[core_of(blamed_[i])].refusals, *wires_.refusal[i]));
    }
  }
}

/// The work on a message is over when software learns that the answer is in memory.
void Engine::finish_answer(Answer&& answer) {
  const std::size_t node = sources_[answer.exit];
  Watch& watch = watches_[leaving_[answer.exit]];
  while (!watch.unasked.empty() && watch.unasked.front() < answer.frame) {
    watch.unasked.pop_front();  // dropped at the exit, without an event
  }
  const std::uint64_t before = watch.surplus - watch.unasked.size();
  if (!watch.unasked.empty() && watch.unasked.front() == answer.frame) {
    watch.unasked.pop_front();
    return;
  }
  progress_at_ = cycle_;
  answer.frame -= before;
  watch.arrived = answer.frame + 1;
  if (!answer.fault.empty()) {
    tell(node, fmt::format("its message on {} {}", watch.output->port, answer.fault));
    return;
  }
  Answers& frames = answers_[answer.exit];
  for (; frames.first < answer.frame && !frames.messages.empty(); ++frames.first) {
    frames.messages.pop_front();
  }
  if (frames.first == answer.frame && !frames.messages.empty()) {
    end_work(node, frames.messages.front(), cycle_ + 1);
    if (const Work* work = find_work(node, frames.messages.front()); work != nullptr) {
      answer.departure.cause = work->cause;
    }
  }
  outcome_.departures.push_back(std::move(answer.departure));
}

/// Messages that a node has begun to take, of all inputs.
std::uint64_t Engine::begun(std::size_t node) const {
  std::uint64_t messages = 0;
  for (const InputPlan& input : nodes_[node].inputs) {
    messages += watches_[input.probe].begun;
  }
  return messages;
}

/// The first input that begins is the beginning of a node's work on a message.
void Engine::begin_work(const Watch& watch) {
  State& state = states_[watch.node];
  const std::uint64_t message = (nodes_[watch.node].each ? begun(watch.node) : watch.begun) - 1;
  std::uint64_t begin = cycle_;
  if (watch.input->entry) {
    begin = ends_.began(*watch.input->entry, watch.begun - 1).value_or(begin);
  }
  if (Work* work = find_work(watch.node, message); work != nullptr) {
    work->begin = std::min(work->begin, begin);
  } else if (message == state.messages + state.works.size()) {
    state.works.push_back({watch.node, message, begin, 0, take_number(watch)});
  }
}

/// Of the message that begins at an input, where each is answered: they come in the order in which
/// the core takes them, not in that in which they were sent to several inputs.
std::optional<std::size_t> Engine::take_number(const Watch& watch) {
  const auto entry = watch.input->entry;
  if (!nodes_[watch.node].each || !entry || *entry >= numbers_.size() || numbers_[*entry].empty()) {
    return std::nullopt;
  }
  auto& numbers = numbers_[*entry];
  const std::size_t number = numbers.front();
  numbers.pop_front();
  return number;
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

bool Engine::is_quiet() const { return cycle_ - moved_at_ >= quiet_cycles * slowest_; }

bool Engine::is_over() const {
  if (!is_quiet()) {
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

std::uint64_t Engine::owed(std::size_t node) const {
  const NodePlan& plan = nodes_[node];
  if (states_[core_of(node)].isolated || plan.inputs.empty()) {
    return 0;
  }
  std::uint64_t answered = UINT64_MAX;
  if (plan.outputs.empty()) {
    std::uint64_t taken = 0;
    for (const InputPlan& input : plan.inputs) {
      answered = std::min(answered, watches_[input.probe].done);
      taken += watches_[input.probe].done;
    }
    answered = plan.each ? taken : answered;
  }
  for (const OutputPlan& output : plan.outputs) {
    answered = std::min(answered, watches_[output.probe].answered);
  }
  const std::uint64_t wanted = asked(node);
  return wanted - std::min(answered, wanted);
}

std::vector<std::uint64_t> Engine::open(const std::vector<std::uint64_t>& waiting) const {
  std::vector<std::uint64_t> all;
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    all.push_back(open(node, waiting));
  }
  return all;
}

/// A set that lacks some of its messages is one. What is to be reset has forgotten its own.
std::uint64_t Engine::open(std::size_t node, const std::vector<std::uint64_t>& waiting) const {
  const NodePlan& plan = nodes_[node];
  if (states_[core_of(node)].isolated) {
    return 0;
  }
  const bool is_stale = stale_[plan.part];
  std::uint64_t most = 0;
  std::uint64_t all = 0;
  for (const InputPlan& input : plan.inputs) {
    const std::size_t entry = input.entry.value_or(waiting.size());
    std::uint64_t messages = entry < waiting.size() ? waiting[entry] : 0;
    if (!is_stale) {
      messages += given(input) + (input.entry ? ends_.waiting(*input.entry) : 0);
    }
    most = std::max(most, messages);
    all += messages;
  }
  const std::uint64_t messages = plan.each ? all : most;
  return is_stale ? messages : owed(node) + messages - asked(node);
}

/// Answers that a node owes in all: one for each set, or for each message.
std::uint64_t Engine::asked(std::size_t node) const {
  const NodePlan& plan = nodes_[node];
  std::uint64_t sets = plan.inputs.empty() ? 0 : UINT64_MAX;
  std::uint64_t messages = 0;
  for (const InputPlan& input : plan.inputs) {
    sets = std::min(sets, given(input));
    messages += given(input);
  }
  return plan.each ? messages : sets;
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

}  // namespace ligament::fpga::detail
