// SPDX-License-Identifier: Apache-2.0
// Bytes that are cut, padded, inflated or changed while they are read.
#include <gtest/gtest.h>

#include <every_feature.hpp>
#include <ligament/sensor_msgs/msg/point_cloud2.hpp>
#include <ligament/std_msgs/msg/string.hpp>

#include "stored.hpp"

namespace {

using ligament::CodecError;
using ligament::MessageTraits;
using ligament::sensor_msgs::msg::PointCloud2;
using ligament::testing::every_feature;
using ligament::testing::store;
using ligament::testing::Stored;
using Deep = ligament::every_feature_msgs::msg::Deep;
using Text = ligament::std_msgs::msg::String;

/// All ways to read; true if any of them accepts the bytes.
template <typename T>
bool accepted(std::span<const std::byte> bytes) {
  T message;
  const bool read = MessageTraits<T>::deserialize(bytes, message).has_value();
  const bool parsed = MessageTraits<T>::View::parse(bytes).has_value();
  const bool valid = validate(MessageTraits<T>::table(), bytes).has_value();
  const bool printed = print(MessageTraits<T>::table(), bytes).has_value();
  EXPECT_EQ(read, parsed);
  EXPECT_EQ(read, valid);
  EXPECT_EQ(read, printed);
  return read || parsed || valid || printed;
}

/// A copy in memory of exactly that size, so that sanitizers see every byte too far.
std::vector<std::byte> exactly(std::span<const std::byte> bytes) {
  return {bytes.begin(), bytes.end()};
}

template <typename T>
void refuse_every_truncation(const T& message) {
  Stored stored = store(message);
  ASSERT_TRUE(accepted<T>(exactly(stored.bytes())));
  for (std::size_t size = 0; size < stored.bytes().size(); ++size) {
    EXPECT_FALSE(accepted<T>(exactly(stored.bytes().first(size)))) << "cut after " << size;
  }
}

TEST(Hostile, EveryTruncationIsRefused) {
  refuse_every_truncation(every_feature());
  PointCloud2 cloud;
  cloud.fields.resize(3);
  cloud.data.resize(33);
  refuse_every_truncation(cloud);
}

TEST(Hostile, PaddingOfTransportsIsAcceptedAndMoreIsNot) {
  Stored stored = store(every_feature());
  auto bytes = exactly(stored.bytes());
  for (int extra = 1; extra <= 3; ++extra) {
    bytes.push_back(std::byte{0});
    EXPECT_TRUE(accepted<Deep>(bytes));
  }
  bytes.push_back(std::byte{0});
  EXPECT_FALSE(accepted<Deep>(bytes));
  EXPECT_EQ(MessageTraits<Deep>::View::parse(bytes).error(), CodecError::trailing_bytes);
}

TEST(Hostile, EveryWordMayBeALengthThatLies) {
  const Stored original = store(every_feature());
  Stored stored = original;
  const std::vector<std::byte> good = exactly(stored.bytes());
  for (std::size_t at = 4; at + 4 <= good.size(); ++at) {
    for (const std::uint32_t lie : {0xFFFFFFFFU, 0x7FFFFFFFU, 0x10000U, 0U}) {
      auto bytes = good;
      std::memcpy(bytes.data() + at, &lie, sizeof(lie));
      (void)accepted<Deep>(bytes);  // may be accepted or not; all readers have to agree
    }
  }
}

TEST(Hostile, HugeCountsAllocateNothing) {
  // A sequence of 4 billion nested messages in 40 bytes.
  std::vector<std::byte> bytes(40, std::byte{0});
  bytes[1] = std::byte{1};
  std::memset(bytes.data() + 4, 0xFF, 4);
  Deep message;
  EXPECT_EQ(MessageTraits<Deep>::deserialize(bytes, message).error(), CodecError::truncated);
  EXPECT_EQ(message.nested.capacity(), 0U);
}

TEST(Hostile, CountThatFitsTheBytesGrowsOnlyAsFarAsElementsProveToBeThere) {
  // The count passes the check against the bytes left; the first element does not parse.
  std::vector<std::byte> bytes(4 + 64 * 1024, std::byte{0xFF});
  bytes[0] = bytes[2] = bytes[3] = std::byte{0};
  bytes[1] = std::byte{1};
  const std::uint32_t count = 100;
  std::memcpy(bytes.data() + 4, &count, sizeof(count));
  Deep message;
  EXPECT_FALSE(MessageTraits<Deep>::deserialize(bytes, message));
  EXPECT_LE(message.nested.size(), 16U);
}

TEST(Hostile, StringsNeedTheirTerminator) {
  Text text;
  text.data = "abc";
  Stored stored = store(text);
  auto bytes = exactly(stored.bytes());
  bytes.back() = std::byte{'x'};
  EXPECT_EQ(MessageTraits<Text>::View::parse(bytes).error(), CodecError::bad_string);
  std::memset(bytes.data() + 4, 0, 4);
  EXPECT_EQ(MessageTraits<Text>::View::parse(bytes).error(), CodecError::bad_string);
}

TEST(Hostile, EncapsulationsAreTold) {
  Stored stored = store(Text{});
  auto bytes = exactly(stored.bytes());
  const auto error = [&] { return MessageTraits<Text>::View::parse(bytes).error(); };
  bytes[1] = std::byte{0};
  EXPECT_EQ(error(), CodecError::big_endian);
  for (const auto kind : {std::byte{2}, std::byte{3}, std::byte{7}, std::byte{0xFF}}) {
    bytes[1] = kind;
    EXPECT_EQ(error(), CodecError::unknown_encoding);
  }
  bytes[0] = std::byte{1};
  EXPECT_EQ(error(), CodecError::unknown_encoding);
}

TEST(Hostile, BoundsAreCheckedInBothDirections) {
  using Texts = ligament::every_feature_msgs::msg::Texts;
  using Arrays = ligament::every_feature_msgs::msg::Arrays;
  Texts long_text;
  long_text.short_text = "123456";
  EXPECT_EQ(MessageTraits<Texts>::layout_of(long_text).error(), CodecError::bound_exceeded);
  Texts many;
  many.few_texts.resize(4);
  EXPECT_EQ(MessageTraits<Texts>::layout_of(many).error(), CodecError::bound_exceeded);
  Texts wide;
  wide.few_short_wide_texts = {u"abc"};
  EXPECT_EQ(MessageTraits<Texts>::layout_of(wide).error(), CodecError::bound_exceeded);
  ligament::every_feature_msgs::msg::ArraysShape shape;
  shape.few_large = 4;
  EXPECT_EQ(MessageTraits<Arrays>::layout(shape).error(), CodecError::bound_exceeded);
  Arrays arrays;
  arrays.few_large = {1, 2, 3};
  Stored stored = store(arrays);
  auto bytes = exactly(stored.bytes());
  const auto view = MessageTraits<Arrays>::View::parse(bytes);
  ASSERT_TRUE(view);
  // The count word lies in front of the elements, perhaps with four bytes of padding between.
  auto* elements = bytes.data() + (view->few_large().bytes().data() - bytes.data());
  std::byte* word = elements[-4] == std::byte{3} ? elements - 4 : elements - 8;
  ASSERT_EQ(*word, std::byte{3});
  *word = std::byte{4};
  EXPECT_EQ(MessageTraits<Arrays>::View::parse(bytes).error(), CodecError::bound_exceeded);
  EXPECT_EQ(validate(MessageTraits<Arrays>::table(), bytes).error(), CodecError::bound_exceeded);
}

TEST(Hostile, WideCharactersBeyondSixteenBitsAreRefused) {
  using Texts = ligament::every_feature_msgs::msg::Texts;
  Texts texts;
  texts.wide_text = std::u16string(1, u'\u1234');
  Stored stored = store(texts);
  auto bytes = exactly(stored.bytes());
  for (std::size_t at = 4; at + 4 <= bytes.size(); ++at) {
    if (bytes[at] == std::byte{0x34} && bytes[at + 1] == std::byte{0x12}) {
      bytes[at + 2] = std::byte{1};
    }
  }
  EXPECT_EQ(MessageTraits<Texts>::View::parse(bytes).error(), CodecError::bad_wide_character);
}

TEST(Hostile, BooleansOtherThanOneAreTrueAndNeverUndefined) {
  using Arrays = ligament::every_feature_msgs::msg::Arrays;
  Stored stored = store(Arrays{});
  auto bytes = exactly(stored.bytes());
  bytes[5] = std::byte{0x77};  // bools[1]
  const auto view = MessageTraits<Arrays>::View::parse(bytes);
  ASSERT_TRUE(view);
  EXPECT_TRUE(view->bools()[1]);
  Arrays read;
  ASSERT_TRUE(MessageTraits<Arrays>::deserialize(bytes, read));
  EXPECT_TRUE(read.bools[1]);
}

TEST(Hostile, PublisherThatScribblesEndsALoopEarly) {
  PointCloud2 cloud;
  cloud.fields.resize(3);
  Stored stored = store(cloud);
  const auto view = MessageTraits<PointCloud2>::View::parse(stored.bytes());
  ASSERT_TRUE(view);
  std::memset(stored.bytes().data() + 4, 0xFF, stored.bytes().size() - 4);
  std::size_t seen = 0;
  for (const auto& field : view->fields()) {
    (void)field;
    ++seen;
  }
  EXPECT_EQ(seen, 0U);
  EXPECT_EQ(view->fields().size(), 3U);
}

}  // namespace
