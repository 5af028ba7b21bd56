// SPDX-License-Identifier: Apache-2.0
/// \file Goals from the client to the server and back: responses, feedback, results, states.
#include <thread>

#include "action_fixture.hpp"

namespace ligament {
namespace {

using testing::Actions;
using testing::ClientHandle;
using testing::errors_of;
using testing::Fibonacci;
using testing::FibonacciClient;
using testing::order;
using testing::partial;
using testing::sequence;
using testing::ServerHandle;
using testing::Spinner;
using testing::wait_for;
using namespace std::chrono_literals;

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

TEST_F(Goals, SucceedWithFeedback) {
  std::vector<std::vector<std::int32_t>> seen;
  FibonacciClient::SendGoalOptions options;
  std::vector<std::string> calls;
  options.goal_response_callback = [&](const ClientHandle& goal) {
    EXPECT_NE(goal, nullptr);
    calls.emplace_back("response");
  };
  options.feedback_callback = [&](const ClientHandle& goal,
                                  const std::shared_ptr<const Fibonacci::Feedback>& feedback) {
    EXPECT_NE(goal, nullptr);
    seen.push_back(feedback->sequence);
    calls.emplace_back("feedback");
  };
  WrappedResult<Fibonacci> result;
  options.result_callback = [&](const WrappedResult<Fibonacci>& got) {
    result = got;
    calls.emplace_back("result");
  };
  const ClientHandle goal = send(*client_, 3, options);
  ASSERT_NE(goal, nullptr);
  EXPECT_TRUE(goal->is_feedback_aware());
  EXPECT_TRUE(goal->is_result_aware());
  const ServerHandle served = at_server(goal);
  EXPECT_EQ(served->get_goal()->order, 3);
  EXPECT_EQ(goal->get_goal_stamp().nanoseconds() > 0, true);
  EXPECT_TRUE(served->is_executing());
  EXPECT_TRUE(served->is_active());
  EXPECT_TRUE(served->publish_feedback(partial({0, 1})));
  EXPECT_TRUE(served->publish_feedback(partial({0, 1, 1})));
  wait_for([&] {
    (void)spin_some(node_);
    return seen.size() == 2;
  });
  EXPECT_TRUE(served->succeed(sequence({0, 1, 1, 2})));
  EXPECT_FALSE(served->is_active());
  wait_for([&] {
    (void)spin_some(node_);
    return calls.size() == 4;
  });
  EXPECT_EQ(calls, (std::vector<std::string>{"response", "feedback", "feedback", "result"}));
  EXPECT_EQ(seen.back(), (std::vector<std::int32_t>{0, 1, 1}));
  EXPECT_EQ(result.code, ResultCode::succeeded);
  EXPECT_EQ(result.goal_id, goal->get_goal_id());
  EXPECT_EQ(result.result->sequence, (std::vector<std::int32_t>{0, 1, 1, 2}));
  EXPECT_EQ(goal->get_status(), GoalStatus::succeeded);
}

}  // namespace
}  // namespace ligament
