// SPDX-License-Identifier: Apache-2.0
#include "kernels/fixed.hpp"

#include <gtest/gtest.h>

#include "kernels/turn.hpp"

namespace ligament::nodes::driving {
namespace {

TEST(Fixed, DividesAndShiftsToTheNearestHalfUp) {
  for (int n = -50; n <= 50; ++n) {
    for (int d = 1; d <= 9; ++d) {
      EXPECT_EQ(divide_rounded(n, d), std::floor(static_cast<double>(n) / d + 0.5))
          << n << "/" << d;
      EXPECT_EQ(divide_down(n, d), std::floor(static_cast<double>(n) / d)) << n << "/" << d;
    }
    EXPECT_EQ(shift_rounded(n, 3), std::floor(n / 8.0 + 0.5)) << n;
  }
}

TEST(Fixed, TakesTheSquareRootDownwards) {
  for (std::uint64_t v : {0ULL, 1ULL, 3ULL, 4ULL, 15ULL, 16ULL, 4294967296ULL, ~0ULL}) {
    const std::uint64_t root = square_root(v);
    EXPECT_LE(root * root, v);
    if (root < 0xFFFFFFFF) {
      EXPECT_GT((root + 1) * (root + 1), v);
    }
  }
}

TEST(Fixed, HasSineAndCosineOfFloat64) {
  for (int tenths = -900; tenths <= 900; ++tenths) {
    const double angle = tenths / 10.0;
    const auto got = sine_cosine(to_fixed(angle, kTurnBits));
    constexpr double kMost = 1.0 / (1LL << 35);
    EXPECT_NEAR(from_fixed(got.sine, kTurnBits), std::sin(angle * M_PI / 180), kMost) << angle;
    EXPECT_NEAR(from_fixed(got.cosine, kTurnBits), std::cos(angle * M_PI / 180), kMost) << angle;
  }
}

}  // namespace
}  // namespace ligament::nodes::driving
