// SPDX-License-Identifier: Apache-2.0
/// \file Server and client in different processes, one of which is killed or stopped.
#include <vector>

#include "peer_process.hpp"
#include "service_fixture.hpp"

namespace ligament {
namespace {

using testing::add;
using testing::AddTwoInts;
using testing::numbers;
using testing::Spinner;
using testing::wait_for;
using namespace std::chrono_literals;

/// The other process: a server, or a client that asks `count` times.
struct Peer : testing::PeerProcess {
  Peer(const std::string& domain, const std::string& role, int count = 0)
      : PeerProcess({std::string(LIGAMENT_TEST_BIN) + "/service_peer", domain, role, "add",
                     std::to_string(count)}) {}
};

class ServiceProcesses : public testing::Services {
 protected:
  void expect_sum(Client<AddTwoInts>& client) {
    ASSERT_TRUE(client.wait_for_service());
    auto sent = client.async_send_request(numbers(2, 40));
    ASSERT_EQ(spin_until(sent), FutureReturnCode::success);
    const auto response = sent.get();
    ASSERT_NE(response, nullptr);
    EXPECT_EQ(response->sum, 42);
  }
};

TEST_F(ServiceProcesses, AnswerEachOther) {
  const Peer server(domain_, "serve");
  auto client = node_->create_client<AddTwoInts>("add");
  for (int i = 0; i < 50; ++i) {
    expect_sum(*client);
  }
  EXPECT_EQ(client->statistics().replies, 50U);
}

TEST_F(ServiceProcesses, AnswerAClientElsewhere) {
  auto service = server_->create_service<AddTwoInts>("add", add);
  Spinner spinner(server_context_);
  spinner.start(server_);
  Peer client(domain_, "ask", 1000);
  EXPECT_EQ(client.end(), 0);
  spinner.stop();
  EXPECT_EQ(service->statistics().replies, 1000U);
}

TEST_F(ServiceProcesses, NoticeAKilledServerAndFindTheNext) {
  auto client = node_->create_client<AddTwoInts>("add");
  {
    Peer server(domain_, "serve");
    expect_sum(*client);
    server.stop();
    auto sent = client->async_send_request(numbers(1, 1));
    server.signal(SIGKILL);
    EXPECT_EQ(server.end(), -SIGKILL);
    wait_for([&] { return !client->service_is_ready(); });
    EXPECT_EQ(client->statistics().pending, 1U);  // nobody can know that it was not answered
    EXPECT_EQ(client->prune_pending_requests(), 1U);
    EXPECT_EQ(sent.get(), nullptr);
  }
  const Peer next(domain_, "serve");
  expect_sum(*client);
}

TEST_F(ServiceProcesses, GiveUpRequestsWhoseTimeIsUp) {
  Peer server(domain_, "serve");
  auto client = node_->create_client<AddTwoInts>("add");
  expect_sum(*client);
  server.stop();
  client->set_request_time_limit(20ms);
  bool told = false;
  (void)client->async_send_request(
      numbers(1, 1),
      [&](const Client<AddTwoInts>::SharedFuture& future) { told = future.get() == nullptr; });
  executors::SingleThreadedExecutor executor({.context = context_});
  ASSERT_TRUE(executor.add_node(node_));
  ASSERT_EQ(executor.spin_until([&] { return told; }, -1ns), FutureReturnCode::success);
  executor.remove_node(node_);
  EXPECT_EQ(client->statistics().timeouts, 1U);
  EXPECT_EQ(client->statistics().pending, 0U);
  // Its late reply is a stray; the next request is answered as ever.
  server.signal(SIGCONT);
  client->set_request_time_limit(0ns);
  expect_sum(*client);
  EXPECT_EQ(client->statistics().strayed, 1U);
}

TEST_F(ServiceProcesses, GiveUpARequestAfterATimeOfItsOwn) {
  Peer server(domain_, "serve");
  auto client = node_->create_client<AddTwoInts>("add");
  expect_sum(*client);
  server.stop();
  bool told = false;
  (void)client->async_send_request(
      numbers(1, 1),
      [&](const Client<AddTwoInts>::SharedFuture& future) { told = future.get() == nullptr; },
      20ms);
  auto other = client->async_send_request(numbers(2, 2));
  executors::SingleThreadedExecutor executor({.context = context_});
  ASSERT_TRUE(executor.add_node(node_));
  ASSERT_EQ(executor.spin_until([&] { return told; }, -1ns), FutureReturnCode::success);
  executor.remove_node(node_);
  EXPECT_EQ(client->statistics().timeouts, 1U);
  EXPECT_EQ(client->statistics().pending, 1U);
  server.signal(SIGCONT);
  ASSERT_EQ(spin_until(other), FutureReturnCode::success);
  EXPECT_EQ(other.get()->sum, 4);
}

TEST_F(ServiceProcesses, PruneOldRequests) {
  Peer server(domain_, "serve");
  auto client = node_->create_client<AddTwoInts>("add");
  expect_sum(*client);
  server.stop();
  auto old = client->async_send_request(numbers(1, 1));
  const auto now = std::chrono::steady_clock::now();
  auto young = client->async_send_request(numbers(2, 2));
  std::vector<std::int64_t> pruned;
  EXPECT_EQ(client->prune_requests_older_than(now, &pruned), 1U);
  EXPECT_EQ(pruned, (std::vector<std::int64_t>{old.request_id}));
  EXPECT_EQ(old.get(), nullptr);
  server.signal(SIGCONT);
  ASSERT_EQ(spin_until(young), FutureReturnCode::success);
  EXPECT_EQ(young.get()->sum, 4);
}

/// More requests than the ring holds: the client waits once, then the stopped server is not waited
/// for, and what it misses is counted.
TEST_F(ServiceProcesses, AreNotBlockedForEverByAStoppedServer) {
  Peer server(domain_, "serve");
  auto client = node_->create_client<AddTwoInts>("add");
  expect_sum(*client);
  server.stop();
  bool newest_answered = false;
  for (int i = 0; i < 30; ++i) {
    (void)client->async_send_request(numbers(i, i), [&newest_answered, i](auto future) {
      newest_answered = newest_answered || (i == 29 && future.get() != nullptr);
    });
  }
  EXPECT_EQ(client->statistics().pending, 30U);
  EXPECT_EQ(client->statistics().stalled, 1U);
  server.signal(SIGCONT);
  wait_for([&] {
    (void)spin_some(node_);
    return newest_answered;
  });
  expect_sum(*client);
  EXPECT_EQ(client->statistics().stalled, 0U);
  EXPECT_GE(client->prune_pending_requests(), 1U);  // the overwritten ones
}

TEST_F(ServiceProcesses, OutliveAKilledAndAStoppedClient) {
  auto service = server_->create_service<AddTwoInts>("add", add);
  Spinner spinner(server_context_);
  spinner.start(server_);
  Peer killed(domain_, "ask", 1'000'000'000);
  const Peer stopped(domain_, "ask", 1'000'000'000);
  killed.wait_until_ready();
  stopped.wait_until_ready();
  wait_for([&] { return service->statistics().replies > 100; });
  killed.signal(SIGKILL);
  EXPECT_EQ(killed.end(), -SIGKILL);
  stopped.stop();
  auto client = node_->create_client<AddTwoInts>("add");
  for (int i = 0; i < 100; ++i) {  // more than the replies' ring holds
    expect_sum(*client);
  }
  EXPECT_EQ(service->statistics().stalled, 1U);
  spinner.stop();
}

}  // namespace
}  // namespace ligament
