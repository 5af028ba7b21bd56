// SPDX-License-Identifier: Apache-2.0
#include "sink/frame_check.hpp"

#include <gtest/gtest.h>

namespace ligament::nodes::image {
namespace {

using Kind = FrameCheck::Kind;
constexpr FrameCheck::Format kFormat{320, 240, "rgb8"};
constexpr std::int64_t kStart = 1'000'000'000;
constexpr std::int64_t kPeriod = 33'333'333;

std::int64_t stamp(std::int64_t index) { return kStart + index * kPeriod; }

TEST(FrameCheck, CountsFramesInOrder) {
  FrameCheck check;
  EXPECT_EQ(check.on_frame(stamp(0), kFormat).kind, Kind::first);
  for (std::int64_t i = 1; i < 600; ++i) {
    const auto verdict = check.on_frame(stamp(i), kFormat);
    EXPECT_EQ(verdict.kind, Kind::next);
    EXPECT_EQ(verdict.index, static_cast<std::uint64_t>(i));
  }
  EXPECT_EQ(check.frames(), 600U);
}

TEST(FrameCheck, AGapMovesTheIndexByWhatIsMissing) {
  FrameCheck check;
  (void)check.on_frame(stamp(0), kFormat);
  (void)check.on_frame(stamp(1), kFormat);
  const auto verdict = check.on_frame(stamp(5), kFormat);
  EXPECT_EQ(verdict.kind, Kind::gap);
  EXPECT_EQ(verdict.missing, 3U);
  EXPECT_EQ(verdict.index, 5U);
  EXPECT_EQ(check.missing(), 3U);
  EXPECT_EQ(check.on_frame(stamp(6), kFormat).kind, Kind::next);
}

TEST(FrameCheck, AGivenPeriodFindsAGapAfterTheFirstFrame) {
  FrameCheck check({.period_ns = kPeriod});
  (void)check.on_frame(stamp(0), kFormat);
  EXPECT_EQ(check.on_frame(stamp(2), kFormat).missing, 1U);
}

TEST(FrameCheck, JitterIsNoGap) {
  FrameCheck check({.period_ns = kPeriod});
  (void)check.on_frame(stamp(0), kFormat);
  EXPECT_EQ(check.on_frame(stamp(1) + kPeriod / 3, kFormat).kind, Kind::next);
  EXPECT_EQ(check.on_frame(stamp(2), kFormat).kind, Kind::next);
}

TEST(FrameCheck, GapsCanBeAllowed) {
  FrameCheck check({.period_ns = kPeriod, .gaps = false});
  (void)check.on_frame(stamp(0), kFormat);
  const auto verdict = check.on_frame(stamp(9), kFormat);
  EXPECT_EQ(verdict.kind, Kind::next);
  EXPECT_EQ(verdict.index, 1U);
}

TEST(FrameCheck, ARepeatedFrameIsADuplicateAndNotCounted) {
  FrameCheck check;
  (void)check.on_frame(stamp(0), kFormat);
  const auto verdict = check.on_frame(stamp(0), kFormat);
  EXPECT_EQ(verdict.kind, Kind::duplicate);
  EXPECT_EQ(verdict.index, 0U);
  EXPECT_EQ(check.frames(), 1U);
  EXPECT_EQ(check.duplicates(), 1U);
}

TEST(FrameCheck, AnOlderFrameIsOutOfOrder) {
  FrameCheck check;
  for (const int i : {0, 1, 2}) (void)check.on_frame(stamp(i), kFormat);
  EXPECT_EQ(check.on_frame(stamp(1), kFormat).kind, Kind::backwards);
  EXPECT_EQ(check.backwards(), 1U);
  EXPECT_EQ(check.on_frame(stamp(3), kFormat).index, 3U);
}

TEST(FrameCheck, ReportsAnotherSizeOrEncoding) {
  FrameCheck check;
  EXPECT_FALSE(check.on_frame(stamp(0), kFormat).format_changed);
  EXPECT_TRUE(check.on_frame(stamp(1), {321, 240, "rgb8"}).format_changed);
  EXPECT_TRUE(check.on_frame(stamp(2), {320, 240, "bgr8"}).format_changed);
  EXPECT_EQ(check.wrong_format(), 2U);
  FrameCheck strict({.width = 640, .height = 480, .encoding = "mono8"});
  EXPECT_TRUE(strict.on_frame(stamp(0), kFormat).format_changed);
}

}  // namespace
}  // namespace ligament::nodes::image
