// SPDX-License-Identifier: Apache-2.0
/// \file What the provider `ros2` (--trace=ros2) needs besides its events: handles, and the mark
/// around an author's callback. Not promised.
#pragma once

#include <cstdint>
#include <ligament/detail/ros2_events.hpp>

namespace ligament::trace::ros2 {

/// One of our ids as a handle of ros2_tracing. Without its top bit: handles are addresses there,
/// and analysers keep them in signed 64-bit integers.
[[nodiscard]] constexpr std::uint64_t handle(std::uint64_t id) noexcept {
  return id & 0x7fff'ffff'ffff'ffffULL;
}
/// Addresses are handles as they are.
[[nodiscard]] inline std::uint64_t handle(const void* object) noexcept {
  return reinterpret_cast<std::uintptr_t>(object);
}

/// From construction to destruction, an author's callback runs. 0: nothing is told.
class CallbackMark {
 public:
  explicit CallbackMark(std::uint64_t callback) noexcept : callback_(callback) {
    if (callback_ != 0) [[unlikely]] {
      callback_start(callback_, 0);
    }
  }
  CallbackMark(const CallbackMark&) = delete;
  CallbackMark& operator=(const CallbackMark&) = delete;
  ~CallbackMark() {
    if (callback_ != 0) [[unlikely]] {
      callback_end(callback_);
    }
  }

 private:
  std::uint64_t callback_;
};

}  // namespace ligament::trace::ros2
