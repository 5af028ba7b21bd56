// SPDX-License-Identifier: Apache-2.0
/// Servers with several clients: who gets which response, and what a wait says is ready.
#include <rmw/time.h>

#include <cstring>
#include <rosidl_typesupport_cpp/service_type_support.hpp>
#include <test_msgs/msg/basic_types.hpp>
#include <test_msgs/srv/basic_types.hpp>

#include "rmw_fixture.hpp"

namespace {

using test_msgs::msg::BasicTypes;
using Service = test_msgs::srv::BasicTypes;

/// A server and two clients.
class Served : public RmwTest {
 protected:
  void SetUp() override {
    RmwTest::SetUp();
    const auto* type = rosidl_typesupport_cpp::get_service_type_support_handle<Service>();
    const auto& qos = rmw_qos_profile_services_default;
    server_ = rmw_create_service(node_, type, "/call", &qos);
    for (auto& client : clients_) {
      client = rmw_create_client(node_, type, "/call", &qos);
    }
  }
  void TearDown() override {
    for (auto* client : clients_) {
      EXPECT_EQ(rmw_destroy_client(node_, client), RMW_RET_OK);
    }
    if (server_ != nullptr) {
      EXPECT_EQ(rmw_destroy_service(node_, server_), RMW_RET_OK);
    }
    RmwTest::TearDown();
  }
  std::int64_t ask(std::size_t who, std::int32_t number) {
    Service::Request request;
    request.int32_value = number;
    std::int64_t sequence = 0;
    EXPECT_EQ(rmw_send_request(clients_[who], &request, &sequence), RMW_RET_OK) << taken_error();
    return sequence;
  }
  /// The next request's header, and the number in it.
  std::pair<rmw_service_info_t, std::int32_t> next_request() {
    rmw_service_info_t header{};
    Service::Request request;
    bool taken = false;
    EXPECT_EQ(rmw_take_request(server_, &header, &request, &taken), RMW_RET_OK);
    EXPECT_TRUE(taken);
    return {header, request.int32_value};
  }
  void answer(rmw_service_info_t& header, std::int32_t number) {
    Service::Response response;
    response.int32_value = number;
    EXPECT_EQ(rmw_send_response(server_, &header.request_id, &response), RMW_RET_OK);
  }
  /// The number and sequence of the next response; -1: there is none.
  std::pair<std::int32_t, std::int64_t> next_response(std::size_t who) {
    rmw_service_info_t header{};
    Service::Response response;
    bool taken = false;
    EXPECT_EQ(rmw_take_response(clients_[who], &header, &response, &taken), RMW_RET_OK);
    EXPECT_TRUE(!taken || header.source_timestamp > 0);
    EXPECT_TRUE(!taken || header.received_timestamp >= header.source_timestamp);
    return taken ? std::pair(response.int32_value, header.request_id.sequence_number)
                 : std::pair(-1, std::int64_t{-1});
  }
  bool is_there(std::size_t who) {
    bool available = false;
    EXPECT_EQ(rmw_service_server_is_available(node_, clients_[who], &available), RMW_RET_OK);
    return available;
  }

  rmw_service_t* server_ = nullptr;
  rmw_client_t* clients_[2] = {nullptr, nullptr};
};

constexpr std::pair<std::int32_t, std::int64_t> none{-1, -1};

}  // namespace

TEST_F(Served, EachClientGetsTheResponsesToItsOwnRequests) {
  EXPECT_EQ(ask(0, 10), 1);
  EXPECT_EQ(ask(0, 11), 2);
  EXPECT_EQ(ask(1, 20), 1);
  std::vector<std::pair<rmw_service_info_t, std::int32_t>> requests;
  for (int i = 0; i < 3; ++i) {
    requests.push_back(next_request());
    rmw_gid_t gid{};
    auto* client = clients_[requests.back().second / 10 - 1];
    ASSERT_EQ(rmw_get_gid_for_client(client, &gid), RMW_RET_OK);
    EXPECT_EQ(std::memcmp(requests.back().first.request_id.writer_guid, gid.data, 16), 0);
    EXPECT_GT(requests.back().first.source_timestamp, 0);
  }
  EXPECT_EQ(next_response(0), none);
  // The last first.
  for (auto request = requests.rbegin(); request != requests.rend(); ++request) {
    answer(request->first, request->second + 100);
  }
  EXPECT_EQ(next_response(0), std::pair(111, std::int64_t{2}));
  EXPECT_EQ(next_response(0), std::pair(110, std::int64_t{1}));
  EXPECT_EQ(next_response(0), none);
  EXPECT_EQ(next_response(1), std::pair(120, std::int64_t{1}));
  EXPECT_EQ(next_response(1), none);
}

TEST_F(Served, AServerThatHasEndedIsNotThere) {
  EXPECT_TRUE(is_there(0));
  EXPECT_EQ(rmw_destroy_service(node_, std::exchange(server_, nullptr)), RMW_RET_OK);
  await([this] { return !is_there(0) && !is_there(1); });
}

TEST_F(Served, AWaitLeavesOnlyWhatIsReady) {
  auto* subscription = this->subscription<BasicTypes>("/beside");
  auto* guard = rmw_create_guard_condition(&context_);
  auto* set = rmw_create_wait_set(&context_, 8);
  struct {
    void* subscription;
    void* guard;
    void* server;
    void* clients[2];
  } entries{};
  const auto wait = [&] {
    entries = {
        subscription->data, guard->data, server_->data, {clients_[0]->data, clients_[1]->data}};
    rmw_subscriptions_t subscriptions{1, &entries.subscription};
    rmw_guard_conditions_t guards{1, &entries.guard};
    rmw_services_t services{1, &entries.server};
    rmw_clients_t clients{2, entries.clients};
    const rmw_time_t now{0, 0};
    return rmw_wait(&subscriptions, &guards, &services, &clients, nullptr, set, &now);
  };
  EXPECT_EQ(wait(), RMW_RET_TIMEOUT);
  EXPECT_TRUE(entries.subscription == nullptr && entries.guard == nullptr &&
              entries.server == nullptr && entries.clients[0] == nullptr);
  ask(0, 1);
  EXPECT_EQ(wait(), RMW_RET_OK);
  EXPECT_NE(entries.server, nullptr);
  EXPECT_TRUE(entries.subscription == nullptr && entries.guard == nullptr &&
              entries.clients[0] == nullptr && entries.clients[1] == nullptr);
  auto request = next_request();
  answer(request.first, 1);
  EXPECT_EQ(wait(), RMW_RET_OK);
  EXPECT_TRUE(entries.server == nullptr && entries.clients[0] != nullptr &&
              entries.clients[1] == nullptr);
  EXPECT_EQ(next_response(0).first, 1);
  EXPECT_EQ(wait(), RMW_RET_TIMEOUT);
  EXPECT_EQ(rmw_destroy_wait_set(set), RMW_RET_OK);
  EXPECT_EQ(rmw_destroy_guard_condition(guard), RMW_RET_OK);
  EXPECT_EQ(rmw_destroy_subscription(node_, subscription), RMW_RET_OK);
}

TEST_F(Served, AnInfiniteTimeoutIsNoTimeout) {
  auto* guard = rmw_create_guard_condition(&context_);
  auto* set = rmw_create_wait_set(&context_, 1);
  std::thread later([guard] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(rmw_trigger_guard_condition(guard), RMW_RET_OK);
  });
  void* entry = guard->data;
  rmw_guard_conditions_t wanted{1, &entry};
  const rmw_time_t infinite = RMW_DURATION_INFINITE;
  EXPECT_EQ(rmw_wait(nullptr, &wanted, nullptr, nullptr, nullptr, set, &infinite), RMW_RET_OK);
  later.join();
  EXPECT_EQ(rmw_destroy_wait_set(set), RMW_RET_OK);
  EXPECT_EQ(rmw_destroy_guard_condition(guard), RMW_RET_OK);
}
