// SPDX-License-Identifier: Apache-2.0
/// \file The lane's stripes in rows of a view from above: yellow on the left, white on the right.
///
/// A row of colours is reduced to one class per pixel, and classes to runs. A run that is as wide
/// as a stripe may be one; others (a stop line along the row, glare, a speck) are none. Everything
/// here looks at one row once, from left to right, as a stream of pixels comes.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <span>

#include "kernels/colour.hpp"

namespace ligament::nodes::driving {

/// Classes of pixels; their values are grey levels, so that an image of them can be looked at.
inline constexpr std::uint8_t kGround = 0;
inline constexpr std::uint8_t kYellow = 127;
inline constexpr std::uint8_t kWhite = 255;

struct StripeColours {
  ColourRange yellow{.hue_from = 35, .hue_to = 75, .saturation_from = 90, .value_from = 80};
  ColourRange white{.saturation_to = 70, .value_from = 105};
};

[[nodiscard]] inline std::uint8_t class_of(const StripeColours& colours, const std::uint8_t* pixel,
                                           ColourOrder order) {
  if (is_within(colours.white, pixel, order)) return kWhite;
  return is_within(colours.yellow, pixel, order) ? kYellow : kGround;
}

/// A row of three bytes per pixel as classes.
inline void classify(const StripeColours& colours, ColourOrder order, const std::uint8_t* row,
                     std::span<std::uint8_t> classes) {
  for (std::size_t column = 0; column < classes.size(); ++column) {
    classes[column] = class_of(colours, row + 3 * column, order);
  }
}

/// How the view's pixels lie on the ground, and what a stripe measures there; lengths in pixels.
struct StripeShape {
  int width_from = 12;  ///< of a run
  int width_to = 75;    ///< a slanted stripe is wider in a row than across
};

/// Calls `found(twice the run's centre)` for each run of a class that may be a stripe's.
template <typename Found>
void find_runs(std::span<const std::uint8_t> classes, std::uint8_t of, const StripeShape& shape,
               const Found& found) {
  const int columns = static_cast<int>(classes.size());
  int begin = 0;
  for (int column = 0; column <= columns; ++column) {
    const bool inside = column < columns && classes[static_cast<std::size_t>(column)] == of;
    if (inside) continue;
    const int width = column - begin;
    // A run that touches the view's border may go on outside: its centre is not known.
    const bool whole = begin > 0 && column < columns;
    if (whole && width >= shape.width_from && width <= shape.width_to) found(begin + column - 1);
    begin = column + 1;
  }
}

}  // namespace ligament::nodes::driving
