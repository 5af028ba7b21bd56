// SPDX-License-Identifier: Apache-2.0
/// \file Whole numbers that stand for fractions, as hardware computes with them.
///
/// A number of format Qn is its value times 2^n, rounded to the nearest whole number. Lengths leave
/// the driving nodes as multiples of 2^-16 m (15 um): a float32 and a float64 hold them exactly.
#pragma once

#include <cmath>
#include <cstdint>

namespace ligament::nodes::driving {

__extension__ typedef __int128 Int128;  // NOLINT: GCC's and Clang's, without a standard name

inline constexpr int kLengthBits = 16;  ///< lengths, speeds and curvatures are Q16
inline constexpr std::int64_t kOne = 1 << kLengthBits;

/// Nearest whole number of `value` in Qn. At set-up only: parameters are fractions, frames are not.
[[nodiscard]] inline std::int64_t to_fixed(double value, int bits = kLengthBits) {
  return std::llround(std::ldexp(value, bits));
}
[[nodiscard]] inline double from_fixed(std::int64_t value, int bits = kLengthBits) {
  return std::ldexp(static_cast<double>(value), -bits);
}

/// `numerator / denominator`, rounded to the nearest, half up; the denominator is positive.
template <typename Wide>
[[nodiscard]] constexpr Wide divide_rounded(Wide numerator, Wide denominator) {
  const Wide shifted = 2 * numerator + denominator;
  const Wide twice = 2 * denominator;
  const Wide quotient = shifted / twice;
  return shifted % twice < 0 ? quotient - 1 : quotient;
}

/// `numerator / denominator`, rounded down; the denominator is positive.
template <typename Wide>
[[nodiscard]] constexpr Wide divide_down(Wide numerator, Wide denominator) {
  const Wide quotient = numerator / denominator;
  return numerator % denominator < 0 ? quotient - 1 : quotient;
}

/// `value / 2^bits`, rounded to the nearest, half up.
template <typename Wide>
[[nodiscard]] constexpr Wide shift_rounded(Wide value, int bits) {
  return (value + (Wide{1} << (bits - 1))) >> bits;
}

/// The largest whole number whose square is not above `value`: one bit per step.
[[nodiscard]] constexpr std::uint32_t square_root(std::uint64_t value) {
  std::uint64_t root = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 31; bit != 0; bit >>= 1) {
    const std::uint64_t tried = root | bit;
    if (tried * tried <= value) root = tried;
  }
  return static_cast<std::uint32_t>(root);
}

}  // namespace ligament::nodes::driving
