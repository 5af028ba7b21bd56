// SPDX-License-Identifier: Apache-2.0
/// \file From babeltrace's events to plain values: which member is which field is found once per
/// event class, by name.
#pragma once

#include <babeltrace2/babeltrace.h>

#include <array>
#include <cstdint>
#include <string>

#include "trace/convert/ros2_event.hpp"

namespace ligament::trace::ros2 {

/// How an event class of a recording is read.
struct Layout {
  EventId id{};
  std::array<std::int8_t, max_fields> members{};  ///< of each field; -1: absent
  std::array<bool, max_fields> is_signed{};       ///< of each field that is an integer
  bool pid_is_signed = false;
  bool tid_is_signed = false;
  std::int8_t pid = -1;  ///< members of the event's context
  std::int8_t tid = -1;
  std::int8_t program = -1;
};

/// Find the fields of an event of ours. False: `problem` says what the class lacks; it is empty
/// where the provider is right but the event is none that we know.
[[nodiscard]] bool describe(const bt_event* event, std::string_view name, Layout& layout,
                            std::string& problem);

/// Read an event. The texts live as long as the event.
void decode(const bt_event* event, const Layout& layout, Decoded& result);

}  // namespace ligament::trace::ros2
