// SPDX-License-Identifier: Apache-2.0
#include "transport/edge/service_routes.hpp"

#include <cstring>
#include <ligament/names.hpp>
#include <string>

#include "transport/dds/names.hpp"

namespace ligament::edge {

namespace {

/// More clients than any real graph has; one that is forgotten is entered again by its next
/// request.
constexpr std::size_t most_clients = 4096;
/// Requests to servers of rmw_fastrtps that may still be answered.
constexpr std::size_t most_requests = 4096;

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

void ServiceClients::enter(const dds::SampleIdentity& sent, const pool::RequestIdentity& request) {
  const Key key{sent.writer, sent.sequence};
  const std::lock_guard guard(mutex_);
  if (requests_.insert_or_assign(key, request).second) {
    order_.push_back(key);
  }
  if (order_.size() > most_requests) {
    requests_.erase(order_.front());
    order_.pop_front();
  }
}

std::optional<pool::RequestIdentity> ServiceClients::find(const dds::SampleIdentity& sent) const {
  const std::lock_guard guard(mutex_);
  const auto found = requests_.find({sent.writer, sent.sequence});
  return found == requests_.end() ? std::nullopt : std::optional(found->second);
}

namespace {

/// A request goes in the form of its servers.
OutMark mark_request(const pool::SampleInfo& info, const ProxyWriter& proxy,
                     const std::shared_ptr<ServiceClients>& clients) {
  if (proxy.form == dds::ServiceForm::header) {
    return {.header = clients->enter(info)};
  }
  // Known by the reply reader, its server waits until that is matched; without, by the writer.
  const bool has_reader = proxy.reply_reader != pool::Gid{};
  const pool::Gid client = has_reader ? proxy.reply_reader : proxy.writer->gid();
  return {.related = dds::SampleIdentity{client, dds::unknown_sequence},
          .note = [clients, client, request = info.request](std::int64_t number) {
            clients->enter({client, number}, request);
          }};
}

/// A reply goes in the form of its request; to a client of the graph not at all.
std::optional<OutMark> mark_reply(const pool::RequestIdentity& request) {
  if (const auto related = dds::related_from_identity(request)) {
    return OutMark{.related = related};
  }
  if (const auto header = dds::from_identity(request)) {
    return OutMark{.header = header};
  }
  return std::nullopt;
}

InMark found(const std::optional<pool::RequestIdentity>& identity, std::size_t header_size) {
  if (!identity) {
    return {Arrival::not_ours, {}, header_size};
  }
  return {Arrival::ours, *identity, header_size};
}

/// A request of rmw_fastrtps names its client's reply reader; its number is that of the sample.
InMark identify_request(const dds::Received& sample, std::span<std::byte> payload,
                        const FormOf& form_of) {
  const auto form =
      sample.marks.related ? std::optional(dds::ServiceForm::related) : form_of(sample.writer);
  if (!form) {
    return {};  // a header would be taken for arguments, or arguments for a header
  }
  if (*form == dds::ServiceForm::header) {
    const auto header = dds::take_header(payload);
    return header ? found(dds::to_identity(*header), dds::request_header_size) : InMark{};
  }
  pool::Gid client = sample.writer;
  if (sample.marks.related && sample.marks.related->writer != pool::Gid{}) {
    client = sample.marks.related->writer;
  }
  const auto identity = dds::to_identity(dds::SampleIdentity{client, sample.marks.sequence});
  return identity ? found(identity, 0) : InMark{};
}

InMark identify_reply(const dds::Received& sample, std::span<std::byte> payload,
                      const ServiceClients& clients) {
  if (sample.marks.related) {
    return found(clients.find(*sample.marks.related), 0);
  }
  const auto header = dds::take_header(payload);
  return header ? found(clients.find(*header), dds::request_header_size) : InMark{};
}

}  // namespace

MarkOf mark_of(std::string_view topic, std::shared_ptr<ServiceClients> clients) {
  if (is_request(topic)) {
    return [clients = std::move(clients)](const pool::SampleInfo& info,
                                          const ProxyWriter& proxy) -> std::optional<OutMark> {
      if (info.request == pool::RequestIdentity{}) {
        return std::nullopt;  // no request at all
      }
      return mark_request(info, proxy, clients);
    };
  }
  if (is_reply(topic)) {
    return [](const pool::SampleInfo& info, const ProxyWriter&) -> std::optional<OutMark> {
      if (info.request == pool::RequestIdentity{}) {
        return std::nullopt;
      }
      return mark_reply(info.request);
    };
  }
  return nullptr;
}

IdentityOf identity_of(std::string_view topic, std::shared_ptr<ServiceClients> clients,
                       FormOf form_of) {
  if (is_request(topic)) {
    return
        [form_of = std::move(form_of)](const dds::Received& sample, std::span<std::byte> payload) {
          return identify_request(sample, payload, form_of);
        };
  }
  if (is_reply(topic)) {
    return
        [clients = std::move(clients)](const dds::Received& sample, std::span<std::byte> payload) {
          return identify_reply(sample, payload, *clients);
        };
  }
  return nullptr;
}

std::string reply_topic_of(std::string_view request_topic) {
  return "rr" + std::string(service_of(request_topic)) + "Reply";
}

std::string name_in_dds(const std::string& topic) {
  return is_request(topic) || is_reply(topic) ? topic : dds::topic_to_dds(topic);
}

dds::EndpointSpec proxy_of(const pool::EndpointDescription& description, pool::EndpointKind kind) {
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
