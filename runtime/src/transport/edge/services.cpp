// SPDX-License-Identifier: Apache-2.0
/// Requests to servers outside: in which form they go, and where the answer is expected.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "transport/edge/edge.hpp"

namespace ligament::edge {

/// Under mutex_. Nothing: its requests cannot go out (yet).
std::optional<ProxyWriter> Edge::proxy_writer(LocalWriter& writer) {
  const QoSProfile& qos = writer.description.qos;
  // Copies are sent of transient-local ones: they have a bound.
  const bool is_keep_all =
      qos.history == HistoryPolicy::keep_all && qos.durability == DurabilityPolicy::volatile_;
  ProxyWriter proxy{writer.proxy.get(), qos.depth, is_keep_all};
  if (!is_request(writer.description.topic)) {
    return proxy;
  }
  const auto form = form_of_servers(writer.description.topic);
  if (!form) {
    return std::nullopt;
  }
  proxy.form = *form;
  proxy.reply_reader = reply_reader_of(writer);
  return proxy;
}

/// Under mutex_. A sample goes to all its readers as it is, so all servers must speak one form: the
/// others would take a header for arguments. Who only listens to requests is no server.
std::optional<dds::ServiceForm> Edge::form_of_servers(const std::string& request_topic) {
  std::set<dds::Gid> answering;
  for (const auto& remote : participant_->remote_endpoints(reply_topic_of(request_topic))) {
    if (remote.is_writer) {
      answering.insert(remote.participant);
    }
  }
  std::set<dds::ServiceForm> forms;
  for (const auto& remote : participant_->remote_endpoints(request_topic)) {
    if (!remote.is_writer && answering.contains(remote.participant)) {
      forms.insert(dds::form_of(remote.user_data));
    }
  }
  if (forms.size() > 1) {
    failures_.push_back(fmt::format(
        "{} has servers with two forms of request on the network (rmw_cyclonedds's and "
        "rmw_fastrtps's): no request goes out, since one of them would read it wrongly; "
        "stop one of the servers",
        request_topic));
  }
  return forms.size() == 1 ? std::optional(*forms.begin()) : std::nullopt;
}

/// Under mutex_. A client outside may ask as soon as it is matched with us; we may not know its
/// reply reader by then, and the route of the reply may not be open. Until both are so, its
/// requests wait, as in ROS 2's implementations the reply does.
void Edge::find_ready_clients(const std::string& name, Topic& topic) {
  if (!is_request(name)) {
    return;
  }
  const auto replies = topics_.find(reply_topic_of(name));
  if (replies == topics_.end() || !are_all_heard(replies->second)) {
    return;
  }
  for (const auto& [client, request] : topic.in->take_waiting_clients()) {
    const auto reader = reply_reader_of_client(replies->first, client, request);
    const auto& servers = replies->second.writers;
    if (reader && std::all_of(servers.begin(), servers.end(), [&reader](const auto& server) {
          return server.second.proxy->is_matched_with(*reader);
        })) {
      topic.in->set_ready(client);
    }
  }
}

namespace {

/// "clientid= 1.10.8d" of its user data; empty: it has none.
std::string_view id_in(std::string_view user_data) {
  const std::size_t begin = user_data.find("clientid=");
  return begin == std::string_view::npos
             ? std::string_view{}
             : user_data.substr(begin, user_data.find(';', begin) - begin);
}

/// All of its readers.
dds::Gid participant_of(dds::Gid end) {
  constexpr std::size_t prefix = 12;
  std::fill(end.begin() + prefix, end.end(), std::uint8_t{0});
  return end;
}

}  // namespace

/// Under mutex_. Where a client outside hears replies: its requests name that reader, or it has the
/// client's id. Another client of the same participant may be matched already, so that is not
/// enough. Nothing: the reader has not been announced yet.
std::optional<dds::Gid> Edge::reply_reader_of_client(const std::string& replies,
                                                     const dds::Gid& client,
                                                     const pool::RequestIdentity& request) {
  if (const auto related = dds::related_from_identity(request)) {
    return related->writer == client ? participant_of(client) : related->writer;
  }
  const std::string user_data = participant_->user_data_of(client).value_or("");
  const std::string_view id = id_in(user_data);
  if (id.empty()) {
    return participant_of(client);
  }
  for (const auto& remote : participant_->remote_endpoints(replies)) {
    if (!remote.is_writer && id_in(remote.user_data) == id) {
      return remote.gid;
    }
  }
  return std::nullopt;
}

/// Under mutex_. A node may have several clients of one service: each keeps the reply reader that
/// it was given first, so that no two requests in flight have one identity.
pool::Gid Edge::reply_reader_of(LocalWriter& writer) {
  const auto replies = topics_.find(reply_topic_of(writer.description.topic));
  if (replies == topics_.end()) {
    return {};
  }
  auto& readers = replies->second.readers;
  if (!readers.contains(writer.reply_reader)) {
    std::set<std::uint64_t> taken;
    for (const auto& [id, other] : topics_.at(writer.description.topic).writers) {
      taken.insert(other.reply_reader);
    }
    const auto free = std::find_if(readers.begin(), readers.end(), [&](const auto& entry) {
      return entry.second.description.node == writer.description.node &&
             !taken.contains(entry.first);
    });
    writer.reply_reader = free == readers.end() ? 0 : free->first;
  }
  const auto reader = readers.find(writer.reply_reader);
  return reader == readers.end() ? pool::Gid{} : reader->second.proxy->gid();
}

}  // namespace ligament::edge
