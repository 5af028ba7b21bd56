// SPDX-License-Identifier: Apache-2.0
#include "fpga/waits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ligament::fpga::detail {
namespace {

std::string behind(const StreamState& stream) {
  return stream.inside ? fmt::format(", behind {} of its message", stream.beats) : "";
}

}  // namespace

Waits::Waits(const std::vector<NodePlan>& nodes, Look look)
    : nodes_(nodes), look_(std::move(look)) {}

std::string Waits::around(std::size_t node) const {
  std::vector<std::string> clauses;
  const auto add = [&](std::string clause) {
    if (!clause.empty()) {
      clauses.push_back(std::move(clause));
    }
  };
  for (const InputPlan& input : nodes_[node].inputs) {
    add(of_input(node, input));
  }
  for (const OutputPlan& output : nodes_[node].outputs) {
    add(of_output(node, output));
  }
  if (clauses.empty()) {
    clauses.emplace_back("nothing waits on its streams");
  }
  for (std::size_t other = 0; other < nodes_.size(); ++other) {
    if (other != node && nodes_[other].part == nodes_[node].part) {
      for (std::string& clause : waits_of(other, node)) {
        clauses.push_back(std::move(clause));
      }
    }
  }
  return fmt::format("{}", fmt::join(clauses, "; "));
}

std::string Waits::of_input(std::size_t node, const InputPlan& input) const {
  const StreamState stream = look_(input.probe);
  if (stream.valid && !stream.ready) {
    return fmt::format("its input {} has a beat that it does not take{}", input.port,
                       behind(stream));
  }
  if (stream.unread) {
    return fmt::format(
        "its input {} has a message of which nothing was read from memory: its doorbell was lost",
        input.port);
  }
  if (!stream.inside || stream.valid) {
    return {};
  }
  const std::string who =
      input.entry ? "memory" : names(who_says_no_more(input.network), node, "its topic");
  return fmt::format("its input {} waits for the rest of a message from {}{}", input.port, who,
                     behind(stream));
}

std::string Waits::of_output(std::size_t node, const OutputPlan& output) const {
  const StreamState stream = look_(output.probe);
  if (stream.valid && !stream.ready) {
    const std::string who =
        output.exit ? "memory" : names(who_takes_not(output.network), node, "its topic");
    return fmt::format("its output {} has a beat that {} does not take{}", output.port, who,
                       behind(stream));
  }
  return stream.inside
             ? fmt::format("its output {} has said {} beats of a message, and no last one",
                           output.port, stream.beats)
             : "";
}

/// Of a node that is not the one that hangs.
std::vector<std::string> Waits::waits_of(std::size_t node, std::size_t hung) const {
  std::vector<std::size_t> whom;
  const auto add = [&](const std::vector<std::size_t>& others) {
    for (const std::size_t other : others) {
      if (other != node && std::find(whom.begin(), whom.end(), other) == whom.end()) {
        whom.push_back(other);
      }
    }
  };
  for (const OutputPlan& output : nodes_[node].outputs) {
    const StreamState stream = look_(output.probe);
    if (!output.exit && stream.valid && !stream.ready) {
      add(who_takes_not(output.network));
    }
  }
  for (const InputPlan& input : nodes_[node].inputs) {
    const StreamState stream = look_(input.probe);
    if (!input.entry && stream.inside && !stream.valid) {
      add(who_says_no_more(input.network));
    }
  }
  if (whom.empty()) {
    return {};
  }
  return {fmt::format("{} waits for {}", nodes_[node].name, names(whom, hung, ""))};
}

/// Subscriptions of a network that hold a beat which their node does not take.
std::vector<std::size_t> Waits::who_takes_not(std::size_t network) const {
  std::vector<std::size_t> found;
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    for (const InputPlan& input : nodes_[node].inputs) {
      const StreamState stream = look_(input.probe);
      if (!input.entry && input.network == network && stream.valid && !stream.ready) {
        found.push_back(node);
      }
    }
  }
  return found;
}

/// Publishers of a network that have begun a message and offer no beat of it.
std::vector<std::size_t> Waits::who_says_no_more(std::size_t network) const {
  std::vector<std::size_t> found;
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    for (const OutputPlan& output : nodes_[node].outputs) {
      const StreamState stream = look_(output.probe);
      if (!output.exit && output.network == network && stream.inside && !stream.valid) {
        found.push_back(node);
      }
    }
  }
  return found;
}

std::string Waits::names(const std::vector<std::size_t>& nodes, std::size_t hung,
                         const char* nobody) const {
  std::vector<std::string> found;
  for (const std::size_t node : nodes) {
    found.push_back(node == hung ? "it" : nodes_[node].name);
  }
  return found.empty() ? nobody : fmt::format("{}", fmt::join(found, " and "));
}

}  // namespace ligament::fpga::detail
