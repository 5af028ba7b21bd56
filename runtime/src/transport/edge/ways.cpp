// SPDX-License-Identifier: Apache-2.0
/// When a topic's ways out and in are open, and what they ask for and offer in the pool.
#include <algorithm>

#include "memory/match.hpp"
#include "transport/edge/edge.hpp"

namespace ligament::edge {

namespace {

/// The tighter of two durations; 0 is none.
std::int64_t tighter(std::int64_t one, std::int64_t other) {
  return one == 0 || other == 0 ? std::max(one, other) : std::min(one, other);
}

}  // namespace

pool::EndpointDescription Edge::wish_for_out(const Topic& topic,
                                             DurabilityPolicy durability) const {
  pool::EndpointDescription wish;
  QoSProfile qos;
  qos.reliability = ReliabilityPolicy::best_effort;
  qos.durability = durability;
  std::uint64_t held = 1;
  for (const auto& [id, writer] : topic.writers) {
    const QoSProfile& offered = writer.description.qos;
    if (offered.durability != durability) {
      continue;
    }
    wish = writer.description;
    qos.depth = std::max(qos.depth, offered.depth);
    // Its history with the engine, another that waits for that one, and the next. Of a keep-all
    // publisher nothing waits but in its own history.
    const bool is_keep_all = offered.history == HistoryPolicy::keep_all;
    held += (is_keep_all ? 1 : 2) * std::uint64_t{offered.depth} + 1;
    if (offered.history == HistoryPolicy::keep_all &&
        offered.reliability == ReliabilityPolicy::reliable) {
      qos.history = HistoryPolicy::keep_all;  // back-pressure reaches the publisher
      qos.reliability = ReliabilityPolicy::reliable;
    }
  }
  // Of transient-local publishers copies are sent: DDS keeps their samples for ever.
  held = durability == DurabilityPolicy::transient_local ? 2 : held;
  qos.max_held = static_cast<std::uint32_t>(std::min<std::uint64_t>(held, 1024));
  wish.node = edge_node;
  wish.qos = qos;
  return wish;
}

void Edge::close_out(Topic& topic, std::shared_ptr<WayOut>& way) {
  if (way != nullptr) {
    topic.past_out.add(way->close());
    way.reset();
  }
}

/// Open while somebody outside listens; told which publisher's samples go to which writer, heard or
/// not: whether anybody hears them is the engine's to know. A transient-local one stays open then:
/// DDS keeps its samples for late comers, and opening it again would send the history twice.
void Edge::settle_out(Topic& topic, DurabilityPolicy durability, std::shared_ptr<WayOut>& way) {
  const bool latched = durability == DurabilityPolicy::transient_local;
  bool heard = latched && way != nullptr;
  bool any = false;
  WayOut::Faces writers;
  for (auto& [id, writer] : topic.writers) {
    const bool is_of_this = writer.description.qos.durability == durability;
    const auto face = is_of_this ? out_face(writer) : std::nullopt;
    writers.emplace(id, face.value_or(OutFace{}));
    any = any || face;
    heard = heard || (face && writer.face->matched() != 0);
  }
  if (!any || !heard) {
    close_out(topic, way);
    return;
  }
  if (way != nullptr) {
    way->set_writers(std::move(writers));
    return;
  }
  const auto wish = wish_for_out(topic, durability);
  const auto mark = mark_of(wish.topic, clients_);
  auto opened = WayOut::open(*domain_, {wish, mark, waiter_}, std::move(writers));
  if (!opened) {
    failures_.push_back(opened.error());
    return;
  }
  way = std::move(*opened);
}

/// Open while somebody outside publishes and somebody here listens; for latched topics always.
void Edge::settle_in(Topic& topic) {
  if (topic.in == nullptr) {
    return;
  }
  const auto wants = [](const auto& entry) {
    const LocalReader& reader = entry.second;
    return reader.face->matched() != 0 ||
           reader.description.qos.durability == DurabilityPolicy::transient_local;
  };
  if (std::none_of(topic.readers.begin(), topic.readers.end(), wants)) {
    topic.in->set_writer(nullptr);
  } else {
    open_in(topic, topic.readers.begin()->second.description);
  }
}

/// Joins the topic as a publisher that offers what all subscriptions here ask for; whether a remote
/// writer's samples come at all is decided by the match of the faces.
void Edge::open_in(Topic& topic, const pool::EndpointDescription& subscription) {
  pool::EndpointDescription offer = subscription;
  offer.node = edge_node;
  offer.qos = offer_for(topic, subscription);
  // Open already: only what it does not offer yet is worth a new one, which lacks the old history.
  if (topic.in->is_open() &&
      pool::incompatible_policy(topic.offered, offer.qos) == pool::QosPolicyKind::none) {
    return;
  }
  pool::WriterOptions options;
  options.max_loans = 8;  // a sample is published by the thread that received it
  // There is no memory for large samples until the first one comes, which would wait until all of
  // the history's pages are touched, and those behind it with it.
  options.prefault = false;
  auto writer = domain_->create_writer(offer, options);
  if (!writer) {
    failures_.push_back(writer.error().text);
    return;
  }
  // Blocks as large as the largest sample: as many as the history and the loans.
  constexpr std::size_t least = std::size_t{1} << 20;
  const std::size_t blocks = std::size_t{offer.qos.depth} + options.max_loans;
  topic.in->set_writer(std::move(*writer), std::max(least, options_.topic_memory_bytes / blocks));
  topic.offered = offer.qos;
  tell_waiting();  // what came before it was open
}

/// What satisfies this subscription and all that have faces. Who asks for a sign of life gets it
/// with each sample that comes in.
QoSProfile Edge::offer_for(const Topic& topic, const pool::EndpointDescription& subscription) {
  QoSProfile offer;
  offer.durability = DurabilityPolicy::transient_local;
  const auto satisfy = [&offer](const QoSProfile& asked) {
    offer.depth = std::max(offer.depth, asked.depth);
    offer.deadline_ns = tighter(offer.deadline_ns, asked.deadline_ns);
    offer.liveliness = std::max(offer.liveliness, asked.liveliness);
    offer.liveliness_lease_ns = tighter(offer.liveliness_lease_ns, asked.liveliness_lease_ns);
  };
  satisfy(subscription.qos);
  for (const auto& [id, reader] : topic.readers) {
    satisfy(reader.description.qos);
  }
  return offer;
}

}  // namespace ligament::edge
