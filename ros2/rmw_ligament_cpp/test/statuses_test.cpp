// SPDX-License-Identifier: Apache-2.0
/// Statuses of publishers and subscriptions: what each event says, and when it is new.
#include <rmw/events_statuses/events_statuses.h>
#include <rosidl_runtime_c/message_type_support_struct.h>

#include <test_msgs/msg/basic_types.hpp>
#include <test_msgs/msg/strings.hpp>

#include "rmw_fixture.hpp"

namespace {

using test_msgs::msg::BasicTypes;
using test_msgs::msg::Strings;

class Statuses : public RmwTest {
 protected:
  void TearDown() override {
    EXPECT_EQ(rmw_destroy_publisher(node_, from_), RMW_RET_OK);
    EXPECT_EQ(rmw_destroy_subscription(node_, to_), RMW_RET_OK);
    RmwTest::TearDown();
  }
  void make(const rmw_qos_profile_t& offered, const rmw_qos_profile_t& requested) {
    from_ = publisher<BasicTypes>("/status", offered);
    to_ = subscription<BasicTypes>("/status", requested);
  }
  rmw_event_t of_publisher(rmw_event_type_t type) {
    rmw_event_t event = rmw_get_zero_initialized_event();
    EXPECT_EQ(rmw_publisher_event_init(&event, from_, type), RMW_RET_OK) << taken_error();
    return event;
  }
  rmw_event_t of_subscription(rmw_event_type_t type) {
    rmw_event_t event = rmw_get_zero_initialized_event();
    EXPECT_EQ(rmw_subscription_event_init(&event, to_, type), RMW_RET_OK) << taken_error();
    return event;
  }
  template <typename Status>
  static Status take(const rmw_event_t& event) {
    Status status{};
    bool taken = false;
    EXPECT_EQ(rmw_take_event(&event, &status, &taken), RMW_RET_OK) << taken_error();
    EXPECT_TRUE(taken);
    return status;
  }
  bool is_new(rmw_event_t& event) {
    void* entry = &event;
    rmw_events_t wanted{1, &entry};
    const rmw_time_t now{0, 0};
    auto* set = rmw_create_wait_set(&context_, 1);
    const rmw_ret_t result = rmw_wait(nullptr, nullptr, nullptr, nullptr, &wanted, set, &now);
    EXPECT_EQ(rmw_destroy_wait_set(set), RMW_RET_OK);
    return result == RMW_RET_OK;
  }
  void publish(int count) {
    const BasicTypes message;
    for (int i = 0; i < count; ++i) {
      ASSERT_EQ(rmw_publish(from_, &message, nullptr), RMW_RET_OK) << taken_error();
    }
  }
  void take_one() {
    BasicTypes message;
    bool taken = false;
    ASSERT_EQ(rmw_take(to_, &message, &taken, nullptr), RMW_RET_OK) << taken_error();
    ASSERT_TRUE(taken);
  }

  rmw_publisher_t* from_ = nullptr;
  rmw_subscription_t* to_ = nullptr;
};

constexpr rmw_time_t soon{0, 20'000'000};

}  // namespace

TEST_F(Statuses, LostMessagesAddUpUntilTheyAreTold) {
  rmw_qos_profile_t two = rmw_qos_profile_default;
  two.depth = 2;
  make(rmw_qos_profile_default, two);
  await_match(from_);
  rmw_event_t lost = of_subscription(RMW_EVENT_MESSAGE_LOST);
  EXPECT_FALSE(is_new(lost));
  publish(5);
  take_one();  // the fourth
  EXPECT_TRUE(is_new(lost));
  publish(5);
  take_one();  // the ninth
  EXPECT_TRUE(is_new(lost));
  const auto first = take<rmw_message_lost_status_t>(lost);
  EXPECT_EQ(first.total_count, 7U);
  EXPECT_EQ(first.total_count_change, 7U);
  EXPECT_FALSE(is_new(lost));
  const auto second = take<rmw_message_lost_status_t>(lost);
  EXPECT_EQ(second.total_count, 7U);
  EXPECT_EQ(second.total_count_change, 0U);
}

TEST_F(Statuses, APublisherThatSaysNothingLosesItsLiveliness) {
  rmw_qos_profile_t qos = rmw_qos_profile_default;
  qos.liveliness = RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC;
  qos.liveliness_lease_duration = {0, 200'000'000};
  make(qos, qos);
  await_match(from_);
  rmw_event_t lost = of_publisher(RMW_EVENT_LIVELINESS_LOST);
  rmw_event_t changed = of_subscription(RMW_EVENT_LIVELINESS_CHANGED);
  std::int32_t alive_change = 0;
  std::int32_t not_alive_change = 0;
  const auto look = [&] {
    const auto now = take<rmw_liveliness_changed_status_t>(changed);
    alive_change += now.alive_count_change;
    not_alive_change += now.not_alive_count_change;
    EXPECT_EQ(now.alive_count, alive_change);
    EXPECT_EQ(now.not_alive_count, not_alive_change);
    return now;
  };
  await([&] {
    EXPECT_EQ(rmw_publisher_assert_liveliness(from_), RMW_RET_OK);
    return look().alive_count == 1;
  });
  await([&] { return look().not_alive_count == 1; });
  await([&] { return is_new(lost); });
  EXPECT_GE(take<rmw_liveliness_lost_status_t>(lost).total_count, 1);
  EXPECT_FALSE(is_new(lost));
}

TEST_F(Statuses, BothEndsMissADeadline) {
  rmw_qos_profile_t qos = rmw_qos_profile_default;
  qos.deadline = soon;
  make(qos, qos);
  await_match(from_);
  publish(1);
  rmw_event_t offered = of_publisher(RMW_EVENT_OFFERED_DEADLINE_MISSED);
  rmw_event_t requested = of_subscription(RMW_EVENT_REQUESTED_DEADLINE_MISSED);
  await([&] { return is_new(offered) && is_new(requested); });
  EXPECT_GE(take<rmw_offered_deadline_missed_status_t>(offered).total_count_change, 1);
  EXPECT_GE(take<rmw_requested_deadline_missed_status_t>(requested).total_count_change, 1);
}

TEST_F(Statuses, AnOfferThatIsTooLittleIsNamedAtBothEnds) {
  rmw_qos_profile_t strict = rmw_qos_profile_default;
  strict.deadline = soon;
  make(rmw_qos_profile_default, strict);
  rmw_event_t offered = of_publisher(RMW_EVENT_OFFERED_QOS_INCOMPATIBLE);
  rmw_event_t requested = of_subscription(RMW_EVENT_REQUESTED_QOS_INCOMPATIBLE);
  await([&] { return is_new(offered) && is_new(requested); });
  for (rmw_event_t* event : {&offered, &requested}) {
    const auto told = take<rmw_qos_incompatible_event_status_t>(*event);
    EXPECT_EQ(told.total_count, 1);
    EXPECT_EQ(told.total_count_change, 1);
    EXPECT_EQ(told.last_policy_kind, RMW_QOS_POLICY_DEADLINE);
    EXPECT_FALSE(is_new(*event));
  }
}

TEST_F(Statuses, AnotherTypeIsToldAtBothEnds) {
  from_ = publisher<BasicTypes>("/status");
  to_ = subscription<Strings>("/status");
  rmw_event_t offered = of_publisher(RMW_EVENT_PUBLISHER_INCOMPATIBLE_TYPE);
  rmw_event_t requested = of_subscription(RMW_EVENT_SUBSCRIPTION_INCOMPATIBLE_TYPE);
  await([&] { return is_new(offered) && is_new(requested); });
  for (rmw_event_t* event : {&offered, &requested}) {
    EXPECT_EQ(take<rmw_incompatible_type_status_t>(*event).total_count, 1);
  }
}

// As between two distributions, in which a type of the same name has other fields.
TEST_F(Statuses, ATypeOfTheSameNameWithAnotherHashIsAnotherType) {
  rosidl_message_type_support_t other =
      *rosidl_typesupport_cpp::get_message_type_support_handle<BasicTypes>();
  other.get_type_hash_func = [](const rosidl_message_type_support_t*) {
    static const rosidl_type_hash_t hash{1, {7}};
    return &hash;
  };
  from_ = publisher<BasicTypes>("/status");
  const auto options = rmw_get_default_subscription_options();
  to_ = rmw_create_subscription(node_, &other, "/status", &rmw_qos_profile_default, &options);
  rmw_event_t event = of_subscription(RMW_EVENT_SUBSCRIPTION_INCOMPATIBLE_TYPE);
  await([&] { return is_new(event); });
  std::size_t matched = 1;
  EXPECT_EQ(rmw_publisher_count_matched_subscriptions(from_, &matched), RMW_RET_OK);
  EXPECT_EQ(matched, 0U);
}

TEST_F(Statuses, AnEndHasTheEventsOfItsKindAndEachOnce) {
  make(rmw_qos_profile_default, rmw_qos_profile_default);
  for (int number = RMW_EVENT_LIVELINESS_CHANGED; number <= RMW_EVENT_PUBLICATION_MATCHED;
       ++number) {
    const auto type = static_cast<rmw_event_type_t>(number);
    EXPECT_TRUE(rmw_event_type_is_supported(type)) << number;
    rmw_event_t one = rmw_get_zero_initialized_event();
    rmw_event_t other = rmw_get_zero_initialized_event();
    const rmw_ret_t mine = rmw_subscription_event_init(&one, to_, type);
    rmw_reset_error();
    const rmw_ret_t theirs = rmw_publisher_event_init(&other, from_, type);
    rmw_reset_error();
    const bool is_mine = number <= RMW_EVENT_SUBSCRIPTION_MATCHED;
    EXPECT_EQ(mine, is_mine ? RMW_RET_OK : RMW_RET_UNSUPPORTED) << number;
    EXPECT_EQ(theirs, is_mine ? RMW_RET_UNSUPPORTED : RMW_RET_OK) << number;
  }
  EXPECT_FALSE(rmw_event_type_is_supported(RMW_EVENT_INVALID));
  rmw_event_t used = of_publisher(RMW_EVENT_PUBLICATION_MATCHED);
  EXPECT_EQ(rmw_publisher_event_init(&used, from_, RMW_EVENT_LIVELINESS_LOST),
            RMW_RET_INVALID_ARGUMENT);
  rmw_reset_error();
}
