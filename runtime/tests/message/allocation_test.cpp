// SPDX-License-Identifier: Apache-2.0
// Building and viewing touch no heap: neither a frame nor a cloud costs an allocation.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <ligament/sensor_msgs/msg/image.hpp>
#include <ligament/sensor_msgs/msg/point_cloud2.hpp>
#include <new>

#include "stored.hpp"

namespace {

std::atomic<std::size_t> allocations{0};

}  // namespace

// Counts every allocation of this test program.
void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) {
    return memory;
  }
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

namespace {

using ligament::MessageTraits;
using ligament::sensor_msgs::msg::Image;
using ligament::sensor_msgs::msg::PointCloud2;

TEST(Allocation, CounterCounts) {
  const std::size_t before = allocations;
  const auto number = std::make_unique<int>(1);
  EXPECT_EQ(*number, 1);
  EXPECT_EQ(allocations, before + 1);
}

TEST(Allocation, NoneForAnImage) {
  const ligament::sensor_msgs::msg::ImageShape shape{{.frame_id = 6}, 4, 3000};
  ligament::testing::Stored stored(MessageTraits<Image>::layout(shape)->size);
  const std::size_t before = allocations;
  const auto layout = MessageTraits<Image>::layout(shape);
  auto builder = MessageTraits<Image>::Builder::create(stored.bytes(), shape);
  builder->header().set_frame_id("camera");
  builder->set_encoding("rgb8");
  std::ranges::fill(builder->data(), std::uint8_t{1});
  const auto size = builder->finish();
  const auto view = MessageTraits<Image>::View::parse(stored.bytes());
  const bool good = layout && size && view && view->encoding() == "rgb8";
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(good);
}

TEST(Allocation, NoneForAPointCloud) {
  const ligament::sensor_msgs::msg::PointCloud2Shape shape{{}, {{1}, {1}, {1}}, 480};
  ligament::testing::Stored stored(MessageTraits<PointCloud2>::layout(shape)->size);
  const std::size_t before = allocations;
  auto builder = MessageTraits<PointCloud2>::Builder::create(stored.bytes(), shape);
  for (std::size_t i = 0; i < builder->fields().size(); ++i) {
    builder->fields().next().set_name("x");
  }
  const auto size = builder->finish(160);
  const auto view = MessageTraits<PointCloud2>::View::parse(stored.bytes().first(*size));
  std::size_t named = 0;
  for (const auto& field : view->fields()) {
    named += field.name() == "x" ? 1 : 0;
  }
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(named, 3U);
}

}  // namespace
