// SPDX-License-Identifier: Apache-2.0
/// When callbacks are called, and what statuses say, as programs expect it of other middlewares.
#include <atomic>
#include <test_msgs/msg/basic_types.hpp>

#include "rmw_fixture.hpp"

namespace {

using test_msgs::msg::BasicTypes;
constexpr rmw_time_t long_time{20, 0};

/// Adds to the counter that is its user data.
void count(const void* counter, std::size_t news) {
  *static_cast<std::atomic<std::size_t>*>(const_cast<void*>(counter)) += news;
}

/// A publisher, and its event of subscriptions that come and go.
class Told : public RmwTest {
 protected:
  void SetUp() override {
    RmwTest::SetUp();
    wait_set_ = rmw_create_wait_set(&context_, 1);
    publisher_ = publisher<BasicTypes>("/told");
    ASSERT_EQ(rmw_publisher_event_init(&matched_, publisher_, RMW_EVENT_PUBLICATION_MATCHED),
              RMW_RET_OK);
  }
  void TearDown() override {
    EXPECT_EQ(rmw_destroy_publisher(node_, publisher_), RMW_RET_OK);
    EXPECT_EQ(rmw_destroy_wait_set(wait_set_), RMW_RET_OK);
    RmwTest::TearDown();
  }

  void publish() {
    const BasicTypes message;
    ASSERT_EQ(rmw_publish(publisher_, &message, nullptr), RMW_RET_OK);
  }
  void wait_for(rmw_subscription_t* subscription) {
    void* entries[1] = {subscription->data};
    rmw_subscriptions_t wanted{1, entries};
    ASSERT_EQ(rmw_wait(&wanted, nullptr, nullptr, nullptr, nullptr, wait_set_, &long_time),
              RMW_RET_OK);
  }
  void wait_for(rmw_event_t* event) {
    void* entries[1] = {event};
    rmw_events_t wanted{1, entries};
    ASSERT_EQ(rmw_wait(nullptr, nullptr, nullptr, nullptr, &wanted, wait_set_, &long_time),
              RMW_RET_OK);
  }

  rmw_wait_set_t* wait_set_ = nullptr;
  rmw_publisher_t* publisher_ = nullptr;
  rmw_event_t matched_ = rmw_get_zero_initialized_event();
};

}  // namespace

TEST_F(Told, OfMessagesByACallbackWhenItIsSetAndBeforeAWaitEnds) {
  for (int round = 0; round < 200; ++round) {
    auto* subscription = this->subscription<BasicTypes>("/told");
    std::atomic<std::size_t> messages{0};
    publish();
    ASSERT_EQ(rmw_subscription_set_on_new_message_callback(subscription, count, &messages),
              RMW_RET_OK);
    ASSERT_EQ(messages, 1U);
    BasicTypes message;
    bool taken = false;
    ASSERT_EQ(rmw_take(subscription, &message, &taken, nullptr), RMW_RET_OK);
    ASSERT_TRUE(taken);
    publish();
    wait_for(subscription);
    ASSERT_EQ(messages, 2U);
    ASSERT_EQ(rmw_destroy_subscription(node_, subscription), RMW_RET_OK);
  }
}

TEST_F(Told, OfEventsByACallbackWhenItIsSetAndBeforeAWaitEnds) {
  for (int round = 0; round < 200; ++round) {
    auto* subscription = this->subscription<BasicTypes>("/told");
    std::atomic<std::size_t> events{0};
    ASSERT_EQ(rmw_event_set_callback(&matched_, count, &events), RMW_RET_OK);
    ASSERT_EQ(events, 1U);
    rmw_matched_status_t status{};
    bool taken = false;
    ASSERT_EQ(rmw_take_event(&matched_, &status, &taken), RMW_RET_OK);
    ASSERT_EQ(rmw_destroy_subscription(node_, subscription), RMW_RET_OK);
    wait_for(&matched_);
    ASSERT_EQ(events, 2U);
    ASSERT_EQ(rmw_take_event(&matched_, &status, &taken), RMW_RET_OK);
    ASSERT_EQ(status.current_count, 0U);
    ASSERT_EQ(rmw_event_set_callback(&matched_, nullptr, nullptr), RMW_RET_OK);
  }
}

// DDS has no policy of its own for it.
TEST_F(Told, OfALeaseThatIsTooLongAsLiveliness) {
  const auto* type = rosidl_typesupport_cpp::get_message_type_support_handle<BasicTypes>();
  rmw_qos_profile_t qos = rmw_qos_profile_default;
  qos.liveliness_lease_duration = {2, 0};
  const auto publisher_options = rmw_get_default_publisher_options();
  auto* publisher = rmw_create_publisher(node_, type, "/lease", &qos, &publisher_options);
  ASSERT_NE(publisher, nullptr) << taken_error();
  qos.liveliness_lease_duration = {1, 0};
  const auto options = rmw_get_default_subscription_options();
  auto* subscription = rmw_create_subscription(node_, type, "/lease", &qos, &options);
  ASSERT_NE(subscription, nullptr) << taken_error();
  rmw_event_t event = rmw_get_zero_initialized_event();
  ASSERT_EQ(rmw_subscription_event_init(&event, subscription, RMW_EVENT_REQUESTED_QOS_INCOMPATIBLE),
            RMW_RET_OK);
  rmw_requested_qos_incompatible_event_status_t status{};
  bool taken = false;
  ASSERT_EQ(rmw_take_event(&event, &status, &taken), RMW_RET_OK);
  EXPECT_EQ(status.total_count, 1);
  EXPECT_EQ(status.last_policy_kind, RMW_QOS_POLICY_LIVELINESS);
  EXPECT_EQ(rmw_destroy_subscription(node_, subscription), RMW_RET_OK);
  EXPECT_EQ(rmw_destroy_publisher(node_, publisher), RMW_RET_OK);
}
