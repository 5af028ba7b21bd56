// SPDX-License-Identifier: Apache-2.0
/// Messages in their C++ form, and lent ones. (C forms are rclpy's: tool/tests/run/test_rmw.py.)
#include <cstring>
#include <geometry_msgs/msg/pose.hpp>
#include <test_msgs/message_fixtures.hpp>

#include "rmw_fixture.hpp"
#include "rmw_ligament_cpp/views.h"

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

class Loans : public RmwPairTest<geometry_msgs::msg::Pose> {
 protected:
  using Pose = geometry_msgs::msg::Pose;
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

namespace {

using Sequences = test_msgs::msg::UnboundedSequences;

template <typename Member>
std::size_t offset_of(Member Sequences::*member) {
  static const Sequences any;
  return static_cast<std::size_t>(reinterpret_cast<const char*>(&(any.*member)) -
                                  reinterpret_cast<const char*>(&any));
}

class MembersApart : public RmwPairTest<Sequences> {
 protected:
  void TearDown() override {
    rmw_ligament_release_view(&view_);
    RmwPairTest::TearDown();
  }
  void take() {
    bool taken = false;
    ASSERT_EQ(rmw_ligament_take_view(subscription_, &view_, &taken), RMW_RET_OK) << taken_error();
    ASSERT_TRUE(taken);
  }
  /// The message read with this member apart, whose elements must be `expected`.
  template <typename Number>
  Sequences read(std::vector<Number> Sequences::*member, const std::vector<Number>& expected) {
    Sequences message;
    rmw_ligament_array_t array{};
    EXPECT_EQ(rmw_ligament_read_view(subscription_, &view_, &message, offset_of(member), &array),
              RMW_RET_OK)
        << taken_error();
    if (array.data != nullptr) {
      const auto* first = reinterpret_cast<const Number*>(array.data);
      EXPECT_EQ(std::vector<Number>(first, first + array.count), expected);
      EXPECT_TRUE(array.count == 0 ||
                  (array.data > view_.data &&
                   array.data + array.count * sizeof(Number) <= view_.data + view_.size));
      EXPECT_TRUE((message.*member).empty());
      message.*member = expected;
    }
    EXPECT_EQ(message.*member, expected);
    return message;
  }

  rmw_ligament_view_t view_{};
};

}  // namespace

TEST_F(MembersApart, StayInTheView) {
  for (const auto& sent : get_messages_unbounded_sequences()) {
    ASSERT_EQ(rmw_publish(publisher_, sent.get(), nullptr), RMW_RET_OK) << taken_error();
    take();
    EXPECT_EQ(read(&Sequences::uint8_values, sent->uint8_values), *sent);
    EXPECT_EQ(read(&Sequences::float64_values, sent->float64_values), *sent);
    EXPECT_EQ(read(&Sequences::int16_values, sent->int16_values), *sent);
    rmw_ligament_release_view(&view_);
  }
}

TEST_F(MembersApart, AreNotReadFromBytesThatEndTooEarly) {
  const auto sent = get_messages_unbounded_sequences().back();
  ASSERT_EQ(rmw_publish(publisher_, sent.get(), nullptr), RMW_RET_OK) << taken_error();
  take();
  for (std::size_t size = 0; size < view_.size; ++size) {
    rmw_ligament_view_t cut = view_;
    cut.size = size;
    Sequences message;
    rmw_ligament_array_t array{};
    EXPECT_EQ(rmw_ligament_read_view(subscription_, &cut, &message,
                                     offset_of(&Sequences::float64_values), &array),
              RMW_RET_ERROR)
        << size;
    rmw_reset_error();
  }
}

TEST_F(MembersApart, AreFilledInALoan) {
  const auto sent = *get_messages_unbounded_sequences().back();
  rmw_ligament_loan_t loan{};
  rmw_ligament_array_t array{};
  ASSERT_EQ(rmw_ligament_borrow_message(publisher_, &sent, offset_of(&Sequences::float64_values),
                                        1000, &loan, &array),
            RMW_RET_OK)
      << taken_error();
  ASSERT_EQ(array.count, 1000U);
  ASSERT_EQ(reinterpret_cast<std::uintptr_t>(array.data) % 64, 0U);  // the largest is aligned
  Sequences expected = sent;
  expected.float64_values.assign(1000, 2.5);
  std::copy_n(expected.float64_values.begin(), 1000, reinterpret_cast<double*>(array.data));
  ASSERT_EQ(rmw_ligament_publish_loan(publisher_, &loan), RMW_RET_OK) << taken_error();
  take();
  EXPECT_EQ(read(&Sequences::float64_values, expected.float64_values), expected);
}

TEST_F(MembersApart, ThatAreNoSequenceOfNumbersAreRefused) {
  const Sequences message;
  rmw_ligament_loan_t loan{};
  rmw_ligament_array_t array{};
  ASSERT_EQ(rmw_publish(publisher_, &message, nullptr), RMW_RET_OK);
  take();
  Sequences read;
  for (const std::size_t offset : {offset_of(&Sequences::string_values), std::size_t{1},
                                   offset_of(&Sequences::bool_values), sizeof(Sequences)}) {
    EXPECT_EQ(rmw_ligament_read_view(subscription_, &view_, &read, offset, &array),
              RMW_RET_INVALID_ARGUMENT);
    EXPECT_NE(taken_error().find("no sequence of numbers"), std::string::npos);
    EXPECT_EQ(rmw_ligament_borrow_message(publisher_, &message, offset, 1, &loan, &array),
              RMW_RET_INVALID_ARGUMENT);
    EXPECT_NE(taken_error().find("no sequence of numbers"), std::string::npos);
  }
}
