// SPDX-License-Identifier: Apache-2.0
/// \file One goal as its server sees it; included by action_server.hpp.
#pragma once

#include <ligament/action.hpp>
#include <ligament/detail/action_goals.hpp>
#include <memory>
#include <utility>

namespace ligament {

template <typename T>
class ActionServer;

/// One goal at its server. Destroying the last pointer to it cancels a goal that has not ended.
template <typename T>
class ServerGoalHandle {
 public:
  using SharedPtr = std::shared_ptr<ServerGoalHandle>;
  using Goal = typename T::Goal;
  using Result = typename T::Result;
  using Feedback = typename T::Feedback;

  ServerGoalHandle(std::weak_ptr<ActionServer<T>> server, detail::ActionGoals::Record record,
                   std::shared_ptr<const Goal> goal)
      : server_(std::move(server)), record_(std::move(record)), goal_(std::move(goal)) {}
  ~ServerGoalHandle() {
    if (const auto server = server_.lock()) {
      server->abandon(*record_, ActionServer<T>::response(GoalStatus::canceled, {}));
    }
  }
  ServerGoalHandle(const ServerGoalHandle&) = delete;
  ServerGoalHandle& operator=(const ServerGoalHandle&) = delete;

  [[nodiscard]] const GoalUUID& get_goal_id() const { return record_->id; }
  [[nodiscard]] std::shared_ptr<const Goal> get_goal() const { return goal_; }
  [[nodiscard]] GoalStatus get_status() const {
    const auto server = server_.lock();
    return server == nullptr ? GoalStatus::unknown : server->goals().status_of(*record_);
  }
  /// Not terminal.
  [[nodiscard]] bool is_active() const {
    const GoalStatus status = get_status();
    return status != GoalStatus::unknown && !is_terminal(status);
  }
  [[nodiscard]] bool is_executing() const { return get_status() == GoalStatus::executing; }
  /// Somebody asked for it, and the server's callback accepted: clean up, and call canceled().
  [[nodiscard]] bool is_canceling() const { return get_status() == GoalStatus::canceling; }

  /// Of a deferred goal: its execution begins.
  GoalChange execute() {
    const auto server = server_.lock();
    return server == nullptr ? no_server() : server->move(*record_, GoalStatus::executing);
  }
  GoalChange publish_feedback(const Feedback& feedback) {
    const auto server = server_.lock();
    return server == nullptr ? no_server() : server->publish_feedback(record_->id, feedback);
  }
  GoalChange publish_feedback(const std::shared_ptr<Feedback>& feedback) {
    return publish_feedback(*feedback);
  }
  /// The goal was reached.
  GoalChange succeed(const Result& result) { return end(GoalStatus::succeeded, result); }
  GoalChange succeed(const std::shared_ptr<Result>& result) { return succeed(*result); }
  /// It was not, and nobody asked for that.
  GoalChange abort(const Result& result) { return end(GoalStatus::aborted, result); }
  GoalChange abort(const std::shared_ptr<Result>& result) { return abort(*result); }
  /// It was given up because somebody asked for that.
  GoalChange canceled(const Result& result) { return end(GoalStatus::canceled, result); }
  GoalChange canceled(const std::shared_ptr<Result>& result) { return canceled(*result); }

 private:
  static GoalChange no_server() { return unexpected<GoalError>(GoalError::no_server); }
  GoalChange end(GoalStatus status, const Result& result) {
    const auto server = server_.lock();
    return server == nullptr
               ? no_server()
               : server->end(*record_, status, ActionServer<T>::response(status, result));
  }

  std::weak_ptr<ActionServer<T>> server_;
  detail::ActionGoals::Record record_;
  std::shared_ptr<const Goal> goal_;
};

}  // namespace ligament
