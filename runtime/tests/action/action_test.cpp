// SPDX-License-Identifier: Apache-2.0
/// \file Goals from the client to the server and back: responses, feedback, results, states.
#include <thread>

#include "action_fixture.hpp"

namespace ligament {
namespace {

using testing::ClientHandle;
using testing::errors_of;
using testing::Fibonacci;
using testing::FibonacciClient;
using testing::Goals;
using testing::order;
using testing::partial;
using testing::sequence;
using testing::ServerHandle;
using testing::Spinner;
using testing::wait_for;
using namespace std::chrono_literals;

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

TEST_F(Goals, AreRefusedByTheCallback) {
  bool called = false;
  FibonacciClient::SendGoalOptions options;
  options.goal_response_callback = [&](const ClientHandle& goal) {
    called = true;
    EXPECT_EQ(goal, nullptr);
  };
  options.result_callback = [](const WrappedResult<Fibonacci>&) { FAIL() << "of no goal"; };
  EXPECT_EQ(send(*client_, -1, options), nullptr);
  EXPECT_TRUE(called);
  EXPECT_EQ(action_->statistics().rejected, 1U);
  EXPECT_EQ(action_->statistics().known, 0U);
}

TEST_F(Goals, AbortWithAResult) {
  const ClientHandle goal = send(*client_, 1);
  EXPECT_TRUE(at_server(goal)->abort(sequence({7})));
  const auto result = result_of(*client_, goal);
  EXPECT_EQ(result.code, ResultCode::aborted);
  EXPECT_EQ(result.result->sequence, (std::vector<std::int32_t>{7}));
  EXPECT_EQ(goal->get_status(), GoalStatus::aborted);
}

TEST_F(Goals, AreDeferredUntilTheyAreExecuted) {
  goal_response_ = GoalResponse::accept_and_defer;
  const ClientHandle goal = send(*client_, 1);
  const ServerHandle served = at_server(goal);
  await_status(goal, GoalStatus::accepted);
  EXPECT_TRUE(served->is_active());
  EXPECT_FALSE(served->is_executing());
  EXPECT_FALSE(served->succeed(sequence({})));
  EXPECT_NE(errors_of(*server_).find("cannot become SUCCEEDED: it is ACCEPTED"), std::string::npos)
      << errors_of(*server_);
  EXPECT_TRUE(served->execute());
  EXPECT_EQ(served->execute().error(), GoalError::wrong_state);
  await_status(goal, GoalStatus::executing);
  EXPECT_TRUE(served->succeed(sequence({})));
  EXPECT_FALSE(served->canceled(sequence({})));
  await_status(goal, GoalStatus::succeeded);
}

TEST_F(Goals, GiveTheirResultBeforeAndAfterTheyEnd) {
  const ClientHandle goal = send(*client_, 1);
  EXPECT_FALSE(goal->is_result_aware());
  auto early = client_->async_get_result(goal);
  EXPECT_EQ(spin_until(early, 20ms), FutureReturnCode::timeout);
  EXPECT_TRUE(at_server(goal)->succeed(sequence({1, 2})));
  ASSERT_EQ(spin_until(early), FutureReturnCode::success);
  EXPECT_EQ(early.get().result->sequence.size(), 2U);
  int called = 0;
  auto late = client_->async_get_result(
      goal, [&](const WrappedResult<Fibonacci>& result) { called += result.result != nullptr; });
  EXPECT_EQ(called, 1) << "the result is there already";
  EXPECT_EQ(late.get().code, ResultCode::succeeded);
  // A second client asks the server itself.
  auto other =
      node_->create_client<Fibonacci::Impl::GetResultService>("fibonacci/_action/get_result");
  ASSERT_TRUE(other->wait_for_service());
  Fibonacci::Impl::GetResultService::Request request;
  request.goal_id.uuid = goal->get_goal_id();
  auto asked = other->async_send_request(request);
  ASSERT_EQ(spin_until(asked), FutureReturnCode::success);
  const auto response = asked.get();
  EXPECT_EQ(response->status, 4);
  EXPECT_EQ(response->result.sequence.size(), 2U);
}

TEST_F(Goals, WithTheSameIdAreRefusedOnce) {
  auto client =
      node_->create_client<Fibonacci::Impl::SendGoalService>("fibonacci/_action/send_goal");
  ASSERT_TRUE(client->wait_for_service());
  const auto is_accepted = [&](const GoalUUID& id) {
    Fibonacci::Impl::SendGoalService::Request request;
    request.goal_id.uuid = id;
    auto sent = client->async_send_request(request);
    EXPECT_EQ(spin_until(sent), FutureReturnCode::success);
    return sent.get()->accepted;
  };
  const GoalUUID id = detail::random_goal_id();
  EXPECT_TRUE(is_accepted(id));
  EXPECT_FALSE(is_accepted(id));
  EXPECT_FALSE(is_accepted({}));
  EXPECT_EQ(action_->statistics().accepted, 1U);
  EXPECT_EQ(action_->statistics().rejected, 2U);
}

TEST_F(Goals, AreCanceledWhenTheirLastHandleGoes) {
  const ClientHandle goal = send(*client_, 1);
  (void)at_server(goal);
  let_go();
  const auto result = result_of(*client_, goal);
  EXPECT_EQ(result.code, ResultCode::canceled);
  EXPECT_TRUE(result.result->sequence.empty());
}

/// On a thread of its own, as rclcpp_action's examples do.
TEST_F(Goals, AreWorkedOnByAnotherThread) {
  std::vector<std::size_t> lengths;
  FibonacciClient::SendGoalOptions options;
  options.feedback_callback = [&](const ClientHandle&,
                                  const std::shared_ptr<const Fibonacci::Feedback>& feedback) {
    lengths.push_back(feedback->sequence.size());
  };
  const ClientHandle goal = send(*client_, 5, options);
  std::thread worker([served = at_server(goal)] {
    auto feedback = std::make_shared<Fibonacci::Feedback>();
    for (int i = 0; i < served->get_goal()->order; ++i) {
      feedback->sequence.push_back(i);
      EXPECT_TRUE(served->publish_feedback(feedback));
    }
    auto result = std::make_shared<Fibonacci::Result>();
    result->sequence = feedback->sequence;
    EXPECT_TRUE(served->succeed(result));
  });
  worker.join();
  EXPECT_EQ(result_of(*client_, goal).result->sequence.size(), 5U);
  wait_for([&] {
    (void)spin_some(node_);
    return lengths.size() == 5;
  });
  EXPECT_EQ(lengths, (std::vector<std::size_t>{1, 2, 3, 4, 5}));
}

TEST_F(Goals, OfSeveralClientsAreKeptApart) {
  const auto other = make_client();
  ASSERT_TRUE(other->wait_for_action_server());
  int own = 0;
  int others = 0;
  FibonacciClient::SendGoalOptions options;
  options.feedback_callback = [&](const ClientHandle&, const auto&) { ++own; };
  const ClientHandle goal = send(*client_, 1, options);
  options.feedback_callback = [&](const ClientHandle&, const auto&) { ++others; };
  const ClientHandle second = send(*other, 2, options);
  EXPECT_TRUE(at_server(goal)->publish_feedback(partial({1})));
  EXPECT_TRUE(at_server(goal)->publish_feedback(partial({1, 2})));
  EXPECT_TRUE(at_server(second)->publish_feedback(partial({1})));
  wait_for([&] {
    (void)spin_some(node_);
    return own + others == 3;
  });
  EXPECT_EQ(own, 2);
  EXPECT_EQ(others, 1);
  EXPECT_TRUE(at_server(second)->succeed(sequence({2})));
  EXPECT_TRUE(at_server(goal)->succeed(sequence({1})));
  EXPECT_EQ(result_of(*client_, goal).result->sequence.front(), 1);
  EXPECT_EQ(result_of(*other, second).result->sequence.front(), 2);
}

/// A server may be quicker than the executor that takes its answer.
TEST_F(Goals, GetFeedbackThatOvertakesTheResponse) {
  std::vector<std::string> calls;
  FibonacciClient::SendGoalOptions options;
  options.goal_response_callback = [&](const auto&) { calls.emplace_back("response"); };
  options.feedback_callback = [&](const ClientHandle&, const auto& feedback) {
    calls.push_back(std::to_string(feedback->sequence.size()));
  };
  auto sent = client_->async_send_goal(order(1), options);
  ServerHandle served;
  wait_for([&] {  // while the client's executor does not run
    const std::lock_guard lock(mutex_);
    served = accepted_.empty() ? nullptr : accepted_.front();
    return served != nullptr;
  });
  EXPECT_TRUE(served->publish_feedback(partial({1})));
  EXPECT_TRUE(served->publish_feedback(partial({1, 2})));
  wait_for([&] {
    (void)spin_some(node_);
    return calls.size() == 3;
  });
  EXPECT_EQ(calls, (std::vector<std::string>{"response", "1", "2"}));
  EXPECT_NE(sent.get(), nullptr);
}

TEST_F(Goals, ManyAtOnce) {
  constexpr int count = 500;
  std::atomic<int> right{0};
  std::atomic<int> ended{0};
  Spinner asking(context_);
  asking.start(node_);
  std::thread worker([&] {
    int done = 0;
    while (done < count) {
      std::vector<ServerHandle> goals;
      {
        const std::lock_guard lock(mutex_);
        goals.swap(accepted_);
      }
      for (const auto& goal : goals) {
        (void)goal->publish_feedback(partial({1}));
        (void)goal->succeed(sequence({goal->get_goal()->order}));
        ++done;
      }
      std::this_thread::sleep_for(1ms);
    }
  });
  for (int i = 0; i < count; ++i) {
    FibonacciClient::SendGoalOptions options;
    options.result_callback = [&, i](const WrappedResult<Fibonacci>& result) {
      right += result.code == ResultCode::succeeded && result.result->sequence.front() == i ? 1 : 0;
      ++ended;
    };
    (void)client_->async_send_goal(order(i), options);
  }
  wait_for([&] { return ended == count; });
  worker.join();
  asking.stop();
  EXPECT_EQ(right, count);
  EXPECT_EQ(action_->statistics().ended, static_cast<std::uint64_t>(count));
  EXPECT_EQ(action_->statistics().active, 0U);
}

}  // namespace
}  // namespace ligament
