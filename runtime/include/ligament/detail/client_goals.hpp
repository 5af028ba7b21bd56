// SPDX-License-Identifier: Apache-2.0
/// \file The goals of one action client, for as long as somebody keeps their handles. Not promised.
#pragma once

#include <atomic>
#include <cstdint>
#include <ligament/action.hpp>
#include <ligament/action_msgs/msg/goal_status_array.hpp>
#include <ligament/clock.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <span>

namespace ligament::detail {

/// Whatever its length: the bytes are another process's.
[[nodiscard]] GoalUUID goal_id_of(std::span<const std::uint8_t> bytes);

/// What does not depend on the type of the action. From any thread.
class ClientGoal {
 public:
  ClientGoal() : id_(random_goal_id()) {}
  virtual ~ClientGoal() = default;
  ClientGoal(const ClientGoal&) = delete;
  ClientGoal& operator=(const ClientGoal&) = delete;

  [[nodiscard]] const GoalUUID& get_goal_id() const { return id_; }
  /// When the server accepted it, on its node's clock.
  [[nodiscard]] Time get_goal_stamp() const {
    return Time(stamp_ns_.load(std::memory_order_relaxed));
  }
  /// As last told by the server.
  [[nodiscard]] GoalStatus get_status() const { return status_.load(std::memory_order_relaxed); }

  /// Only forward: the states come on another topic than the result, and may come later.
  void set_status(GoalStatus status);
  void set_accepted(const Time& stamp);

 private:
  GoalUUID id_;
  // Relaxed: figures, each on its own.
  std::atomic<std::int64_t> stamp_ns_{0};
  std::atomic<GoalStatus> status_{GoalStatus::unknown};
};

class ClientGoals {
 public:
  void add(const std::shared_ptr<ClientGoal>& goal);
  /// Null: another client's, or nobody keeps it.
  [[nodiscard]] std::shared_ptr<ClientGoal> find(const GoalUUID& id) const;
  void update(const action_msgs::msg::GoalStatusArray& statuses) const;

 private:
  mutable std::mutex mutex_;
  std::map<GoalUUID, std::weak_ptr<ClientGoal>> goals_;
};

}  // namespace ligament::detail
