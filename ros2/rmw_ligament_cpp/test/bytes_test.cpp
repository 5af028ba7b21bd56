// SPDX-License-Identifier: Apache-2.0
/// Serialised messages, bounds, lent messages and sequences of takes: what goes in is what comes
/// out.
#include <rmw/time.h>
#include <rosidl_runtime_c/primitives_sequence_functions.h>
#include <test_msgs/msg/bounded_sequences.h>

#include <cstring>
#include <geometry_msgs/msg/pose.hpp>
#include <test_msgs/message_fixtures.hpp>

#include "rmw_fixture.hpp"

namespace {

using geometry_msgs::msg::Pose;
using test_msgs::msg::BasicTypes;
using test_msgs::msg::Strings;

/// Bytes of a message, with room for more.
class Bytes {
 public:
  explicit Bytes(std::size_t room = 0) {
    const auto allocator = rcutils_get_default_allocator();
    EXPECT_EQ(rmw_serialized_message_init(&bytes, room, &allocator), RMW_RET_OK);
  }
  ~Bytes() { EXPECT_EQ(rmw_serialized_message_fini(&bytes), RMW_RET_OK); }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  template <typename Message>
  void store(const Message& message) {
    const auto* type = rosidl_typesupport_cpp::get_message_type_support_handle<Message>();
    ASSERT_EQ(rmw_serialize(&message, type, &bytes), RMW_RET_OK) << taken_error();
  }
  template <typename Message>
  rmw_ret_t load(Message& message) const {
    const auto* type = rosidl_typesupport_cpp::get_message_type_support_handle<Message>();
    const rmw_ret_t result = rmw_deserialize(&bytes, type, &message);
    rmw_reset_error();
    return result;
  }
  [[nodiscard]] std::string text() const {
    return {reinterpret_cast<const char*>(bytes.buffer), bytes.buffer_length};
  }
  rmw_serialized_message_t bytes = rmw_get_zero_initialized_serialized_message();
};

using Serialised = RmwPairTest<Strings>;

}  // namespace

TEST_F(Serialised, MessagesGoThroughAsTheyAre) {
  Bytes taken_bytes(5000);
  for (const std::size_t size : {std::size_t{4000}, std::size_t{6000}, std::size_t{3}}) {
    Strings message;
    message.string_value = std::string(size, 's');
    Bytes bytes(100);
    bytes.store(message);
    ASSERT_EQ(rmw_publish_serialized_message(publisher_, &bytes.bytes, nullptr), RMW_RET_OK);
    bool taken = false;
    rmw_message_info_t info{};
    ASSERT_EQ(rmw_take_serialized_message_with_info(subscription_, &taken_bytes.bytes, &taken,
                                                    &info, nullptr),
              RMW_RET_OK);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken_bytes.text(), bytes.text()) << "also where there was room for more";
    EXPECT_GT(info.source_timestamp, 0);
    Strings again;
    EXPECT_EQ(taken_bytes.load(again), RMW_RET_OK);
    EXPECT_EQ(again, message);
  }
  bool taken = true;
  ASSERT_EQ(rmw_take_serialized_message(subscription_, &taken_bytes.bytes, &taken, nullptr),
            RMW_RET_OK);
  EXPECT_FALSE(taken);
}

TEST_F(Serialised, AShorterMessageIsAsShortInTheSameRoom) {
  Strings message;
  message.string_value = std::string(1000, 's');
  Bytes bytes;
  bytes.store(message);
  message.string_value = "s";
  bytes.store(message);
  Bytes fresh;
  fresh.store(message);
  EXPECT_EQ(bytes.text(), fresh.text());
}

TEST_F(Serialised, OtherEncodingsAreRefused) {
  Bytes bytes;
  bytes.store(Strings());
  bytes.bytes.buffer[1] = 0;  // big-endian
  EXPECT_EQ(rmw_publish_serialized_message(publisher_, &bytes.bytes, nullptr), RMW_RET_ERROR);
  EXPECT_NE(taken_error().find("little-endian CDR"), std::string::npos);
  bytes.bytes.buffer[1] = 1;
  bytes.bytes.buffer_length = 3;
  EXPECT_EQ(rmw_publish_serialized_message(publisher_, &bytes.bytes, nullptr), RMW_RET_ERROR);
  rmw_reset_error();
  bool taken = true;
  EXPECT_EQ(rmw_take_serialized_message(subscription_, &bytes.bytes, &taken, nullptr), RMW_RET_OK);
  EXPECT_FALSE(taken);
}

// The two types differ in their bounds alone: sequences of 3, and without one.
TEST(Bounds, AreThoseOfWhatIsRead) {
  test_msgs::msg::UnboundedSequences free;
  Bytes bytes;
  test_msgs::msg::BoundedSequences bounded;
  free.int32_values = {1, 2, 3};
  free.string_values = {"a", "b", "c"};
  bytes.store(free);
  EXPECT_EQ(bytes.load(bounded), RMW_RET_OK);
  EXPECT_EQ(bounded.int32_values.size(), 3U);
  free.int32_values.push_back(4);
  bytes.store(free);
  EXPECT_EQ(bytes.load(bounded), RMW_RET_ERROR);
  free.int32_values.pop_back();
  free.string_values.push_back("d");
  bytes.store(free);
  EXPECT_EQ(bytes.load(bounded), RMW_RET_ERROR);
}

TEST(Bounds, OfTextsAreThoseOfWhatIsRead) {
  Strings message;
  message.bounded_string_value_default5 = std::string(22, 'x');
  Bytes bytes;
  bytes.store(message);
  EXPECT_EQ(bytes.load(message), RMW_RET_OK);
  // Its length is in front of it: one more, with the zero of the text's end one further.
  std::string text = bytes.text();
  const auto at = text.find(std::string(22, 'x'));
  ASSERT_NE(at, std::string::npos);
  ASSERT_EQ(static_cast<unsigned char>(text[at - 4]), 23);
  text[at - 4] = 24;
  text.insert(at, 1, 'x');
  ASSERT_EQ(rmw_serialized_message_resize(&bytes.bytes, text.size()), RCUTILS_RET_OK);
  std::memcpy(bytes.bytes.buffer, text.data(), text.size());
  bytes.bytes.buffer_length = text.size();
  EXPECT_EQ(bytes.load(message), RMW_RET_ERROR);
}

// C++ has its own bounds; C leaves them to the middleware.
TEST(Bounds, OfCSequencesAreThoseOfWhatIsWritten) {
  const auto* type = ROSIDL_GET_MSG_TYPE_SUPPORT(test_msgs, msg, BoundedSequences);
  auto* message = test_msgs__msg__BoundedSequences__create();
  ASSERT_NE(message, nullptr);
  Bytes bytes;
  for (const std::size_t count : {std::size_t{3}, std::size_t{4}}) {
    rosidl_runtime_c__int32__Sequence__fini(&message->int32_values);
    ASSERT_TRUE(rosidl_runtime_c__int32__Sequence__init(&message->int32_values, count));
    EXPECT_EQ(rmw_serialize(message, type, &bytes.bytes), count == 3 ? RMW_RET_OK : RMW_RET_ERROR);
    EXPECT_EQ(rmw_error_is_set(), count != 3);
    rmw_reset_error();
  }
  test_msgs__msg__BoundedSequences__destroy(message);
}

namespace {

class Lent : public RmwPairTest<Pose> {
 protected:
  Pose* borrow() {
    void* message = nullptr;
    const auto* type = rosidl_typesupport_cpp::get_message_type_support_handle<Pose>();
    EXPECT_EQ(rmw_borrow_loaned_message(publisher_, type, &message), RMW_RET_OK) << taken_error();
    return static_cast<Pose*>(message);
  }
  rmw_ret_t take(void*& message, bool& taken) {
    message = nullptr;
    taken = false;
    return rmw_take_loaned_message(subscription_, &message, &taken, nullptr);
  }
};

}  // namespace

TEST_F(Lent, MessagesAreFreshHoweverOftenTheirMemoryWasUsed) {
  const Pose fresh;
  for (int round = 0; round < 100; ++round) {
    Pose* const sent = borrow();
    ASSERT_NE(sent, nullptr);
    ASSERT_EQ(*sent, fresh) << "round " << round;
    sent->position.z = sent->orientation.w = 5.0;
    ASSERT_EQ(rmw_publish_loaned_message(publisher_, sent, nullptr), RMW_RET_OK);
    EXPECT_EQ(rmw_publish_loaned_message(publisher_, sent, nullptr), RMW_RET_INVALID_ARGUMENT);
    rmw_reset_error();
  }
}

TEST_F(Lent, BeyondTheLastOneIsAnErrorUntilOneComesBack) {
  const Pose message;
  for (int i = 0; i < 6; ++i) {
    ASSERT_EQ(rmw_publish(publisher_, &message, nullptr), RMW_RET_OK);
  }
  std::vector<void*> lent;
  void* one = nullptr;
  bool taken = false;
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(take(one, taken), RMW_RET_OK) << taken_error();
    ASSERT_TRUE(taken);
    lent.push_back(one);
  }
  EXPECT_EQ(take(one, taken), RMW_RET_ERROR);
  EXPECT_NE(taken_error().find("return some"), std::string::npos);
  EXPECT_EQ(rmw_return_loaned_message_from_subscription(subscription_, lent.back()), RMW_RET_OK);
  EXPECT_EQ(take(lent.back(), taken), RMW_RET_OK);
  EXPECT_TRUE(taken);
  for (void* each : lent) {
    EXPECT_EQ(rmw_return_loaned_message_from_subscription(subscription_, each), RMW_RET_OK);
  }
}

TEST_F(Lent, BytesOfAnotherSizeAreNoMessage) {
  Bytes bytes;
  bytes.store(Pose());
  bytes.bytes.buffer_length -= 8;
  ASSERT_EQ(rmw_publish_serialized_message(publisher_, &bytes.bytes, nullptr), RMW_RET_OK);
  bytes.bytes.buffer_length += 8;
  ASSERT_EQ(rmw_publish_serialized_message(publisher_, &bytes.bytes, nullptr), RMW_RET_OK);
  void* message = nullptr;
  bool taken = true;
  EXPECT_EQ(take(message, taken), RMW_RET_ERROR);
  EXPECT_NE(taken_error().find("is no geometry_msgs/msg/Pose"), std::string::npos);
  EXPECT_FALSE(taken);
  EXPECT_EQ(take(message, taken), RMW_RET_OK) << "the next one is whole";
  EXPECT_TRUE(taken);
  EXPECT_EQ(rmw_return_loaned_message_from_subscription(subscription_, message), RMW_RET_OK);
}

TEST_F(Lent, NobodyWaitsForAcknowledgement) {
  const Pose message;
  ASSERT_EQ(rmw_publish(publisher_, &message, nullptr), RMW_RET_OK);
  EXPECT_EQ(rmw_publisher_wait_for_all_acked(publisher_, {0, 0}), RMW_RET_OK);
  EXPECT_EQ(rmw_publisher_wait_for_all_acked(publisher_, RMW_DURATION_INFINITE), RMW_RET_OK);
  EXPECT_EQ(rmw_publisher_wait_for_all_acked(nullptr, {0, 0}), RMW_RET_INVALID_ARGUMENT);
  rmw_reset_error();
}

namespace {
using Taken = RmwPairTest<BasicTypes>;
}  // namespace

TEST_F(Taken, SequencesAreAsLongAsAskedForAndAsThereAreMessages) {
  BasicTypes sent;
  for (std::uint8_t i = 0; i < 5; ++i) {
    sent.uint8_value = i;
    ASSERT_EQ(rmw_publish(publisher_, &sent, nullptr), RMW_RET_OK);
  }
  auto allocator = rcutils_get_default_allocator();
  auto messages = rmw_get_zero_initialized_message_sequence();
  auto infos = rmw_get_zero_initialized_message_info_sequence();
  ASSERT_EQ(rmw_message_sequence_init(&messages, 4, &allocator), RMW_RET_OK);
  ASSERT_EQ(rmw_message_info_sequence_init(&infos, 3, &allocator), RMW_RET_OK);
  std::vector<BasicTypes> room(4);
  for (std::size_t i = 0; i < room.size(); ++i) {
    messages.data[i] = &room[i];
  }
  const auto take = [&](std::size_t wanted) {
    std::size_t count = 77;
    const rmw_ret_t result =
        rmw_take_sequence(subscription_, wanted, &messages, &infos, &count, nullptr);
    rmw_reset_error();
    EXPECT_TRUE(result != RMW_RET_OK || (messages.size == count && infos.size == count));
    return result == RMW_RET_OK ? static_cast<int>(count) : -1;
  };
  EXPECT_EQ(take(4), -1) << "there is no room for so many infos";
  EXPECT_EQ(take(0), -1);
  EXPECT_EQ(take(3), 3);
  EXPECT_EQ(room[2].uint8_value, 2);
  EXPECT_EQ(take(3), 2);
  EXPECT_EQ(room[1].uint8_value, 4);
  EXPECT_EQ(infos.data[1].publication_sequence_number, 5U);
  EXPECT_EQ(take(3), 0);
  EXPECT_EQ(rmw_message_sequence_fini(&messages), RMW_RET_OK);
  EXPECT_EQ(rmw_message_info_sequence_fini(&infos), RMW_RET_OK);
}
