// SPDX-License-Identifier: Apache-2.0
/// \file Which task of a core ran when, and which interrupt was served, from the ring of events.
#pragma once

#include <ligament/mcu_trace.h>

#include <array>
#include <cstdint>
#include <ligament/span.hpp>
#include <optional>
#include <string>

namespace ligament::mcu {

/// By the core's clock.
struct TrackSpan {
  trace::TrackKind kind = trace::TrackKind::task;
  std::string name;
  std::int64_t begin_us = 0;
  std::int64_t end_us = 0;
};

/// Takes events in the order of the ring. Tasks and interrupts are apart: an interrupt's time is in
/// that of the task which it interrupts.
class CoreTracks {
 public:
  /// What came before says nothing about what comes: events were lost, or the core starts anew.
  void forget();
  /// What has ended with an event, if something has; false: such an event cannot be.
  [[nodiscard]] bool take(const ligament_trace_event_t& event, const ligament_trace_ring_t& ring,
                          std::optional<TrackSpan>& ended);

 private:
  [[nodiscard]] bool switch_to(const ligament_trace_event_t& event,
                               const ligament_trace_ring_t& ring, std::optional<TrackSpan>& ended);

  std::optional<ligament_trace_event_t> running_;  ///< the task, since when
  std::array<std::optional<std::int64_t>, LIGAMENT_TRACE_INTERRUPTS> served_{};  ///< since when
};

}  // namespace ligament::mcu
