// SPDX-License-Identifier: Apache-2.0
/// \file Server and client in different processes, one of which is killed or stopped; and servers
/// and clients that are destroyed while the other side goes on.
#include "../service/peer_process.hpp"
#include "action_fixture.hpp"
#include "ligament/test_msgs/action/fibonacci.hpp"

namespace ligament {
namespace {

using testing::Actions;
using testing::ClientHandle;
using testing::errors_of;
using testing::FibonacciClient;
using testing::Goals;
using testing::order;
using testing::partial;
using testing::sequence;
using testing::ServerHandle;
using testing::wait_for;
using namespace std::chrono_literals;

/// What the other process serves: each 20 ms a number and feedback.
using Other = test_msgs::action::Fibonacci;
using OtherHandle = ClientGoalHandle<Other>::SharedPtr;

struct Peer : testing::PeerProcess {
  Peer(const std::string& domain, const std::string& role)
      : PeerProcess({std::string(LIGAMENT_TEST_BIN) + "/action_peer", domain, role, "numbers"}) {}
};

class ActionProcesses : public Actions {
 protected:
  void SetUp() override {
    Actions::SetUp();
    client_ = node_->create_action_client<Other>("numbers");
  }
  OtherHandle send(std::int32_t value) {
    EXPECT_TRUE(client_->wait_for_action_server());
    Other::Goal goal;
    goal.order = value;
    auto sent = client_->async_send_goal(goal);
    EXPECT_EQ(spin_until(sent), FutureReturnCode::success);
    return sent.get();
  }
  ResultCode code_of(const OtherHandle& goal) {
    auto asked = client_->async_get_result(goal);
    EXPECT_EQ(spin_until(asked), FutureReturnCode::success);
    return asked.get().code;
  }
  std::shared_ptr<ActionClient<Other>> client_;
};

TEST_F(ActionProcesses, ReachGoalsInTheOther) {
  const Peer server(domain_, "serve");
  EXPECT_EQ(code_of(send(3)), ResultCode::succeeded);
}

/// The client is told, and a server that is started again is a new one.
TEST_F(ActionProcesses, NoticeAKilledServerAndFindTheNext) {
  {
    Peer server(domain_, "serve");
    const OtherHandle goal = send(1'000'000);
    ASSERT_NE(goal, nullptr);
    auto asked = client_->async_get_result(goal);
    EXPECT_EQ(spin_until(asked, 20ms), FutureReturnCode::timeout);
    server.signal(SIGKILL);
    EXPECT_EQ(server.end(), -SIGKILL);
    ASSERT_EQ(spin_until(asked), FutureReturnCode::success);
    EXPECT_EQ(asked.get().code, ResultCode::unknown);
    EXPECT_EQ(asked.get().result, nullptr);
    EXPECT_FALSE(client_->action_server_is_ready());
  }
  const Peer next(domain_, "serve");
  EXPECT_EQ(code_of(send(3)), ResultCode::succeeded);
}

/// Nobody spins while one server takes the place of the other: one event tells of both.
TEST_F(ActionProcesses, NoticeThatAnotherServerHasTakenThePlace) {
  Peer server(domain_, "serve");
  const OtherHandle goal = send(1'000'000);
  ASSERT_NE(goal, nullptr);
  auto asked = client_->async_get_result(goal);
  EXPECT_EQ(spin_until(asked, 20ms), FutureReturnCode::timeout);
  server.signal(SIGKILL);
  EXPECT_EQ(server.end(), -SIGKILL);
  wait_for([&] { return !client_->action_server_is_ready(); });
  const Peer next(domain_, "serve");
  ASSERT_TRUE(client_->wait_for_action_server());
  ASSERT_EQ(spin_until(asked, 60s), FutureReturnCode::success);
  EXPECT_EQ(asked.get().code, ResultCode::unknown);
}

TEST_F(ActionProcesses, GiveUpGoalsThatAStoppedServerDoesNotAnswer) {
  const Peer server(domain_, "serve");
  EXPECT_EQ(code_of(send(1)), ResultCode::succeeded);
  server.stop();
  client_->set_request_time_limit(20ms);
  EXPECT_EQ(send(1), nullptr);
  auto cancel = client_->async_cancel_all_goals();
  ASSERT_EQ(spin_until(cancel), FutureReturnCode::success);
  EXPECT_EQ(cancel.get(), nullptr);
  server.signal(SIGCONT);
  client_->set_request_time_limit(0ns);
  EXPECT_EQ(code_of(send(1)), ResultCode::succeeded);
}

/// Its goals go on: a server cannot know whether somebody else wants them.
TEST_F(ActionProcesses, OutliveAKilledClient) {
  const Peer server(domain_, "serve");
  {
    Peer client(domain_, "wait");
    client.wait_until_ready();
    client.signal(SIGKILL);
    EXPECT_EQ(client.end(), -SIGKILL);
  }
  ASSERT_TRUE(client_->wait_for_action_server());
  auto all = client_->async_cancel_all_goals();
  ASSERT_EQ(spin_until(all), FutureReturnCode::success);
  EXPECT_EQ(all.get()->goals_canceling.size(), 1U);
  EXPECT_EQ(code_of(send(3)), ResultCode::succeeded);
}

TEST_F(ActionProcesses, TellAClientElsewhereThatItsGoalWasCancelled) {
  const Peer server(domain_, "serve");
  Peer client(domain_, "wait");
  client.wait_until_ready();
  ASSERT_TRUE(client_->wait_for_action_server());
  auto all = client_->async_cancel_all_goals();
  ASSERT_EQ(spin_until(all), FutureReturnCode::success);
  EXPECT_EQ(client.end(), static_cast<int>(ResultCode::canceled));
}

TEST_F(Goals, OfADestroyedServerEndForItsClients) {
  FibonacciClient::SendGoalOptions options;
  WrappedResult<testing::Fibonacci> result;
  bool called = false;
  options.result_callback = [&](const WrappedResult<testing::Fibonacci>& got) {
    result = got;
    called = true;
  };
  const ClientHandle goal = send(*client_, 1, options);
  const ServerHandle served = at_server(goal);
  spinner_->stop();
  action_.reset();
  EXPECT_FALSE(served->is_active());
  EXPECT_EQ(served->get_status(), GoalStatus::unknown);
  EXPECT_EQ(served->succeed(sequence({1})).error(), GoalError::no_server);
  EXPECT_EQ(served->publish_feedback(partial({1})).error(), GoalError::no_server);
  wait_for([&] {
    (void)spin_some(node_);
    return called;
  });
  EXPECT_EQ(result.code, ResultCode::unknown);
}

TEST_F(Goals, OfADestroyedClientGoOnAndItsFuturesEnd) {
  auto client = make_client();
  ASSERT_TRUE(client->wait_for_action_server());
  FibonacciClient::SendGoalOptions options;
  options.result_callback = [](const auto&) { FAIL() << "the client is gone"; };
  const ClientHandle goal = send(*client, 1, options);
  const auto result = client->async_get_result(goal);
  spinner_->stop();
  auto unanswered = client->async_send_goal(order(2), options);
  auto cancel = client->async_cancel_all_goals();
  client.reset();
  EXPECT_EQ(unanswered.get(), nullptr);
  EXPECT_EQ(cancel.get(), nullptr);
  EXPECT_TRUE(at_server(goal)->is_executing());
  EXPECT_TRUE(at_server(goal)->succeed(sequence({1})));
}

/// What a callback asks of itself could never come.
TEST_F(Goals, AreNotWaitedForInsideACallback) {
  bool done = false;
  auto timer = node_->create_wall_timer(1ms, [&] {
    auto sent = client_->async_send_goal(order(1));
    EXPECT_EQ(sent.get(), nullptr);
    done = true;
  });
  wait_for([&] {
    (void)spin_some(node_);
    return done;
  });
  timer->cancel();
  EXPECT_NE(errors_of(*node_).find("inside a callback"), std::string::npos);
}

}  // namespace
}  // namespace ligament
