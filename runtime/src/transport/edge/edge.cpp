// SPDX-License-Identifier: Apache-2.0
#include "transport/edge/edge.hpp"

#include <algorithm>
#include <chrono>
#include <set>

#include "memory/match.hpp"
#include "transport/dds/names.hpp"

namespace ligament::edge {

namespace {

/// Between two looks at the pool, and before what failed is tried again.
constexpr std::chrono::milliseconds look_again{100};
/// When nobody has told us anything: then nothing should have changed.
constexpr std::chrono::seconds look_rarely{20};
/// While samples wait for a match in the pool, which takes milliseconds.
constexpr std::chrono::milliseconds look_soon{2};
/// Between two looks, or as long as one takes: of a flood of announcements not each is worth one.
constexpr std::int64_t least_rest_ns = 10'000'000;
/// Between two messages about the graph: endpoints come in dozens.
constexpr std::int64_t graph_pause_ns = 100'000'000;

/// An edge's own end; one whose messages are in a device's memory; or one of a topic that is
/// neither ROS 2's nor half of a service.
bool has_no_proxy(const pool::EndpointInfo& endpoint) {
  const std::string& topic = endpoint.description.topic;
  return endpoint.description.node == edge_node ||
         endpoint.description.type_name.ends_with("@device") ||
         !(topic.starts_with('/') || is_request(topic) || is_reply(topic));
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
  farewell_ = std::make_unique<Farewell>(*participant_);
  if (auto watched = watch_pool(); !watched) {
    return watched;
  }
  dds::EndpointSpec spec{
      graph_info_topic, graph_info_type, {}, dds::endpoint_user_data(graph_info_hash), true};
  spec.qos.depth = 1;
  spec.qos.durability = DurabilityPolicy::transient_local;
  auto writer = participant_->create_writer(spec);
  if (!writer) {
    return unexpected<std::string>(writer.error().text);
  }
  graph_writer_ = std::move(*writer);
  return open_mirror();
}

expected<void, std::string> Edge::watch_pool() {
  pool::EndpointDescription marker;
  marker.topic = std::string(pool::graph_topic);
  marker.type_name = "/";
  marker.node = edge_node;
  marker.qos.depth = 1;
  marker.qos.max_held = 1;
  auto reader = domain_->create_reader(marker, *waiter_);
  if (!reader) {
    return unexpected<std::string>(reader.error().text);
  }
  marker_ = std::move(*reader);
  watch_ = domain_->watch([this] { tell_pool_changed(); });
  return {};
}

expected<void, std::string> Edge::open_mirror() {
  if (!options_.graph.starts_with(pool::ros_domain_prefix)) {
    return {};
  }
  auto mirror = GraphMirror::create(*participant_, domain_, [this] { notify(); });
  if (!mirror) {
    return unexpected<std::string>(mirror.error().text);
  }
  mirror_ = std::move(*mirror);
  return {};
}

Edge::~Edge() {
  for (const std::weak_ptr<void> running = std::exchange(watch_, nullptr); !running.expired();) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // it may be called just now
  }
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
  for (auto& [name, topic] : topics_) {
    for (auto& [kind, route] : topic.out) {
      close_out(topic, route);
    }
    for (auto& [id, writer] : topic.writers) {
      farewell_->add(std::move(writer.proxy));
    }
  }
  topics_.clear();
  if (graph_writer_ != nullptr) {
    farewell_->add(std::move(graph_writer_));
  }
  farewell_.reset();
  mirror_.reset();
  participant_.reset();
}

void Edge::notify() {
  {
    const std::lock_guard guard(wake_mutex_);
    changed_ = true;
  }
  wake_.notify_one();
}

/// An inbound route has kept a sample for later. Nothing else has changed.
void Edge::tell_waiting() {
  {
    const std::lock_guard guard(wake_mutex_);
    waiting_told_ = true;
  }
  wake_.notify_one();
}

void Edge::tell_pool_changed() {
  {
    const std::lock_guard guard(wake_mutex_);
    pool_changed_ = true;
  }
  wake_.notify_one();
}

// --- control thread ------------------------------------------------------------------------------

/// Until there is something to do, or it is time to look.
void Edge::await_work(Work& work) {
  using Rest = std::chrono::milliseconds;
  const bool is_soon = work.is_waiting || work.is_due || is_matching_;
  const bool is_later = work.has_pool_changed || is_graph_late_ || is_growing_;
  const Rest rest = is_soon ? look_soon : is_later ? look_again : Rest(look_rarely);
  std::unique_lock lock(wake_mutex_);
  wake_.wait_for(lock, rest, [&] {
    return changed_ || waiting_told_ || (pool_changed_ && !work.has_pool_changed) || stop_.load();
  });
  work.is_due = std::exchange(changed_, false) || work.is_due;
  work.is_waiting = std::exchange(waiting_told_, false) || work.is_waiting;
  work.has_pool_changed = std::exchange(pool_changed_, false) || work.has_pool_changed;
}

void Edge::run_control() {
  std::uint64_t version = 0;
  Work work;
  std::int64_t rests_until_ns = 0;
  std::int64_t pool_rests_until_ns = 0;
  while (!stop_.load()) {
    await_work(work);
    const std::int64_t began_ns = pool::monotonic_now_ns();
    std::uint64_t now = version;
    if (!work.has_pool_changed || began_ns >= pool_rests_until_ns) {
      work.has_pool_changed = false;
      now = domain_->version();
    }
    work.is_due = work.is_due || now != version || is_graph_late_ || is_matching_ || is_growing_;
    if (work.is_due && began_ns >= rests_until_ns) {
      work.is_due = false;
      version = now;
      reconcile();
      const std::int64_t ended_ns = pool::monotonic_now_ns();
      rests_until_ns = ended_ns + std::max(ended_ns - began_ns, least_rest_ns);
      pool_rests_until_ns = ended_ns + std::chrono::nanoseconds(look_again).count();
    }
    if (work.is_waiting && !deliver_waiting()) {
      work.is_waiting = false;
      work.is_due = true;  // an inbound route may have stayed open for that alone
    }
  }
}

/// True: something waits on.
bool Edge::deliver_waiting() {
  const std::lock_guard guard(mutex_);
  bool any = false;
  for (auto& [name, topic] : topics_) {
    if (topic.in != nullptr) {
      find_ready_clients(name, topic);
      any = topic.in->deliver_waiting() || any;
    }
  }
  return any;
}

/// Makes what exists in DDS equal to what exists here. Idempotent; runs after every change.
void Edge::reconcile() {
  Endpoints endpoints = domain_->endpoints();
  has_twin_ = std::any_of(endpoints.begin(), endpoints.end(), [](const auto& endpoint) {
    return endpoint.description.node == edge_node && !endpoint.own;
  });
  std::erase_if(endpoints, has_no_proxy);
  {
    const std::lock_guard guard(mutex_);
    failures_.clear();
    is_matching_ = is_growing_ = false;
    drop_gone(endpoints);
    add_new(endpoints);
    for (auto& [name, topic] : topics_) {
      for (const auto durability :
           {DurabilityPolicy::volatile_, DurabilityPolicy::transient_local}) {
        settle_out(topic, {durability, false});
        settle_out(topic, {durability, true});
      }
      settle_in(topic);
    }
    set_routes();
    find_problems();
  }
  tell_graph();
  if (mirror_ != nullptr) {
    mirror_->settle();
  }
}

/// Under mutex_.
void Edge::set_routes() {
  std::vector<std::shared_ptr<OutboundRoute>> routes;
  for (const auto& [name, topic] : topics_) {
    for (const auto& [kind, route] : topic.out) {
      if (route.open != nullptr) {
        routes.push_back(route.open);
      }
    }
  }
  const std::lock_guard guard(routes_mutex_);
  if (routes != routes_) {
    std::swap(routes_, routes);
    ++routes_version_;
    waiter_->wake();
  }
}

void Edge::drop_gone(const Endpoints& endpoints) {
  std::set<std::uint64_t> alive;
  for (const auto& endpoint : endpoints) {
    alive.insert(endpoint.id);
  }
  const auto is_gone = [&alive](const auto& entry) { return !alive.contains(entry.first); };
  for (auto& [name, topic] : topics_) {
    for (auto& [id, writer] : topic.writers) {
      if (!alive.contains(id)) {
        let_go(topic, id, writer);
      }
    }
    std::erase_if(topic.writers, is_gone);
    std::erase_if(topic.readers, is_gone);
  }
  for (auto topic = topics_.begin(); topic != topics_.end();) {
    if (topic->second.is_empty()) {
      remember(topic->first, topic->second);
      topic = topics_.erase(topic);
    } else {
      ++topic;
    }
  }
}

/// What it has left behind goes out first.
void Edge::let_go(Topic& topic, std::uint64_t id, LocalWriter& writer) {
  for (const auto& [kind, route] : topic.out) {
    if (route.open != nullptr) {
      route.open->forget(id);
    }
  }
  farewell_->add(std::move(writer.proxy));
}

/// Its nodes have left; what it has carried is told on, and goes on if some come back.
void Edge::remember(const std::string& name, Topic& topic) {
  constexpr std::size_t most_gone = 4096;
  for (auto& [kind, route] : topic.out) {
    close_out(topic, route);
  }
  if (topic.in != nullptr) {
    topic.in->set_writer(nullptr);
  }
  if (gone_.size() < most_gone || gone_.contains(name)) {
    gone_[name] = figures_of(name, topic);
  }
}

Edge::Topic& Edge::topic_of(const std::string& name) {
  const auto [topic, is_new] = topics_.try_emplace(name);
  if (const auto before = gone_.find(name); is_new && before != gone_.end()) {
    topic->second.past_out = before->second.out;
    topic->second.past_in = before->second.in;
    gone_.erase(before);
  }
  return topic->second;
}

void Edge::add_new(const Endpoints& endpoints) {
  for (const auto& endpoint : endpoints) {
    Topic& topic = topic_of(endpoint.description.topic);
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
  auto proxy = participant_->create_writer(proxy_of(endpoint.description, endpoint.kind));
  if (!proxy) {
    failures_.push_back(proxy.error().text);
    return;
  }
  topic.writers.emplace(endpoint.id, LocalWriter{endpoint.description, std::move(*proxy)});
}

void Edge::add_reader(Topic& topic, const pool::EndpointInfo& endpoint) {
  if (topic.readers.contains(endpoint.id)) {
    return;
  }
  if (topic.in == nullptr) {
    // The participant outlives its readers, which alone call this.
    const auto form_of = [participant = participant_.get()](
                             const dds::Gid& writer) -> std::optional<dds::ServiceForm> {
      const auto user_data = participant->user_data_of(writer);
      return user_data ? std::optional(dds::form_of(*user_data)) : std::nullopt;
    };
    const std::string& name = endpoint.description.topic;
    topic.in = std::make_shared<InboundRoute>(
        InboundService{identity_of(name, clients_, form_of), is_request(name)},
        [this] { tell_waiting(); });
  }
  if (endpoint.description.qos.durability == DurabilityPolicy::transient_local) {
    open_in(topic, endpoint.description);  // the history comes with the match
  }
  auto proxy = participant_->create_reader(
      proxy_of(endpoint.description, endpoint.kind), topic.in,
      [in = topic.in](dds::Received&& sample) { in->publish(std::move(sample)); });
  if (!proxy) {
    failures_.push_back(proxy.error().text);
    return;
  }
  topic.readers.emplace(endpoint.id, LocalReader{endpoint.description, std::move(*proxy)});
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
  is_graph_late_ =
      graph_writer_->write({bytes->data(), payload.size()}, bytes, stamp) != dds::WriteResult::sent;
  if (!is_graph_late_) {
    told_ = std::move(info);
    told_at_ns_ = now;
  }
}

// --- data thread ---------------------------------------------------------------------------------

void Edge::run_data() {
  std::vector<std::shared_ptr<OutboundRoute>> routes;
  std::uint64_t version = 0;
  while (!stop_.load()) {
    {
      const std::lock_guard guard(routes_mutex_);
      if (version != routes_version_) {
        version = routes_version_;
        routes = routes_;
      }
    }
    bool any = false;
    std::int64_t look_at_ns = pool::no_deadline;
    for (const auto& route : routes) {
      any = route->pump() || any;
      look_at_ns = std::min(look_at_ns, route->next_look_ns());
    }
    if (!any) {
      waiter_->wait(pool::WaitStrategy::sleep(), look_at_ns);
    }
  }
}

}  // namespace ligament::edge
