// SPDX-License-Identifier: Apache-2.0
#include "transport/edge/edge.hpp"

#include <algorithm>
#include <chrono>
#include <set>

#include "memory/match.hpp"
#include "transport/dds/names.hpp"

namespace ligament::edge {

namespace {

/// Between two looks at the pool when nothing was notified.
constexpr std::chrono::milliseconds look_again{100};
/// Between two messages about the graph: endpoints come in dozens.
constexpr std::int64_t graph_pause_ns = 100'000'000;

/// An edge's own end, or one of a topic that is neither ROS 2's nor half of a service.
bool has_no_face(const pool::EndpointInfo& endpoint) {
  const std::string& topic = endpoint.description.topic;
  return endpoint.description.node == edge_node ||
         !(topic.starts_with('/') || is_request(topic) || is_reply(topic));
}

/// The tighter of two durations; 0 is none.
std::int64_t tighter(std::int64_t one, std::int64_t other) {
  return one == 0 || other == 0 ? std::max(one, other) : std::min(one, other);
}

}  // namespace

expected<std::unique_ptr<Edge>, std::string> Edge::start(const Options& options) {
  std::unique_ptr<Edge> self(new Edge(options));
  if (auto joined = self->join(); !joined) {
    return unexpected<std::string>(joined.error());
  }
  self->control_ = std::thread([edge = self.get()] { edge->run_control(); });
  self->data_ = std::thread([edge = self.get()] { edge->run_data(); });
  return self;
}

expected<void, std::string> Edge::join() {
  auto domain = pool::Domain::join({options_.graph, options_.run_id});
  if (!domain) {
    return unexpected<std::string>(domain.error().text);
  }
  domain_ = std::move(*domain);
  auto waiter = domain_->create_waiter();
  if (!waiter) {
    return unexpected<std::string>(waiter.error().text);
  }
  waiter_ = std::move(*waiter);
  auto participant = dds::Participant::create(options_.participant, [this] { notify(); });
  if (!participant) {
    return unexpected<std::string>(participant.error().text);
  }
  participant_ = std::move(*participant);
  dds::EndpointSpec spec{graph_info_topic, graph_info_type, {}, dds::endpoint_user_data({}), true};
  spec.qos.depth = 1;
  spec.qos.durability = DurabilityPolicy::transient_local;
  auto writer = participant_->create_writer(spec);
  if (!writer) {
    return unexpected<std::string>(writer.error().text);
  }
  graph_writer_ = std::move(*writer);
  return {};
}

Edge::~Edge() {
  stop_.store(true);
  notify();
  if (waiter_ != nullptr) {
    waiter_->wake();
  }
  for (std::thread* thread : {&control_, &data_}) {
    if (thread->joinable()) {
      thread->join();
    }
  }
  topics_.clear();
  ways_.clear();
  graph_writer_.reset();
  participant_.reset();
}

void Edge::notify() {
  {
    const std::lock_guard guard(wake_mutex_);
    changed_ = true;
  }
  wake_.notify_one();
}

// --- control thread ------------------------------------------------------------------------------

void Edge::run_control() {
  std::uint64_t version = 0;
  while (!stop_.load()) {
    bool told = false;
    {
      std::unique_lock lock(wake_mutex_);
      wake_.wait_for(lock, look_again, [this] { return changed_ || stop_.load(); });
      told = std::exchange(changed_, false);
    }
    deliver_waiting();
    const std::uint64_t now = domain_->version();
    if (told || now != version || is_graph_late_) {
      version = now;
      reconcile();
    }
  }
}

void Edge::deliver_waiting() {
  const std::lock_guard guard(mutex_);
  for (auto& [name, topic] : topics_) {
    if (topic.in != nullptr) {
      topic.in->deliver_waiting();
    }
  }
}

/// Makes what exists in DDS equal to what exists here. Idempotent; runs after every change.
void Edge::reconcile() {
  Endpoints endpoints = domain_->endpoints();
  std::erase_if(endpoints, has_no_face);
  {
    const std::lock_guard guard(mutex_);
    failures_.clear();
    drop_gone(endpoints);
    add_new(endpoints);
    std::vector<std::shared_ptr<WayOut>> ways;
    for (auto& [name, topic] : topics_) {
      settle_out(topic, DurabilityPolicy::volatile_, topic.out_volatile);
      settle_out(topic, DurabilityPolicy::transient_local, topic.out_latched);
      settle_in(topic);
      for (const auto& way : {topic.out_volatile, topic.out_latched}) {
        if (way != nullptr) {
          ways.push_back(way);
        }
      }
    }
    if (ways != ways_) {
      ways_ = std::move(ways);
      ++ways_version_;
      waiter_->wake();
    }
    find_problems();
  }
  tell_graph();
}

void Edge::drop_gone(const Endpoints& endpoints) {
  std::set<std::uint64_t> alive;
  for (const auto& endpoint : endpoints) {
    alive.insert(endpoint.id);
  }
  const auto is_gone = [&alive](const auto& entry) { return !alive.contains(entry.first); };
  for (auto& [name, topic] : topics_) {
    for (const auto& writer : topic.writers) {
      for (const auto& way : {topic.out_volatile, topic.out_latched}) {
        if (way != nullptr && is_gone(writer)) {
          way->forget(writer.first);
        }
      }
    }
    std::erase_if(topic.writers, is_gone);
    std::erase_if(topic.readers, is_gone);
  }
  std::erase_if(topics_, [](const auto& entry) { return entry.second.is_empty(); });
}

void Edge::add_new(const Endpoints& endpoints) {
  for (const auto& endpoint : endpoints) {
    Topic& topic = topics_[endpoint.description.topic];
    if (endpoint.kind == pool::EndpointKind::writer) {
      add_writer(topic, endpoint);
    } else {
      add_reader(topic, endpoint);
    }
  }
}

void Edge::add_writer(Topic& topic, const pool::EndpointInfo& endpoint) {
  if (topic.writers.contains(endpoint.id)) {
    return;
  }
  auto face = participant_->create_writer(face_of(endpoint.description, endpoint.kind));
  if (!face) {
    failures_.push_back(face.error().text);
    return;
  }
  topic.writers.emplace(endpoint.id, LocalWriter{endpoint.description, std::move(*face)});
}

void Edge::add_reader(Topic& topic, const pool::EndpointInfo& endpoint) {
  if (topic.readers.contains(endpoint.id)) {
    return;
  }
  if (topic.in == nullptr) {
    topic.in = std::make_shared<WayIn>(0, identity_of(endpoint.description.topic, clients_));
  }
  if (endpoint.description.qos.durability == DurabilityPolicy::transient_local) {
    open_in(topic, endpoint.description);  // the history comes with the match
  }
  auto face = participant_->create_reader(
      face_of(endpoint.description, endpoint.kind), topic.in,
      [in = topic.in](dds::Received&& sample) { in->publish(std::move(sample)); });
  if (!face) {
    failures_.push_back(face.error().text);
    return;
  }
  topic.readers.emplace(endpoint.id, LocalReader{endpoint.description, std::move(*face)});
}

// --- the ways ------------------------------------------------------------------------------------

pool::EndpointDescription Edge::wish_for_out(const Topic& topic,
                                             DurabilityPolicy durability) const {
  pool::EndpointDescription wish;
  QoSProfile qos;
  qos.reliability = ReliabilityPolicy::best_effort;
  qos.durability = durability;
  std::uint64_t held = 2;
  for (const auto& [id, writer] : topic.writers) {
    const QoSProfile& offered = writer.description.qos;
    if (offered.durability != durability) {
      continue;
    }
    wish = writer.description;
    qos.depth = std::max(qos.depth, offered.depth);
    held += offered.depth;  // what its writer in DDS may keep for retransmission
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

/// Open while somebody outside listens; told which publisher's samples go to which writer.
/// A transient-local one stays open then, and all writers get their samples: DDS keeps them for
/// late comers, and opening it again would send the history twice.
void Edge::settle_out(Topic& topic, DurabilityPolicy durability, std::shared_ptr<WayOut>& way) {
  const bool latched = durability == DurabilityPolicy::transient_local;
  bool heard = latched && way != nullptr;
  std::map<std::uint64_t, dds::Writer*> writers;
  for (const auto& [id, writer] : topic.writers) {
    const bool matched = writer.face->matched() != 0;
    if (writer.description.qos.durability == durability && (latched || matched)) {
      writers.emplace(id, writer.face.get());
      heard = heard || matched;
    }
  }
  if (writers.empty() || !heard) {
    if (way != nullptr) {
      way->set_writers({});
      topic.past.add(way->figures());
    }
    way.reset();
    return;
  }
  if (way == nullptr) {
    const auto wish = wish_for_out(topic, durability);
    auto opened = WayOut::open(*domain_, *waiter_, wish, header_of(wish.topic, clients_));
    if (!opened) {
      failures_.push_back(opened.error());
      return;
    }
    way = std::move(*opened);
  }
  way->set_writers(std::move(writers));
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
  auto writer = domain_->create_writer(offer, options);
  if (!writer) {
    failures_.push_back(writer.error().text);
    return;
  }
  topic.in->set_writer(std::move(*writer));
  topic.offered = offer.qos;
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

// --- what others see -----------------------------------------------------------------------------

void Edge::tell_graph() {
  GraphInfo info;
  {
    const std::lock_guard guard(mutex_);
    info = describe_graph();
  }
  const std::int64_t now = pool::monotonic_now_ns();
  is_graph_late_ = info != told_ && now - told_at_ns_ < graph_pause_ns;
  if (info == told_ || is_graph_late_) {
    return;  // the next look, at most 100 ms away, tells it
  }
  auto bytes = std::make_shared<std::vector<std::byte>>(encode(info, options_.gid_form));
  const std::span<const std::byte> payload = *bytes;
  bytes->resize((bytes->size() + 3) / 4 * 4);
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  const auto stamp = std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count();
  is_graph_late_ = !graph_writer_->write({bytes->data(), payload.size()}, bytes, stamp);
  if (!is_graph_late_) {
    told_ = std::move(info);
    told_at_ns_ = now;
  }
}

// --- data thread ---------------------------------------------------------------------------------

void Edge::run_data() {
  std::vector<std::shared_ptr<WayOut>> ways;
  std::uint64_t version = 0;
  while (!stop_.load()) {
    {
      const std::lock_guard guard(mutex_);
      if (version != ways_version_) {
        version = ways_version_;
        ways = ways_;
      }
    }
    bool any = false;
    for (const auto& way : ways) {
      any = way->pump() || any;
    }
    if (!any) {
      waiter_->wait(pool::WaitStrategy::sleep());
    }
  }
}

}  // namespace ligament::edge
