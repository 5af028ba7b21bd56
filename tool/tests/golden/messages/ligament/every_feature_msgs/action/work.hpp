// SPDX-License-Identifier: Apache-2.0
// Generated from every_feature_msgs/action/Work by template action.hpp.j2, ligament 0.1.0. Do not edit.
#pragma once

#include <ligament/action_msgs/msg/goal_status_array.hpp>
#include <ligament/action_msgs/srv/cancel_goal.hpp>
#include <ligament/every_feature_msgs/action/work__feedback.hpp>
#include <ligament/every_feature_msgs/action/work__feedback_message.hpp>
#include <ligament/every_feature_msgs/action/work__get_result.hpp>
#include <ligament/every_feature_msgs/action/work__goal.hpp>
#include <ligament/every_feature_msgs/action/work__result.hpp>
#include <ligament/every_feature_msgs/action/work__send_goal.hpp>

namespace ligament::every_feature_msgs::action {

/// every_feature_msgs/action/Work
struct Work {
  static constexpr std::string_view name = "every_feature_msgs/action/Work";
  using Goal = Work_Goal;
  using Result = Work_Result;
  using Feedback = Work_Feedback;

  /// The services and messages that carry an action.
  struct Impl {
    using SendGoalService = Work_SendGoal;
    using GetResultService = Work_GetResult;
    using FeedbackMessage = Work_FeedbackMessage;
    using CancelGoalService = ::ligament::action_msgs::srv::CancelGoal;
    using GoalStatusMessage = ::ligament::action_msgs::msg::GoalStatusArray;
  };
};

}  // namespace ligament::every_feature_msgs::action
