// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ligament/action_server.hpp>

#include "node/node_state.hpp"

namespace ligament {
namespace {

constexpr std::int64_t shortest_timer_ns = 1'000'000;

}  // namespace

ActionServerBase::ActionServerBase(const Node& node, const std::string& name,
                                   const ActionServerOptions& options)
    : node_(node.shared_state()),
      name_(detail::resolve_action_name(*node_, name)),
      timeout_ns_(options.result_timeout.count()),
      group_(options.callback_group),
      goals_(options.result_timeout) {}

ActionServerBase::~ActionServerBase() = default;

bool ActionServerBase::open_common(Node& node, bool has_callbacks) {
  if (name_.empty()) {
    return false;  // told when it was resolved
  }
  if (!has_callbacks) {
    node_->report(NodeErrorKind::configuration,
                  "the action server of '" + name_ + "' of node '" + node_->id +
                      "' needs three callbacks: for goals, to cancel, and for accepted goals");
    return false;
  }
  const std::weak_ptr<ActionServerBase> self = weak_from_this();
  status_publisher_ = node.create_publisher<action_msgs::msg::GoalStatusArray>(
      name_ + "/_action/status", QoS(1).transient_local());
  if (timeout_ns_ >= 0) {
    timer_ = node.create_wall_timer(
        std::chrono::nanoseconds(std::max(timeout_ns_, shortest_timer_ns)),
        [self] {
          if (const auto server = self.lock()) {
            server->expire();
          }
        },
        group_);
    timer_->cancel();
  }
  cancel_service_ = node.create_service<CancelGoal>(
      name_ + "/_action/cancel_goal",
      [self](const std::shared_ptr<CancelGoal::Request>& request,
             const std::shared_ptr<CancelGoal::Response>& response) {
        if (const auto server = self.lock()) {
          server->cancel_goals(*request, *response);
        }
      },
      ServicesQoS(), group_);
  return true;
}

bool ActionServerBase::is_open() const {
  return cancel_service_ != nullptr && cancel_service_->is_open() && status_publisher_->is_open();
}

ActionServerStatistics ActionServerBase::statistics() const {
  const auto count = goals_.count();
  return {accepted_.load(std::memory_order_relaxed), rejected_.load(std::memory_order_relaxed),
          ended_.load(std::memory_order_relaxed), count.active, count.known};
}

bool ActionServerBase::may_accept(const GoalUUID& id) {
  expire();
  return goals_.may_accept(id);
}

ActionServerBase::Record ActionServerBase::accept(const GoalUUID& id, GoalResponse how) {
  const bool accepts =
      how == GoalResponse::accept_and_execute || how == GoalResponse::accept_and_defer;
  Record record = accepts ? goals_.accept(id, node_->clock->now().nanoseconds()) : nullptr;
  (record == nullptr ? rejected_ : accepted_).fetch_add(1, std::memory_order_relaxed);
  if (record != nullptr && how == GoalResponse::accept_and_execute) {
    (void)goals_.move(*record, GoalStatus::executing);
  }
  return record;
}

void ActionServerBase::publish_statuses() {
  const std::lock_guard lock(status_mutex_);
  (void)status_publisher_->publish(goals_.statuses());  // refused: counted by the publisher
}

detail::ActionGoals::Answer ActionServerBase::ask_result(const GoalUUID& id, const RequestId& who) {
  expire();
  return goals_.ask_result(id, who);
}

namespace {

GoalChange refuse(detail::NodeState& node, const std::string& action, const GoalUUID& id,
                  GoalStatus from, GoalStatus to) {
  node.report(NodeErrorKind::run, "goal " + to_string(id) + " of action '" + action +
                                      "' cannot become " + to_string(to) + ": it is " +
                                      to_string(from));
  return unexpected<GoalError>(GoalError::wrong_state);
}

}  // namespace

GoalChange ActionServerBase::move(detail::GoalRecord& goal, GoalStatus to) {
  if (auto moved = goals_.move(goal, to); !moved) {
    return refuse(*node_, name_, goal.id, goals_.status_of(goal), to);
  }
  publish_statuses();
  return {};
}

GoalChange ActionServerBase::end(detail::GoalRecord& goal, GoalStatus to,
                                 const std::shared_ptr<const void>& result) {
  auto waiting = goals_.end(goal, to, result, pool::monotonic_now_ns());
  if (!waiting) {
    return refuse(*node_, name_, goal.id, goals_.status_of(goal), to);
  }
  ended_.fetch_add(1, std::memory_order_relaxed);
  publish_statuses();
  for (const RequestId& who : *waiting) {
    send_result(who, result.get());
  }
  look_at_results_later();
  return {};
}

void ActionServerBase::abandon(detail::GoalRecord& goal,
                               const std::shared_ptr<const void>& result) {
  if (!is_terminal(goals_.status_of(goal))) {
    (void)goals_.move(goal, GoalStatus::canceling);  // it may be that already
    (void)end(goal, GoalStatus::canceled, result);
  }
}

void ActionServerBase::cancel_goals(const CancelGoal::Request& request,
                                    CancelGoal::Response& response) {
  expire();
  const auto& wanted = request.goal_info;
  const auto found = goals_.to_cancel(wanted.goal_id.uuid, Time(wanted.stamp).nanoseconds());
  response.return_code = found.code;
  for (const auto& goal : found.goals) {
    if (cancel_one(*goal)) {
      auto& info = response.goals_canceling.emplace_back();
      info.goal_id.uuid = goal->id;
      info.stamp = Time(goal->accepted_ns);
    }
  }
  if (!response.goals_canceling.empty()) {
    publish_statuses();
  } else if (!found.goals.empty()) {
    response.return_code = CancelGoal::Response::ERROR_REJECTED;
  }
}

/// Whether it becomes CANCELING. It may have ended while the callback decided.
bool ActionServerBase::cancel_one(detail::GoalRecord& goal) {
  auto handle = goals_.handle_of(goal);
  return handle != nullptr && ask_cancel(std::move(handle)) == CancelResponse::accept &&
         goals_.move(goal, GoalStatus::canceling).has_value();
}

void ActionServerBase::expire() {
  const std::lock_guard lock(timer_mutex_);
  if (!goals_.expire(pool::monotonic_now_ns()) && timer_ != nullptr) {
    timer_->cancel();
  }
}

void ActionServerBase::look_at_results_later() {
  const std::lock_guard lock(timer_mutex_);
  if (timer_ != nullptr && timer_->is_canceled()) {
    timer_->reset();
  }
}

}  // namespace ligament
