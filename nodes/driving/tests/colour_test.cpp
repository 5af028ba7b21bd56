// SPDX-License-Identifier: Apache-2.0
#include "kernels/colour.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ligament::nodes::driving {
namespace {

/// HSV in float64, as the definition reads.
bool is_within_float(const ColourRange& range, double r, double g, double b) {
  const double v = std::max({r, g, b});
  const double chroma = v - std::min({r, g, b});
  const double s = v == 0 ? 0 : 255 * chroma / v;
  double h = 0;
  if (chroma > 0 && v == r) h = 60 * (g - b) / chroma;
  if (chroma > 0 && v == g && v != r) h = 120 + 60 * (b - r) / chroma;
  if (chroma > 0 && v == b && v != r && v != g) h = 240 + 60 * (r - g) / chroma;
  if (h < 0) h += 360;
  const bool hue = range.hue_from <= range.hue_to ? h >= range.hue_from && h <= range.hue_to
                                                  : h >= range.hue_from || h <= range.hue_to;
  return v >= range.value_from && v <= range.value_to && s >= range.saturation_from &&
         s <= range.saturation_to && hue;
}

/// Nothing is rounded, so not one colour may be judged otherwise.
TEST(Colour, IsThatOfRealNumbers) {
  const ColourRange ranges[] = {
      {.hue_from = 35, .hue_to = 75, .saturation_from = 90, .value_from = 100},
      {.saturation_to = 70, .value_from = 150},
      {.hue_from = 340, .hue_to = 15, .saturation_from = 120, .value_from = 100},
      {.hue_from = 200,
       .hue_to = 300,
       .saturation_from = 51,
       .saturation_to = 204,
       .value_to = 204},
      {.hue_from = 60, .hue_to = 120}};
  int wrong = 0;
  int within = 0;
  for (const auto& range : ranges) {
    for (int r = 0; r < 256; ++r) {
      for (int g = r % 3; g < 256; g += 3) {
        for (int b = g % 5; b < 256; b += 5) {
          const bool is = is_within(range, r, g, b);
          within += is ? 1 : 0;
          // 60 a / b and 120 + 60 a / b are compared with whole numbers: float64 rounds such a
          // quotient to a whole number only where it is one within 1e-13.
          wrong += is != is_within_float(range, r, g, b) ? 1 : 0;
        }
      }
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(within, 100'000);
}

TEST(Colour, HasGreyAtHueZero) {
  EXPECT_TRUE(is_within({.hue_from = 0, .hue_to = 10}, 90, 90, 90));
  EXPECT_TRUE(is_within({.hue_from = 340, .hue_to = 15}, 90, 90, 90));
  EXPECT_FALSE(is_within({.hue_from = 1, .hue_to = 360}, 90, 90, 90));
  EXPECT_FALSE(is_within({.saturation_from = 1}, 0, 0, 0));
}

TEST(Colour, OfBgrIsTheSameBytesTheOtherWayRound) {
  const std::uint8_t rgb[] = {230, 200, 30};
  const std::uint8_t bgr[] = {30, 200, 230};
  const ColourRange yellow{.hue_from = 35, .hue_to = 75, .saturation_from = 90};
  EXPECT_TRUE(is_within(yellow, rgb, ColourOrder::rgb));
  EXPECT_TRUE(is_within(yellow, bgr, ColourOrder::bgr));
  EXPECT_FALSE(is_within(yellow, bgr, ColourOrder::rgb));
}

}  // namespace
}  // namespace ligament::nodes::driving
