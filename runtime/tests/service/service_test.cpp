// SPDX-License-Identifier: Apache-2.0
/// \file A server and its clients: forms of callbacks, and who gets which reply.
#include <ligament/std_msgs/msg/string.hpp>
#include <ligament/std_srvs/srv/trigger.hpp>
#include <vector>

#include "node/node_state.hpp"
#include "service_fixture.hpp"

namespace ligament {
namespace {

using testing::add;
using testing::AddTwoInts;
using testing::errors_of;
using testing::numbers;
using testing::Services;
using testing::Spinner;
using testing::wait_for;
using namespace std::chrono_literals;

using Request = std::shared_ptr<AddTwoInts::Request>;
using Response = std::shared_ptr<AddTwoInts::Response>;
using Id = std::shared_ptr<RequestId>;

/// Asks once, and expects the sum.
void expect_sum(const std::shared_ptr<Node>& node, Client<AddTwoInts>& client) {
  ASSERT_TRUE(client.wait_for_service());
  auto sent = client.async_send_request(numbers(2, 40));
  ASSERT_EQ(spin_until_future_complete(node, sent), FutureReturnCode::success);
  const auto response = sent.get();
  ASSERT_NE(response, nullptr);
  EXPECT_EQ(response->sum, 42);
}

TEST_F(Services, AnswerOverTwoExecutors) {
  auto service = server_->create_service<AddTwoInts>("sums/add", add);
  auto client = node_->create_client<AddTwoInts>("/sums/add");
  Spinner spinner(server_context_);
  spinner.start(server_);
  expect_sum(node_, *client);
  spinner.stop();
  EXPECT_EQ(service->get_service_name(), "/sums/add");
  EXPECT_EQ(service->requests()->get_topic_name(), "rq/sums/addRequest");
  EXPECT_EQ(service->replies()->get_topic_name(), "rr/sums/addReply");
  EXPECT_EQ(service->statistics().requests, 1U);
  EXPECT_EQ(service->statistics().replies, 1U);
  EXPECT_EQ(client->statistics().requests, 1U);
  EXPECT_EQ(client->statistics().replies, 1U);
  EXPECT_EQ(client->statistics().pending, 0U);
}

TEST_F(Services, AnswerWithinOneExecutor) {
  auto service = node_->create_service<AddTwoInts>("~/add", add);
  auto client = node_->create_client<AddTwoInts>("~/add");
  EXPECT_EQ(client->get_service_name(), "/asker/add");
  expect_sum(node_, *client);
}

TEST_F(Services, FollowRemapping) {
  const auto remapped =
      std::make_shared<Node>("remapped", options().remap("sum", "/elsewhere/sum"));
  auto client = remapped->create_client<AddTwoInts>("sum");
  EXPECT_EQ(client->get_service_name(), "/elsewhere/sum");
}

TEST_F(Services, RunACallbackAtTheClient) {
  auto service = node_->create_service<AddTwoInts>("add", add);
  auto client = node_->create_client<AddTwoInts>("add");
  ASSERT_TRUE(client->wait_for_service());
  std::vector<std::int64_t> sums;
  for (std::int64_t i = 0; i < 5; ++i) {
    (void)client->async_send_request(
        numbers(i, 0), [&](Client<AddTwoInts>::SharedFuture f) { sums.push_back(f.get()->sum); });
  }
  executors::SingleThreadedExecutor executor({.context = context_});
  ASSERT_TRUE(executor.add_node(node_));
  EXPECT_EQ(executor.spin_until([&] { return sums.size() == 5; }, -1ns), FutureReturnCode::success);
  EXPECT_EQ(sums, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
}

TEST_F(Services, KnowWhoAsks) {
  RequestId seen;
  auto service = node_->create_service<AddTwoInts>(
      "add", [&](const Id id, const Request request, const Response response) {
        seen = *id;
        add(request, response);
      });
  auto client = node_->create_client<AddTwoInts>("add");
  expect_sum(node_, *client);
  EXPECT_EQ(seen.sequence_number, 1);
  EXPECT_EQ(seen.writer_guid, client->requests()->get_gid());
}

TEST_F(Services, AnswerLater) {
  std::vector<std::pair<RequestId, std::int64_t>> asked;
  auto service =
      node_->create_service<AddTwoInts>("add", [&](const Id& id, const Request& request) {
        asked.emplace_back(*id, request->a + request->b);
      });
  auto client = node_->create_client<AddTwoInts>("add");
  ASSERT_TRUE(client->wait_for_service());
  auto first = client->async_send_request(numbers(1, 1));
  auto second = client->async_send_request(numbers(2, 2));
  executors::SingleThreadedExecutor executor({.context = context_});
  ASSERT_TRUE(executor.add_node(node_));
  ASSERT_EQ(executor.spin_until([&] { return asked.size() == 2; }, -1ns),
            FutureReturnCode::success);
  for (std::size_t i = 2; i-- > 0;) {  // the later one first
    AddTwoInts::Response response;
    response.sum = asked[i].second;
    EXPECT_TRUE(service->send_response(asked[i].first, response));
  }
  ASSERT_EQ(executor.spin_until_future_complete(first), FutureReturnCode::success);
  ASSERT_EQ(executor.spin_until_future_complete(second), FutureReturnCode::success);
  EXPECT_EQ(first.get()->sum, 2);
  EXPECT_EQ(second.get()->sum, 4);
}

TEST_F(Services, GiveTheServiceToTheCallback) {
  auto service = node_->create_service<AddTwoInts>(
      "add", [](const std::shared_ptr<Service<AddTwoInts>> self, const Id id, const Request asked) {
        AddTwoInts::Response response;
        response.sum = asked->a + asked->b;
        EXPECT_TRUE(self->send_response(*id, response));
      });
  auto client = node_->create_client<AddTwoInts>("add");
  expect_sum(node_, *client);
}

TEST_F(Services, AnswerInPlace) {
  auto service = node_->create_service<AddTwoInts>(
      "add", [](Sample<AddTwoInts::Request> request, Responder<AddTwoInts> responder) {
        auto loan = responder.borrow_loaned_message({});
        ASSERT_TRUE(loan);
        loan->get().set_sum(request->a() + request->b());
        EXPECT_TRUE(std::move(responder).send(std::move(*loan)));
      });
  auto client = node_->create_client<AddTwoInts>("add");
  expect_sum(node_, *client);
  EXPECT_EQ(service->requests()->statistics().copies, 0U);
  EXPECT_EQ(service->statistics().dropped, 0U);
}

TEST_F(Services, CountRespondersThatNeverAnswered) {
  auto service = node_->create_service<AddTwoInts>(
      "add", [](Sample<AddTwoInts::Request>, Responder<AddTwoInts>) {});
  auto client = node_->create_client<AddTwoInts>("add");
  ASSERT_TRUE(client->wait_for_service());
  auto sent = client->async_send_request(numbers(1, 1));
  EXPECT_EQ(spin_until(sent, 20ms), FutureReturnCode::timeout);
  EXPECT_EQ(service->statistics().dropped, 1U);
  EXPECT_TRUE(client->remove_pending_request(sent.request_id));
  EXPECT_FALSE(client->remove_pending_request(sent.request_id));
  EXPECT_EQ(sent.get(), nullptr);
}

TEST_F(Services, KeepClientsApart) {
  auto service = server_->create_service<AddTwoInts>("add", add);
  Spinner spinner(server_context_);
  spinner.start(server_);
  std::vector<std::shared_ptr<Client<AddTwoInts>>> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(node_->create_client<AddTwoInts>("add"));
    ASSERT_TRUE(clients.back()->wait_for_service());
  }
  for (std::int64_t round = 0; round < 20; ++round) {
    std::vector<Client<AddTwoInts>::FutureAndRequestId> sent;
    for (std::int64_t i = 0; i < 3; ++i) {
      sent.push_back(clients[static_cast<std::size_t>(i)]->async_send_request(numbers(round, i)));
      EXPECT_EQ(sent.back().request_id, round + 1);
    }
    for (std::int64_t i = 0; i < 3; ++i) {
      auto& future = sent[static_cast<std::size_t>(i)];
      ASSERT_EQ(spin_until(future), FutureReturnCode::success);
      EXPECT_EQ(future.get()->sum, round + i);
    }
  }
  for (const auto& client : clients) {
    EXPECT_EQ(client->statistics().replies, 20U);
    EXPECT_EQ(client->statistics().strayed, 0U);
  }
}

/// Callbacks that are run for other clients' replies would show in the node's figures.
TEST_F(Services, PassOverRepliesToOthersWithoutACallback) {
  auto service = server_->create_service<AddTwoInts>("add", add);
  Spinner spinner(server_context_);
  spinner.start(server_);
  auto asks = node_->create_client<AddTwoInts>("add");
  auto idle = node_->create_client<AddTwoInts>("add");
  ASSERT_TRUE(asks->wait_for_service());
  ASSERT_TRUE(idle->wait_for_service());
  const auto ask_until_idle_has_taken = [&](std::uint64_t count) {
    expect_sum(node_, *asks);
    wait_for([&] {
      (void)spin_some(node_);
      return idle->replies()->statistics().taken == count;
    });
  };
  ask_until_idle_has_taken(1);  // callbacks of events count too: those of the match are over now
  const std::uint64_t callbacks = node_->state().figures.callbacks;
  ask_until_idle_has_taken(2);
  EXPECT_EQ(idle->statistics().replies, 0U);
  EXPECT_EQ(idle->statistics().strayed, 0U);
  EXPECT_EQ(node_->state().figures.callbacks, callbacks + 1);
}

TEST_F(Services, AnswerAThousandRequestsAtOnce) {
  auto service = server_->create_service<AddTwoInts>("add", add);
  Spinner spinner(server_context_);
  spinner.start(server_);
  auto client = node_->create_client<AddTwoInts>("add");
  ASSERT_TRUE(client->wait_for_service());
  std::atomic<std::int64_t> right{0};
  std::atomic<std::int64_t> answered{0};
  constexpr std::int64_t count = 1000;
  Spinner asking(context_);
  asking.start(node_);
  std::vector<std::thread> threads;
  for (std::int64_t t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      for (std::int64_t i = 0; i < count / 2; ++i) {
        const auto sum = t * 10000 + i;
        (void)client->async_send_request(
            numbers(t * 10000, i), [&, sum](Client<AddTwoInts>::SharedFuture future) {
              right += future.get() != nullptr && future.get()->sum == sum ? 1 : 0;
              ++answered;
            });
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  wait_for([&] { return answered == count; });
  EXPECT_EQ(right, count);
  asking.stop();
  spinner.stop();
  EXPECT_EQ(client->statistics().failed, 0U);
  EXPECT_EQ(service->statistics().lost, 0U);
  EXPECT_EQ(service->statistics().replies, static_cast<std::uint64_t>(count));
}

/// More requests at once than both rings hold: whoever sends waits, and the other side, too.
class BurstsOfServices : public Services {
 protected:
  static constexpr int count = 300;

  void SetUp() override {
    Services::SetUp();
    // Nobody gives up: a test waits for ever where both sides do.
    constexpr std::int64_t hour_ns = 3'600'000'000'000;
    context_->state().service_patience_ns["/add"] = hour_ns;
    server_context_->state().patience_ns["rr/addReply"] = hour_ns;
    service_ = server_->create_service<AddTwoInts>("add", add);
    spinner_ = std::make_unique<Spinner>(server_context_);
    spinner_->start(server_);
    client_ = node_->create_client<AddTwoInts>("add");
    ASSERT_TRUE(client_->wait_for_service());
  }
  void ask_all() {
    for (int i = 0; i < count; ++i) {
      (void)client_->async_send_request(
          numbers(i, 1000), [this, i](Client<AddTwoInts>::SharedFuture future) {
            right_ += future.get() != nullptr && future.get()->sum == i + 1000 ? 1 : 0;
            ++answered_;
          });
    }
  }
  void expect_all() {
    EXPECT_EQ(right_, count);
    EXPECT_EQ(service_->statistics().lost, 0U);
    EXPECT_EQ(client_->statistics().replies, static_cast<std::uint64_t>(count));
    EXPECT_EQ(client_->statistics().strayed, 0U);
    EXPECT_EQ(client_->statistics().pending, 0U);
  }

  std::atomic<int> right_{0};
  std::atomic<int> answered_{0};
  std::shared_ptr<Service<AddTwoInts>> service_;
  std::shared_ptr<Client<AddTwoInts>> client_;
  std::unique_ptr<Spinner> spinner_;
};

TEST_F(BurstsOfServices, FromOneCallback) {
  auto timer = node_->create_wall_timer(1ms, [this] {
    if (client_->statistics().requests == 0) {
      ask_all();
    }
  });
  Spinner asking(context_);
  asking.start(node_);
  wait_for([this] { return answered_ == count; });
  asking.stop();
  expect_all();
}

TEST_F(BurstsOfServices, FromAThreadWhileNobodySpins) {
  ask_all();
  EXPECT_EQ(right_, 0) << "callbacks are the executor's to run";
  Spinner asking(context_);
  asking.start(node_);
  wait_for([this] { return answered_ == count; });
  asking.stop();
  expect_all();
}

TEST_F(BurstsOfServices, FromACallbackBesideOtherThreads) {
  executors::MultiThreadedExecutor executor({.context = context_}, 2);
  auto timer = node_->create_wall_timer(1ms, [this] {
    if (client_->statistics().requests == 0) {
      ask_all();
    }
  });
  ASSERT_TRUE(executor.add_node(node_));
  std::thread spinning([&] { ASSERT_TRUE(executor.spin()); });
  wait_for([this] { return answered_ == count; });
  executor.cancel();
  spinning.join();
  expect_all();
}

TEST_F(Services, TakeTheFirstReplyOfSeveralServers) {
  const auto other = std::make_shared<Node>("other", NodeOptions().context(server_context_));
  auto service = server_->create_service<AddTwoInts>("add", add);
  auto second = other->create_service<AddTwoInts>("add", add);
  auto client = node_->create_client<AddTwoInts>("add");
  wait_for([&] {
    return client->requests()->get_subscription_count() == 2 &&
           client->replies()->get_publisher_count() == 2;
  });
  Spinner spinner(server_context_);
  ASSERT_TRUE(spinner.executor().add_node(other));
  spinner.start(server_);
  expect_sum(node_, *client);
  wait_for([&] {
    (void)spin_some(node_);
    return client->statistics().strayed == 1;
  });
  EXPECT_EQ(client->statistics().replies, 1U);
  spinner.stop();
  EXPECT_EQ(service->statistics().requests, 1U);
  EXPECT_EQ(second->statistics().requests, 1U);
}

TEST_F(Services, CountStrays) {
  auto service = node_->create_service<AddTwoInts>("add", add);
  auto client = node_->create_client<AddTwoInts>("add");
  ASSERT_TRUE(client->wait_for_service());
  // No node can publish on these topics, so a peer of the pool does.
  const auto send = [&](const std::string& topic, const detail::TypeIdentity& type,
                        const pool::RequestIdentity& request) {
    auto writer = context_->domain()->create_writer({.topic = topic,
                                                     .type_name = std::string(type.name),
                                                     .node = "/stranger",
                                                     .type_hash = type.hash});
    ASSERT_TRUE(writer);
    wait_for([&] { return (*writer)->matched_readers() == 1; });
    auto loan = (*writer)->loan(20);
    ASSERT_TRUE(loan);
    ASSERT_TRUE((*writer)->publish(std::move(*loan), {0, request}));
    executors::SingleThreadedExecutor executor({.context = context_});
    ASSERT_TRUE(executor.add_node(node_));
    const auto strayed = service->statistics().strayed + client->statistics().strayed;
    executor.spin_until(
        [&] { return service->statistics().strayed + client->statistics().strayed > strayed; },
        -1ns);
  };
  const auto request = detail::type_identity<AddTwoInts::Request>();
  const auto response = detail::type_identity<AddTwoInts::Response>();
  send("rq/addRequest", request, {});
  EXPECT_EQ(service->statistics().strayed, 1U);
  send("rr/addReply", response, {});
  send("rr/addReply", response, {client->requests()->get_gid(), 7});
  EXPECT_EQ(client->statistics().strayed, 2U);
  EXPECT_EQ(service->statistics().requests, 0U);
  expect_sum(node_, *client);
}

TEST_F(Services, SayThatTheTypesDiffer) {
  auto service = server_->create_service<std_srvs::srv::Trigger>(
      "add", [](std::shared_ptr<std_srvs::srv::Trigger::Request>,
                std::shared_ptr<std_srvs::srv::Trigger::Response>) {});
  auto client = node_->create_client<AddTwoInts>("add");
  EXPECT_FALSE(client->wait_for_service(20ms));
  std::string text;
  wait_for([&] {
    text.clear();
    for (const auto& problem : context_->domain()->problems()) {
      text += problem.text + "\n";
    }
    return text.find("AddTwoInts_Request") != std::string::npos &&
           text.find("Trigger_Response") != std::string::npos;
  });
  EXPECT_NE(text.find("/server"), std::string::npos) << text;
}

TEST_F(Services, AreInertWithABadName) {
  auto service = node_->create_service<AddTwoInts>("a b", add);
  auto client = node_->create_client<AddTwoInts>("1st");
  EXPECT_FALSE(service->is_open());
  EXPECT_FALSE(client->wait_for_service());
  auto sent = client->async_send_request(numbers(1, 2));
  EXPECT_EQ(sent.get(), nullptr);
  EXPECT_EQ(client->statistics().failed, 1U);
  EXPECT_NE(errors_of(*node_).find("'a b'"), std::string::npos) << errors_of(*node_);
}

TEST_F(Services, RefuseAWaitThatWouldNeverEnd) {
  auto service = node_->create_service<AddTwoInts>("add", add);
  auto client = node_->create_client<AddTwoInts>("add");
  ASSERT_TRUE(client->wait_for_service());
  std::vector<FutureReturnCode> codes;
  Response got = std::make_shared<AddTwoInts::Response>();
  std::future_status status = std::future_status::ready;
  auto timer = node_->create_wall_timer(1ms, [&] {
    auto sent = client->async_send_request(numbers(1, 2));
    codes.push_back(spin_until_future_complete(node_, sent));
    status = sent.wait_for(1h);
    got = sent.get();
  });
  executors::SingleThreadedExecutor executor({.context = context_});
  ASSERT_TRUE(executor.add_node(node_));
  executor.spin_until([&] { return !codes.empty(); }, -1ns);
  timer->cancel();
  EXPECT_EQ(codes.front(), FutureReturnCode::interrupted);
  EXPECT_EQ(status, std::future_status::timeout);
  EXPECT_EQ(got, nullptr);
  EXPECT_NE(errors_of(*node_).find("inside a callback of the executor"), std::string::npos);
  executor.remove_node(node_);
  expect_sum(node_, *client);
}

}  // namespace
}  // namespace ligament
