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
  static constexpr std::array<std::uint8_t, 32> type_hash{
      0xec, 0xec, 0x02, 0x40, 0x55, 0x32, 0x3e, 0x11,
      0xf7, 0x18, 0xdf, 0xfd, 0xbd, 0xe8, 0xdc, 0xa4,
      0x9c, 0x0a, 0x2a, 0xcc, 0x27, 0xd3, 0xd6, 0x0b,
      0xc5, 0x22, 0x06, 0xc7, 0xa2, 0xb3, 0xad, 0xe7,
  };

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
