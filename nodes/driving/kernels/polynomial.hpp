// SPDX-License-Identifier: Apache-2.0
/// \file A curve through points by least squares, in whole numbers.
///
/// x = a + b t + c t^2 with the least sum of (x - x_i)^2 solves the normal equations (Gauss 1809;
/// Golub and Van Loan, "Matrix computations", 5.3.1), with sums S_k of t^k and T_k of x t^k:
///
///   | S0 S1 S2 |   | a |   | T0 |
///   | S1 S2 S3 | * | b | = | T1 |
///   | S2 S3 S4 |   | c |   | T2 |
///
/// All sums are exact, and so are the determinants of Cramer's rule. Each coefficient is one
/// division, rounded once. So the result is that of real numbers, to the last bit of its format.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "kernels/fixed.hpp"

namespace ligament::nodes::driving {

struct Polynomial {
  std::int64_t a_q16 = 0;
  std::int64_t b_q24 = 0;
  std::int64_t c_q32 = 0;

  /// Q16, off by less than 2^-14 for |t| <= 512.
  [[nodiscard]] std::int64_t at(std::int64_t t) const {
    return a_q16 + shift_rounded(b_q24 * t, 8) + shift_rounded(c_q32 * t * t, 16);
  }
  [[nodiscard]] std::int64_t slope_at(std::int64_t t) const {
    return shift_rounded(b_q24, 8) + shift_rounded(2 * c_q32 * t, 16);
  }
  bool operator==(const Polynomial&) const = default;
};

/// The sums of points with |t| <= 512 and |x| <= 65535, both in whole numbers: of up to 2^20 points
/// each sum fits 64 bits, each determinant 128.
class CurveFit {
 public:
  void add(std::int64_t t, std::int64_t x) {
    std::int64_t power = 1;
    for (std::size_t k = 0; k < s_.size(); ++k, power *= t) {
      s_[k] += power;
      if (k < x_.size()) x_[k] += power * x;
    }
  }

  /// Nothing where the points do not say: fewer than `degree` + 1 different t. `scale`: what the
  /// points' x are multiples of, so that halves can be fitted as whole numbers (2).
  [[nodiscard]] std::optional<Polynomial> solve(int degree, std::int64_t scale = 1) const {
    return degree == 1 ? line(scale) : parabola(scale);
  }
  [[nodiscard]] std::int64_t points() const { return s_[0]; }

 private:
  [[nodiscard]] static std::int64_t quotient(Int128 numerator, Int128 determinant, int bits) {
    return static_cast<std::int64_t>(
        divide_rounded<Int128>(numerator * (Int128{1} << bits), determinant));
  }

  [[nodiscard]] std::optional<Polynomial> line(std::int64_t scale) const {
    const Int128 determinant = Int128{s_[0]} * s_[2] - Int128{s_[1]} * s_[1];
    if (determinant <= 0) return std::nullopt;
    const Int128 a = Int128{x_[0]} * s_[2] - Int128{x_[1]} * s_[1];
    const Int128 b = Int128{s_[0]} * x_[1] - Int128{s_[1]} * x_[0];
    return Polynomial{quotient(a, determinant * scale, 16), quotient(b, determinant * scale, 24),
                      0};
  }

  [[nodiscard]] std::optional<Polynomial> parabola(std::int64_t scale) const {
    // The cofactors of the symmetric matrix.
    const Int128 c00 = Int128{s_[2]} * s_[4] - Int128{s_[3]} * s_[3];
    const Int128 c01 = Int128{s_[2]} * s_[3] - Int128{s_[1]} * s_[4];
    const Int128 c02 = Int128{s_[1]} * s_[3] - Int128{s_[2]} * s_[2];
    const Int128 c11 = Int128{s_[0]} * s_[4] - Int128{s_[2]} * s_[2];
    const Int128 c12 = Int128{s_[1]} * s_[2] - Int128{s_[0]} * s_[3];
    const Int128 c22 = Int128{s_[0]} * s_[2] - Int128{s_[1]} * s_[1];
    const Int128 determinant = s_[0] * c00 + s_[1] * c01 + s_[2] * c02;
    if (determinant <= 0) return std::nullopt;
    const auto row = [&](Int128 u, Int128 v, Int128 w, int bits) {
      return quotient(x_[0] * u + x_[1] * v + x_[2] * w, determinant * scale, bits);
    };
    return Polynomial{row(c00, c01, c02, 16), row(c01, c11, c12, 24), row(c02, c12, c22, 32)};
  }

  std::array<std::int64_t, 5> s_{};
  std::array<std::int64_t, 3> x_{};
};

}  // namespace ligament::nodes::driving
