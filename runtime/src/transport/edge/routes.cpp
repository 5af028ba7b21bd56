// SPDX-License-Identifier: Apache-2.0
/// When a topic's routes are open, and what they ask for and offer in the pool.
#include <algorithm>

#include "memory/layout.hpp"
#include "memory/match.hpp"
#include "transport/edge/edge.hpp"

namespace ligament::edge {

namespace {

/// The tighter of two durations; 0 is none.
std::int64_t tighter(std::int64_t one, std::int64_t other) {
  return one == 0 || other == 0 ? std::max(one, other) : std::min(one, other);
}

bool wants_history(const pool::EndpointDescription& subscription) {
  return subscription.qos.durability == DurabilityPolicy::transient_local;
}

bool is_paced(const QoSProfile& offered) {
  return offered.history == HistoryPolicy::keep_all &&
         offered.reliability == ReliabilityPolicy::reliable;
}

/// Blocks that a route holds of one publisher: its history with the engine, another that waits for
/// that one, and the next. Of a keep-all publisher nothing waits but in its own history. Copies are
/// sent of transient-local ones: DDS keeps their samples forever.
std::uint64_t held_of(const QoSProfile& offered) {
  if (offered.durability == DurabilityPolicy::transient_local) {
    return 1;
  }
  return (offered.history == HistoryPolicy::keep_all ? 1 : 2) * std::uint64_t{offered.depth} + 1;
}

/// Of a route that holds this of its publishers.
std::uint32_t max_held_for(std::uint64_t held) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(1 + held, pool::layout::max_held_limit));
}

}  // namespace

Edge::OutKind Edge::kind_of(const QoSProfile& offered) {
  return {offered.durability, is_paced(offered)};
}

pool::EndpointDescription Edge::wish_for_out(const Topic& topic, OutKind kind) {
  pool::EndpointDescription wish;
  QoSProfile qos;
  qos.durability = kind.durability;
  qos.depth = pool::layout::max_ring;  // what there is of each publisher's own history
  std::uint64_t held = 0;
  for (const auto& [id, writer] : topic.writers) {
    const QoSProfile& offered = writer.description.qos;
    if (kind_of(offered) == kind) {
      wish = writer.description;
      held += held_of(offered);
    }
  }
  qos.reliability = ReliabilityPolicy::best_effort;
  if (kind.is_paced) {
    qos.history = HistoryPolicy::keep_all;  // back-pressure reaches the publisher
    qos.reliability = ReliabilityPolicy::reliable;
  }
  qos.max_held = max_held_for(held);
  wish.node = edge_node;
  wish.qos = qos;
  return wish;
}

void Edge::close_out(Topic& topic, OutRoutes& route) {
  if (route.open != nullptr) {
    topic.past_out.add(route.open->close());
    route = {};
  }
}

/// Of one publisher alone it could not hold what is to be held. (All publishers together may ask
/// for more than it was made for.)
bool Edge::is_too_small(const OutboundRoute& route, const Topic& topic, OutKind kind) {
  const std::uint32_t most = route.description().qos.max_held;
  return std::any_of(topic.writers.begin(), topic.writers.end(), [&kind, most](const auto& entry) {
    const QoSProfile& offered = entry.second.description.qos;
    return kind_of(offered) == kind && max_held_for(held_of(offered)) > most;
  });
}

/// Publishers of whatever kind.
std::size_t Edge::heard_by(const Topic& topic, const pool::EndpointDescription& wish) {
  const auto all = static_cast<std::size_t>(std::count_if(
      topic.writers.begin(), topic.writers.end(),
      [&wish](const auto& entry) { return !pool::mismatch(entry.second.description, wish); }));
  return std::min(all, pool::layout::max_ends);
}

std::shared_ptr<OutboundRoute> Edge::open_out(pool::EndpointDescription wish,
                                              OutboundRoute::ProxyWriters proxies, bool idle) {
  auto mark = mark_of(wish.topic, clients_);
  auto opened = OutboundRoute::open(*domain_, {std::move(wish), std::move(mark), waiter_, idle},
                                    std::move(proxies));
  if (!opened) {
    failures_.push_back(opened.error());
    return nullptr;
  }
  return std::move(*opened);
}

/// A publisher that has come later may ask for more than the open route was made for. Another one
/// is opened then, and takes its place as soon as it hears all whom it can.
void Edge::grow_out(Topic& topic, OutKind kind, const OutboundRoute::ProxyWriters& proxies) {
  auto& [route, next] = topic.out[kind];
  if (!is_too_small(*route, topic, kind)) {
    return;
  }
  if (next == nullptr || is_too_small(*next, topic, kind)) {
    next = open_out(wish_for_out(topic, kind), {}, true);
  }
  if (next == nullptr) {
    return;
  }
  if (next->publishers() < heard_by(topic, next->description())) {
    is_matching_ = true;
    return;
  }
  next->set_writers(proxies);
  if (next->take_over(*route)) {
    topic.past_out.add(route->close());
    route = std::exchange(next, nullptr);
  } else {
    is_growing_ = true;
  }
}

/// Open while somebody outside listens; told which publisher's samples go to which writer, heard or
/// not: whether anybody hears them is the engine's to know. A transient-local one stays open then:
/// DDS keeps its samples for late comers, and opening it again would send the history twice.
void Edge::settle_out(Topic& topic, OutKind kind) {
  OutRoutes& route = topic.out[kind];
  bool heard = kind.durability == DurabilityPolicy::transient_local && route.open != nullptr;
  bool any = false;
  OutboundRoute::ProxyWriters writers;
  for (auto& [id, writer] : topic.writers) {
    const bool is_of_this = kind_of(writer.description.qos) == kind;
    const auto proxy = is_of_this ? proxy_writer(writer) : std::nullopt;
    writers.emplace(id, proxy.value_or(ProxyWriter{}));
    any = any || proxy;
    heard = heard || (proxy && writer.proxy->matched() != 0);
  }
  if (!any || !heard) {
    close_out(topic, route);
    topic.out.erase(kind);
  } else if (route.open == nullptr) {
    route.open = open_out(wish_for_out(topic, kind), std::move(writers), false);
  } else {
    route.open->set_writers(writers);
    grow_out(topic, kind, writers);
  }
}

/// Whether each publisher's route is open, and hears all whom it can.
bool Edge::are_all_heard(const Topic& topic) {
  return std::all_of(topic.writers.begin(), topic.writers.end(), [&topic](const auto& entry) {
    const auto known = topic.out.find(kind_of(entry.second.description.qos));
    return known != topic.out.end() && known->second.open != nullptr &&
           known->second.open->publishers() >= heard_by(topic, known->second.open->description());
  });
}

/// Open while somebody outside publishes and somebody here listens; for latched topics always.
void Edge::settle_in(Topic& topic) {
  if (topic.in == nullptr) {
    return;
  }
  const auto wants = [](const auto& entry) {
    const LocalReader& reader = entry.second;
    return reader.proxy->matched() != 0 || wants_history(reader.description);
  };
  if (topic.readers.empty()) {
    topic.in->set_writer(nullptr);
    return;
  }
  // Who speaks once and leaves is heard: what waits for the pool's match is delivered first. A next
  // one may come just now: what it sends is never dropped, since nobody would send it again.
  if (std::any_of(topic.readers.begin(), topic.readers.end(), wants) || !topic.in->rest()) {
    open_in(topic, topic.readers.begin()->second.description);
  }
}

/// Joins the topic as a publisher that offers what all subscriptions here ask for; whether a remote
/// writer's samples come at all is decided by the match of the proxies.
void Edge::open_in(Topic& topic, const pool::EndpointDescription& subscription) {
  pool::EndpointDescription offer = subscription;
  offer.node = edge_node;
  offer.qos = offer_for(topic, subscription);
  // Open already: only what it does not offer yet is worth a new one, which lacks the old history.
  const bool is_too_shallow =
      offer.qos.depth > topic.offered.depth && !wants_history(subscription) &&
      std::none_of(topic.readers.begin(), topic.readers.end(),
                   [](const auto& entry) { return wants_history(entry.second.description); });
  if (topic.in->is_open() && !is_too_shallow &&
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

/// What satisfies this subscription and all that have proxies. Who asks for a liveliness assertion
/// gets it with each sample that comes in.
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
