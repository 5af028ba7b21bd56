// SPDX-License-Identifier: Apache-2.0
#include "transport/look/look.hpp"

#include <fmt/format.h>

#include <chrono>
#include <ligament/detail/pool.hpp>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>

#include "transport/dds/names.hpp"
#include "transport/dds/participant.hpp"
#include "transport/edge/graph_info.hpp"

namespace ligament::look {

namespace {

using nlohmann::json;
using pool::Gid;

/// A node list is a few kilobytes; more than this, or from more participants, is not kept.
constexpr std::size_t largest_info = std::size_t{1} << 20;
constexpr std::size_t most_infos = 4096;

class Memory final : public dds::Incoming {
 public:
  explicit Memory(std::size_t size) : bytes_(size) {}
  [[nodiscard]] std::span<std::byte> bytes() override { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

class MemoryInbox final : public dds::Inbox {
 public:
  [[nodiscard]] std::unique_ptr<dds::Incoming> receive(std::size_t size,
                                                       const dds::Marks& /*marks*/) override {
    return size > largest_info ? nullptr : std::make_unique<Memory>(size);
  }
};

/// Which node each endpoint in DDS is of, by what the participants say.
class Nodes {
 public:
  void take(std::span<const std::byte> stored) {
    auto info = edge::decode(stored);
    const std::lock_guard guard(mutex_);
    if (info && (infos_.size() < most_infos || infos_.contains(info->participant))) {
      const Gid participant = info->participant;
      infos_.insert_or_assign(participant, std::move(*info));
      ++version_;
    }
  }
  [[nodiscard]] std::size_t version() {
    const std::lock_guard guard(mutex_);
    return version_;
  }
  [[nodiscard]] std::map<Gid, std::string> by_endpoint() {
    const std::lock_guard guard(mutex_);
    std::map<Gid, std::string> found;
    for (const auto& [participant, info] : infos_) {
      for (const edge::NodeInfo& node : info.nodes) {
        const std::string name = (node.name_space == "/" ? "" : node.name_space) + "/" + node.name;
        for (const auto* ends : {&node.readers, &node.writers}) {
          for (const Gid& gid : *ends) {
            found.insert_or_assign(gid, name);
          }
        }
      }
    }
    return found;
  }

 private:
  std::mutex mutex_;
  std::map<Gid, edge::GraphInfo> infos_;
  std::size_t version_ = 0;
};

json text_of(const Gid& gid) {
  std::string text;
  for (const std::uint8_t byte : gid) {
    text += fmt::format("{:02x}", byte);
  }
  return text;
}

/// Infinite durations are left out. Discovery in DDS does not carry history and depth.
json qos_json(const QoSProfile& qos) {
  json found = {
      {"reliability", qos.reliability == ReliabilityPolicy::reliable ? "reliable" : "best_effort"},
      {"durability",
       qos.durability == DurabilityPolicy::transient_local ? "transient_local" : "volatile"}};
  if (qos.deadline_ns > 0) {
    found["deadline_ns"] = qos.deadline_ns;
  }
  if (qos.lifespan_ns > 0) {
    found["lifespan_ns"] = qos.lifespan_ns;
  }
  return found;
}

json pool_json(const pool::EndpointInfo& endpoint) {
  const auto& described = endpoint.description;
  json qos = qos_json(described.qos);
  if (described.qos.history == HistoryPolicy::keep_all) {
    qos["history"] = "keep_all";
  } else {
    qos["depth"] = described.qos.depth;
  }
  return {{"where", "pool"},
          {"topic", described.topic},
          {"type", described.type_name},
          {"node", described.node},
          {"kind", endpoint.kind == pool::EndpointKind::writer ? "publisher" : "subscription"},
          {"pid", endpoint.pid != 0 ? json(endpoint.pid) : json(nullptr)},
          {"qos", std::move(qos)}};
}

json dds_json(const dds::RemoteEndpoint& endpoint, const std::map<Gid, std::string>& nodes) {
  const auto node = nodes.find(endpoint.gid);
  return {{"where", "dds"},
          {"topic", dds::topic_from_dds(endpoint.topic).value_or(endpoint.topic)},
          {"type", dds::type_from_dds(endpoint.type).value_or(endpoint.type)},
          {"node", node == nodes.end() ? json(nullptr) : json(node->second)},
          {"kind", endpoint.is_writer ? "publisher" : "subscription"},
          {"participant", text_of(endpoint.participant)},
          {"qos", qos_json(endpoint.qos)}};
}

json participant_json(const dds::RemoteParticipant& participant) {
  return {{"id", text_of(participant.gid)},
          {"pid", participant.pid ? json(*participant.pid) : json(nullptr)},
          {"host", participant.host},
          {"program", participant.program}};
}

/// What is looked at: the pool's domain, a participant, and what nodes say in DDS.
struct View {
  std::shared_ptr<pool::Domain> domain;
  Nodes nodes;
  std::unique_ptr<dds::Participant> participant;
  std::unique_ptr<dds::Reader> infos;  // of the participant, so it ends first

  /// Another value after anything new was seen.
  [[nodiscard]] std::tuple<std::uint64_t, std::size_t, std::size_t> state() {
    return {domain->version(), participant->remote_endpoints().size(), nodes.version()};
  }
};

expected<void, std::string> open(View& view, const Options& options) {
  auto domain =
      pool::Domain::join({fmt::format("{}{}", pool::ros_domain_prefix, options.domain_id), "look"});
  if (!domain) {
    return unexpected<std::string>(domain.error().text);
  }
  view.domain = std::move(*domain);
  auto participant = dds::Participant::create({.domain = options.domain_id}, [] {});
  if (!participant) {
    return unexpected<std::string>(participant.error().text);
  }
  view.participant = std::move(*participant);
  dds::EndpointSpec spec{edge::graph_info_topic,
                         edge::graph_info_type,
                         {},
                         dds::endpoint_user_data(edge::graph_info_hash),
                         true};
  spec.qos.durability = DurabilityPolicy::transient_local;
  spec.qos.history = HistoryPolicy::keep_all;
  auto reader = view.participant->create_reader(
      spec, std::make_shared<MemoryInbox>(),
      [&view](dds::Received&& sample) { view.nodes.take(sample.incoming->bytes()); });
  if (!reader) {
    return unexpected<std::string>(reader.error().text);
  }
  view.infos = std::move(*reader);
  return {};
}

void settle(View& view, const Options& options) {
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  const auto start = Clock::now();
  auto changed = start;
  auto state = view.state();
  while (Clock::now() - changed < Seconds(options.quiet_s) &&
         Clock::now() - start < Seconds(options.most_s)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (auto now = view.state(); now != state) {
      state = now;
      changed = Clock::now();
    }
  }
}

}  // namespace

expected<json, std::string> look(const Options& options) {
  View view;
  if (auto opened = open(view, options); !opened) {
    return unexpected<std::string>(opened.error());
  }
  settle(view, options);
  json endpoints = json::array();
  for (const auto& endpoint : view.domain->endpoints()) {
    // What an edge shows of DDS is seen there, with more about it.
    if (!endpoint.description.topic.starts_with(pool::elsewhere_prefix)) {
      endpoints.push_back(pool_json(endpoint));
    }
  }
  const auto nodes = view.nodes.by_endpoint();
  for (const auto& endpoint : view.participant->remote_endpoints()) {
    endpoints.push_back(dds_json(endpoint, nodes));
  }
  json participants = json::array();
  for (const auto& participant : view.participant->remote_participants()) {
    participants.push_back(participant_json(participant));
  }
  return json{{"schema", "ligament/look/1"},
              {"domain_id", options.domain_id},
              {"endpoints", std::move(endpoints)},
              {"participants", std::move(participants)}};
}

}  // namespace ligament::look
