// SPDX-License-Identifier: Apache-2.0
/// \file CONTAINER.json: which nodes a process holds. Schema: spec/run/container.schema.json.
#pragma once

#include <cstddef>
#include <filesystem>
#include <ligament/executor.hpp>
#include <ligament/expected.hpp>
#include <ligament/logging.hpp>
#include <ligament/node_options.hpp>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ligament::container {

/// One node of the container.
struct NodeConfig {
  std::string id;
  std::string name;
  std::string name_space;
  std::string type;
  std::filesystem::path library;
  std::string class_name;
  std::vector<std::pair<std::string, std::string>> remaps;
  std::vector<std::pair<std::string, ParameterValue>> parameters;
  std::vector<std::filesystem::path> parameter_files;
  std::map<std::string, ParameterRule> parameter_rules;
  std::map<std::string, QoSOverrides> port_qos;
  std::string device_model;  ///< empty: the device's own
  std::map<std::string, std::string> topic_models;
};

/// Where the container holds an edge: which network it joins.
struct EdgeConfig {
  std::uint32_t domain_id = 0;
  bool humble = false;
};

struct ContainerConfig {
  std::string graph;
  std::string run_id;
  std::string variant;
  std::string container;
  std::string domain;
  std::optional<std::string> trace;
  LogLevel log_level = LogLevel::info;
  WaitStrategy wait;
  std::size_t executor_threads = 1;
  std::optional<EdgeConfig> edge;
  std::vector<NodeConfig> nodes;
  std::map<std::string, TopicOptions> topics;
  std::map<std::string, std::int64_t> patience_ns;  ///< of topics that have their own
  std::map<std::string, std::int64_t> service_patience_ns;
};

/// The configuration, or every mistake in it. Relative paths are meant from the file's folder.
[[nodiscard]] expected<ContainerConfig, std::vector<std::string>> read_config(
    const std::filesystem::path& path);

}  // namespace ligament::container
