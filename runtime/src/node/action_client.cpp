// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ligament/action_client.hpp>
#include <thread>

#include "node/context_state.hpp"
#include "node/node_state.hpp"
#include "node/saturating.hpp"

namespace ligament {
namespace detail {

GoalUUID goal_id_of(std::span<const std::uint8_t> bytes) {
  GoalUUID id{};
  std::copy_n(bytes.begin(), std::min(bytes.size(), id.size()), id.begin());
  return id;
}

void ClientGoal::set_status(GoalStatus status) {
  GoalStatus known = get_status();
  while (!is_terminal(known) && status > known &&
         !status_.compare_exchange_weak(known, status, std::memory_order_relaxed)) {
  }
}

void ClientGoal::set_accepted(const Time& stamp) {
  stamp_ns_.store(stamp.nanoseconds(), std::memory_order_relaxed);
  set_status(GoalStatus::accepted);
}

void ClientGoals::add(const std::shared_ptr<ClientGoal>& goal) {
  const std::lock_guard lock(mutex_);
  std::erase_if(goals_, [](const auto& entry) { return entry.second.expired(); });
  goals_.emplace(goal->get_goal_id(), goal);
}

std::shared_ptr<ClientGoal> ClientGoals::find(const GoalUUID& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = goals_.find(id);
  return found == goals_.end() ? nullptr : found->second.lock();
}

void ClientGoals::update(const action_msgs::msg::GoalStatusArray& statuses) const {
  for (const auto& one : statuses.status_list) {
    if (const auto goal = find(one.goal_info.goal_id.uuid)) {
      goal->set_status(goal_status_of(one.status));
    }
  }
}

}  // namespace detail

ActionClientBase::ActionClientBase(const Node& node, const std::string& name,
                                   std::shared_ptr<CallbackGroup> group)
    : node_(node.shared_state()),
      group_(std::move(group)),
      name_(detail::resolve_action_name(*node_, name)) {}

ActionClientBase::~ActionClientBase() = default;

void ActionClientBase::open_common(Node& node) {
  cancel_client_ =
      node.create_client<CancelGoal>(name_ + "/_action/cancel_goal", ServicesQoS(), group_);
  const std::weak_ptr<ActionClientBase> self = weak_from_this();
  SubscriptionOptions options;
  options.callback_group = group_;
  status_subscription_ = node.create_subscription<action_msgs::msg::GoalStatusArray>(
      name_ + "/_action/status", QoS(1).transient_local(),
      [self](const action_msgs::msg::GoalStatusArray& statuses) {
        if (const auto client = self.lock()) {
          client->goals_.update(statuses);
        }
      },
      options);
}

bool ActionClientBase::is_open() const {
  return cancel_client_ != nullptr && cancel_client_->is_open() && status_subscription_->is_open();
}

bool ActionClientBase::action_server_is_ready() const {
  return cancel_client_ != nullptr && cancel_client_->service_is_ready() &&
         status_subscription_->get_publisher_count() != 0;
}

bool ActionClientBase::wait_for_action_server(std::chrono::nanoseconds timeout) const {
  const auto& context = node_->context;
  const std::int64_t end = timeout.count() < 0
                               ? pool::no_deadline
                               : detail::later(pool::monotonic_now_ns(), timeout.count());
  while (!action_server_is_ready()) {
    if (!is_open() || context == nullptr || !context->is_valid() ||
        pool::monotonic_now_ns() >= end) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

void ActionClientBase::set_request_time_limit(std::chrono::nanoseconds limit) {
  if (cancel_client_ != nullptr) {
    cancel_client_->set_request_time_limit(limit);
  }
}

ActionClientBase::CancelFuture ActionClientBase::async_cancel_all_goals(CancelCallback callback) {
  return cancel({}, Time(), std::move(callback));
}

ActionClientBase::CancelFuture ActionClientBase::async_cancel_goals_before(
    const Time& stamp, CancelCallback callback) {
  return cancel({}, stamp, std::move(callback));
}

ActionClientBase::CancelFuture ActionClientBase::cancel(const GoalUUID& id, const Time& stamp,
                                                        CancelCallback callback) {
  auto answer = std::make_shared<detail::Answer<std::shared_ptr<CancelResponse>>>();
  CancelFuture sent{answer->future(), 0, node_, group_};
  if (cancel_client_ == nullptr) {
    if (callback) {
      callback(nullptr);
    }
    return sent;
  }
  CancelGoal::Request request;
  request.goal_info.goal_id.uuid = id;
  request.goal_info.stamp = stamp;
  const auto finish =
      [answer, callback = std::move(callback)](const Client<CancelGoal>::SharedFuture& future) {
        answer->give(future.get());
        if (callback) {
          callback(future.get());
        }
      };
  sent.request_id = cancel_client_->async_send_request(request, finish).request_id;
  return sent;
}

/// A server that came back as another one counts: it does not know the goals of the first.
void ActionClientBase::on_matched(const MatchedInfo& info) {
  const auto change = info.current_count_change;
  const auto came = static_cast<std::int64_t>(info.total_count_change);
  const auto before = static_cast<std::int64_t>(info.current_count) - change;
  if (before > 0 && came - change >= before) {
    give_up();
  }
}

void ActionClientBase::give_up() { (void)cancel_client_->prune_pending_requests(); }

}  // namespace ligament
