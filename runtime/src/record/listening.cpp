// SPDX-License-Identifier: Apache-2.0
#include "record/listening.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ligament::record {

namespace {

/// Half of a service, in a device's memory, or of one who only listens.
bool is_none_of_ours(const pool::EndpointDescription& endpoint) {
  return !endpoint.topic.starts_with('/') || endpoint.type_name.ends_with("@device") ||
         endpoint.node == recorder_node || endpoint.node == viewer_node;
}

}  // namespace

std::uint64_t HeardTopic::lost() const {
  std::uint64_t all = 0;
  for (const auto& [kind, reader] : readers) {
    all += reader->stats().lost;
  }
  return all;
}

void Listening::look() {
  version_ = domain_.version();
  const bool has_peers = !domain_.peers().empty() || domain_.foreign_peers() != 0;
  has_ended_ = had_peers_ && !has_peers;
  had_peers_ = had_peers_ || has_peers;
  const auto endpoints = domain_.endpoints();
  // Publishers first: they say which subscriptions are needed.
  for (const auto kind : {pool::EndpointKind::writer, pool::EndpointKind::reader}) {
    for (const pool::EndpointInfo& endpoint : endpoints) {
      if (endpoint.kind == kind) {
        see(endpoint);
      }
    }
  }
}

void Listening::see(const pool::EndpointInfo& endpoint) {
  const pool::EndpointDescription& about = endpoint.description;
  if (is_none_of_ours(about) || !options_.selection->has(about.topic)) {
    return;
  }
  const auto [entry, is_new] = topics_.try_emplace(about.topic);
  HeardTopic& topic = entry->second;
  if (is_new) {
    topic.name = about.topic;
    topic.type = about.type_name;
    topic.hash = about.type_hash;
  } else if (topic.type != about.type_name || topic.hash != about.type_hash) {
    note(fmt::format("topic {} has two types or definitions: {} of {} is not recorded", about.topic,
                     about.type_name, about.node));
    return;
  }
  if (endpoint.kind == pool::EndpointKind::writer) {
    const ListeningKind kind = kind_of(about.qos);
    topic.publishers.try_emplace(endpoint.id, HeardPublisher{kind, about.qos});
    open(topic, kind);
  } else if (topic.readers.empty()) {
    open(topic, {});  // so that nothing of a publisher that is still to come is missed
  }
}

ListeningKind Listening::kind_of(const QoSProfile& offered) const {
  return {offered.durability == DurabilityPolicy::transient_local,
          options_.waits && offered.history == HistoryPolicy::keep_all &&
              offered.reliability == ReliabilityPolicy::reliable};
}

void Listening::open(HeardTopic& topic, ListeningKind kind) {
  if (topic.readers.contains(kind)) {
    return;
  }
  QoSProfile qos;
  qos.history = kind.is_paced ? HistoryPolicy::keep_all : HistoryPolicy::keep_last;
  qos.reliability = kind.is_paced ? ReliabilityPolicy::reliable : ReliabilityPolicy::best_effort;
  qos.durability =
      kind.is_transient ? DurabilityPolicy::transient_local : DurabilityPolicy::volatile_;
  qos.depth = options_.depth;
  qos.max_held = options_.max_held;
  auto reader =
      domain_.create_reader({topic.name, topic.type, options_.node, topic.hash, qos}, waiter_);
  if (!reader) {
    note(fmt::format("topic {} is not recorded: {}", topic.name, reader.error().text));
    return;
  }
  topic.readers.emplace(kind, std::move(*reader));
}

bool Listening::is_heard_by(HeardTopic& topic, ListeningKind kind, std::uint64_t publisher) {
  if (!topic.publishers.contains(publisher)) {
    look();
  }
  const auto known = topic.publishers.find(publisher);
  return known == topic.publishers.end() || known->second.kind == kind;
}

void Listening::note(const std::string& text) {
  if (std::find(noted_.begin(), noted_.end(), text) == noted_.end()) {
    noted_.push_back(text);
    notes_.push_back(text);
  }
}

}  // namespace ligament::record
