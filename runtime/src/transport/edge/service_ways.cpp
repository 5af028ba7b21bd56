// SPDX-License-Identifier: Apache-2.0
#include "transport/edge/service_ways.hpp"

#include <cstring>
#include <ligament/names.hpp>
#include <string>

#include "transport/dds/names.hpp"

namespace ligament::edge {

namespace {

/// More clients than any real graph has; one that is forgotten is entered again by its next
/// request.
constexpr std::size_t most_clients = 4096;

/// The same at both ends of a server or client, which is what ROS 2's nodes look for: made of the
/// node's name and the service's.
pool::Gid service_id(const std::string& node, std::string_view service) {
  const std::uint64_t halves[2] = {name_hash(node), name_hash(service)};
  pool::Gid id{};
  std::memcpy(id.data(), halves, id.size());
  return id;
}

/// "rq/addRequest" and "rr/addReply" -> "/add".
std::string_view service_of(std::string_view topic) {
  const std::size_t suffix =
      is_request(topic) ? std::string_view("Request").size() : std::string_view("Reply").size();
  return topic.substr(2, topic.size() - 2 - suffix);
}

}  // namespace

bool is_request(std::string_view topic) {
  return topic.starts_with("rq/") && topic.ends_with("Request");
}
bool is_reply(std::string_view topic) {
  return topic.starts_with("rr/") && topic.ends_with("Reply");
}

dds::RequestHeader ServiceClients::enter(const pool::SampleInfo& request) {
  dds::RequestHeader header;
  std::memcpy(header.client.data(), &request.publisher, header.client.size());
  header.sequence = request.request.sequence;
  const std::lock_guard guard(mutex_);
  if (clients_.size() >= most_clients) {
    clients_.clear();
  }
  clients_[header.client] = request.request.client;
  return header;
}

std::optional<pool::RequestIdentity> ServiceClients::find(const dds::RequestHeader& header) const {
  const std::lock_guard guard(mutex_);
  const auto found = clients_.find(header.client);
  if (found == clients_.end()) {
    return std::nullopt;
  }
  return pool::RequestIdentity{found->second, header.sequence};
}

HeaderOf header_of(std::string_view topic, std::shared_ptr<ServiceClients> clients) {
  if (is_request(topic)) {
    return [clients = std::move(clients)](
               const pool::SampleInfo& info) -> std::optional<dds::RequestHeader> {
      if (info.request == pool::RequestIdentity{}) {
        return std::nullopt;  // no request at all
      }
      return clients->enter(info);
    };
  }
  if (is_reply(topic)) {
    return [](const pool::SampleInfo& info) -> std::optional<dds::RequestHeader> {
      if (info.request == pool::RequestIdentity{}) {
        return std::nullopt;
      }
      return dds::from_identity(info.request);  // nothing: it answers a client of the graph
    };
  }
  return nullptr;
}

IdentityOf identity_of(std::string_view topic, std::shared_ptr<ServiceClients> clients) {
  if (is_request(topic)) {
    return [](const dds::RequestHeader& header) { return std::optional(dds::to_identity(header)); };
  }
  if (is_reply(topic)) {
    return [clients = std::move(clients)](const dds::RequestHeader& header) {
      return clients->find(header);
    };
  }
  return nullptr;
}

dds::EndpointSpec face_of(const pool::EndpointDescription& description, pool::EndpointKind kind) {
  const std::string& topic = description.topic;
  const std::string type = dds::type_to_dds(description.type_name);
  if (!is_request(topic) && !is_reply(topic)) {
    return {dds::topic_to_dds(topic), type, description.qos,
            dds::endpoint_user_data(description.type_hash), true};
  }
  const bool writes = kind == pool::EndpointKind::writer;
  const auto end = writes == is_request(topic) ? dds::ServiceEnd::client : dds::ServiceEnd::server;
  const auto id = service_id(description.node, service_of(topic));
  return {topic, type, description.qos, dds::service_user_data(end, id, description.type_hash),
          true};
}

}  // namespace ligament::edge
