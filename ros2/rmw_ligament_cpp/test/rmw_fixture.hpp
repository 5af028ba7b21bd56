// SPDX-License-Identifier: Apache-2.0
/// \file A context with a node, alone in a domain of its own.
#pragma once

#include <gtest/gtest.h>
#include <rcutils/allocator.h>
#include <rcutils/error_handling.h>
#include <rcutils/strdup.h>
#include <rmw/error_handling.h>
#include <rmw/rmw.h>

#include <chrono>
#include <functional>
#include <rosidl_runtime_cpp/message_type_support_decl.hpp>
#include <rosidl_typesupport_cpp/message_type_support.hpp>
#include <string>
#include <thread>

/// The error that was set last, which is cleared.
inline std::string taken_error() {
  const std::string text = rmw_get_error_string().str;
  rmw_reset_error();
  return text;
}

class RmwTest : public ::testing::Test {
 protected:
  void SetUp() override {
    rmw_init_options_t options = rmw_get_zero_initialized_init_options();
    ASSERT_EQ(rmw_init_options_init(&options, rcutils_get_default_allocator()), RMW_RET_OK);
    options.enclave = rcutils_strdup("/", rcutils_get_default_allocator());
    options.domain_id = domain_id_;
    options.discovery_options.automatic_discovery_range = range_;
    ASSERT_EQ(rmw_init(&options, &context_), RMW_RET_OK) << taken_error();
    ASSERT_EQ(rmw_init_options_fini(&options), RMW_RET_OK);
    node_ = rmw_create_node(&context_, "test", "/");
    ASSERT_NE(node_, nullptr) << taken_error();
  }
  void TearDown() override {
    EXPECT_EQ(rmw_destroy_node(node_), RMW_RET_OK);
    EXPECT_EQ(rmw_shutdown(&context_), RMW_RET_OK);
    EXPECT_EQ(rmw_context_fini(&context_), RMW_RET_OK);
    rmw_reset_error();
  }

  template <typename Message>
  rmw_publisher_t* publisher(const char* topic,
                             const rmw_qos_profile_t& qos = rmw_qos_profile_default) {
    const auto* type = rosidl_typesupport_cpp::get_message_type_support_handle<Message>();
    const auto options = rmw_get_default_publisher_options();
    auto* made = rmw_create_publisher(node_, type, topic, &qos, &options);
    EXPECT_NE(made, nullptr) << taken_error();
    return made;
  }
  template <typename Message>
  rmw_subscription_t* subscription(const char* topic,
                                   const rmw_qos_profile_t& qos = rmw_qos_profile_default) {
    const auto* type = rosidl_typesupport_cpp::get_message_type_support_handle<Message>();
    const auto options = rmw_get_default_subscription_options();
    auto* made = rmw_create_subscription(node_, type, topic, &qos, &options);
    EXPECT_NE(made, nullptr) << taken_error();
    return made;
  }
  static void await(const std::function<bool()>& is_done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    bool done = is_done();  // once is enough: descriptors of other threads come and go
    while (!done && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      done = is_done();
    }
    ASSERT_TRUE(done);
  }
  static void await_match(const rmw_publisher_t* publisher) {
    await([publisher] {
      std::size_t count = 0;
      return rmw_publisher_count_matched_subscriptions(publisher, &count) == RMW_RET_OK &&
             count == 1;
    });
  }

  /// Nobody else is met, and no edge is started.
  rmw_automatic_discovery_range_t range_ = RMW_AUTOMATIC_DISCOVERY_RANGE_OFF;
  std::size_t domain_id_ = 0;
  rmw_context_t context_ = rmw_get_zero_initialized_context();
  rmw_node_t* node_ = nullptr;
};

/// A publisher and a subscription of one topic, which have met.
template <typename Message>
class RmwPairTest : public RmwTest {
 protected:
  void SetUp() override {
    RmwTest::SetUp();
    subscription_ = subscription<Message>("/pair");
    publisher_ = publisher<Message>("/pair");
    await_match(publisher_);
  }
  void TearDown() override {
    EXPECT_EQ(rmw_destroy_publisher(node_, publisher_), RMW_RET_OK);
    EXPECT_EQ(rmw_destroy_subscription(node_, subscription_), RMW_RET_OK);
    RmwTest::TearDown();
  }

  rmw_subscription_t* subscription_ = nullptr;
  rmw_publisher_t* publisher_ = nullptr;
};
