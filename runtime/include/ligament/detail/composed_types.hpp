// SPDX-License-Identifier: Apache-2.0
/// \file Services and actions as types: ROS 2 describes and hashes them as messages whose fields
/// are their parts. Not promised.
#pragma once

#include <array>
#include <ligament/message_traits.hpp>
#include <ligament/type_table.hpp>

namespace ligament::detail {

[[nodiscard]] constexpr FieldEntry part(std::string_view name, const TypeTable* type) {
  return {.name = name, .kind = ElementKind::message, .nested = type};
}

/// Null where the definition of the service was generated without its event message.
template <typename T>
[[nodiscard]] const TypeTable* service_table() {
  if constexpr (requires { typename T::Event; }) {
    static const std::array fields{
        part("request_message", &MessageTraits<typename T::Request>::table()),
        part("response_message", &MessageTraits<typename T::Response>::table()),
        part("event_message", &MessageTraits<typename T::Event>::table())};
    static const TypeTable table{T::name, T::type_hash, fields};
    return &table;
  } else {
    return nullptr;
  }
}

template <typename T>
[[nodiscard]] const TypeTable* action_table() {
  const TypeTable* send_goal = service_table<typename T::Impl::SendGoalService>();
  const TypeTable* get_result = service_table<typename T::Impl::GetResultService>();
  if (send_goal == nullptr || get_result == nullptr) {
    return nullptr;
  }
  static const std::array fields{
      part("goal", &MessageTraits<typename T::Goal>::table()),
      part("result", &MessageTraits<typename T::Result>::table()),
      part("feedback", &MessageTraits<typename T::Feedback>::table()),
      part("send_goal_service", send_goal),
      part("get_result_service", get_result),
      part("feedback_message", &MessageTraits<typename T::Impl::FeedbackMessage>::table())};
  static const TypeTable table{T::name, T::type_hash, fields};
  return &table;
}

}  // namespace ligament::detail
