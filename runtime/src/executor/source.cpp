// SPDX-License-Identifier: Apache-2.0
#include "executor/source.hpp"

#include <algorithm>
#include <utility>

#include "node/node_state.hpp"

namespace ligament::detail {
namespace {

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

/// Messages that are for nobody here, taken in one go: other threads wait meanwhile.
constexpr int most_passed_over = 64;

}  // namespace

void Work::run() {
  set_running_group(group.get());
  std::visit(Overloaded{[](std::monostate) {},
                        [](Message& one) { one.subscription->run_taken(std::move(one.sample)); },
                        [](SubscriptionEvents& one) { (void)one.subscription->run_events(); },
                        [](PublisherEvents& one) { (void)one.publisher->run_events(); },
                        [](LateRequests& one) { (void)one.client->give_up_late_requests(); },
                        [](Timer& one) { one.timer->run(); }},
             what);
}

bool Work::clear() {
  set_running_group(nullptr);
  what = std::monostate{};  // before the group is left: its endpoint may end here
  const bool is_wanted = group->leave();
  group.reset();
  // Release; partner: MultiThreadedExecutor::remove_node(), which then lets the node end.
  node->begun.fetch_sub(1, std::memory_order_release);
  node.reset();
  return is_wanted;
}

Source::Source(Endpoint endpoint, std::shared_ptr<CallbackGroup> group,
               std::shared_ptr<NodeState> node)
    : endpoint_(std::move(endpoint)), group_(std::move(group)), node_(std::move(node)) {}

bool Source::take(Work& work) {
  if (!group_->is_free()) {
    return false;
  }
  const bool taken = std::visit(
      [&](const auto& weak) {
        const auto endpoint = weak.lock();
        return endpoint != nullptr && take(endpoint, work);
      },
      endpoint_);
  if (taken) {
    group_->enter();
    work.group = group_;
    work.node = node_;
    node_->begun.fetch_add(1, std::memory_order_relaxed);
  }
  return taken;
}

bool Source::take(const std::shared_ptr<SubscriptionBase>& subscription, Work& work) {
  if (subscription->has_events()) {
    work.what = Work::SubscriptionEvents{subscription};
    return true;
  }
  std::optional<pool::HeldSample> sample;
  for (int i = 0; i < most_passed_over && left_ != 0U; ++i) {
    if (subscription->take_one(sample) != SubscriptionBase::Outcome::ran) {
      return false;
    }
    if (left_) {
      --*left_;
    }
    if (sample) {
      work.what = Work::Message{subscription, std::move(*sample)};
      return true;
    }
  }
  return false;
}

bool Source::take(const std::shared_ptr<PublisherBase>& publisher, Work& work) const {
  if (!publisher->has_events()) {
    return false;
  }
  work.what = Work::PublisherEvents{publisher};
  return true;
}

bool Source::take(const std::shared_ptr<ClientBase>& client, Work& work) const {
  const std::int64_t limit = client->next_time_limit_ns();
  if (left_ || limit == pool::no_deadline || limit > pool::monotonic_now_ns()) {
    return false;
  }
  work.what = Work::LateRequests{client};
  return true;
}

bool Source::take(const std::shared_ptr<TimerBase>& timer, Work& work) const {
  if (left_ || !timer->take_turn()) {
    return false;
  }
  work.what = Work::Timer{timer};
  return true;
}

bool Source::has_data() const {
  if (const auto* weak = std::get_if<std::weak_ptr<SubscriptionBase>>(&endpoint_)) {
    const auto subscription = weak->lock();
    return subscription != nullptr &&
           (subscription->has_events() || (left_ != 0U && subscription->is_ready()));
  }
  if (const auto* weak = std::get_if<std::weak_ptr<PublisherBase>>(&endpoint_)) {
    const auto publisher = weak->lock();
    return publisher != nullptr && publisher->has_events();
  }
  return false;
}

bool Source::is_ready() { return has_data() && group_->is_free_or_wanted(); }

std::int64_t Source::look_again_ns(std::int64_t now_ns) {
  if (left_) {
    return pool::no_deadline;
  }
  std::int64_t next = pool::no_deadline;
  if (const auto* weak = std::get_if<std::weak_ptr<TimerBase>>(&endpoint_)) {
    const auto timer = weak->lock();
    next = timer == nullptr ? next : timer->look_again_ns(now_ns);
  } else if (const auto* asking = std::get_if<std::weak_ptr<ClientBase>>(&endpoint_)) {
    const auto client = asking->lock();
    next = client == nullptr ? next : client->next_time_limit_ns();
  }
  return next == pool::no_deadline || group_->is_free_or_wanted() ? next : pool::no_deadline;
}

void Source::begin_drain() {
  const auto* weak = std::get_if<std::weak_ptr<SubscriptionBase>>(&endpoint_);
  const auto subscription = weak == nullptr ? nullptr : weak->lock();
  left_ = subscription == nullptr ? 0 : std::max(1U, subscription->get_actual_qos().depth);
}

void add_sources(const std::shared_ptr<NodeState>& node, std::vector<Source>& sources) {
  const auto add = [&](const auto& endpoint, const std::shared_ptr<CallbackGroup>& group) {
    sources.emplace_back(std::weak_ptr(endpoint), group, node);
  };
  const auto add_publisher = [&](const std::shared_ptr<PublisherBase>& publisher) {
    if (publisher->wants_events()) {
      add(publisher, publisher->callback_group());
    }
  };
  const auto add_subscription = [&](const std::shared_ptr<SubscriptionBase>& subscription) {
    add(subscription, subscription->callback_group());
  };
  for (const auto& timer : alive(node->mutex, node->timers)) {
    add(timer, timer->callback_group());
  }
  for (const auto& subscription : alive(node->mutex, node->subscriptions)) {
    add_subscription(subscription);
  }
  for (const auto& publisher : alive(node->mutex, node->publishers)) {
    add_publisher(publisher);
  }
  for (const auto& service : alive(node->mutex, node->services)) {
    add_subscription(service->requests());
    add_publisher(service->replies());
  }
  for (const auto& client : alive(node->mutex, node->clients)) {
    add_subscription(client->replies());
    add_publisher(client->requests());
    add(client, client->replies()->callback_group());
  }
}

}  // namespace ligament::detail
