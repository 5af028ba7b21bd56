// SPDX-License-Identifier: Apache-2.0
#include "kernels/fixed.hpp"

#include <gtest/gtest.h>

namespace ligament::nodes::driving {
namespace {

TEST(Fixed, DividesAndShiftsToTheNearestHalfUp) {
  for (int n = -50; n <= 50; ++n) {
    for (int d = 1; d <= 9; ++d) {
      EXPECT_EQ(divide_rounded(n, d), std::floor(static_cast<double>(n) / d + 0.5))
          << n << "/" << d;
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

}  // namespace
}  // namespace ligament::nodes::driving
