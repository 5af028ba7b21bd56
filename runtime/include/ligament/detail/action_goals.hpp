// SPDX-License-Identifier: Apache-2.0
/// \file The goals that an action server knows, their states, and who waits for their results. It
/// sends nothing and has no clock: callers pass the time. From any thread. Not promised.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ligament/action.hpp>
#include <ligament/action_msgs/msg/goal_status_array.hpp>
#include <ligament/service.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace ligament::detail {

/// One goal. What is not constant is guarded by the ActionGoals that made it.
struct GoalRecord {
  GoalRecord(const GoalUUID& goal, std::int64_t time_ns) : id(goal), accepted_ns(time_ns) {}
  const GoalUUID id;
  const std::int64_t accepted_ns;  ///< on the node's clock

  GoalStatus status = GoalStatus::accepted;
  std::int64_t ended_ns = 0;           ///< CLOCK_MONOTONIC at the terminal transition
  std::vector<RequestId> waiting;      ///< who asked for the result before there was one
  std::shared_ptr<const void> result;  ///< the response of get_result, once terminal
  std::weak_ptr<void> handle;          ///< ServerGoalHandle<T>
};

class ActionGoals {
 public:
  using Record = std::shared_ptr<GoalRecord>;
  static constexpr std::size_t max_goals = 4096;
  static constexpr std::size_t max_waiting = 64;

  /// Negative: results are kept forever.
  explicit ActionGoals(std::chrono::nanoseconds result_timeout);

  /// False: the id is known, or zero, or there are too many goals.
  [[nodiscard]] bool may_accept(const GoalUUID& id) const;
  /// A new goal in state ACCEPTED; null where may_accept() says no.
  [[nodiscard]] Record accept(const GoalUUID& id, std::int64_t accepted_ns);
  void set_handle(GoalRecord& goal, const std::shared_ptr<void>& handle);
  [[nodiscard]] std::shared_ptr<void> handle_of(const GoalRecord& goal) const;
  [[nodiscard]] GoalStatus status_of(const GoalRecord& goal) const;

  /// To EXECUTING or CANCELING.
  [[nodiscard]] GoalChange move(GoalRecord& goal, GoalStatus to);
  /// To a terminal state; the value: who waits for the result.
  [[nodiscard]] expected<std::vector<RequestId>, GoalError> end(GoalRecord& goal, GoalStatus to,
                                                                std::shared_ptr<const void> result,
                                                                std::int64_t now_ns);
  struct Answer {
    bool later = false;                  ///< the request waits
    std::shared_ptr<const void> result;  ///< null: the goal is not known, or too many wait
  };
  [[nodiscard]] Answer ask_result(const GoalUUID& id, const RequestId& who);

  struct Candidates {
    std::int8_t code = 0;  ///< of the response, if there are none
    std::vector<Record> goals;
  };
  /// Those that a cancel request means, and that can be cancelled.
  [[nodiscard]] Candidates to_cancel(const GoalUUID& id, std::int64_t stamp_ns) const;

  [[nodiscard]] action_msgs::msg::GoalStatusArray statuses() const;
  /// Forgets those whose time is up. True: terminal ones are left.
  bool expire(std::int64_t now_ns);
  struct Count {
    std::size_t known = 0;
    std::size_t active = 0;  ///< not terminal
  };
  [[nodiscard]] Count count() const;

 private:
  const std::int64_t timeout_ns_;
  mutable std::mutex mutex_;  ///< guards what follows, and the records
  std::map<GoalUUID, Record> goals_;
};

/// Whether a goal's state has this transition.
[[nodiscard]] bool has_transition(GoalStatus from, GoalStatus to);

}  // namespace ligament::detail
