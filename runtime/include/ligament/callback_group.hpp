// SPDX-License-Identifier: Apache-2.0
/// \file Callback groups: which callbacks of a node may run at the same time. Reads like rclcpp's.
///
///   ligament::SubscriptionOptions options;
///   options.callback_group = create_callback_group(ligament::CallbackGroupType::reentrant);
///   create_subscription<Image>("image", 5, callback, options);
///
/// A group matters to a MultiThreadedExecutor (executor.hpp); a SingleThreadedExecutor runs one
/// callback at a time anyway. Of a *mutually exclusive* group one callback runs at a time.
/// Callbacks of a *reentrant* group run whenever a thread is free, also beside themselves: the
/// author guards what they share, and messages of one subscription may be handled out of order.
/// Callbacks of different groups run at the same time.
///
/// Each node has a mutually exclusive group for all that names none. So a node whose author knows
/// nothing of threads is safe: its callbacks never run at the same time, on any executor.
///
/// A callback may wait for what another group brings, for instance the response to a request of a
/// client of that group. What its own mutually exclusive group would have to bring never comes:
/// that wait is refused with an error of the node (client.hpp).
///
/// The difference from rclcpp: what is made with a group keeps it alive, and a group is always run
/// by the executor that runs its node.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace ligament {

enum class CallbackGroupType : std::uint8_t { mutually_exclusive, reentrant };

/// Made by Node::create_callback_group().
class CallbackGroup {
 public:
  using SharedPtr = std::shared_ptr<CallbackGroup>;

  /// `owner` stands for the node; it is compared and never used.
  CallbackGroup(CallbackGroupType type, const void* owner) : type_(type), owner_(owner) {}
  CallbackGroup(const CallbackGroup&) = delete;
  CallbackGroup& operator=(const CallbackGroup&) = delete;

  [[nodiscard]] CallbackGroupType type() const { return type_; }
  [[nodiscard]] bool belongs_to(const void* owner) const { return owner_ == owner; }

  // What executors call, the first three by one thread at a time.

  /// Whether a callback may start now.
  [[nodiscard]] bool is_free() const {
    // Acquire: what the group's last callback did is seen by the next one; partner: leave().
    return type_ == CallbackGroupType::reentrant || !busy_.load(std::memory_order_acquire);
  }
  void enter() {
    if (type_ == CallbackGroupType::mutually_exclusive) {
      busy_.store(true, std::memory_order_relaxed);
    }
  }
  /// The same as is_free(); where it is not, leave() will say that somebody waits.
  [[nodiscard]] bool is_free_or_wanted() {
    if (is_free()) {
      return true;
    }
    // seq_cst: first we say that we wait, then we look again; partner: leave(), which frees the
    // group first and then looks. One of the two sees the other.
    wanted_.store(true, std::memory_order_seq_cst);
    return !busy_.load(std::memory_order_seq_cst);
  }
  /// The callback has returned. True: who waits for the group has to be woken.
  [[nodiscard]] bool leave() {
    if (type_ == CallbackGroupType::reentrant) {
      return false;
    }
    busy_.store(false, std::memory_order_seq_cst);
    return wanted_.load(std::memory_order_seq_cst) && wanted_.exchange(false);
  }

 private:
  CallbackGroupType type_;
  const void* owner_;
  std::atomic<bool> busy_{false};
  std::atomic<bool> wanted_{false};
};

}  // namespace ligament
