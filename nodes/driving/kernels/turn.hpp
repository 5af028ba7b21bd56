// SPDX-License-Identifier: Apache-2.0
/// \file Sine and cosine in whole numbers, as hardware has them (common/hdl/lig_drive_turn.sv).
///
/// The rotation of J. E. Volder, "The CORDIC trigonometric computing technique", 1959: a vector is
/// turned by the angles whose tangent is 2^-i, each to the left or to the right, until nothing is
/// left of the angle. It begins as long as these turns stretch it.
#pragma once

#include <array>
#include <cstdint>

namespace ligament::nodes::driving {

inline constexpr int kTurnBits = 40;  ///< sines and angles are Q40

/// Q40; off by less than 2^-35.
struct SineCosine {
  std::int64_t sine = 0;
  std::int64_t cosine = 0;
};

namespace detail {
/// Degrees in Q40 whose tangent is 2^-i.
inline constexpr std::array<std::int64_t, 42> kTurns = {49478023249920,
                                                        29208582661662,
                                                        15433012903280,
                                                        7834038323712,
                                                        3932221230125,
                                                        1968027526446,
                                                        984253903256,
                                                        492156985618,
                                                        246082247574,
                                                        123041593148,
                                                        61520855245,
                                                        30760434956,
                                                        15380218395,
                                                        7690109312,
                                                        3845054670,
                                                        1922527337,
                                                        961263669,
                                                        480631834,
                                                        240315917,
                                                        120157959,
                                                        60078979,
                                                        30039490,
                                                        15019745,
                                                        7509872,
                                                        3754936,
                                                        1877468,
                                                        938734,
                                                        469367,
                                                        234684,
                                                        117342,
                                                        58671,
                                                        29335,
                                                        14668,
                                                        7334,
                                                        3667,
                                                        1833,
                                                        917,
                                                        458,
                                                        229,
                                                        115,
                                                        57,
                                                        29};
/// The product of the cosines of these angles, Q40.
inline constexpr std::int64_t kShrink = 667681663043;
}  // namespace detail

/// Of an angle in degrees, Q40, from -90 to 90.
[[nodiscard]] constexpr SineCosine sine_cosine(std::int64_t degrees_q40) {
  std::int64_t x = detail::kShrink;
  std::int64_t y = 0;
  int step = 0;
  for (const std::int64_t turn : detail::kTurns) {
    const std::int64_t across = y >> step;
    const std::int64_t up = x >> step;
    ++step;
    if (degrees_q40 >= 0) {
      x -= across;
      y += up;
      degrees_q40 -= turn;
    } else {
      x += across;
      y -= up;
      degrees_q40 += turn;
    }
  }
  return {y, x};
}

}  // namespace ligament::nodes::driving
