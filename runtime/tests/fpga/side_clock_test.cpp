// SPDX-License-Identifier: Apache-2.0
/// \file A clock beside the cores': how its edges fall between theirs.
#include "fpga/side_clock.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace ligament::fpga::detail {
namespace {

/// Edges before the cores' next one, and whether one comes together with it.
std::pair<int, bool> go_on(SideClock& clock) {
  int before = 0;
  for (clock.advance(); clock.is_before(); clock.edge()) {
    ++before;
  }
  const bool together = clock.is_together();
  if (together) {
    clock.edge();
  }
  return {before, together};
}

TEST(SideClock, OfTheSameFrequencyHasItsEdgesWithTheCores) {
  SideClock clock(100e6, 100e6);
  for (int cycle = 0; cycle < 100; ++cycle) {
    EXPECT_EQ(go_on(clock), std::pair(0, true));
  }
  EXPECT_EQ(clock.cycle(), 100U);
}

TEST(SideClock, TwiceAsFastHasOneBetweenThem) {
  SideClock clock(200e6, 100e6);
  clock.advance();
  ASSERT_TRUE(clock.is_before());
  EXPECT_DOUBLE_EQ(clock.part(), 0.5);
  clock.edge();
  EXPECT_FALSE(clock.is_before());
  EXPECT_TRUE(clock.is_together());
}

TEST(SideClock, HalfAsFastSkipsEveryOtherOne) {
  SideClock clock(50e6, 100e6);
  EXPECT_EQ(go_on(clock), std::pair(0, false));
  EXPECT_EQ(go_on(clock), std::pair(0, true));
  EXPECT_EQ(go_on(clock), std::pair(0, false));
  EXPECT_EQ(clock.cores_per_cycle(), 2U);
}

TEST(SideClock, DoesNotDriftAtARatioThatNoSmallNumbersGive) {
  SideClock clock(161.8034e6, 100e6);
  constexpr std::uint64_t cycles = 1'000'000;
  double last = 0;
  for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
    last = -1;
    for (clock.advance(); clock.is_before(); clock.edge()) {
      EXPECT_GT(clock.part(), last);  // within the period, one behind the other
      EXPECT_LT(clock.part(), 1);
      last = clock.part();
    }
    if (clock.is_together()) {
      clock.edge();
    }
  }
  EXPECT_EQ(clock.cycle(), 1'618'034U);
  EXPECT_EQ(clock.cores_per_cycle(), 1U);
}

TEST(SideClock, GoesOnFromACommonEdgeOnceAligned) {
  SideClock used(61.8034e6, 100e6);
  for (int cycle = 0; cycle < 77; ++cycle) {
    (void)go_on(used);
  }
  used.align();
  SideClock fresh(61.8034e6, 100e6);
  std::vector<std::pair<int, bool>> one;
  std::vector<std::pair<int, bool>> other;
  for (int cycle = 0; cycle < 50; ++cycle) {
    one.push_back(go_on(used));
    other.push_back(go_on(fresh));
  }
  EXPECT_EQ(one, other);
}

}  // namespace
}  // namespace ligament::fpga::detail
