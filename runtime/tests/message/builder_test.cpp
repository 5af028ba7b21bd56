// SPDX-License-Identifier: Apache-2.0
// Spike (c): shape, builder and view on the four kinds of message that stress them.
#include <gtest/gtest.h>

#include <ligament/nav_msgs/msg/occupancy_grid.hpp>
#include <ligament/sensor_msgs/msg/image.hpp>
#include <ligament/sensor_msgs/msg/laser_scan.hpp>
#include <ligament/sensor_msgs/msg/multi_echo_laser_scan.hpp>
#include <ligament/sensor_msgs/msg/point_cloud2.hpp>
#include <ligament/std_msgs/msg/u_int64_multi_array.hpp>
#include <ligament/stereo_msgs/msg/disparity_image.hpp>
#include <numeric>

#include "stored.hpp"

namespace {

using ligament::CodecError;
using ligament::MessageTraits;
using ligament::sensor_msgs::msg::Image;
using ligament::sensor_msgs::msg::PointCloud2;
using ligament::testing::store;
using ligament::testing::Stored;

Image small_image() {
  Image image;
  image.header.frame_id = "camera";
  image.header.stamp.sec = 7;
  image.height = 2;
  image.width = 3;
  image.encoding = "rgb8";
  image.step = 9;
  image.data.resize(18);
  std::iota(image.data.begin(), image.data.end(), std::uint8_t{1});
  return image;
}

TEST(Builder, ImageFilledInPlaceHasTheBytesOfTheStruct) {
  const Image image = small_image();
  const ligament::sensor_msgs::msg::ImageShape shape{{.frame_id = 6}, 4, 18};
  const auto layout = MessageTraits<Image>::layout(shape);
  ASSERT_TRUE(layout);
  Stored stored(layout->size, layout->chosen_offset);
  auto builder = MessageTraits<Image>::Builder::create(stored.bytes(), shape);
  ASSERT_TRUE(builder);
  builder->header().set_frame_id("camera");
  builder->header().stamp().set_sec(7);
  builder->set_height(2);
  builder->set_width(3);
  builder->set_encoding("rgb8");
  builder->set_step(9);
  std::iota(builder->data().begin(), builder->data().end(), std::uint8_t{1});
  EXPECT_EQ(builder->finish().value(), layout->size);
  Stored expected = store(image);
  EXPECT_TRUE(std::ranges::equal(stored.bytes(), expected.bytes()));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(builder->data().data()) % 128, 0U);
}

TEST(Builder, UnsetFieldsAreZeroAndPaddingTooButTheChosenArrayIsLeft) {
  const ligament::sensor_msgs::msg::ImageShape shape{{.frame_id = 2}, 3, 4};
  Stored stored(MessageTraits<Image>::layout(shape)->size);
  ASSERT_TRUE(MessageTraits<Image>::Builder::create(stored.bytes(), shape));
  Image image;
  ASSERT_TRUE(MessageTraits<Image>::deserialize(stored.bytes(), image));
  EXPECT_EQ(image.header.frame_id, std::string(2, '\0'));
  EXPECT_EQ(image.encoding, std::string(3, '\0'));
  EXPECT_EQ(image.height, 0U);
  EXPECT_EQ(image.data, std::vector<std::uint8_t>(4, 0xAA));
}

TEST(Builder, TextOfAnotherLengthIsReportedByFinish) {
  const ligament::sensor_msgs::msg::ImageShape shape{{.frame_id = 6}, 4, 0};
  Stored stored(MessageTraits<Image>::layout(shape)->size);
  auto builder = MessageTraits<Image>::Builder::create(stored.bytes(), shape);
  ASSERT_TRUE(builder);
  builder->set_encoding("rgb8");
  EXPECT_TRUE(builder->finish());
  builder->header().set_frame_id("too long a name");
  EXPECT_EQ(builder->finish().error(), CodecError::length_mismatch);
}

TEST(Builder, MovedBuilderStillReportsMistakesOfItsParts) {
  const ligament::sensor_msgs::msg::ImageShape shape{{.frame_id = 6}, 4, 0};
  Stored stored(MessageTraits<Image>::layout(shape)->size);
  auto first = MessageTraits<Image>::Builder::create(stored.bytes(), shape);
  first->header().set_frame_id("camera");
  auto second = std::move(*first);
  second.header().set_frame_id("x");
  EXPECT_EQ(second.finish().error(), CodecError::length_mismatch);
  EXPECT_TRUE(first->finish());  // NOLINT(bugprone-use-after-move): it keeps its own record
}

TEST(Builder, TooFewBytesAreRefused) {
  const ligament::sensor_msgs::msg::ImageShape shape{{.frame_id = 6}, 4, 100};
  const std::size_t size = MessageTraits<Image>::layout(shape)->size;
  for (std::size_t given = 0; given < size; ++given) {
    Stored stored(given);
    const auto builder = MessageTraits<Image>::Builder::create(stored.bytes(), shape);
    EXPECT_EQ(builder.error(), CodecError::buffer_too_small) << given;
  }
}

TEST(Builder, LastArrayCanBeShortened) {
  const Image image = small_image();
  Stored stored = store(image);
  auto builder =
      MessageTraits<Image>::Builder::create(stored.bytes(), MessageTraits<Image>::shape_of(image));
  builder->header().set_frame_id("camera");
  builder->set_encoding("rgb8");
  std::iota(builder->data().begin(), builder->data().end(), std::uint8_t{1});
  const auto size = builder->finish(5);
  ASSERT_TRUE(size);
  Image read;
  ASSERT_TRUE(MessageTraits<Image>::deserialize(stored.bytes().first(*size), read));
  EXPECT_EQ(read.data, (std::vector<std::uint8_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(*size, MessageTraits<Image>::layout_of(read)->size);
  EXPECT_EQ(builder->finish(6).error(), CodecError::length_mismatch);
}

TEST(Builder, ShorteningToNothingDropsThePaddingInFrontOfWideElements) {
  using Array = ligament::std_msgs::msg::UInt64MultiArray;
  Array array;
  array.data = {1, 2, 3};
  Stored stored = store(array);
  auto builder =
      MessageTraits<Array>::Builder::create(stored.bytes(), MessageTraits<Array>::shape_of(array));
  const std::size_t size = builder->finish(0).value();
  EXPECT_EQ(size, MessageTraits<Array>::layout_of(Array{})->size);
  EXPECT_TRUE(MessageTraits<Array>::View::parse(stored.bytes().first(size)));
}

TEST(Builder, FieldsBehindTheShortenedArrayMoveUp) {
  PointCloud2 cloud;
  cloud.fields.resize(2);
  cloud.fields[0].name = "x";
  cloud.data.assign(48, 9);
  cloud.is_dense = true;
  Stored stored = store(cloud);
  auto builder = MessageTraits<PointCloud2>::Builder::create(
      stored.bytes(), MessageTraits<PointCloud2>::shape_of(cloud));
  ASSERT_TRUE(builder);
  builder->fields().next().set_name("x");
  builder->set_is_dense(true);
  std::ranges::fill(builder->data(), std::uint8_t{9});
  for (const std::size_t count : {40U, 17U, 0U}) {
    const std::size_t size = builder->finish(count).value();
    cloud.data.resize(count);
    Stored expected = store(cloud);
    EXPECT_TRUE(std::ranges::equal(stored.bytes().first(size), expected.bytes())) << count;
  }
}

TEST(Builder, PointCloudFieldsAreFilledInOrder) {
  const ligament::sensor_msgs::msg::PointCloud2Shape shape{{}, {{1}, {9}}, 4};
  Stored stored(MessageTraits<PointCloud2>::layout(shape)->size);
  auto builder = MessageTraits<PointCloud2>::Builder::create(stored.bytes(), shape);
  auto& fields = builder->fields();
  ASSERT_EQ(fields.size(), 2U);
  auto& x = fields.next();
  x.set_name("x");
  x.set_offset(0);
  auto& intensity = fields.next();
  intensity.set_name("intensity");
  intensity.set_offset(16);
  ASSERT_TRUE(builder->finish());
  const auto view = MessageTraits<PointCloud2>::View::parse(stored.bytes());
  ASSERT_TRUE(view);
  std::vector<std::string> names;
  std::uint32_t offsets = 0;
  for (const auto& field : view->fields()) {
    names.emplace_back(field.name());
    offsets += field.offset();
  }
  EXPECT_EQ(names, (std::vector<std::string>{"x", "intensity"}));
  EXPECT_EQ(offsets, 16U);
  fields.next().set_offset(99);  // past the end: a mistake, not a crash
  EXPECT_EQ(builder->finish().error(), CodecError::length_mismatch);
}

TEST(Builder, NextOfAnEmptySequenceIsAMistake) {
  const ligament::sensor_msgs::msg::PointCloud2Shape shape{};
  Stored stored(MessageTraits<PointCloud2>::layout(shape)->size);
  auto builder = MessageTraits<PointCloud2>::Builder::create(stored.bytes(), shape);
  builder->fields().next().set_offset(1);
  EXPECT_EQ(builder->finish().error(), CodecError::length_mismatch);
}

TEST(Builder, OccupancyGridKeepsDefaultsOfNestedTypes) {
  using Grid = ligament::nav_msgs::msg::OccupancyGrid;
  const ligament::nav_msgs::msg::OccupancyGridShape shape{{.frame_id = 3}, 12};
  const auto layout = MessageTraits<Grid>::layout(shape);
  Stored stored(layout->size, layout->chosen_offset);
  auto builder = MessageTraits<Grid>::Builder::create(stored.bytes(), shape);
  builder->header().set_frame_id("map");
  builder->info().set_width(4);
  builder->info().origin().position().set_x(-1.5);
  std::ranges::fill(builder->data(), std::int8_t{-1});
  ASSERT_TRUE(builder->finish());
  Grid expected;
  expected.header.frame_id = "map";
  expected.info.width = 4;
  expected.info.origin.position.x = -1.5;
  expected.data.assign(12, -1);
  EXPECT_EQ(expected.info.origin.orientation.w, 1.0);
  Stored bytes = store(expected);
  EXPECT_TRUE(std::ranges::equal(stored.bytes(), bytes.bytes()));
}

TEST(Builder, MultiEchoScanHasSequencesInsideSequences) {
  using Scan = ligament::sensor_msgs::msg::MultiEchoLaserScan;
  Scan scan;
  scan.ranges.resize(3);
  scan.ranges[0].echoes = {1.0F, 2.0F};
  scan.ranges[2].echoes = {3.0F};
  scan.intensities.resize(1);
  const auto shape = MessageTraits<Scan>::shape_of(scan);
  Stored stored(MessageTraits<Scan>::layout(shape)->size);
  auto builder = MessageTraits<Scan>::Builder::create(stored.bytes(), shape);
  for (const auto& echo : scan.ranges) {
    EXPECT_EQ(builder->ranges().next().echoes().copy_from(echo.echoes), echo.echoes.size());
  }
  ASSERT_TRUE(builder->finish());
  Stored expected = store(scan);
  EXPECT_TRUE(std::ranges::equal(stored.bytes(), expected.bytes()));
  const auto view = MessageTraits<Scan>::View::parse(stored.bytes());
  std::vector<float> seen;
  for (const auto& echo : view->ranges()) {
    for (std::size_t i = 0; i < echo.echoes().size(); ++i) {
      seen.push_back(echo.echoes()[i]);
    }
  }
  EXPECT_EQ(seen, (std::vector<float>{1.0F, 2.0F, 3.0F}));
}

TEST(View, ChosenArrayOfFloatsIsASpanWhereItIsAligned) {
  using Scan = ligament::sensor_msgs::msg::LaserScan;
  Scan scan;
  scan.header.frame_id = "laser";
  scan.ranges = {1.0F, 2.0F};
  scan.intensities = {3.0F};
  Stored stored = store(scan);
  const auto view = MessageTraits<Scan>::View::parse(stored.bytes());
  ASSERT_TRUE(view);
  ASSERT_TRUE(view->ranges().span());
  EXPECT_EQ((*view->ranges().span())[1], 2.0F);
  EXPECT_EQ(view->chosen_bytes().data(), view->ranges().bytes().data());
  Stored shifted(stored.bytes().size(), 3);
  std::ranges::copy(stored.bytes(), shifted.bytes().begin());
  const auto crooked = MessageTraits<Scan>::View::parse(shifted.bytes());
  ASSERT_TRUE(crooked);
  EXPECT_EQ(crooked->ranges().span().error(), CodecError::misaligned);
  EXPECT_EQ(crooked->ranges()[1], 2.0F);
  Scan copy;
  ASSERT_TRUE(MessageTraits<Scan>::deserialize(shifted.bytes(), copy));
  EXPECT_EQ(copy, scan);
}

TEST(View, ChosenArrayMayLieInANestedMessage) {
  using Disparity = ligament::stereo_msgs::msg::DisparityImage;
  Disparity message;
  message.image = small_image();
  Stored stored = store(message);
  const auto layout = MessageTraits<Disparity>::layout_of(message);
  const auto view = MessageTraits<Disparity>::View::parse(stored.bytes());
  ASSERT_TRUE(view);
  EXPECT_EQ(view->chosen_bytes().data(), stored.bytes().data() + layout->chosen_offset);
  EXPECT_EQ(view->chosen_bytes().size(), 18U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(view->chosen_bytes().data()) % 128, 0U);
}

}  // namespace
