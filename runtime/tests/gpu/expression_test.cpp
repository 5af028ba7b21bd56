// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <ligament/gpu_expression.hpp>

namespace ligament::gpu {
namespace {

TEST(GpuExpression, integers_saturate) {
  bool failed = false;
  EXPECT_EQ(add(largest, 1, failed), largest);
  EXPECT_EQ(add(smallest, -1, failed), smallest);
  EXPECT_EQ(subtract(smallest, 1, failed), smallest);
  EXPECT_EQ(subtract(std::int64_t{0}, smallest, failed), largest);
  EXPECT_EQ(multiply(largest, 2, failed), largest);
  EXPECT_EQ(multiply(largest, -2, failed), smallest);
  EXPECT_EQ(multiply(smallest, -1, failed), largest);
  EXPECT_EQ(absolute(smallest), largest);
  EXPECT_EQ(integer(std::numeric_limits<std::uint64_t>::max()), largest);
  EXPECT_FALSE(failed);
}

TEST(GpuExpression, whole_division_rounds_down_as_in_python) {
  bool failed = false;
  for (const std::int64_t a : {-7, -6, -1, 0, 1, 6, 7}) {
    for (const std::int64_t b : {-3, -1, 1, 3}) {
      const auto expected = static_cast<std::int64_t>(std::floor(fraction(a) / fraction(b)));
      EXPECT_EQ(floor_divide(a, b, failed), expected) << a << " // " << b;
      EXPECT_EQ(modulo(a, b, failed), a - b * expected) << a << " % " << b;
    }
  }
  EXPECT_EQ(floor_divide(smallest, std::int64_t{-1}, failed), largest);
  EXPECT_EQ(modulo(smallest, std::int64_t{-1}, failed), 0);
  EXPECT_FALSE(failed);
}

TEST(GpuExpression, what_has_no_value_fails) {
  const auto fails = [](auto function) {
    bool failed = false;
    (void)function(failed);
    return failed;
  };
  EXPECT_TRUE(fails([](bool& f) { return divide(std::int64_t{1}, std::int64_t{0}, f); }));
  EXPECT_TRUE(fails([](bool& f) { return divide(1.0, 0.0, f); }));
  EXPECT_TRUE(fails([](bool& f) { return floor_divide(std::int64_t{1}, std::int64_t{0}, f); }));
  EXPECT_TRUE(fails([](bool& f) { return modulo(std::int64_t{1}, std::int64_t{0}, f); }));
  EXPECT_TRUE(fails([](bool& f) { return modulo(1.0, 0.0, f); }));
  EXPECT_TRUE(fails([](bool& f) { return whole(1e19, f); }));
  EXPECT_TRUE(fails([](bool& f) { return whole(std::nan(""), f); }));
  EXPECT_TRUE(fails([](bool& f) { return as_field<std::uint8_t>(std::int64_t{256}, f); }));
  EXPECT_TRUE(fails([](bool& f) { return as_field<std::uint32_t>(std::int64_t{-1}, f); }));
  EXPECT_TRUE(fails([](bool& f) { return as_length(-1, f); }));
  EXPECT_FALSE(fails([](bool& f) { return whole(-9.2e18, f); }));
  EXPECT_FALSE(fails([](bool& f) { return as_field<std::int8_t>(std::int64_t{-128}, f); }));
}

}  // namespace
}  // namespace ligament::gpu
