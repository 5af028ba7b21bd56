// SPDX-License-Identifier: Apache-2.0
/// \file What is decided about a node from outside: its name, place, remapping, parameters, topics.
///
///   ligament::NodeOptions options;
///   options.node_name("left_camera").node_namespace("/rig").remap("image_raw", "/rig/left")
///          .append_parameter_override("rate_hz", 30.0);
///   auto camera = std::make_shared<Camera>(options);
///
/// The container fills it from its configuration; tests and own programs do it by hand.
#pragma once

#include <cstddef>
#include <ligament/context.hpp>
#include <ligament/parameter.hpp>
#include <ligament/qos.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ligament {

/// The parts of a quality of service that the graph decides; the others stay as the node says.
struct QoSOverrides {
  std::optional<HistoryPolicy> history;
  std::optional<ReliabilityPolicy> reliability;
  std::optional<DurabilityPolicy> durability;
  std::optional<LivelinessPolicy> liveliness;
  std::optional<std::uint32_t> depth;
  std::optional<std::uint32_t> max_held;
  std::optional<std::int64_t> deadline_ns;
  std::optional<std::int64_t> lifespan_ns;
  std::optional<std::int64_t> liveliness_lease_ns;

  [[nodiscard]] QoSProfile apply_to(QoSProfile profile) const;
};

/// What the graph says about a topic, beyond what the nodes at its ends say.
struct TopicOptions {
  std::string message;          ///< its type; an endpoint of another type is refused. Empty: any
  QoSOverrides qos;             ///< stronger than the node's own
  std::size_t bound_bytes = 0;  ///< largest stored message; 0: none
  /// Samples that a publisher keeps, where its subscriptions are deeper than it; 0: its depth.
  std::uint32_t ring = 0;
  bool device = false;  ///< some end is on a device that is no CPU: bound_bytes is needed
  /// All ends are kernels on one device: payloads stay there, and nobody else may look at them.
  bool queue = false;
  bool queue_crosses = false;  ///< of a queue: its ends are in several processes
  TopicMode mode = TopicMode::shared;
};

class NodeOptions {
 public:
  /// The default is the context of ligament::init().
  NodeOptions& context(std::shared_ptr<Context> value) {
    context_ = std::move(value);
    return *this;
  }
  /// Instead of the name that the node's author gave.
  NodeOptions& node_name(std::string value) {
    node_name_ = std::move(value);
    return *this;
  }
  NodeOptions& node_namespace(std::string value) {
    node_namespace_ = std::move(value);
    return *this;
  }
  /// Names as the node writes them (`image`, `~/state`), resolved when the node is made.
  NodeOptions& remap(std::string from, std::string to) {
    remaps_.emplace_back(std::move(from), std::move(to));
    return *this;
  }
  NodeOptions& append_parameter_override(std::string name, ParameterValue value) {
    parameter_overrides_.emplace_back(std::move(name), std::move(value));
    return *this;
  }
  /// ROS 2 parameter files, read when the node is made; overrides from above are stronger.
  NodeOptions& parameter_file(std::string path) {
    parameter_files_.push_back(std::move(path));
    return *this;
  }
  /// What the node's manifest says about a parameter, whether the node declares it or not.
  NodeOptions& parameter_rule(const std::string& name, ParameterRule value) {
    parameter_rules_[name] = std::move(value);
    return *this;
  }
  /// What the graph says about one port, by the name that the node uses for it; stronger than what
  /// it says about the topic. `max_held` only raises the node's own, which its code relies on.
  NodeOptions& port_qos(const std::string& port, const QoSOverrides& value) {
    port_qos_[port] = value;
    return *this;
  }
  /// Of a node with kernels: how payloads reach the device, in the words of spec/device/gpu.md.
  NodeOptions& device_model(std::string value) {
    device_model_ = std::move(value);
    return *this;
  }
  /// By resolved name.
  NodeOptions& topic(const std::string& name, TopicOptions value) {
    topics_[name] = std::move(value);
    return *this;
  }
  /// What ROS 2's tools ask a node for. All four are off where nothing is said: inside a graph
  /// nobody asks, and they cost memory and endpoints (docs/how-to/services.md). The container's
  /// option --ros-tools switches them on.
  NodeOptions& start_parameter_services(bool value) {
    start_parameter_services_ = value;
    return *this;
  }
  NodeOptions& start_parameter_event_publisher(bool value) {
    start_parameter_event_publisher_ = value;
    return *this;
  }
  NodeOptions& enable_rosout(bool value) {
    enable_rosout_ = value;
    return *this;
  }
  /// ~/get_type_description, unless the node's parameter start_type_description_service is false.
  NodeOptions& start_type_description_service(bool value) {
    start_type_description_service_ = value;
    return *this;
  }

  [[nodiscard]] bool start_parameter_services() const { return start_parameter_services_; }
  [[nodiscard]] bool start_parameter_event_publisher() const {
    return start_parameter_event_publisher_;
  }
  [[nodiscard]] bool start_type_description_service() const {
    return start_type_description_service_;
  }
  [[nodiscard]] bool enable_rosout() const { return enable_rosout_; }
  [[nodiscard]] const std::shared_ptr<Context>& context() const { return context_; }
  [[nodiscard]] const std::optional<std::string>& node_name() const { return node_name_; }
  [[nodiscard]] const std::optional<std::string>& node_namespace() const { return node_namespace_; }
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& remaps() const {
    return remaps_;
  }
  [[nodiscard]] const std::vector<Parameter>& parameter_overrides() const {
    return parameter_overrides_;
  }
  [[nodiscard]] const std::vector<std::string>& parameter_files() const { return parameter_files_; }
  [[nodiscard]] const std::map<std::string, ParameterRule>& parameter_rules() const {
    return parameter_rules_;
  }
  [[nodiscard]] const std::map<std::string, TopicOptions>& topics() const { return topics_; }
  [[nodiscard]] const std::map<std::string, QoSOverrides>& port_qos() const { return port_qos_; }
  [[nodiscard]] const std::string& device_model() const { return device_model_; }

 private:
  std::shared_ptr<Context> context_;
  std::optional<std::string> node_name_;
  std::optional<std::string> node_namespace_;
  std::vector<std::pair<std::string, std::string>> remaps_;
  std::vector<Parameter> parameter_overrides_;
  std::vector<std::string> parameter_files_;
  std::map<std::string, ParameterRule> parameter_rules_;
  std::map<std::string, TopicOptions> topics_;
  std::map<std::string, QoSOverrides> port_qos_;
  std::string device_model_;
  bool start_parameter_services_ = false;
  bool start_parameter_event_publisher_ = false;
  bool enable_rosout_ = false;
  bool start_type_description_service_ = false;
};

}  // namespace ligament
