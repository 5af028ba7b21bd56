// SPDX-License-Identifier: Apache-2.0
/// Wait sets, callbacks, and what is refused.
#include <rmw/features.h>

#include <atomic>
#include <mutex>
#include <rosidl_typesupport_cpp/service_type_support.hpp>
#include <test_msgs/msg/basic_types.hpp>
#include <test_msgs/srv/basic_types.hpp>

#include "rmw_fixture.hpp"

namespace {

using test_msgs::msg::BasicTypes;
using Waiting = RmwTest;

/// Waits for one guard condition; true: it was triggered.
bool wait_for(rmw_wait_set_t* wait_set, const rmw_guard_condition_t* guard, rmw_time_t timeout) {
  void* entries[1] = {guard->data};
  rmw_guard_conditions_t guards{1, entries};
  const rmw_ret_t result =
      rmw_wait(nullptr, &guards, nullptr, nullptr, nullptr, wait_set, &timeout);
  EXPECT_EQ(result, entries[0] != nullptr ? RMW_RET_OK : RMW_RET_TIMEOUT);
  return entries[0] != nullptr;
}

}  // namespace

TEST_F(Waiting, ATriggerIsSeenOnce) {
  auto* wait_set = rmw_create_wait_set(&context_, 1);
  auto* guard = rmw_create_guard_condition(&context_);
  EXPECT_FALSE(wait_for(wait_set, guard, {0, 0}));
  ASSERT_EQ(rmw_trigger_guard_condition(guard), RMW_RET_OK);
  EXPECT_TRUE(wait_for(wait_set, guard, {20, 0}));
  EXPECT_FALSE(wait_for(wait_set, guard, {0, 1000}));
  EXPECT_EQ(rmw_destroy_guard_condition(guard), RMW_RET_OK);
  EXPECT_EQ(rmw_destroy_wait_set(wait_set), RMW_RET_OK);
}

TEST_F(Waiting, ManyThreadsAreEachWokenForTheirOwn) {
  constexpr int threads = 6;
  constexpr int rounds = 300;
  std::vector<rmw_guard_condition_t*> guards;
  std::vector<std::thread> running;
  std::vector<std::atomic<int>> seen(threads);
  for (int i = 0; i < threads; ++i) {
    guards.push_back(rmw_create_guard_condition(&context_));
  }
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([&, i] {
      const auto own = static_cast<std::size_t>(i);
      auto* wait_set = rmw_create_wait_set(&context_, 1);
      while (seen[own] < rounds && wait_for(wait_set, guards[own], {20, 0})) {
        ++seen[own];
      }
      EXPECT_EQ(rmw_destroy_wait_set(wait_set), RMW_RET_OK);
    });
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < threads; ++i) {
      ASSERT_EQ(rmw_trigger_guard_condition(guards[i]), RMW_RET_OK);
      await([&, i] { return seen[i] > round; });
    }
  }
  for (auto& thread : running) {
    thread.join();
  }
  for (auto* guard : guards) {
    EXPECT_EQ(rmw_destroy_guard_condition(guard), RMW_RET_OK);
  }
}

// Both are woken. Who comes second finds nothing, goes on waiting, and must be woken again.
TEST_F(Waiting, AThreadThatWasWokenForNothingIsWokenAgain) {
  auto* never = rmw_create_guard_condition(&context_);
  auto* shared = rmw_create_guard_condition(&context_);
  std::thread leader([&] {
    auto* wait_set = rmw_create_wait_set(&context_, 1);
    EXPECT_TRUE(wait_for(wait_set, never, {20, 0}));
    EXPECT_EQ(rmw_destroy_wait_set(wait_set), RMW_RET_OK);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> seen{0};
    const auto wait = [&] {
      auto* wait_set = rmw_create_wait_set(&context_, 1);
      EXPECT_TRUE(wait_for(wait_set, shared, {20, 0})) << "round " << round;
      EXPECT_EQ(rmw_destroy_wait_set(wait_set), RMW_RET_OK);
      ++seen;
    };
    std::thread first(wait);
    std::thread second(wait);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ASSERT_EQ(rmw_trigger_guard_condition(shared), RMW_RET_OK);
    await([&] { return seen != 0; });
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // the other sleeps again
    ASSERT_EQ(rmw_trigger_guard_condition(shared), RMW_RET_OK);
    first.join();
    second.join();
  }
  EXPECT_EQ(rmw_trigger_guard_condition(never), RMW_RET_OK);
  leader.join();
  EXPECT_EQ(rmw_destroy_guard_condition(shared), RMW_RET_OK);
  EXPECT_EQ(rmw_destroy_guard_condition(never), RMW_RET_OK);
}

TEST_F(Waiting, CallbacksCountWhatCame) {
  auto* subscription = this->subscription<BasicTypes>("/counted");
  auto* publisher = this->publisher<BasicTypes>("/counted");
  await_match(publisher);
  std::atomic<std::size_t> counted{0};
  const auto count = [](const void* counter, std::size_t news) {
    *static_cast<std::atomic<std::size_t>*>(const_cast<void*>(counter)) += news;
  };
  const BasicTypes message;
  ASSERT_EQ(rmw_publish(publisher, &message, nullptr), RMW_RET_OK);  // before there is a callback
  ASSERT_EQ(rmw_subscription_set_on_new_message_callback(subscription, count, &counted),
            RMW_RET_OK);
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(rmw_publish(publisher, &message, nullptr), RMW_RET_OK);
  }
  await([&] { return counted == 5; });
  ASSERT_EQ(rmw_subscription_set_on_new_message_callback(subscription, nullptr, nullptr),
            RMW_RET_OK);
  ASSERT_EQ(rmw_publish(publisher, &message, nullptr), RMW_RET_OK);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(counted, 5U);
  EXPECT_EQ(rmw_destroy_publisher(node_, publisher), RMW_RET_OK);
  EXPECT_EQ(rmw_destroy_subscription(node_, subscription), RMW_RET_OK);
}

// With the callbacks' own lock held meanwhile, this would never end.
TEST_F(Waiting, ACallbackMayWaitForWhoEndsAnother) {
  auto* first = this->subscription<BasicTypes>("/first");
  auto* second = this->subscription<BasicTypes>("/second");
  auto* publisher = this->publisher<BasicTypes>("/first");
  struct {
    std::mutex lock;
    std::atomic<bool> has_begun{false};
    std::atomic<bool> has_ended{false};
  } shared;
  const auto callback = [](const void* data, std::size_t /*news*/) {
    auto& with = *static_cast<decltype(shared)*>(const_cast<void*>(data));
    with.has_begun = true;
    const std::lock_guard guard(with.lock);
    with.has_ended = true;
  };
  ASSERT_EQ(rmw_subscription_set_on_new_message_callback(first, callback, &shared), RMW_RET_OK);
  ASSERT_EQ(rmw_subscription_set_on_new_message_callback(second, callback, &shared), RMW_RET_OK);
  {
    const std::lock_guard guard(shared.lock);
    const BasicTypes message;
    ASSERT_EQ(rmw_publish(publisher, &message, nullptr), RMW_RET_OK);
    await([&] { return shared.has_begun.load(); });
    EXPECT_EQ(rmw_destroy_subscription(node_, second), RMW_RET_OK);
    EXPECT_FALSE(shared.has_ended);
  }
  // Ended while it runs: it has returned by then.
  EXPECT_EQ(rmw_destroy_subscription(node_, first), RMW_RET_OK);
  EXPECT_TRUE(shared.has_ended);
  EXPECT_EQ(rmw_destroy_publisher(node_, publisher), RMW_RET_OK);
}

TEST_F(Waiting, EndsOfOneProcessHaveMetWhenTheyAreMade) {
  for (int round = 0; round < 20; ++round) {
    auto* subscription = this->subscription<BasicTypes>("/met");
    auto* publisher = this->publisher<BasicTypes>("/met");
    const BasicTypes message;
    ASSERT_EQ(rmw_publish(publisher, &message, nullptr), RMW_RET_OK);
    BasicTypes heard;
    bool taken = false;
    EXPECT_EQ(rmw_take(subscription, &heard, &taken, nullptr), RMW_RET_OK);
    EXPECT_TRUE(taken) << "round " << round;
    EXPECT_EQ(rmw_destroy_publisher(node_, publisher), RMW_RET_OK);
    EXPECT_EQ(rmw_destroy_subscription(node_, subscription), RMW_RET_OK);
  }
}

TEST_F(Waiting, AClientSeesItsServerAtOnce) {
  const auto* type =
      rosidl_typesupport_cpp::get_service_type_support_handle<test_msgs::srv::BasicTypes>();
  auto* service = rmw_create_service(node_, type, "/served", &rmw_qos_profile_services_default);
  for (int round = 0; round < 20; ++round) {
    auto* client = rmw_create_client(node_, type, "/served", &rmw_qos_profile_services_default);
    bool is_available = false;
    EXPECT_EQ(rmw_service_server_is_available(node_, client, &is_available), RMW_RET_OK);
    EXPECT_TRUE(is_available) << "round " << round;
    EXPECT_EQ(rmw_destroy_client(node_, client), RMW_RET_OK);
  }
  EXPECT_EQ(rmw_destroy_service(node_, service), RMW_RET_OK);
}

TEST_F(Waiting, MessagesOfThisProcessAreIgnoredOnRequest) {
  const auto* type = rosidl_typesupport_cpp::get_message_type_support_handle<BasicTypes>();
  auto options = rmw_get_default_subscription_options();
  options.ignore_local_publications = true;
  auto* deaf = rmw_create_subscription(node_, type, "/local", &rmw_qos_profile_default, &options);
  auto* publisher = this->publisher<BasicTypes>("/local");
  await_match(publisher);
  const BasicTypes message;
  ASSERT_EQ(rmw_publish(publisher, &message, nullptr), RMW_RET_OK);
  BasicTypes heard;
  bool taken = true;
  EXPECT_EQ(rmw_take(deaf, &heard, &taken, nullptr), RMW_RET_OK);
  EXPECT_FALSE(taken);
  EXPECT_EQ(rmw_destroy_publisher(node_, publisher), RMW_RET_OK);
  EXPECT_EQ(rmw_destroy_subscription(node_, deaf), RMW_RET_OK);
}

TEST_F(Waiting, ASequenceIsTaken) {
  auto* subscription = this->subscription<BasicTypes>("/several");
  auto* publisher = this->publisher<BasicTypes>("/several");
  await_match(publisher);
  BasicTypes sent;
  for (std::uint8_t i = 0; i < 3; ++i) {
    sent.uint8_value = i;
    ASSERT_EQ(rmw_publish(publisher, &sent, nullptr), RMW_RET_OK);
  }
  auto allocator = rcutils_get_default_allocator();
  auto messages = rmw_get_zero_initialized_message_sequence();
  auto infos = rmw_get_zero_initialized_message_info_sequence();
  ASSERT_EQ(rmw_message_sequence_init(&messages, 5, &allocator), RMW_RET_OK);
  ASSERT_EQ(rmw_message_info_sequence_init(&infos, 5, &allocator), RMW_RET_OK);
  std::vector<BasicTypes> taken(5);
  for (std::size_t i = 0; i < taken.size(); ++i) {
    messages.data[i] = &taken[i];
  }
  std::size_t count = 0;
  ASSERT_EQ(rmw_take_sequence(subscription, 5, &messages, &infos, &count, nullptr), RMW_RET_OK);
  ASSERT_EQ(count, 3U);
  for (std::uint8_t i = 0; i < 3; ++i) {
    EXPECT_EQ(taken[i].uint8_value, i);
    EXPECT_EQ(infos.data[i].publication_sequence_number, i + 1U);
  }
  EXPECT_EQ(rmw_take_sequence(subscription, 6, &messages, &infos, &count, nullptr),
            RMW_RET_INVALID_ARGUMENT);
  EXPECT_EQ(rmw_message_sequence_fini(&messages), RMW_RET_OK);
  EXPECT_EQ(rmw_message_info_sequence_fini(&infos), RMW_RET_OK);
  EXPECT_EQ(rmw_destroy_publisher(node_, publisher), RMW_RET_OK);
  EXPECT_EQ(rmw_destroy_subscription(node_, subscription), RMW_RET_OK);
}

TEST_F(Waiting, WhatIsNotSupportedSaysSo) {
  EXPECT_EQ(rmw_serialization_support_init(nullptr, nullptr, nullptr), RMW_RET_UNSUPPORTED);
  EXPECT_NE(taken_error().find("no dynamic messages"), std::string::npos);
  EXPECT_TRUE(rmw_feature_supported(RMW_FEATURE_MESSAGE_INFO_PUBLICATION_SEQUENCE_NUMBER));
  EXPECT_FALSE(rmw_feature_supported(RMW_FEATURE_MESSAGE_INFO_RECEPTION_SEQUENCE_NUMBER));
}

TEST_F(Waiting, HandlesOfOthersAreRefused) {
  auto* publisher = this->publisher<BasicTypes>("/others");
  rmw_publisher_t foreign = *publisher;
  foreign.implementation_identifier = "rmw_other_cpp";
  const BasicTypes message;
  EXPECT_EQ(rmw_publish(&foreign, &message, nullptr), RMW_RET_INCORRECT_RMW_IMPLEMENTATION);
  rmw_reset_error();
  EXPECT_EQ(rmw_publish(nullptr, &message, nullptr), RMW_RET_INVALID_ARGUMENT);
  rmw_reset_error();
  EXPECT_EQ(rmw_publish(publisher, nullptr, nullptr), RMW_RET_INVALID_ARGUMENT);
  rmw_reset_error();
  EXPECT_EQ(rmw_create_node(&context_, "no name", "/"), nullptr);
  EXPECT_NE(taken_error().find("is no name of a node"), std::string::npos);
  EXPECT_EQ(rmw_destroy_publisher(node_, publisher), RMW_RET_OK);
}
