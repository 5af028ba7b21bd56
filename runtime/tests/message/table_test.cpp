// SPDX-License-Identifier: Apache-2.0
// Types as data: printing, describing, converting; and what structs are born with.
#include <gtest/gtest.h>

#include <every_feature.hpp>
#include <ligament/alias/sensor_msgs/msg/image.hpp>
#include <ligament/alias/std_srvs/srv/set_bool.hpp>
#include <ligament/every_feature_msgs/msg/constants.hpp>
#include <ligament/example_interfaces/action/fibonacci.hpp>
#include <ligament/geometry_msgs/msg/pose_stamped.hpp>
#include <ligament/sensor_msgs/msg/nav_sat_status.hpp>
#include <ligament/std_msgs/msg/float64_multi_array.hpp>
#include <ligament/std_msgs/msg/header.hpp>
#include <ligament/std_msgs/msg/string.hpp>
#include <ligament/std_srvs/srv/set_bool.hpp>

#include "stored.hpp"

namespace {

using ligament::CodecError;
using ligament::MessageTraits;
using ligament::every_feature_msgs::msg::Texts;
using ligament::testing::store;

TEST(Table, PrintsWhatIsInAMessage) {
  ligament::std_msgs::msg::Float64MultiArray array;
  array.layout.dim.resize(1);
  array.layout.dim[0].label = "a \"b\"\n";
  array.layout.dim[0].size = 3;
  array.data = {1.0, -0.25, 1e300};
  auto stored = store(array);
  const auto& table = MessageTraits<ligament::std_msgs::msg::Float64MultiArray>::table();
  const std::string layout = R"(layout:
  dim:
  - label: "a \x22b\x22\x0a"
    size: 3
    stride: 0
  data_offset: 0
data:
)";
  EXPECT_EQ(print(table, stored.bytes()).value(), layout + "- 1.0\n- -0.25\n- 1e+300\n");
  EXPECT_EQ(print(table, stored.bytes(), 1).value(), layout + "- 1.0\n- '... 2 more'\n");
}

TEST(Table, PrintsEmptySequencesAndWideText) {
  Texts texts;
  texts.texts.clear();
  texts.wide_text = u"gr\u00fc\u00dfe";
  auto stored = store(texts);
  const auto text = print(MessageTraits<Texts>::table(), stored.bytes()).value();
  EXPECT_NE(text.find("\ntexts: []\n"), std::string::npos) << text;
  EXPECT_NE(text.find(R"(wide_text: "gr\u00fc\u00dfe")"), std::string::npos) << text;
}

TEST(Table, DescribesTypesAsDefinitionsDo) {
  const std::string expected = "builtin_interfaces/Time stamp\nstring frame_id\n" +
                               std::string(80, '=') +
                               "\nMSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n";
  EXPECT_EQ(describe(MessageTraits<ligament::std_msgs::msg::Header>::table()), expected);
  const auto texts = describe(MessageTraits<Texts>::table());
  EXPECT_NE(texts.find("string<=6[<=2] few_short_texts\n"), std::string::npos) << texts;
  EXPECT_NE(texts.find("wstring[2] wide_pair\n"), std::string::npos) << texts;
}

TEST(Table, KnowsTheHash) {
  EXPECT_EQ(ligament::hash_text(MessageTraits<sensor_msgs::msg::Image>::type_hash),
            "RIHS01_d31d41a9a4c4bc8eae9be757b0beed306564f7526c88ea6a4588fb9582527d47");
  EXPECT_EQ(ligament::hash_text(ligament::std_srvs::srv::SetBool::type_hash),
            "RIHS01_abe9e4bb6b41b40e6789712c00ec8871923e089af3f667a79992a428cff2da0a");
}

TEST(Table, BigEndianBytesThatLieAreRefused) {
  std::vector<std::byte> bytes(12, std::byte{0});
  bytes[4] = std::byte{0xFF};  // four billion dimensions
  const auto& table = MessageTraits<ligament::std_msgs::msg::Float64MultiArray>::table();
  EXPECT_EQ(to_little_endian(table, bytes).error(), CodecError::truncated);
  EXPECT_EQ(bytes[1], std::byte{0});  // still says big-endian
}

TEST(Table, BigEndianBytesThatEndInALengthAreRefused) {
  std::vector<std::byte> bytes(4 + 2, std::byte{0});  // a text's length has four bytes
  const auto done =
      to_little_endian(MessageTraits<ligament::std_msgs::msg::String>::table(), bytes);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error(), CodecError::truncated);
}

TEST(Table, AValidMessageEndsWhereItsPaddingBegins) {
  ligament::std_msgs::msg::String text;
  text.data = "abc";
  auto stored = store(text);
  std::vector<std::byte> bytes(stored.bytes().begin(), stored.bytes().end());
  bytes.resize(bytes.size() + 2);
  const auto end = validate(MessageTraits<ligament::std_msgs::msg::String>::table(), bytes);
  ASSERT_TRUE(end);
  EXPECT_EQ(*end, stored.bytes().size());
}

TEST(Table, LittleEndianBytesAreLeftAlone) {
  auto stored = store(Texts{});
  const std::vector<std::byte> before(stored.bytes().begin(), stored.bytes().end());
  EXPECT_TRUE(to_little_endian(MessageTraits<Texts>::table(), stored.bytes()));
  EXPECT_TRUE(std::ranges::equal(before, stored.bytes()));
}

TEST(Struct, HasDefaults) {
  const Texts texts;
  EXPECT_EQ(texts.text, "a default");
  EXPECT_EQ(texts.wide_text, u"weit");
  EXPECT_EQ(texts.text_pair[1], R"(two, and "more")");
  EXPECT_EQ(texts.texts, (std::vector<std::string>{"a", "b"}));
  const ligament::every_feature_msgs::msg::Primitives primitives;
  EXPECT_EQ(primitives.an_int64, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(primitives.a_uint64, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(primitives.a_float32, -1.5F);
  EXPECT_EQ(ligament::geometry_msgs::msg::PoseStamped{}.pose.orientation.w, 1.0);
  EXPECT_EQ(ligament::sensor_msgs::msg::NavSatStatus{}.status, -2);
}

TEST(Struct, HasConstants) {
  using Constants = ligament::every_feature_msgs::msg::Constants;
  static_assert(Constants::QUOTED == R"(with # and " inside)");
  static_assert(Constants::SINGLE == R"(it is "quoted")");
  static_assert(Constants::PLAIN == "plain text");
  static_assert(Constants::WIDE == u"gr\u00fc\u00dfe");
  static_assert(Constants::LEAST == std::numeric_limits<std::int64_t>::min());
  static_assert(Constants::HIGHEST == std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(Constants::HALF, 0.5F);
  EXPECT_TRUE(Constants::YES);
}

TEST(Struct, DefaultsReachBuiltMessages) {
  using Primitives = ligament::every_feature_msgs::msg::Primitives;
  ligament::testing::Stored stored(MessageTraits<Primitives>::layout({})->size);
  ASSERT_TRUE(MessageTraits<Primitives>::Builder::create(stored.bytes(), {}));
  Primitives read;
  read.an_int16 = 0;
  ASSERT_TRUE(MessageTraits<Primitives>::deserialize(stored.bytes(), read));
  EXPECT_EQ(read, Primitives{});
}

TEST(Struct, AliasHeadersNameTheSameType) {
  static_assert(std::is_same_v<sensor_msgs::msg::Image, ligament::sensor_msgs::msg::Image>);
  static_assert(std::is_same_v<std_srvs::srv::SetBool::Request, std_srvs::srv::SetBool_Request>);
  const auto shared = std::make_shared<sensor_msgs::msg::Image>();
  const sensor_msgs::msg::Image::ConstSharedPtr constant = shared;
  EXPECT_EQ(constant->height, 0U);
}

TEST(Struct, ServicesAndActionsNameTheirParts) {
  using SetBool = ligament::std_srvs::srv::SetBool;
  static_assert(std::is_same_v<SetBool::Request, ligament::std_srvs::srv::SetBool_Request>);
  static_assert(MessageTraits<SetBool::Response>::name == "std_srvs/srv/SetBool_Response");
  using Fibonacci = ligament::example_interfaces::action::Fibonacci;
  Fibonacci::Impl::FeedbackMessage feedback;
  feedback.feedback.sequence = {0, 1, 1};
  Fibonacci::Impl::SendGoalService::Request request;
  request.goal.order = 3;
  EXPECT_EQ(request.goal_id.uuid.size(), 16U);
}

TEST(Struct, EmptyMessagesHaveOneByte) {
  auto stored = store(ligament::every_feature_msgs::msg::Empty{});
  EXPECT_EQ(stored.bytes().size(), 5U);
}

}  // namespace
