// SPDX-License-Identifier: Apache-2.0
/// Messages in their C++ form, and lent ones. (C forms are rclpy's: tool/tests/run/test_rmw.py.)
#include <cstring>
#include <geometry_msgs/msg/pose.hpp>
#include <test_msgs/message_fixtures.hpp>

#include "rmw_fixture.hpp"

namespace {

template <typename Message>
void expect_equal_after_both_ways(const std::vector<std::shared_ptr<Message>>& messages) {
  const auto* type = rosidl_typesupport_cpp::get_message_type_support_handle<Message>();
  ASSERT_FALSE(messages.empty());
  for (const auto& message : messages) {
    rmw_serialized_message_t bytes = rmw_get_zero_initialized_serialized_message();
    const auto allocator = rcutils_get_default_allocator();
    ASSERT_EQ(rmw_serialized_message_init(&bytes, 0, &allocator), RMW_RET_OK);
    ASSERT_EQ(rmw_serialize(message.get(), type, &bytes), RMW_RET_OK) << taken_error();
    Message again;
    ASSERT_EQ(rmw_deserialize(&bytes, type, &again), RMW_RET_OK) << taken_error();
    EXPECT_EQ(again, *message);
    for (std::size_t size = 0; size < bytes.buffer_length; ++size) {
      rmw_serialized_message_t cut = bytes;
      cut.buffer_length = size;
      Message other;
      EXPECT_EQ(rmw_deserialize(&cut, type, &other), RMW_RET_ERROR) << size;
      rmw_reset_error();
    }
    EXPECT_EQ(rmw_serialized_message_fini(&bytes), RMW_RET_OK);
  }
}

class Loans : public RmwTest {
 protected:
  using Pose = geometry_msgs::msg::Pose;
  void SetUp() override {
    RmwTest::SetUp();
    subscription_ = subscription<Pose>("/pose");
    publisher_ = publisher<Pose>("/pose");
    await_match(publisher_);
  }
  void TearDown() override {
    EXPECT_EQ(rmw_destroy_publisher(node_, publisher_), RMW_RET_OK);
    EXPECT_EQ(rmw_destroy_subscription(node_, subscription_), RMW_RET_OK);
    RmwTest::TearDown();
  }
  Pose* borrow() {
    void* message = nullptr;
    const auto* type = rosidl_typesupport_cpp::get_message_type_support_handle<Pose>();
    EXPECT_EQ(rmw_borrow_loaned_message(publisher_, type, &message), RMW_RET_OK) << taken_error();
    return static_cast<Pose*>(message);
  }
  const Pose* take_lent() {
    void* message = nullptr;
    bool taken = false;
    EXPECT_EQ(rmw_take_loaned_message(subscription_, &message, &taken, nullptr), RMW_RET_OK)
        << taken_error();
    return taken ? static_cast<const Pose*>(message) : nullptr;
  }

  rmw_publisher_t* publisher_ = nullptr;
  rmw_subscription_t* subscription_ = nullptr;
};

}  // namespace

TEST(CppMessages, AreReadAsTheyWereWrittenAndNotWhenCut) {
  expect_equal_after_both_ways(get_messages_basic_types());
  expect_equal_after_both_ways(get_messages_arrays());
  expect_equal_after_both_ways(get_messages_bounded_plain_sequences());
  expect_equal_after_both_ways(get_messages_bounded_sequences());
  expect_equal_after_both_ways(get_messages_defaults());
  expect_equal_after_both_ways(get_messages_empty());
  expect_equal_after_both_ways(get_messages_multi_nested());
  expect_equal_after_both_ways(get_messages_nested());
  expect_equal_after_both_ways(get_messages_strings());
  expect_equal_after_both_ways(get_messages_unbounded_sequences());
  expect_equal_after_both_ways(get_messages_wstrings());
}

TEST(CppMessages, ThatExceedABoundAreNotSerialised) {
  test_msgs::msg::Strings message;
  message.bounded_string_value = std::string(23, 'x');
  const auto* type =
      rosidl_typesupport_cpp::get_message_type_support_handle<test_msgs::msg::Strings>();
  rmw_serialized_message_t bytes = rmw_get_zero_initialized_serialized_message();
  const auto allocator = rcutils_get_default_allocator();
  ASSERT_EQ(rmw_serialized_message_init(&bytes, 0, &allocator), RMW_RET_OK);
  EXPECT_EQ(rmw_serialize(&message, type, &bytes), RMW_RET_ERROR);
  EXPECT_NE(taken_error().find("longer than its bound"), std::string::npos);
  EXPECT_EQ(rmw_serialized_message_fini(&bytes), RMW_RET_OK);
}

TEST_F(Loans, AreReadWhereTheyWereWritten) {
  ASSERT_TRUE(publisher_->can_loan_messages);
  ASSERT_TRUE(subscription_->can_loan_messages);
  Pose* const sent = borrow();
  sent->position.x = 1.5;
  sent->orientation.w = -2.0;
  ASSERT_EQ(rmw_publish_loaned_message(publisher_, sent, nullptr), RMW_RET_OK) << taken_error();
  const Pose* const seen = take_lent();
  ASSERT_NE(seen, nullptr);
  EXPECT_EQ(seen->position.x, 1.5);
  EXPECT_EQ(seen->orientation.w, -2.0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(seen) % alignof(Pose), 0U);
  EXPECT_EQ(rmw_return_loaned_message_from_subscription(subscription_, const_cast<Pose*>(seen)),
            RMW_RET_OK);
  EXPECT_EQ(rmw_return_loaned_message_from_subscription(subscription_, const_cast<Pose*>(seen)),
            RMW_RET_INVALID_ARGUMENT);
}

TEST_F(Loans, MeetOrdinaryMessages) {
  Pose ordinary;
  ordinary.position.y = 7.0;
  ASSERT_EQ(rmw_publish(publisher_, &ordinary, nullptr), RMW_RET_OK);
  const Pose* const seen = take_lent();
  ASSERT_NE(seen, nullptr);
  EXPECT_EQ(*seen, ordinary);
  EXPECT_EQ(rmw_return_loaned_message_from_subscription(subscription_, const_cast<Pose*>(seen)),
            RMW_RET_OK);
}

TEST_F(Loans, AreLimitedAndComeBack) {
  std::vector<Pose*> lent;
  for (int i = 0; i < 4; ++i) {
    lent.push_back(borrow());
  }
  void* fifth = nullptr;
  const auto* type = rosidl_typesupport_cpp::get_message_type_support_handle<Pose>();
  EXPECT_EQ(rmw_borrow_loaned_message(publisher_, type, &fifth), RMW_RET_ERROR);
  EXPECT_NE(taken_error().find("as many loans"), std::string::npos);
  for (Pose* message : lent) {
    EXPECT_EQ(rmw_return_loaned_message_from_publisher(publisher_, message), RMW_RET_OK);
  }
  EXPECT_EQ(rmw_return_loaned_message_from_publisher(publisher_, borrow()), RMW_RET_OK);
}

TEST_F(Loans, OfOtherTypesAreRefused) {
  auto* other = publisher<test_msgs::msg::BasicTypes>("/booleans");
  EXPECT_FALSE(other->can_loan_messages);
  void* message = nullptr;
  const auto* type =
      rosidl_typesupport_cpp::get_message_type_support_handle<test_msgs::msg::BasicTypes>();
  EXPECT_EQ(rmw_borrow_loaned_message(other, type, &message), RMW_RET_UNSUPPORTED);
  rmw_reset_error();
  EXPECT_EQ(rmw_destroy_publisher(node_, other), RMW_RET_OK);
}
