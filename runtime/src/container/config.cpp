// SPDX-License-Identifier: Apache-2.0
#include "container/config.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <ligament/names.hpp>
#include <limits>

#include "container/config_parameters.hpp"
#include "container/problems.hpp"

namespace ligament::container {
namespace {

using Need = ObjectReader::Need;
constexpr const char* schema_name = "ligament/container/1";

// --- topics
// ---------------------------------------------------------------------------------------

// A hundred years: what is longer is as good as forever, and fits 64 bits of nanoseconds.
constexpr double longest_ms = 100.0 * 365 * 24 * 3600 * 1000;

void read_milliseconds(ObjectReader& reader, const std::string& key,
                       std::optional<std::int64_t>& out) {
  double milliseconds = -1;
  reader.number(key, 0, milliseconds);
  if (milliseconds >= 0) {
    out = std::llround(std::min(milliseconds, longest_ms) * 1e6);
  }
}

void read_count(ObjectReader& reader, const std::string& key, std::int64_t high,
                std::optional<std::uint32_t>& out) {
  std::int64_t count = 0;
  reader.whole_number(key, 1, high, count);
  if (count != 0) {
    out = static_cast<std::uint32_t>(count);
  }
}

template <typename Policy>
void read_policy(ObjectReader& reader, const std::string& key, const char* first,
                 const char* second, std::optional<Policy>& out) {
  std::string chosen;
  reader.choice(key, {first, second}, chosen);
  if (!chosen.empty()) {
    out = static_cast<Policy>(chosen == second);
  }
}

QoSOverrides read_qos(const Json& value, const std::string& pointer, Problems& problems) {
  QoSOverrides qos;
  ObjectReader reader(value, pointer, problems);
  read_policy(reader, "history", "keep_last", "keep_all", qos.history);
  read_policy(reader, "reliability", "best_effort", "reliable", qos.reliability);
  read_policy(reader, "durability", "volatile", "transient_local", qos.durability);
  read_policy(reader, "liveliness", "automatic", "manual_by_topic", qos.liveliness);
  read_count(reader, "depth", 65536, qos.depth);
  read_count(reader, "max_held", 64, qos.max_held);
  read_milliseconds(reader, "deadline_ms", qos.deadline_ns);
  read_milliseconds(reader, "lifespan_ms", qos.lifespan_ns);
  read_milliseconds(reader, "liveliness_lease_ms", qos.liveliness_lease_ns);
  reader.finish();
  return qos;
}

std::optional<std::int64_t> read_patience(ObjectReader& reader, Need need) {
  std::int64_t patience_ms = 0;
  reader.whole_number("patience_ms", 1, 3'600'000, patience_ms, need);
  return patience_ms == 0 ? std::nullopt : std::optional(patience_ms * 1'000'000);
}

/// A topic, and how long its publishers wait for a keep-all subscription.
struct ReadTopic {
  TopicOptions options;
  std::optional<std::int64_t> patience_ns;
};

ReadTopic read_topic(const Json& value, const std::string& pointer, Problems& problems) {
  ReadTopic read;
  TopicOptions& topic = read.options;
  ObjectReader reader(value, pointer, problems);
  reader.text("message", topic.message);
  if (const Json* qos = reader.member("qos", Need::optional)) {
    topic.qos = read_qos(*qos, reader.at("qos"), problems);
  }
  const Json* bound = reader.member("bound_bytes", Need::optional);
  if (bound != nullptr && !bound->is_null()) {
    std::int64_t bytes = 0;
    reader.whole_number("bound_bytes", 1, std::int64_t{1} << 40, bytes);
    topic.bound_bytes = static_cast<std::size_t>(bytes);
  }
  std::int64_t ring = 0;
  reader.whole_number("ring", 1, 65536, ring);
  topic.ring = static_cast<std::uint32_t>(ring);
  if (const Json* device = reader.member("device", Need::optional)) {
    if (!device->is_boolean()) {
      reader.expected_but_found("device", "true or false", *device);
    } else if (device->get<bool>() && topic.bound_bytes == 0) {
      problems.add(pointer, "a device topic needs a 'bound_bytes': devices register its memory");
    } else {
      topic.device = device->get<bool>();
    }
  }
  topic.queue = reader.flag("queue");
  topic.queue_crosses = reader.flag("queue_crosses");
  std::string mode;
  reader.choice("mode", {"shared", "copied", "handed_over"}, mode);
  topic.mode = mode == "copied"        ? TopicMode::copied
               : mode == "handed_over" ? TopicMode::handed_over
                                       : TopicMode::shared;
  read.patience_ns = read_patience(reader, Need::optional);
  reader.finish();
  return read;
}

// --- nodes
// ----------------------------------------------------------------------------------------

struct Place {
  std::filesystem::path folder;  ///< of the configuration
  Problems& problems;
};

void read_remaps(ObjectReader& reader, NodeConfig& node, const Place& place) {
  reader.map(
      "remap",
      [&](const std::string& from, const Json& to, const std::string& pointer) {
        if (to.is_string()) {
          node.remaps.emplace_back(from, to.get<std::string>());
        } else {
          place.problems.add(pointer, "expected a topic name, found " + shown(to));
        }
      },
      Need::optional);
}

void read_device_models(ObjectReader& reader, NodeConfig& node, const Place& place) {
  static const std::vector<std::string> models{"zero_copy", "standard_copy", "unified_memory"};
  reader.choice("device_model", models, node.device_model);
  reader.map(
      "topic_models",
      [&](const std::string& topic, const Json& model, const std::string& pointer) {
        if (model.is_string() && std::find(models.begin(), models.end(), model) != models.end()) {
          node.topic_models[topic] = model.get<std::string>();
        } else {
          place.problems.add(
              pointer,
              "expected zero_copy, standard_copy or unified_memory, found " + shown(model));
        }
      },
      Need::optional);
}

NodeConfig read_node(const Json& value, const std::string& pointer, const Place& place) {
  NodeConfig node;
  ObjectReader reader(value, pointer, place.problems);
  std::string library;
  reader.text("id", node.id);
  reader.text("name", node.name);
  reader.text("namespace", node.name_space);
  reader.text("type", node.type);
  reader.text("library", library);
  reader.text("class", node.class_name);
  node.library = place.folder / library;
  read_remaps(reader, node, place);
  read_parameters(reader, node, place.folder, place.problems);
  reader.map(
      "qos",
      [&](const std::string& port, const Json& qos, const std::string& at) {
        node.port_qos[port] = read_qos(qos, at, place.problems);
      },
      Need::optional);
  read_device_models(reader, node, place);
  reader.finish();
  const std::string full = join_name(node.name_space.empty() ? "/" : node.name_space, node.name);
  if (!node.id.empty() && !node.name.empty() && full != node.id) {
    place.problems.add(reader.at("id"), "expected namespace and name together, '" + full +
                                            "', found '" + node.id + "'");
  }
  return node;
}

void check_unique_ids(const ContainerConfig& config, Problems& problems) {
  for (std::size_t i = 0; i < config.nodes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (config.nodes[i].id == config.nodes[j].id) {
        problems.add("/nodes/" + std::to_string(i) + "/id",
                     "'" + config.nodes[i].id + "' is also /nodes/" + std::to_string(j));
      }
    }
  }
}

// --- the document
// ---------------------------------------------------------------------------------

WaitStrategy read_wait(const Json& value, Problems& problems) {
  std::string strategy = "sleep";
  double spin_us = 50;
  ObjectReader reader(value, "/wait", problems);
  reader.choice("strategy", {"poll", "spin", "sleep"}, strategy, Need::required);
  reader.number("spin_us", 0, spin_us);
  reader.finish();
  if (strategy == "poll") {
    return WaitStrategy::poll();
  }
  return strategy == "spin" ? WaitStrategy::spin_then_sleep(
                                  std::llround(std::min(spin_us, longest_ms * 1e3) * 1e3))
                            : WaitStrategy::sleep();
}

EdgeConfig read_edge(const Json& value, Problems& problems) {
  EdgeConfig edge;
  std::int64_t domain_id = 0;
  ObjectReader reader(value, "/edge", problems);
  reader.whole_number("domain_id", 0, 232, domain_id, Need::required);
  edge.domain_id = static_cast<std::uint32_t>(domain_id);
  edge.humble = reader.flag("humble");
  reader.finish();
  return edge;
}

void read_header(ObjectReader& reader, ContainerConfig& config, Problems& problems) {
  std::string schema;
  std::string log_level = "info";
  std::int64_t threads = 1;
  reader.text("schema", schema);
  if (!schema.empty() && schema != schema_name) {
    problems.add("/schema", std::string("expected '") + schema_name + "', found '" + schema + "'");
  }
  reader.text("graph", config.graph);
  reader.text("run_id", config.run_id);
  reader.text("variant", config.variant);
  reader.text("container", config.container);
  reader.text("domain", config.domain);
  const std::vector<std::string> levels{"debug", "info", "warn", "error", "fatal"};
  reader.choice("log_level", levels, log_level);
  config.log_level =
      static_cast<LogLevel>(std::find(levels.begin(), levels.end(), log_level) - levels.begin());
  reader.whole_number("executor_threads", 1, 64, threads);
  config.executor_threads = static_cast<std::size_t>(threads);
}

ContainerConfig read_document(const Json& document, const Place& place) {
  ContainerConfig config;
  ObjectReader reader(document, "", place.problems);
  read_header(reader, config, place.problems);
  const Json* trace = reader.member("trace", Need::optional);
  if (trace != nullptr && !trace->is_null()) {
    config.trace.emplace();
    reader.choice("trace", {"ligament", "ros2"}, *config.trace);
  }
  if (const Json* wait = reader.member("wait", Need::optional)) {
    config.wait = read_wait(*wait, place.problems);
  }
  if (const Json* edge = reader.member("edge", Need::optional)) {
    config.edge = read_edge(*edge, place.problems);
  }
  reader.list("nodes", [&](const Json& node, const std::string& pointer) {
    config.nodes.push_back(read_node(node, pointer, place));
  });
  reader.map(
      "topics",
      [&](const std::string& name, const Json& topic, const std::string& pointer) {
        ReadTopic read = read_topic(topic, pointer, place.problems);
        config.topics[name] = std::move(read.options);
        if (read.patience_ns) {
          config.patience_ns[name] = *read.patience_ns;
        }
      },
      Need::optional);
  reader.map(
      "services",
      [&](const std::string& name, const Json& service, const std::string& pointer) {
        ObjectReader one(service, pointer, place.problems);
        if (const auto patience = read_patience(one, Need::required)) {
          config.service_patience_ns[name] = *patience;
        }
        one.finish();
      },
      Need::optional);
  reader.finish();
  check_unique_ids(config, place.problems);
  return config;
}

}  // namespace

expected<ContainerConfig, std::vector<std::string>> read_config(const std::filesystem::path& path) {
  using Failure = unexpected<std::vector<std::string>>;
  std::ifstream file(path);
  if (!file) {
    return Failure({path.string() + ": cannot be read"});
  }
  Json document;
  try {
    document = Json::parse(file);
  } catch (const Json::exception& error) {
    return Failure({path.string() + ": not JSON: " + error.what()});
  }
  Problems problems(path.string());
  auto config = read_document(document, {path.parent_path(), problems});
  if (!problems.sentences().empty()) {
    return Failure(problems.sentences());
  }
  return config;
}

}  // namespace ligament::container
