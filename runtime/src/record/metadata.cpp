// SPDX-License-Identifier: Apache-2.0
#include "record/metadata.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

namespace ligament::record {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
/// rmw's "no limit", as rosbag2 writes it.
constexpr std::int64_t infinite_ns = std::numeric_limits<std::int64_t>::max();
/// A depth that a publisher of ours may have; files may say anything.
constexpr std::uint32_t deepest = 4096;

YAML::Node duration_node(std::int64_t ns) {
  const std::int64_t value = ns == 0 ? infinite_ns : ns;
  YAML::Node node;
  node["sec"] = value / second_ns;
  node["nsec"] = value % second_ns;
  return node;
}

YAML::Node qos_node(const QoSProfile& qos) {
  YAML::Node node;
  node["history"] = qos.history == HistoryPolicy::keep_all ? "keep_all" : "keep_last";
  node["depth"] = qos.depth;
  node["reliability"] = qos.reliability == ReliabilityPolicy::reliable ? "reliable" : "best_effort";
  node["durability"] =
      qos.durability == DurabilityPolicy::transient_local ? "transient_local" : "volatile";
  node["deadline"] = duration_node(qos.deadline_ns);
  node["lifespan"] = duration_node(qos.lifespan_ns);
  node["liveliness"] =
      qos.liveliness == LivelinessPolicy::manual_by_topic ? "manual_by_topic" : "automatic";
  node["liveliness_lease_duration"] = duration_node(qos.liveliness_lease_ns);
  node["avoid_ros_namespace_conventions"] = false;
  return node;
}

YAML::Node qos_nodes(const std::vector<QoSProfile>& profiles) {
  YAML::Node list(YAML::NodeType::Sequence);
  for (const QoSProfile& profile : profiles) {
    list.push_back(qos_node(profile));
  }
  return list;
}

/// A word, or its number of version 8 and before.
bool is(const YAML::Node& node, std::string_view word, std::string_view number) {
  const std::string text = node && node.IsScalar() ? node.Scalar() : std::string();
  return text == word || text == number;
}

std::int64_t duration_of(const YAML::Node& node) {
  const auto part = [&node](const char* name) {
    return node && node.IsMap() && node[name] ? node[name].as<std::int64_t>(0) : 0;
  };
  const std::int64_t seconds = part("sec");
  const std::int64_t rest = part("nsec");
  // 0 and what is not less than rmw's "no limit" is none here; so is nonsense.
  if (seconds < 0 || rest < 0 || rest >= second_ns || seconds >= infinite_ns / second_ns) {
    return 0;
  }
  return seconds * second_ns + rest;
}

QoSProfile profile_of(const YAML::Node& node) {
  QoSProfile qos;
  qos.history =
      is(node["history"], "keep_all", "2") ? HistoryPolicy::keep_all : HistoryPolicy::keep_last;
  const auto depth = node["depth"] ? node["depth"].as<std::int64_t>(0) : 0;
  if (depth > 0) {  // 0: not told to rosbag2, since DDS does not tell it
    qos.depth = static_cast<std::uint32_t>(std::min<std::int64_t>(depth, deepest));
  }
  qos.reliability = is(node["reliability"], "best_effort", "2") ? ReliabilityPolicy::best_effort
                                                                : ReliabilityPolicy::reliable;
  qos.durability = is(node["durability"], "transient_local", "1")
                       ? DurabilityPolicy::transient_local
                       : DurabilityPolicy::volatile_;
  qos.liveliness = is(node["liveliness"], "manual_by_topic", "3")
                       ? LivelinessPolicy::manual_by_topic
                       : LivelinessPolicy::automatic;
  qos.deadline_ns = duration_of(node["deadline"]);
  qos.lifespan_ns = duration_of(node["lifespan"]);
  qos.liveliness_lease_ns = duration_of(node["liveliness_lease_duration"]);
  return qos;
}

/// The looser of two durations; 0 is none.
std::int64_t looser(std::int64_t one, std::int64_t other) {
  return one == 0 || other == 0 ? 0 : std::max(one, other);
}

YAML::Node stretch_node(const Contents& contents) {
  YAML::Node node;
  node["starting_time"]["nanoseconds_since_epoch"] = contents.first_time;
  node["duration"]["nanoseconds"] = contents.last_time - contents.first_time;
  node["message_count"] = contents.messages;
  return node;
}

YAML::Node topic_node(const Contents& contents, const Channel& channel) {
  const auto value = [&channel](std::string_view key) {
    const auto entry = std::find_if(channel.metadata.begin(), channel.metadata.end(),
                                    [key](const auto& one) { return one.first == key; });
    return entry == channel.metadata.end() ? std::string() : entry->second;
  };
  const auto schema =
      std::find_if(contents.schemas.begin(), contents.schemas.end(),
                   [&channel](const Schema& one) { return one.id == channel.schema; });
  const auto count = contents.counts.find(channel.id);
  YAML::Node about;
  about["name"] = channel.topic;
  about["type"] = schema == contents.schemas.end() ? std::string() : schema->name;
  about["serialization_format"] = channel.encoding;
  about["offered_qos_profiles"] = qos_nodes(parse_qos(value(qos_key)));
  about["type_description_hash"] = value(hash_key);
  YAML::Node node;
  node["topic_metadata"] = about;
  node["message_count"] = count == contents.counts.end() ? 0 : count->second;
  return node;
}

YAML::Node bag_node(const Contents& contents, const std::string& file) {
  YAML::Node node;
  node["version"] = 9;
  node["storage_identifier"] = "mcap";
  const YAML::Node stretch = stretch_node(contents);
  node["duration"] = stretch["duration"];
  node["starting_time"] = stretch["starting_time"];
  node["message_count"] = stretch["message_count"];
  YAML::Node topics(YAML::NodeType::Sequence);
  for (const Channel& channel : contents.channels) {
    topics.push_back(topic_node(contents, channel));
  }
  node["topics_with_message_count"] = topics;
  node["compression_format"] = "";
  node["compression_mode"] = "";
  node["relative_file_paths"].push_back(file);
  YAML::Node part = stretch_node(contents);
  part["path"] = file;
  node["files"].push_back(part);
  node["custom_data"] = YAML::Node(YAML::NodeType::Null);
  node["ros_distro"] = "jazzy";  // whose form this is
  return node;
}

/// Without references: yaml-cpp would write `&1` and `*1` for a node that is there twice.
std::string text_of(const YAML::Node& node) { return YAML::Dump(YAML::Clone(node)); }

}  // namespace

std::string hash_text(const TypeHash& hash) {
  std::string text = "RIHS01_";
  for (const std::uint8_t byte : hash) {
    text += fmt::format("{:02x}", byte);
  }
  return text;
}

std::optional<TypeHash> parse_hash(std::string_view text) {
  constexpr std::string_view prefix = "RIHS01_";
  constexpr std::string_view digits = "0123456789abcdef";
  TypeHash hash{};
  if (!text.starts_with(prefix) || text.size() != prefix.size() + 2 * hash.size()) {
    return std::nullopt;
  }
  text.remove_prefix(prefix.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t digit = digits.find(text[i]);
    if (digit == std::string_view::npos) {
      return std::nullopt;
    }
    hash[i / 2] = static_cast<std::uint8_t>((hash[i / 2] * 16U + digit) & 0xFFU);
  }
  return hash;
}

std::string qos_text(const std::vector<QoSProfile>& profiles) {
  return text_of(qos_nodes(profiles));
}

std::vector<QoSProfile> parse_qos(const std::string& text) {
  std::vector<QoSProfile> profiles;
  try {
    for (const YAML::Node& node : YAML::Load(text)) {
      if (node.IsMap()) {
        profiles.push_back(profile_of(node));
      }
    }
  } catch (const YAML::Exception&) {
    return {};
  }
  return profiles;
}

QoSProfile common_offer(const std::vector<QoSProfile>& profiles) {
  if (profiles.empty()) {
    return {};
  }
  QoSProfile offer = profiles.front();
  for (const QoSProfile& other : profiles) {
    offer.history = std::min(offer.history, other.history);
    offer.depth = std::max(offer.depth, other.depth);
    offer.reliability = std::min(offer.reliability, other.reliability);
    offer.durability = std::min(offer.durability, other.durability);
    offer.liveliness = std::min(offer.liveliness, other.liveliness);
    offer.deadline_ns = looser(offer.deadline_ns, other.deadline_ns);
    offer.lifespan_ns = looser(offer.lifespan_ns, other.lifespan_ns);
    offer.liveliness_lease_ns = looser(offer.liveliness_lease_ns, other.liveliness_lease_ns);
  }
  return offer;
}

std::string metadata_yaml(const Contents& contents, const std::string& file) {
  YAML::Node node;
  node["rosbag2_bagfile_information"] = bag_node(contents, file);
  return text_of(node) + "\n";
}

std::string embedded_metadata(const Contents& contents, const std::string& file) {
  return text_of(bag_node(contents, file));
}

}  // namespace ligament::record
