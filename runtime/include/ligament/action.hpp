// SPDX-License-Identifier: Apache-2.0
/// \file What servers and clients of actions have in common: a goal's id, states and errors.
/// An action is three services and two topics; rules: spec/wire/action.md.
#pragma once

#include <array>
#include <cstdint>
#include <ligament/expected.hpp>
#include <memory>
#include <string>

namespace ligament {

namespace detail {
struct NodeState;
}

/// Sixteen random bytes, chosen by the client.
using GoalUUID = std::array<std::uint8_t, 16>;
/// As 32 hexadecimal digits with dashes.
[[nodiscard]] std::string to_string(const GoalUUID& id);

/// The states of action_msgs/msg/GoalStatus.
enum class GoalStatus : std::int8_t {
  unknown = 0,
  accepted = 1,
  executing = 2,
  canceling = 3,
  succeeded = 4,
  canceled = 5,
  aborted = 6,
};
[[nodiscard]] const char* to_string(GoalStatus status);
/// No transition leads out of it.
[[nodiscard]] constexpr bool is_terminal(GoalStatus status) {
  return status >= GoalStatus::succeeded;
}

/// Why a call of a server's goal handle did nothing.
enum class GoalError : std::uint8_t {
  wrong_state,  ///< the goal's state has no such transition; the node has an error that says so
  no_server,    ///< the action server was destroyed
  not_sent,     ///< feedback that could not be published; counted by its publisher
};
using GoalChange = expected<void, GoalError>;

namespace detail {

/// The action's id. Empty: the name breaks a rule, and the node has an error that says so.
[[nodiscard]] std::string resolve_action_name(NodeState& node, const std::string& name);
[[nodiscard]] GoalUUID random_goal_id();
/// A number from outside, which may be anything.
[[nodiscard]] constexpr GoalStatus goal_status_of(std::int8_t number) {
  return number >= 0 && number <= static_cast<std::int8_t>(GoalStatus::aborted)
             ? static_cast<GoalStatus>(number)
             : GoalStatus::unknown;
}

}  // namespace detail
}  // namespace ligament
