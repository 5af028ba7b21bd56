// SPDX-License-Identifier: Apache-2.0
/// Who is to blame when nothing is completed any more, and what an engine says of it.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "fpga/engine.hpp"

namespace ligament::fpga::detail {
namespace {

/// A core that gave so many messages which answer none, and does not stop, floods.
constexpr std::uint64_t flood = 8;

}  // namespace

/// Who says what nobody asked for, without end; else who owes and could answer; else who owes at
/// all; else who does not end what it says.
std::optional<std::size_t> Engine::silent_node() const {
  const auto first = [this](auto&& is_to_blame) -> std::optional<std::size_t> {
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      if (!states_[core_of(node)].isolated && is_to_blame(node)) {
        return node;
      }
    }
    return std::nullopt;
  };
  auto found = first([this](std::size_t node) { return floods(node); });
  found =
      found ? found : first([this](std::size_t node) { return owes(node) && !is_held_up(node); });
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
  const std::uint64_t owed = asked(node);
  const bool only_takes = plan.outputs.empty();
  std::vector<std::string_view> ports;
  const auto name_owing = [&](const auto& links) {
    for (const auto& link : links) {
      const Watch& watch = watches_[link.probe];
      if (is_inside(link.probe) || (only_takes ? watch.done : watch.answered) < owed) {
        ports.emplace_back(link.port);
      }
    }
  };
  if (floods(node)) {
    return fmt::format("it gave message after message that answers none");
  }
  if (only_takes) {
    name_owing(plan.inputs);
  } else {
    name_owing(plan.outputs);
  }
  return fmt::format("it {} no whole message{}{}", only_takes ? "took" : "gave",
                     ports.empty() ? "" : " on ", fmt::join(ports, ", "));
}

/// At this moment.
StreamState Engine::state_of(std::size_t probe) const {
  const Watch& watch = watches_[probe];
  const bool waits = watch.input != nullptr && watch.input->entry && watch.begun == watch.done &&
                     !is_set(wires_.valid, probe);
  return {.valid = is_set(wires_.valid, probe),
          .ready = is_set(wires_.ready, probe),
          .inside = is_inside(probe),
          .beats = streams_.stream(probe).beats - watch.beats_before,
          .unread = waits && ends_.is_unread(*watch.input->entry)};
}

// --- what nobody asked for -----------------------------------------------------------------------

/// A message of an output that ends now, though each set has its answer. A service's responses say
/// themselves whom they answer, and a node without inputs speaks when it likes.
bool Engine::is_surplus(const Watch& watch) const {
  const NodePlan& plan = nodes_[watch.node];
  return watch.input == nullptr && !plan.offered_by && !plan.inputs.empty() &&
         watch.answered >= asked(watch.node);
}

/// It is no progress, or a core that floods would never be given up.
void Engine::tell_surplus(std::size_t probe, bool is_first) {
  Watch& watch = watches_[probe];
  const auto& outputs = nodes_[watch.node].outputs;
  const auto output = std::find_if(outputs.begin(), outputs.end(),
                                   [&](const OutputPlan& one) { return one.probe == probe; });
  if (output->exit && !is_first) {  // as observe_beat: of one beat no frame leaves
    const Answers& frames = answers_[*output->exit];
    watch.unasked.push_back(frames.first + frames.messages.size() + watch.surplus);
  }
  ++watch.surplus;
  tell(watch.node,
       fmt::format("it gave a message on {} that answers none: {} for {}{}", output->port,
                   watch.done + 1, watch.done, output->exit ? "; it is dropped" : ""));
}

bool Engine::floods(std::size_t node) const {
  const auto& outputs = nodes_[node].outputs;
  return std::any_of(outputs.begin(), outputs.end(), [this](const OutputPlan& output) {
    return watches_[output.probe].surplus >= flood;
  });
}

}  // namespace ligament::fpga::detail
