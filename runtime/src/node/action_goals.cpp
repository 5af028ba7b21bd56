// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ligament/action_msgs/srv/cancel_goal.hpp>
#include <ligament/clock.hpp>
#include <ligament/detail/action_goals.hpp>
#include <limits>
#include <utility>

#include "node/saturating.hpp"

namespace ligament::detail {
namespace {

using Codes = action_msgs::srv::CancelGoal_Response;
constexpr GoalUUID no_id{};

bool is_cancelable(const GoalRecord& goal) {
  return has_transition(goal.status, GoalStatus::canceling);
}

}  // namespace

bool has_transition(GoalStatus from, GoalStatus to) {
  switch (to) {
    case GoalStatus::executing:
      return from == GoalStatus::accepted;
    case GoalStatus::canceling:
      return from == GoalStatus::accepted || from == GoalStatus::executing;
    case GoalStatus::succeeded:
    case GoalStatus::aborted:
      return from == GoalStatus::executing || from == GoalStatus::canceling;
    case GoalStatus::canceled:
      return from == GoalStatus::canceling;
    case GoalStatus::unknown:
    case GoalStatus::accepted:
      break;
  }
  return false;
}

ActionGoals::ActionGoals(std::chrono::nanoseconds result_timeout)
    : timeout_ns_(result_timeout.count()) {}

bool ActionGoals::may_accept(const GoalUUID& id) const {
  const std::lock_guard lock(mutex_);
  return id != no_id && goals_.size() < max_goals && !goals_.contains(id);
}

ActionGoals::Record ActionGoals::accept(const GoalUUID& id, std::int64_t accepted_ns) {
  if (!may_accept(id)) {
    return nullptr;
  }
  auto made = std::make_shared<GoalRecord>(id, accepted_ns);
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = goals_.emplace(id, std::move(made));
  return is_new ? at->second : nullptr;
}

void ActionGoals::set_handle(GoalRecord& goal, const std::shared_ptr<void>& handle) {
  const std::lock_guard lock(mutex_);
  goal.handle = handle;
}

std::shared_ptr<void> ActionGoals::handle_of(const GoalRecord& goal) const {
  const std::lock_guard lock(mutex_);
  return goal.handle.lock();
}

GoalStatus ActionGoals::status_of(const GoalRecord& goal) const {
  const std::lock_guard lock(mutex_);
  return goal.status;
}

GoalChange ActionGoals::move(GoalRecord& goal, GoalStatus to) {
  const std::lock_guard lock(mutex_);
  if (is_terminal(to) || !has_transition(goal.status, to)) {
    return unexpected<GoalError>(GoalError::wrong_state);
  }
  goal.status = to;
  return {};
}

expected<std::vector<RequestId>, GoalError> ActionGoals::end(GoalRecord& goal, GoalStatus to,
                                                             std::shared_ptr<const void> result,
                                                             std::int64_t now_ns) {
  const std::lock_guard lock(mutex_);
  if (!is_terminal(to) || !has_transition(goal.status, to)) {
    return unexpected<GoalError>(GoalError::wrong_state);
  }
  goal.status = to;
  goal.ended_ns = now_ns;
  goal.result = std::move(result);
  return std::exchange(goal.waiting, {});
}

ActionGoals::Answer ActionGoals::ask_result(const GoalUUID& id, const RequestId& who) {
  const std::lock_guard lock(mutex_);
  const auto found = goals_.find(id);
  if (found == goals_.end()) {
    return {};
  }
  GoalRecord& goal = *found->second;
  if (is_terminal(goal.status)) {
    return {false, goal.result};
  }
  if (goal.waiting.size() >= max_waiting) {
    return {};
  }
  goal.waiting.push_back(who);
  return {true, nullptr};
}

ActionGoals::Candidates ActionGoals::to_cancel(const GoalUUID& id, std::int64_t stamp_ns) const {
  const std::lock_guard lock(mutex_);
  Candidates found;
  if (id != no_id && stamp_ns == 0) {
    const auto at = goals_.find(id);
    if (at == goals_.end()) {
      found.code = Codes::ERROR_UNKNOWN_GOAL_ID;
    } else if (is_cancelable(*at->second)) {
      found.goals.push_back(at->second);
    } else {
      found.code = Codes::ERROR_GOAL_TERMINATED;
    }
    return found;
  }
  const bool all = id == no_id && stamp_ns == 0;
  for (const auto& [known, goal] : goals_) {
    if ((all || goal->accepted_ns <= stamp_ns || known == id) && is_cancelable(*goal)) {
      found.goals.push_back(goal);
    }
  }
  return found;
}

action_msgs::msg::GoalStatusArray ActionGoals::statuses() const {
  action_msgs::msg::GoalStatusArray all;
  const std::lock_guard lock(mutex_);
  all.status_list.reserve(goals_.size());
  for (const auto& [id, goal] : goals_) {
    auto& one = all.status_list.emplace_back();
    one.goal_info.goal_id.uuid = id;
    one.goal_info.stamp = Time(goal->accepted_ns);
    one.status = static_cast<std::int8_t>(goal->status);
  }
  return all;
}

bool ActionGoals::expire(std::int64_t now_ns) {
  const std::lock_guard lock(mutex_);
  if (timeout_ns_ >= 0) {
    std::erase_if(goals_, [&](const auto& entry) {
      const GoalRecord& goal = *entry.second;
      return is_terminal(goal.status) && later(goal.ended_ns, timeout_ns_) <= now_ns;
    });
  }
  return std::any_of(goals_.begin(), goals_.end(),
                     [](const auto& entry) { return is_terminal(entry.second->status); });
}

ActionGoals::Count ActionGoals::count() const {
  const std::lock_guard lock(mutex_);
  const auto active = std::count_if(goals_.begin(), goals_.end(), [](const auto& entry) {
    return !is_terminal(entry.second->status);
  });
  return {goals_.size(), static_cast<std::size_t>(active)};
}

}  // namespace ligament::detail
