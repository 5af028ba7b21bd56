// SPDX-License-Identifier: Apache-2.0
#include "mcu/core_tracks.hpp"

#include <string_view>

namespace ligament::mcu {

namespace {

constexpr std::array<std::string_view, LIGAMENT_TRACE_INTERRUPTS> interrupt_names{"bell", "alarm",
                                                                                  "tick", "line"};

/// The core wrote it: it may be anything.
std::string task_name(const ligament_trace_ring_t& ring, std::uint8_t task) {
  std::string name;
  for (const char& shared : ring.tasks[task]) {
    const char letter = *static_cast<const volatile char*>(&shared);
    if (letter == '\0') {
      break;
    }
    name += letter >= ' ' && letter <= '~' ? letter : '?';
  }
  return name.empty() ? "task " + std::to_string(task) : name;
}

}  // namespace

void CoreTracks::forget() {
  running_.reset();
  served_ = {};
}

bool CoreTracks::take(const ligament_trace_event_t& event, const ligament_trace_ring_t& ring,
                      std::optional<TrackSpan>& ended) {
  ended.reset();
  if (event.kind == LIGAMENT_TRACE_TASK) {
    return switch_to(event, ring, ended);
  }
  if (event.port >= served_.size() || event.time_us < 0) {
    return false;
  }
  auto& since = served_[event.port];
  if (event.kind == LIGAMENT_TRACE_INTERRUPT_BEGIN) {
    since = event.time_us;
    return true;
  }
  if (!since) {
    return true;  // it began before anybody listened, or its begin was lost
  }
  const std::int64_t begin = *since;
  since.reset();
  if (event.time_us < begin) {
    return false;
  }
  ended = {trace::TrackKind::interrupt, std::string(interrupt_names[event.port]), begin,
           event.time_us};
  return true;
}

bool CoreTracks::switch_to(const ligament_trace_event_t& event, const ligament_trace_ring_t& ring,
                           std::optional<TrackSpan>& ended) {
  if (event.port >= LIGAMENT_TRACE_TASKS || event.time_us < 0) {
    return false;
  }
  const auto before = running_;
  running_ = event;
  if (before && event.time_us < before->time_us) {
    return false;
  }
  if (before) {
    ended = {trace::TrackKind::task, task_name(ring, before->port), before->time_us, event.time_us};
  }
  return true;
}

}  // namespace ligament::mcu
