// SPDX-License-Identifier: Apache-2.0
/// \file Cancelling: one, several, refused; and how long results are kept.
#include <ligament/action_msgs/msg/goal_status_array.hpp>

#include "action_fixture.hpp"

namespace ligament {
namespace {

using testing::Actions;
using testing::ClientHandle;
using testing::errors_of;
using testing::Fibonacci;
using testing::FibonacciClient;
using testing::Goals;
using testing::order;
using testing::sequence;
using testing::ServerHandle;
using testing::Spinner;
using testing::wait_for;
using namespace std::chrono_literals;

using Code = FibonacciClient::CancelResponse;
/// They share a fixture, and have a name of their own in reports.
class Canceling : public Goals {};

TEST_F(Canceling, OneGoalEndsAsTheServerSays) {
  const ClientHandle goal = send(*client_, 1);
  const ServerHandle served = at_server(goal);
  const auto answer = answer_of(client_->async_cancel_goal(goal));
  EXPECT_EQ(answer->return_code, Code::ERROR_NONE);
  ASSERT_EQ(answer->goals_canceling.size(), 1U);
  EXPECT_EQ(answer->goals_canceling[0].goal_id.uuid, goal->get_goal_id());
  EXPECT_EQ(Time(answer->goals_canceling[0].stamp), goal->get_goal_stamp());
  EXPECT_TRUE(served->is_canceling());
  EXPECT_TRUE(served->is_active());
  await_status(goal, GoalStatus::canceling);
  EXPECT_EQ(answer_of(client_->async_cancel_goal(goal))->return_code, Code::ERROR_GOAL_TERMINATED);
  EXPECT_TRUE(served->canceled(sequence({4})));
  const auto result = result_of(*client_, goal);
  EXPECT_EQ(result.code, ResultCode::canceled);
  EXPECT_EQ(result.result->sequence, (std::vector<std::int32_t>{4}));
  EXPECT_EQ(answer_of(client_->async_cancel_goal(goal))->return_code, Code::ERROR_GOAL_TERMINATED);
}

TEST_F(Canceling, MayComeTooLate) {
  const ClientHandle goal = send(*client_, 1);
  (void)answer_of(client_->async_cancel_goal(goal));
  EXPECT_TRUE(at_server(goal)->succeed(sequence({4})));
  EXPECT_EQ(result_of(*client_, goal).code, ResultCode::succeeded);
}

TEST_F(Canceling, IsRefusedByTheCallback) {
  cancel_response_ = CancelResponse::reject;
  const ClientHandle goal = send(*client_, 1);
  const auto answer = answer_of(client_->async_cancel_goal(goal));
  EXPECT_EQ(answer->return_code, Code::ERROR_REJECTED);
  EXPECT_TRUE(answer->goals_canceling.empty());
  EXPECT_EQ(at_server(goal)->get_status(), GoalStatus::executing);
  EXPECT_FALSE(at_server(goal)->canceled(sequence({}))) << "nobody may ask for it";
}

TEST_F(Canceling, AllGoals) {
  const ClientHandle first = send(*client_, 1);
  const ClientHandle second = send(*client_, 2);
  int called = 0;
  const auto answer = answer_of(client_->async_cancel_all_goals(
      [&](const std::shared_ptr<Code>& response) { called += response != nullptr; }));
  EXPECT_EQ(answer->return_code, Code::ERROR_NONE);
  EXPECT_EQ(answer->goals_canceling.size(), 2U);
  EXPECT_EQ(called, 1);
  EXPECT_TRUE(at_server(first)->is_canceling());
  EXPECT_TRUE(at_server(second)->is_canceling());
  const auto none = answer_of(client_->async_cancel_all_goals());
  EXPECT_EQ(none->return_code, Code::ERROR_NONE);
  EXPECT_TRUE(none->goals_canceling.empty());
}

TEST_F(Canceling, GoalsUpToAStamp) {
  const ClientHandle first = send(*client_, 1);
  const ClientHandle second = send(*client_, 2);
  const ClientHandle third = send(*client_, 3);
  ASSERT_LT(second->get_goal_stamp(), third->get_goal_stamp());
  const auto answer = answer_of(client_->async_cancel_goals_before(second->get_goal_stamp()));
  EXPECT_EQ(answer->goals_canceling.size(), 2U);
  EXPECT_TRUE(at_server(first)->is_canceling());
  EXPECT_TRUE(at_server(second)->is_canceling());
  EXPECT_TRUE(at_server(third)->is_executing());
  const std::lock_guard lock(mutex_);
  EXPECT_EQ(asked_to_cancel_.size(), 2U);
}

TEST_F(Canceling, AGoalThatWaitsToBeExecuted) {
  goal_response_ = GoalResponse::accept_and_defer;
  const ClientHandle goal = send(*client_, 1);
  EXPECT_EQ(answer_of(client_->async_cancel_goal(goal))->return_code, Code::ERROR_NONE);
  const ServerHandle served = at_server(goal);
  EXPECT_FALSE(served->execute());
  EXPECT_TRUE(served->canceled(sequence({})));
}

TEST_F(Canceling, AGoalThatIsNotKnown) {
  auto client =
      node_->create_client<Fibonacci::Impl::CancelGoalService>("fibonacci/_action/cancel_goal");
  ASSERT_TRUE(client->wait_for_service());
  action_msgs::srv::CancelGoal::Request request;
  request.goal_info.goal_id.uuid.fill(9);
  auto sent = client->async_send_request(request);
  ASSERT_EQ(spin_until(sent), FutureReturnCode::success);
  EXPECT_EQ(sent.get()->return_code, Code::ERROR_UNKNOWN_GOAL_ID);
}

class Results : public Actions {
 protected:
  void start(std::chrono::nanoseconds timeout) {
    action_ = make_server({.result_timeout = timeout});
    client_ = make_client();
    spinner_ = std::make_unique<Spinner>(server_context_);
    spinner_->start(server_);
    ASSERT_TRUE(client_->wait_for_action_server());
  }
  void TearDown() override { spinner_.reset(); }
  /// Of a goal that has ended, as a client sees it that asks only now.
  std::int8_t late_status(const ClientHandle& goal) {
    auto client =
        node_->create_client<Fibonacci::Impl::GetResultService>("fibonacci/_action/get_result");
    EXPECT_TRUE(client->wait_for_service());
    Fibonacci::Impl::GetResultService::Request request;
    request.goal_id.uuid = goal->get_goal_id();
    auto sent = client->async_send_request(request);
    EXPECT_EQ(spin_until(sent), FutureReturnCode::success);
    return sent.get()->status;
  }

  std::shared_ptr<ActionServer<Fibonacci>> action_;
  std::shared_ptr<FibonacciClient> client_;
  std::unique_ptr<Spinner> spinner_;
};

TEST_F(Results, AreForgottenInTime) {
  start(30ms);
  const ClientHandle goal = send(*client_, 1);
  ASSERT_TRUE(at_server(goal)->succeed(sequence({1})));
  wait_for([&] { return action_->statistics().known == 0; });  // by the timer: nobody asks
  EXPECT_EQ(late_status(goal), 0);
  EXPECT_EQ(result_of(*client_, goal).code, ResultCode::unknown);
  // The timer runs again for the next one.
  const ClientHandle next = send(*client_, 2);
  ASSERT_TRUE(at_server(next)->succeed(sequence({1})));
  wait_for([&] { return action_->statistics().known == 0; });
}

TEST_F(Results, AreKeptForEverIfAsked) {
  start(-1ns);
  const ClientHandle goal = send(*client_, 1);
  ASSERT_TRUE(at_server(goal)->succeed(sequence({1})));
  EXPECT_EQ(late_status(goal), 4);
  EXPECT_EQ(action_->statistics().known, 1U);
}

TEST_F(Results, GoToWhoWaitsEvenIfTheyAreNotKept) {
  start(0ns);
  const ClientHandle goal = send(*client_, 1);
  auto asked = client_->async_get_result(goal);
  for (int i = 0; i < 2; ++i) {  // what was sent before is taken in the same round, or in the next
    (void)answer_of(client_->async_cancel_goals_before(Time(1)));
  }
  ASSERT_TRUE(at_server(goal)->succeed(sequence({1})));
  ASSERT_EQ(spin_until(asked), FutureReturnCode::success);
  EXPECT_EQ(asked.get().code, ResultCode::succeeded);
  EXPECT_EQ(late_status(goal), 0);
}

TEST_F(Results, KeepTheirStatesForWhoJoinsLate) {
  start(10s);
  const ClientHandle goal = send(*client_, 1);
  ASSERT_TRUE(at_server(goal)->abort(sequence({1})));
  action_msgs::msg::GoalStatusArray told;
  auto late = node_->create_subscription<action_msgs::msg::GoalStatusArray>(
      "fibonacci/_action/status", QoS(1).transient_local(),
      [&](const action_msgs::msg::GoalStatusArray& states) { told = states; });
  wait_for([&] {
    (void)spin_some(node_);
    return !told.status_list.empty();
  });
  EXPECT_EQ(told.status_list[0].status, 6);
  EXPECT_EQ(told.status_list[0].goal_info.goal_id.uuid, goal->get_goal_id());
  EXPECT_EQ(Time(told.status_list[0].goal_info.stamp), goal->get_goal_stamp());
}

TEST_F(Actions, HaveNamesThatAreResolvedAndRemapped) {
  const auto remapped =
      std::make_shared<Node>("remapped", options().remap("fibonacci", "/elsewhere/numbers"));
  auto client = remapped->create_action_client<Fibonacci>("fibonacci");
  EXPECT_EQ(client->get_action_name(), "/elsewhere/numbers");
  EXPECT_TRUE(client->is_open());
}

TEST_F(Actions, AreInertWithABadName) {
  auto action = server_->create_action_server<Fibonacci>(
      "a b", [](const auto&, const auto&) { return GoalResponse::reject; },
      [](const auto&) { return CancelResponse::reject; }, [](const auto&) {});
  EXPECT_FALSE(action->is_open());
  EXPECT_EQ(server_->errors().size(), 1U) << errors_of(*server_);
  auto client = node_->create_action_client<Fibonacci>("1st");
  EXPECT_FALSE(client->is_open());
  EXPECT_FALSE(client->action_server_is_ready());
  EXPECT_FALSE(client->wait_for_action_server());
  client->set_request_time_limit(1s);
  EXPECT_EQ(client->async_send_goal(order(1)).get(), nullptr);
  EXPECT_EQ(client->async_cancel_all_goals().get(), nullptr);
  EXPECT_EQ(client->async_get_result(nullptr).get().code, ResultCode::unknown);
}

TEST_F(Actions, NeedAllTheirCallbacks) {
  auto action = server_->create_action_server<Fibonacci>("fibonacci", nullptr, nullptr, nullptr);
  EXPECT_FALSE(action->is_open());
  EXPECT_NE(errors_of(*server_).find("three callbacks"), std::string::npos);
}

}  // namespace
}  // namespace ligament
