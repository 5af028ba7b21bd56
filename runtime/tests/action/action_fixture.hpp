// SPDX-License-Identifier: Apache-2.0
/// \file A server of an action and its client, each with a context of its own in one domain.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <ligament/action_client.hpp>
#include <ligament/action_server.hpp>
#include <ligament/example_interfaces/action/fibonacci.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "../service/service_fixture.hpp"

namespace ligament::testing {

using example_interfaces::action::Fibonacci;
using ServerHandle = std::shared_ptr<ServerGoalHandle<Fibonacci>>;
using ClientHandle = std::shared_ptr<ClientGoalHandle<Fibonacci>>;
using FibonacciClient = ActionClient<Fibonacci>;

inline Fibonacci::Goal order(std::int32_t value) {
  Fibonacci::Goal goal;
  goal.order = value;
  return goal;
}
inline Fibonacci::Result sequence(std::vector<std::int32_t> values) {
  Fibonacci::Result result;
  result.sequence = std::move(values);
  return result;
}
inline Fibonacci::Feedback partial(std::vector<std::int32_t> values) {
  Fibonacci::Feedback feedback;
  feedback.sequence = std::move(values);
  return feedback;
}

class Actions : public Services {
 protected:
  /// A server that does what the members say, and keeps the handles of its goals.
  std::shared_ptr<ActionServer<Fibonacci>> make_server(const ActionServerOptions& options = {}) {
    return server_->create_action_server<Fibonacci>(
        "fibonacci",
        [this](const GoalUUID&, const std::shared_ptr<const Fibonacci::Goal>& goal) {
          return goal->order < 0 ? GoalResponse::reject : goal_response_.load();
        },
        [this](const ServerHandle& goal) {
          const std::lock_guard lock(mutex_);
          asked_to_cancel_.push_back(goal->get_goal()->order);
          return cancel_response_.load();
        },
        [this](ServerHandle goal) {
          const std::lock_guard lock(mutex_);
          accepted_.push_back(std::move(goal));
        },
        options);
  }
  std::shared_ptr<FibonacciClient> make_client() {
    return node_->create_action_client<Fibonacci>("fibonacci");
  }

  /// Sends a goal and waits for its handle; null: refused.
  ClientHandle send(FibonacciClient& client, std::int32_t value,
                    const FibonacciClient::SendGoalOptions& options = {}) {
    auto sent = client.async_send_goal(order(value), options);
    EXPECT_EQ(spin_until(sent), FutureReturnCode::success);
    return sent.get();
  }
  /// The server's handle of a goal that was accepted.
  ServerHandle at_server(const ClientHandle& goal) {
    ServerHandle found;
    wait_for([&] {
      const std::lock_guard lock(mutex_);
      for (const auto& one : accepted_) {
        found = one->get_goal_id() == goal->get_goal_id() ? one : found;
      }
      return found != nullptr;
    });
    return found;
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    accepted_.clear();
  }
  WrappedResult<Fibonacci> result_of(FibonacciClient& client, const ClientHandle& goal) {
    auto asked = client.async_get_result(goal);
    EXPECT_EQ(spin_until(asked), FutureReturnCode::success);
    return asked.get();
  }
  template <typename Future>
  std::shared_ptr<FibonacciClient::CancelResponse> answer_of(Future sent) {
    EXPECT_EQ(spin_until(sent), FutureReturnCode::success);
    return sent.get();
  }
  /// Spins the clients' node until the goal has that state there.
  void await_status(const ClientHandle& goal, GoalStatus status) {
    wait_for([&] {
      (void)spin_some(node_);
      return goal->get_status() == status;
    });
  }

  std::atomic<GoalResponse> goal_response_ = GoalResponse::accept_and_execute;
  std::atomic<CancelResponse> cancel_response_ = CancelResponse::accept;
  std::mutex mutex_;
  std::vector<ServerHandle> accepted_;
  std::vector<std::int32_t> asked_to_cancel_;
};

/// With a server whose executor runs.
class Goals : public Actions {
 protected:
  void SetUp() override {
    Actions::SetUp();
    action_ = make_server();
    client_ = make_client();
    ASSERT_TRUE(action_->is_open()) << errors_of(*server_);
    ASSERT_TRUE(client_->is_open()) << errors_of(*node_);
    spinner_ = std::make_unique<Spinner>(server_context_);
    spinner_->start(server_);
    ASSERT_TRUE(client_->wait_for_action_server());
  }
  void TearDown() override { spinner_.reset(); }

  std::shared_ptr<ActionServer<Fibonacci>> action_;
  std::shared_ptr<FibonacciClient> client_;
  std::unique_ptr<Spinner> spinner_;
};

}  // namespace ligament::testing
