// SPDX-License-Identifier: Apache-2.0
/// \file LifecycleNode: a node that others configure, activate and stop. Reads like
/// rclcpp_lifecycle's.
///
///   class Camera : public ligament::LifecycleNode {
///    public:
///     explicit Camera(const ligament::NodeOptions& options) : LifecycleNode("camera", options) {}
///
///     ligament::CallbackReturn on_configure(const ligament::LifecycleState&) override {
///       publisher_ = create_publisher<Image>("image", 5);      // silent until the node is active
///       return device_.open() ? ligament::CallbackReturn::success
///                             : ligament::CallbackReturn::failure;
///     }
///     ...
///   };
///   LIGAMENT_REGISTER_NODE(Camera)
///
/// States and transitions: lifecycle.hpp. The node has the services `~/change_state`,
/// `~/get_state`,
/// `~/get_available_states`, `~/get_available_transitions` and `~/get_transition_graph`, and tells
/// each step on `~/transition_event`, with lifecycle_msgs' types: `ros2 lifecycle` works with it.
/// `ligament run` brings it up (docs/how-to/lifecycle-nodes.md).
///
/// The differences from rclcpp: nothing throws. An exception in a callback is `error`, with an
/// error of the node that says what it threw. Steps from 10 on cannot be asked for from outside.
#pragma once

#include <cstdint>
#include <ligament/lifecycle.hpp>
#include <ligament/lifecycle_publisher.hpp>
#include <ligament/node.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ligament {

class LifecycleNode : public Node {
 public:
  using SharedPtr = std::shared_ptr<LifecycleNode>;

  /// `has_interface`: with the services and the topic.
  explicit LifecycleNode(const std::string& name, const NodeOptions& options = {},
                         bool has_interface = true);
  LifecycleNode(const std::string& name, const std::string& name_space,
                const NodeOptions& options = {}, bool has_interface = true);
  ~LifecycleNode() override;

  /// Silent while the node is not active.
  template <typename Message>
  std::shared_ptr<LifecyclePublisher<Message>> create_publisher(
      const std::string& topic, const QoS& qos, const PublisherOptions& options = {}) {
    auto publisher = make_publisher<LifecyclePublisher<Message>>(topic, qos, options);
    add_managed_entity(publisher);
    return publisher;
  }

  // --- what the author overrides; each is given the state before --------------------------------

  /// The default of the first three: success.
  virtual CallbackReturn on_configure(const LifecycleState& previous);
  virtual CallbackReturn on_cleanup(const LifecycleState& previous);
  virtual CallbackReturn on_shutdown(const LifecycleState& previous);
  /// Switches the publishers on; an override calls it.
  virtual CallbackReturn on_activate(const LifecycleState& previous);
  /// Switches them off; an override calls it.
  virtual CallbackReturn on_deactivate(const LifecycleState& previous);
  /// After a callback that returned `error` or threw. The default: failure, so that the node ends
  /// as `finalized`.
  virtual CallbackReturn on_error(const LifecycleState& previous);

  // --- transitions; each gives the state that they led to --------------------------------------

  LifecycleState configure();
  LifecycleState cleanup();
  LifecycleState activate();
  LifecycleState deactivate();
  LifecycleState shutdown();
  /// By the id of lifecycle_msgs/msg/Transition. What the callback said; or why there is no such
  /// transition from here.
  expected<CallbackReturn, std::string> trigger_transition(std::uint8_t id);
  expected<CallbackReturn, std::string> trigger_transition(const std::string& label);

  [[nodiscard]] LifecycleState get_current_state() const;
  [[nodiscard]] std::vector<LifecycleState> get_available_states() const;
  [[nodiscard]] std::vector<LifecycleTransition> get_available_transitions() const;
  [[nodiscard]] std::vector<LifecycleTransition> get_transition_graph() const;
  /// It is switched on and off with the node, for as long as it lives.
  void add_managed_entity(const std::shared_ptr<ManagedEntity>& entity);

 private:
  struct Interface;
  CallbackReturn run(const LifecycleTransition& begun);
  CallbackReturn call(const LifecycleState& in, const LifecycleState& previous);
  LifecycleState go(const std::string& label);
  void switch_entities(bool on);

  detail::LifecycleMachine machine_;
  std::mutex entities_mutex_;
  std::vector<std::weak_ptr<ManagedEntity>> entities_;
  std::unique_ptr<Interface> interface_;
};

}  // namespace ligament
