// SPDX-License-Identifier: Apache-2.0
/// \file Whether a pixel's colour lies in a range of hue, saturation and brightness.
///
/// The HSV of A. R. Smith, "Color gamut transform pairs", 1978: with M and m the largest and the
/// smallest channel, V = M, S = (M - m) / M, and H = 60 degrees times (G - B) / (M - m) where R is
/// the largest, 2 + (B - R) / (M - m) where G is, 4 + (R - G) / (M - m) where B is. Each bound is
/// compared without a division, by multiplying with what would divide. So nothing is rounded: the
/// answer is that of real numbers.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ligament::nodes::driving {

enum class ColourOrder : std::uint8_t { rgb, bgr };

/// Both ends belong to the range. `hue_from` above `hue_to` passes through red (0 degrees).
struct ColourRange {
  int hue_from = 0;  ///< degrees, 0 ... 360
  int hue_to = 360;
  int saturation_from = 0;  ///< 0 ... 255
  int saturation_to = 255;
  int value_from = 0;  ///< 0 ... 255
  int value_to = 255;
};

namespace detail {

/// Hue in degrees, times `chroma`, for a colour that has one (chroma > 0): 0 ... 360 * chroma.
[[nodiscard]] constexpr int hue_times_chroma(int red, int green, int blue, int largest,
                                             int chroma) {
  if (largest == red) {
    const int hue = 60 * (green - blue);
    return hue < 0 ? hue + 360 * chroma : hue;
  }
  if (largest == green) return 120 * chroma + 60 * (blue - red);
  return 240 * chroma + 60 * (red - green);
}

}  // namespace detail

[[nodiscard]] constexpr bool is_within(const ColourRange& range, int red, int green, int blue) {
  const int largest = std::max(red, std::max(green, blue));
  if (largest < range.value_from || largest > range.value_to) return false;
  const int chroma = largest - std::min(red, std::min(green, blue));
  // Black has no saturation: S = 0 / 0 counts as 0.
  if (255 * chroma < range.saturation_from * std::max(largest, 1)) return false;
  if (255 * chroma > range.saturation_to * largest) return false;
  if (chroma == 0) return range.hue_from == 0 || range.hue_from > range.hue_to;  // grey: hue 0
  const int hue = detail::hue_times_chroma(red, green, blue, largest, chroma);
  const bool from = hue >= range.hue_from * chroma;
  const bool to = hue <= range.hue_to * chroma;
  return range.hue_from <= range.hue_to ? from && to : from || to;
}

/// The same of three bytes as an image has them.
[[nodiscard]] inline bool is_within(const ColourRange& range, const std::uint8_t* pixel,
                                    ColourOrder order) {
  return order == ColourOrder::rgb ? is_within(range, pixel[0], pixel[1], pixel[2])
                                   : is_within(range, pixel[2], pixel[1], pixel[0]);
}

}  // namespace ligament::nodes::driving
