// SPDX-License-Identifier: Apache-2.0
/// \file Node: the base class of every node. Reads like rclcpp's.
///
///   class Talker : public ligament::Node {
///    public:
///     explicit Talker(const ligament::NodeOptions& options) : Node("talker", options) {
///       publisher_ = create_publisher<std_msgs::msg::String>("chatter", 10);
///       timer_ = create_wall_timer(std::chrono::seconds(1), [this] { publisher_->publish(text_);
///       });
///     }
///     ...
///   };
///   LIGAMENT_REGISTER_NODE(Talker)
///
/// What differs from rclcpp: nothing throws. A mistake at set-up (a bad name, a type that does not
/// fit, no permission) is kept in `errors()`, the endpoint that could not be made does nothing, and
/// the container stops with the sentence. `finish()` says that the node's work is complete.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ligament/callback_group.hpp>
#include <ligament/client.hpp>
#include <ligament/clock.hpp>
#include <ligament/detail/core_figures.hpp>
#include <ligament/detail/endpoint.hpp>
#include <ligament/detail/hardware_figures.hpp>
#include <ligament/detail/kernel_figures.hpp>
#include <ligament/events.hpp>
#include <ligament/expected.hpp>
#include <ligament/logging.hpp>
#include <ligament/node_options.hpp>
#include <ligament/parameter.hpp>
#include <ligament/publisher.hpp>
#include <ligament/qos.hpp>
#include <ligament/service.hpp>
#include <ligament/subscription.hpp>
#include <ligament/timer.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ligament {

/// Who has to act on a node's error.
enum class NodeErrorKind : std::uint8_t {
  configuration,  ///< the graph's author: a name, a parameter, a type
  system,         ///< the machine's owner: memory, permissions
  run,            ///< something went wrong while running; the node goes on
};
struct NodeError {
  NodeErrorKind kind = NodeErrorKind::run;
  std::string text;  ///< one sentence
};

namespace detail {
class ParameterEvents;
}
template <typename T>
class ActionServer;  // action_server.hpp
template <typename T>
class ActionClient;  // action_client.hpp

class Node {
 public:
  using SharedPtr = std::shared_ptr<Node>;

  explicit Node(const std::string& name, const NodeOptions& options = {});
  Node(const std::string& name, const std::string& name_space, const NodeOptions& options = {});
  virtual ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // --- topics --------------------------------------------------------------------------------

  template <typename Message>
  std::shared_ptr<Publisher<Message>> create_publisher(const std::string& topic, const QoS& qos,
                                                       const PublisherOptions& options = {}) {
    return make_publisher<Publisher<Message>>(topic, qos, options);
  }

  /// For the forms of the callback see subscription.hpp.
  template <typename Message, typename Callback>
  std::shared_ptr<Subscription<Message>> create_subscription(
      const std::string& topic, const QoS& qos, Callback&& callback,
      const SubscriptionOptions& options = {}) {
    auto parts = open_subscription(topic, detail::type_identity<Message>(), qos, options);
    auto subscription =
        std::make_shared<detail::CallbackSubscription<Message, std::decay_t<Callback>>>(
            std::move(parts), std::forward<Callback>(callback));
    add(subscription);
    return subscription;
  }

  // --- services ------------------------------------------------------------------------------

  /// For the forms of the callback see service.hpp.
  template <typename T, typename Callback>
  std::shared_ptr<Service<T>> create_service(const std::string& name, Callback&& callback,
                                             const QoS& qos = ServicesQoS(),
                                             const CallbackGroup::SharedPtr& group = nullptr) {
    auto service = Service<T>::create(
        open_service(name, detail::service_types<T>(), {qos, group}, detail::ServiceRole::server),
        std::forward<Callback>(callback));
    add(std::shared_ptr<ServiceBase>(service));
    return service;
  }

  template <typename T>
  std::shared_ptr<Client<T>> create_client(const std::string& name, const QoS& qos = ServicesQoS(),
                                           const CallbackGroup::SharedPtr& group = nullptr) {
    auto client = Client<T>::create(
        open_service(name, detail::service_types<T>(), {qos, group}, detail::ServiceRole::client));
    add(std::shared_ptr<ClientBase>(client));
    return client;
  }

  // --- actions: include action_server.hpp or action_client.hpp ---------------------------------

  template <typename T>
  std::shared_ptr<ActionServer<T>> create_action_server(
      const std::string& name, typename ActionServer<T>::GoalCallback handle_goal,
      typename ActionServer<T>::CancelCallback handle_cancel,
      typename ActionServer<T>::AcceptedCallback handle_accepted,
      const typename ActionServer<T>::Options& options = {});

  template <typename T>
  std::shared_ptr<ActionClient<T>> create_action_client(
      const std::string& name, const CallbackGroup::SharedPtr& group = nullptr);

  // --- which callbacks may run at the same time ------------------------------------------------

  /// For a MultiThreadedExecutor: see callback_group.hpp.
  [[nodiscard]] CallbackGroup::SharedPtr create_callback_group(CallbackGroupType type);

  // --- time ----------------------------------------------------------------------------------

  /// On the steady clock, whatever the graph's time does.
  std::shared_ptr<TimerBase> create_wall_timer(std::chrono::nanoseconds period,
                                               std::function<void()> callback,
                                               const CallbackGroup::SharedPtr& group = nullptr);
  /// On the node's clock: follows simulated time.
  std::shared_ptr<TimerBase> create_timer(std::chrono::nanoseconds period,
                                          std::function<void()> callback,
                                          const CallbackGroup::SharedPtr& group = nullptr);
  [[nodiscard]] Time now() const;
  [[nodiscard]] const std::shared_ptr<Clock>& get_clock() const;

  // --- parameters ----------------------------------------------------------------------------

  /// The value from outside, where there is one and it is valid; else the default.
  template <typename T>
  T declare_parameter(const std::string& name, const T& default_value,
                      const ParameterDescriptor& descriptor = {}) {
    return typed<T>(declare_parameter(name, ParameterValue(default_value), descriptor));
  }
  std::string declare_parameter(const std::string& name, const char* default_value,
                                const ParameterDescriptor& descriptor = {}) {
    return declare_parameter<std::string>(name, default_value, descriptor);
  }
  ParameterValue declare_parameter(const std::string& name, const ParameterValue& default_value,
                                   const ParameterDescriptor& descriptor = {});

  /// Of a name that is not declared: an empty parameter, and a node error with the nearest name.
  [[nodiscard]] Parameter get_parameter(const std::string& name) const;
  /// False, and `value` as it was, where the name is not declared or has another type.
  template <typename T>
  bool get_parameter(const std::string& name, T& value) const {
    if (!has_parameter(name)) {
      return false;
    }
    const Parameter parameter = get_parameter(name);
    const auto* found = parameter.get_parameter_value().template get_if<Stored<T>>();
    if (found != nullptr) {
      value = static_cast<T>(*found);
    }
    return found != nullptr;
  }
  [[nodiscard]] bool has_parameter(const std::string& name) const;
  SetParametersResult set_parameter(const Parameter& parameter);
  /// All of them, or none.
  SetParametersResult set_parameters_atomically(const std::vector<Parameter>& parameters);
  /// Called before values change, and may refuse them. Lives as long as the returned handle.
  [[nodiscard]] std::shared_ptr<OnSetParametersCallback> add_on_set_parameters_callback(
      OnSetParametersCallback callback);

  // --- the node itself -----------------------------------------------------------------------

  [[nodiscard]] const std::string& get_name() const;
  [[nodiscard]] const std::string& get_namespace() const;
  /// The node's id.
  [[nodiscard]] const std::string& get_fully_qualified_name() const;
  [[nodiscard]] const Logger& get_logger() const;
  /// The node's work is complete; callbacks still run until the container is stopped.
  void finish();
  [[nodiscard]] bool is_finished() const;
  /// Something that the graph's owner should see: logged, kept, and sent to the tool.
  void report_error(const std::string& text);
  [[nodiscard]] std::vector<NodeError> errors() const;

  // --- moving to another process: spec/run/moving.md -------------------------------------------

  /// None of its callbacks runs any more, so that another process may go on as this node. Returns
  /// when nothing is in flight on its device, or says what still is: it runs on then for a while,
  /// and is asked again.
  [[nodiscard]] virtual expected<void, std::string> settle() { return {}; }
  /// After settle(): what the node that goes on shall know, in a form of the class's own. Nothing:
  /// it does not say, and a node whose manifest lists `state` does not move.
  [[nodiscard]] virtual std::optional<std::vector<std::byte>> save_state() { return std::nullopt; }
  /// In the node that goes on, before its first callback. The bytes are another process's: false
  /// where they make no sense, and the old node goes on.
  [[nodiscard]] virtual bool restore_state(std::span<const std::byte> state) {
    return state.empty();
  }

  /// Numeric id in traces.
  [[nodiscard]] std::uint64_t trace_handle() const noexcept;
  [[nodiscard]] detail::NodeState& state() const { return *state_; }
  [[nodiscard]] const std::shared_ptr<detail::NodeState>& shared_state() const { return state_; }

 protected:
  /// A publisher of a class that is made from PublisherParts.
  template <typename Made>
  std::shared_ptr<Made> make_publisher(const std::string& topic, const QoS& qos,
                                       const PublisherOptions& options) {
    auto publisher = std::make_shared<Made>(
        open_publisher(topic, detail::type_identity<typename Made::MessageType>(), qos, options));
    add(std::shared_ptr<PublisherBase>(publisher));
    return publisher;
  }
  /// Of generated nodes with kernels: asked by the status thread; empty: no more.
  void set_kernel_figures(std::function<detail::KernelFigures()> figures);
  /// The same of nodes in hardware.
  void set_hardware_figures(std::function<detail::HardwareFigures()> figures);
  /// The same of nodes in firmware.
  void set_core_figures(std::function<detail::CoreFigures()> figures);

 private:
  /// How a C++ type is kept in a ParameterValue.
  template <typename T>
  using Stored =
      std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, std::int64_t,
                         std::conditional_t<std::is_floating_point_v<T>, double,
                                            std::conditional_t<std::is_same_v<T, std::vector<int>>,
                                                               std::vector<std::int64_t>, T>>>;
  template <typename T>
  static T typed(const ParameterValue& value) {
    const auto* found = value.get_if<Stored<T>>();
    if constexpr (std::is_same_v<T, std::vector<int>>) {
      return found == nullptr ? T{} : T(found->begin(), found->end());
    } else {
      return found == nullptr ? T{} : static_cast<T>(*found);
    }
  }

  detail::PublisherParts open_publisher(const std::string& topic, const detail::TypeIdentity& type,
                                        const QoS& qos, const PublisherOptions& options);
  detail::SubscriptionParts open_subscription(const std::string& topic,
                                              const detail::TypeIdentity& type, const QoS& qos,
                                              const SubscriptionOptions& options);
  detail::ServiceEnds open_service(const std::string& name, const detail::ServiceTypes& types,
                                   const detail::ServiceWish& wish, detail::ServiceRole role);
  void add(const std::shared_ptr<ServiceBase>& service);
  void add(const std::shared_ptr<ClientBase>& client);
  void add(const std::shared_ptr<PublisherBase>& publisher);
  void add(const std::shared_ptr<SubscriptionBase>& subscription);
  std::shared_ptr<TimerBase> add_timer(const Clock& clock, std::chrono::nanoseconds period,
                                       std::function<void()> callback,
                                       const CallbackGroup::SharedPtr& group);
  void follow_simulated_time();
  void open_to_ros_tools(const NodeOptions& options);

  std::shared_ptr<detail::NodeState> state_;
  std::shared_ptr<SubscriptionBase> clock_subscription_;
  std::vector<std::shared_ptr<ServiceBase>> tool_services_;
  std::shared_ptr<detail::ParameterEvents> parameter_events_;
  std::shared_ptr<LogSink> rosout_;
};

}  // namespace ligament
