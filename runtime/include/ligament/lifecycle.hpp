// SPDX-License-Identifier: Apache-2.0
/// \file The states and transitions of a lifecycle node, as ROS 2 has them.
///
/// Source: the design "Managed nodes" (design.ros2.org/articles/node_lifecycle.html), and the ids
/// and labels of lifecycle_msgs/msg/State and Transition. Which transition leads where:
///
///   unconfigured --configure--> inactive --activate--> active
///   unconfigured <---cleanup--- inactive <--deactivate- active
///   each of the three --shutdown--> finalized
///
/// On the way, the node is in a transition state (`configuring`, ...) while its callback runs. What
/// the callback returns decides: `success`, there; `failure`, back; `error`, on_error() is called,
/// and the node becomes unconfigured (success) or finalized.
#pragma once

#include <cstdint>
#include <functional>
#include <ligament/expected.hpp>
#include <mutex>
#include <string>
#include <vector>

namespace ligament {

/// What a callback of a lifecycle node returns.
enum class CallbackReturn : std::uint8_t { success, failure, error };

/// As lifecycle_msgs/msg/State numbers and names it.
struct LifecycleState {
  std::uint8_t id = 0;
  std::string label;
  bool operator==(const LifecycleState&) const = default;
};

/// One arrow of the picture above, or of what a callback's return leads to.
struct LifecycleTransition {
  std::uint8_t id = 0;
  std::string label;
  LifecycleState start;
  LifecycleState goal;
  bool operator==(const LifecycleTransition&) const = default;
};

namespace detail {

/// The machine without the node. From any thread; of two transitions asked for at once, one is
/// refused.
class LifecycleMachine {
 public:
  /// Told of each step that is made, by the thread that makes it.
  explicit LifecycleMachine(std::function<void(const LifecycleTransition&)> told)
      : told_(std::move(told)) {}

  [[nodiscard]] LifecycleState state() const;
  [[nodiscard]] static std::vector<LifecycleState> states();
  [[nodiscard]] static std::vector<LifecycleTransition> graph();
  /// Those that can be asked for now.
  [[nodiscard]] std::vector<LifecycleTransition> available() const;

  /// Into the transition state; why not, if it cannot be now.
  expected<LifecycleTransition, std::string> begin(std::uint8_t id);
  /// The same by label: `shutdown` is another transition in each state.
  expected<LifecycleTransition, std::string> begin(const std::string& label);
  /// Out of it, as the callback said.
  LifecycleState end(CallbackReturn result);

 private:
  template <typename Fits>
  expected<LifecycleTransition, std::string> begin_if(const std::string& what, const Fits& fits);

  std::function<void(const LifecycleTransition&)> told_;
  mutable std::mutex mutex_;
  std::uint8_t state_ = 1;
};

}  // namespace detail
}  // namespace ligament
