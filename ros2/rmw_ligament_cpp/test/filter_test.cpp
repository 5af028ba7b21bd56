// SPDX-License-Identifier: Apache-2.0
/// Content filters: what they say of messages, and what is said of texts that are none.
#include "../src/filter.hpp"

#include <random>
#include <test_msgs/message_fixtures.hpp>

#include "rmw_fixture.hpp"

namespace {

using rmw_ligament_cpp::ContentFilter;
using rmw_ligament_cpp::MessageType;

template <typename Message>
const MessageType& type_of() {
  static const auto type =
      MessageType::of(rosidl_typesupport_cpp::get_message_type_support_handle<Message>());
  return *type;
}

template <typename Message>
std::vector<std::byte> stored(const Message& message) {
  const MessageType& type = type_of<Message>();
  std::vector<std::byte> bytes(type.measure(&message).size);
  type.write(&message, bytes);
  return bytes;
}

template <typename Message>
bool wants(const Message& message, const std::string& text,
           const std::vector<std::string>& parameters = {}) {
  const auto filter = ContentFilter::make(type_of<Message>(), text, parameters);
  if (!filter) {
    ADD_FAILURE() << filter.error();
    return false;
  }
  return (*filter)->wants(stored(message));
}

template <typename Message>
std::string fault(const std::string& text, const std::vector<std::string>& parameters = {}) {
  const auto filter = ContentFilter::make(type_of<Message>(), text, parameters);
  return filter ? "none" : filter.error();
}

using Basic = test_msgs::msg::BasicTypes;

Basic numbers() {
  Basic message;
  message.bool_value = true;
  message.char_value = 'x';
  message.float32_value = 3.14159F;
  message.float64_value = -2.5;
  message.int8_value = -5;
  message.uint8_value = 200;
  message.int32_value = -70000;
  message.int64_value = std::numeric_limits<std::int64_t>::min();
  message.uint64_value = std::numeric_limits<std::uint64_t>::max();
  return message;
}

TEST(Filter, comparesNumbersOfAllKinds) {
  const Basic message = numbers();
  for (const char* text :
       {"float32_value = 3.14159", "float64_value = -2.5", "float64_value < -2", "int8_value <= -5",
        "uint8_value > int8_value", "uint8_value >= 2e2", "int32_value <> -70001",
        "int32_value != 0", "int64_value = -9223372036854775808", "int64_value < uint64_value",
        "uint64_value = 18446744073709551615", "uint64_value > 9223372036854775807",
        "uint64_value = 0xFFFFFFFFFFFFFFFF", "bool_value = TRUE", "bool_value = 1",
        "char_value = 'x'", "char_value = 120", "-3.0 > float64_value OR .5 < float32_value"}) {
    EXPECT_TRUE(wants(message, text)) << text;
    EXPECT_FALSE(wants(message, std::string("NOT (") + text + ")")) << text;
  }
  for (const char* text :
       {"float32_value = 3.14", "int64_value > uint64_value", "uint64_value < 0",
        "uint64_value = -1", "int8_value = 251", "bool_value <> true", "bool_value = 0"}) {
    EXPECT_FALSE(wants(message, text)) << text;
  }
}

TEST(Filter, bindsNotBeforeAndBeforeOr) {
  const Basic message = numbers();
  EXPECT_TRUE(wants(message, "bool_value = TRUE or bool_value = FALSE and bool_value = FALSE"));
  EXPECT_FALSE(wants(message, "(bool_value = TRUE or bool_value = FALSE) and bool_value = FALSE"));
  EXPECT_FALSE(wants(message, "NOT bool_value = TRUE AND bool_value = FALSE"));
  EXPECT_TRUE(wants(message, "NOT (bool_value = TRUE AND bool_value = FALSE)"));
  EXPECT_TRUE(wants(message, "NOT NOT bool_value=TRUE"));
}

TEST(Filter, hasRangesAndParameters) {
  const Basic message = numbers();
  EXPECT_TRUE(wants(message, "int8_value BETWEEN -5 AND -5"));
  EXPECT_TRUE(
      wants(message, "int8_value between %1 and %0 AND bool_value=%2", {"0", "-6", "true"}));
  EXPECT_FALSE(wants(message, "int8_value NOT BETWEEN -6 AND -4"));
  EXPECT_TRUE(wants(message, "int8_value NOT BETWEEN -4 AND 4"));
}

TEST(Filter, comparesTexts) {
  test_msgs::msg::Strings message;
  message.string_value = "lab_12";
  for (const char* text :
       {"string_value = 'lab_12'", "string_value > 'lab_11'", "string_value LIKE 'lab%'",
        "string_value like '%12'", "string_value LIKE '%a%_1_'", "string_value LIKE '______'",
        "bounded_string_value = ''", "bounded_string_value LIKE '%'",
        "string_value_default2 LIKE 'Hello_world!'"}) {
    EXPECT_TRUE(wants(message, text)) << text;
  }
  for (const char* text : {"string_value LIKE 'lab'", "string_value LIKE '_____'",
                           "string_value LIKE '%ab'", "string_value <> 'lab_12'"}) {
    EXPECT_FALSE(wants(message, text)) << text;
  }
  EXPECT_TRUE(wants(message, "string_value = %0", {"'lab_12'"}));
  test_msgs::msg::WStrings wide;
  wide.wstring_value = u"\u00FC\U0001F600";
  EXPECT_TRUE(wants(wide, "wstring_value = '\xC3\xBC\xF0\x9F\x98\x80'"));
  EXPECT_TRUE(wants(wide, "wstring_value_default2 = 'Hell\xC3\xB6 w\xC3\xB6rld!'"));
}

/// What lies behind fields of all sizes is found where it is.
TEST(Filter, findsFieldsBehindOthers) {
  test_msgs::msg::MultiNested message;
  for (int i = 0; i < 3; ++i) {
    auto& one = message.unbounded_sequence_of_unbounded_sequences.emplace_back();
    one.string_values = {"a", "bcd", ""};
    one.bool_values = {true, false, true};
    one.basic_types_values.resize(2);
    one.basic_types_values[1].int16_value = 300;
    one.float64_values.resize(static_cast<std::size_t>(i));
    one.alignment_check = 10 + i;
  }
  message.array_of_arrays[2].float64_values[1] = 0.25;
  message.array_of_arrays[2].alignment_check = 77;
  message.array_of_bounded_sequences[1].alignment_check = 78;
  EXPECT_TRUE(wants(message, "array_of_arrays[2].float64_values[1] = 0.25"));
  EXPECT_TRUE(wants(message, "array_of_arrays[2].alignment_check = 77"));
  EXPECT_TRUE(wants(message, "array_of_bounded_sequences[1].alignment_check = 78"));
  for (const char* index : {"0", "1", "2"}) {
    const std::string one =
        std::string("unbounded_sequence_of_unbounded_sequences[") + index + "].";
    EXPECT_TRUE(wants(message, one + "alignment_check = 1" + index)) << index;
    EXPECT_TRUE(wants(message, one + "basic_types_values[1].int16_value = 300")) << index;
    EXPECT_TRUE(
        wants(message, one + "string_values[1] = 'bcd' AND " + one + "bool_values[2] = TRUE"));
  }
}

TEST(Filter, takesWhatAMessageLacksForFalse) {
  test_msgs::msg::UnboundedSequences message;
  message.int32_values = {4};
  EXPECT_TRUE(wants(message, "int32_values[0] = 4"));
  EXPECT_FALSE(wants(message, "int32_values[1] = 4"));
  EXPECT_FALSE(wants(message, "int32_values[1] <> 4"));
  EXPECT_TRUE(wants(message, "NOT int32_values[1] = 4"));
}

/// Each prefix of a message, and each message with one wrong byte, is answered.
TEST(Filter, looksAtAnyBytes) {
  std::mt19937 chance(7);
  for (const auto& message : get_messages_multi_nested()) {
    auto bytes = stored(*message);
    const auto filter = ContentFilter::make(
        type_of<test_msgs::msg::MultiNested>(),
        "unbounded_sequence_of_unbounded_sequences[1].basic_types_values[0].uint8_value = 1 OR "
        "unbounded_sequence_of_arrays[0].string_values[2] LIKE '%m%'",
        {});
    ASSERT_TRUE(filter) << filter.error();
    for (std::size_t size = 0; size < bytes.size(); size += 7) {
      // A copy of that size, so that whoever reads beyond is seen by tools that watch memory.
      const std::vector<std::byte> cut(bytes.begin(),
                                       bytes.begin() + static_cast<std::ptrdiff_t>(size));
      (void)(*filter)->wants(cut);
    }
    for (int i = 0; i < 2000; ++i) {
      std::byte& one = bytes[chance() % bytes.size()];
      const std::byte before = std::exchange(one, static_cast<std::byte>(chance()));
      (void)(*filter)->wants(bytes);
      one = before;
    }
  }
}

TEST(Filter, saysWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"int8_value", "it ends where a comparison"},
      {"int8_value = ", "it ends where a field, a value or a parameter"},
      {"int8_value = 1 int8_value",
       "at character 15 stands 'int8_value', where AND, OR or the end"},
      {"(int8_value = 1", "it ends where ')'"},
      {"int8_value = 'ab", "the text that begins at character 13 has no closing quote"},
      {"int8_value = 1 & 2", "character 15 ('&') begins nothing known"},
      {"int8 = 1", "there is no field 'int8': there are bool_value, byte_value"},
      {"int8_value.x = 1", "'int8_value' is a value and has no fields"},
      {"int8_value[0] = 1", "'int8_value' is one value and has no elements"},
      {"int8_value = 'ab'", "int8_value is a number, and a value is a text"},
      {"int8_value = TRUE", "int8_value is a number, and a value is a boolean"},
      {"int8_value LIKE 'a'", "LIKE compares texts, and int8_value is a number"},
      {"1 = 1", "a comparison of two values: one side must be a field"},
      {"int8_value = %0", "it names %0, but there are 0 parameters"},
      {"int8_value = %100", "a parameter, %0 to %99"},
      {"int8_value NOT = 1", "where BETWEEN was expected"},
      {"int8_value BETWEEN 1 OR 2", "AND and the upper bound"},
      {"int8_value = 1e999", "a field, a value or a parameter"},
      {"int8_value = 12x", "a field, a value or a parameter"},
      {"", "it ends where a field"},
  };
  for (const auto& [text, why] : cases) {
    const std::string told = fault<Basic>(text);
    EXPECT_NE(told.find(why), std::string::npos) << text << "\n" << told;
    EXPECT_TRUE(told.starts_with("the content filter for test_msgs/msg/BasicTypes is not valid: "));
  }
  EXPECT_NE(fault<Basic>("int8_value = %0", {"abc"}).find("text stands in single quotes ('abc')"),
            std::string::npos);
  EXPECT_NE(fault<test_msgs::msg::Nested>("basic_types_value = 1").find("is a message"),
            std::string::npos);
  EXPECT_NE(fault<test_msgs::msg::Arrays>("int8_values = 1").find("say which, as int8_values[0]"),
            std::string::npos);
  EXPECT_NE(fault<test_msgs::msg::Arrays>("int8_values[3] = 1").find("has 3 elements, and no [3]"),
            std::string::npos);
}

TEST(Filter, isBounded) {
  using rmw_ligament_cpp::most_filter_comparisons;
  using rmw_ligament_cpp::most_filter_depth;
  const auto deep = [](std::size_t depth) {
    return std::string(depth, '(') + "int8_value=1" + std::string(depth, ')');
  };
  EXPECT_EQ(fault<Basic>(deep(most_filter_depth - 1)), "none");
  EXPECT_NE(fault<Basic>(deep(most_filter_depth)).find("deeper than 64"), std::string::npos);
  std::string many = "a=1";
  for (std::size_t i = 1; i < most_filter_comparisons; ++i) {
    many += " OR a=1";
  }
  EXPECT_TRUE(rmw_ligament_cpp::parse_filter(many, {}));
  const auto refused = rmw_ligament_cpp::parse_filter(many + " OR a=1", {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), "it has more than 256 comparisons");
  EXPECT_NE(fault<Basic>(std::string(4097, ' ')).find("4097 characters"), std::string::npos);
  EXPECT_NE(fault<Basic>("a=1", std::vector<std::string>(101)).find("101 parameters"),
            std::string::npos);
}

/// Texts by chance, from pieces of the language and from any bytes.
TEST(Filter, answersWhateverTheTextIs) {
  const std::vector<std::string> pieces = {
      "int8_value", "bool_value", "basic", ".",    "[",  "]",    "(",   ")",  "NOT ", " AND ",
      " OR ",       " LIKE ",     "%0",    "%1",   "%",  "'a%'", "'",   "1",  "-",    "1.5e",
      "=",          "<",          "<>",    ">=",   "!",  " ",    "\n",  "0x", "TRUE", " BETWEEN ",
      "\xC3",       "_",          "%99",   "1e-3", "''", "+",    "\x7F"};
  std::mt19937 chance(1);
  std::size_t valid = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (auto left = chance() % 12; left > 0; --left) {
      text += chance() % 20 == 0 ? std::string(1, static_cast<char>(chance()))
                                 : pieces[chance() % pieces.size()];
    }
    const auto filter = ContentFilter::make(type_of<Basic>(), text, {"1", "'b'"});
    if (filter) {
      ++valid;
      (void)(*filter)->wants(stored(numbers()));
    } else {
      EXPECT_FALSE(filter.error().empty());
    }
  }
  EXPECT_GT(valid, 0U);
}

class Filtered : public RmwPairTest<Basic> {
 protected:
  rmw_ret_t set(const char* text, std::vector<const char*> parameters = {}) {
    const auto allocator = rcutils_get_default_allocator();
    auto options = rmw_get_zero_initialized_content_filter_options();
    EXPECT_EQ(rmw_subscription_content_filter_options_init(
                  text, parameters.size(), parameters.empty() ? nullptr : parameters.data(),
                  &allocator, &options),
              RMW_RET_OK);
    const rmw_ret_t result = rmw_subscription_set_content_filter(subscription_, &options);
    EXPECT_EQ(rmw_subscription_content_filter_options_fini(&options, &allocator), RMW_RET_OK);
    return result;
  }
  void publish(std::int32_t number) {
    Basic message;
    message.int32_value = number;
    ASSERT_EQ(rmw_publish(publisher_, &message, nullptr), RMW_RET_OK) << taken_error();
  }
  std::vector<std::int32_t> take_all() {
    std::vector<std::int32_t> numbers;
    for (bool taken = true; taken;) {
      Basic message;
      EXPECT_EQ(rmw_take(subscription_, &message, &taken, nullptr), RMW_RET_OK) << taken_error();
      if (taken) {
        numbers.push_back(message.int32_value);
      }
    }
    return numbers;
  }
  bool waits_in_vain() {
    void* entry = subscription_->data;
    rmw_subscriptions_t wanted{1, &entry};
    auto* set = rmw_create_wait_set(&context_, 1);
    const rmw_time_t now{0, 0};
    const rmw_ret_t result = rmw_wait(&wanted, nullptr, nullptr, nullptr, nullptr, set, &now);
    EXPECT_EQ(rmw_destroy_wait_set(set), RMW_RET_OK);
    EXPECT_EQ(result == RMW_RET_TIMEOUT, entry == nullptr);
    return result == RMW_RET_TIMEOUT;
  }
};

TEST_F(Filtered, takesOnlyWhatIsWanted) {
  ASSERT_EQ(set("int32_value > %0", {"2"}), RMW_RET_OK) << taken_error();
  EXPECT_TRUE(subscription_->is_cft_enabled);
  for (std::int32_t number = 0; number < 5; ++number) {
    publish(number);
  }
  EXPECT_EQ(take_all(), (std::vector<std::int32_t>{3, 4}));
}

TEST_F(Filtered, doesNotWakeForWhatIsNotWanted) {
  ASSERT_EQ(set("int32_value = 5"), RMW_RET_OK) << taken_error();
  publish(4);
  EXPECT_TRUE(waits_in_vain());
  publish(5);
  publish(5);
  EXPECT_FALSE(waits_in_vain());
  EXPECT_FALSE(waits_in_vain());
  EXPECT_EQ(take_all(), (std::vector<std::int32_t>{5, 5}));
}

TEST_F(Filtered, goesOnWithAnotherFilterOrNone) {
  ASSERT_EQ(set("int32_value = 5"), RMW_RET_OK);
  publish(5);
  EXPECT_FALSE(waits_in_vain());
  EXPECT_EQ(set("int32_value = 6"), RMW_RET_OK);
  EXPECT_TRUE(waits_in_vain()) << "what the first filter had found is of no use now";
  EXPECT_EQ(set("int32_value = "), RMW_RET_INVALID_ARGUMENT);
  EXPECT_NE(taken_error().find("it ends where a field"), std::string::npos);
  publish(6);
  publish(7);
  EXPECT_EQ(take_all(), (std::vector<std::int32_t>{6})) << "the filter before the faulty one stays";
  EXPECT_EQ(set(""), RMW_RET_OK);
  EXPECT_FALSE(subscription_->is_cft_enabled);
  publish(8);
  EXPECT_EQ(take_all(), (std::vector<std::int32_t>{8}));
}

TEST_F(Filtered, tellsItsFilter) {
  auto allocator = rcutils_get_default_allocator();
  auto told = rmw_get_zero_initialized_content_filter_options();
  EXPECT_EQ(rmw_subscription_get_content_filter(subscription_, &allocator, &told), RMW_RET_ERROR);
  EXPECT_NE(taken_error().find("has no content filter"), std::string::npos);
  ASSERT_EQ(set("int32_value > %0", {"2"}), RMW_RET_OK);
  ASSERT_EQ(rmw_subscription_get_content_filter(subscription_, &allocator, &told), RMW_RET_OK);
  EXPECT_STREQ(told.filter_expression, "int32_value > %0");
  ASSERT_EQ(told.expression_parameters.size, 1U);
  EXPECT_STREQ(told.expression_parameters.data[0], "2");
  EXPECT_EQ(rmw_subscription_content_filter_options_fini(&told, &allocator), RMW_RET_OK);
}

}  // namespace
