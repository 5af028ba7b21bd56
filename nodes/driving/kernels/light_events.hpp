// SPDX-License-Identifier: Apache-2.0
/// \file Which light holds for a frame: events on the way from the detectors, in the order of their
/// stamps.
///
/// A detector and the lane's nodes see the same frame, and take different times. An event therefore
/// holds for frames whose stamp is later by at least `delay`: a detector that takes less than that
/// keeps nobody waiting. For a slower one the frame waits (Drive::is_due), so the same frames give
/// the same commands in each run, whoever was faster. Of two events the one with the later stamp
/// holds; of red and green with one stamp, red.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace ligament::nodes::driving {

enum class Light : std::uint8_t { green, red };

struct LightEvent {
  std::int64_t stamp_ns = 0;
  Light light = Light::green;
  bool operator==(const LightEvent&) const = default;
  /// By stamp; of equal ones, red last.
  bool operator<(const LightEvent& other) const {
    return stamp_ns != other.stamp_ns ? stamp_ns < other.stamp_ns : light < other.light;
  }
};

class LightEvents {
 public:
  explicit LightEvents(std::int64_t delay_ns) : delay_ns_(delay_ns) {}

  /// Keeps the event until its time. Of more than `kMost` that wait, the earliest holds at once.
  void add(const LightEvent& event) {
    if (holds_ && !(*holds_ < event)) return;
    const auto end = waiting_.begin() + count_;
    const auto place = std::lower_bound(waiting_.begin(), end, event);
    if (place != end && *place == event) return;
    if (count_ == kMost) {
      if (place == waiting_.begin()) return;
      hold_first(1);
      return add(event);
    }
    std::move_backward(place, end, end + 1);
    *place = event;
    ++count_;
  }

  /// The light that holds for a frame.
  [[nodiscard]] Light light_at(std::int64_t frame_ns) {
    std::ptrdiff_t due = 0;
    while (due < count_ && waiting_[static_cast<std::size_t>(due)].stamp_ns + delay_ns_ <= frame_ns)
      ++due;
    if (due > 0) hold_first(due);
    return holds_ ? holds_->light : Light::green;
  }

  void clear() {
    holds_.reset();
    count_ = 0;
  }

 private:
  static constexpr std::ptrdiff_t kMost = 32;

  void hold_first(std::ptrdiff_t events) {
    holds_ = waiting_[static_cast<std::size_t>(events - 1)];
    std::move(waiting_.begin() + events, waiting_.begin() + count_, waiting_.begin());
    count_ -= events;
  }

  std::int64_t delay_ns_;
  std::array<LightEvent, static_cast<std::size_t>(kMost)> waiting_{};
  std::ptrdiff_t count_ = 0;
  std::optional<LightEvent> holds_;
};

}  // namespace ligament::nodes::driving
