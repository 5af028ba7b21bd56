// SPDX-License-Identifier: Apache-2.0
/// \file The arithmetic of kernels' manifests, for generated code: numbers come from messages of
/// other processes, so integers saturate, and a division by zero or a value that does not fit sets
/// `failed`, upon which the message is refused. Rounding of `//` and `%` is Python's.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

namespace ligament::gpu {

inline constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

/// A field of any integer type; beyond 63 bits it is the largest.
template <typename T>
[[nodiscard]] constexpr std::int64_t integer(T value) {
  return std::in_range<std::int64_t>(value) ? static_cast<std::int64_t>(value) : largest;
}
[[nodiscard]] constexpr double fraction(std::int64_t value) { return static_cast<double>(value); }

[[nodiscard]] inline std::int64_t add(std::int64_t a, std::int64_t b, bool&) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? (a < 0 ? smallest : largest) : sum;
}
[[nodiscard]] inline std::int64_t subtract(std::int64_t a, std::int64_t b, bool&) {
  std::int64_t difference = 0;
  return __builtin_sub_overflow(a, b, &difference) ? (a < 0 ? smallest : largest) : difference;
}
[[nodiscard]] inline std::int64_t multiply(std::int64_t a, std::int64_t b, bool&) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? ((a < 0) == (b < 0) ? largest : smallest)
                                                : product;
}
[[nodiscard]] inline double add(double a, double b, bool&) { return a + b; }
[[nodiscard]] inline double subtract(double a, double b, bool&) { return a - b; }
[[nodiscard]] inline double multiply(double a, double b, bool&) { return a * b; }

[[nodiscard]] inline double divide(double a, double b, bool& failed) {
  failed = failed || b == 0;
  return b == 0 ? 0 : a / b;
}
[[nodiscard]] inline double divide(std::int64_t a, std::int64_t b, bool& failed) {
  return divide(fraction(a), fraction(b), failed);
}
[[nodiscard]] inline std::int64_t floor_divide(std::int64_t a, std::int64_t b, bool& failed) {
  if (b == 0) {
    failed = true;
    return 0;
  }
  if (b == -1) {
    return a == smallest ? largest : -a;
  }
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}
[[nodiscard]] inline std::int64_t modulo(std::int64_t a, std::int64_t b, bool& failed) {
  if (b == 0 || b == -1) {
    failed = failed || b == 0;
    return 0;
  }
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
[[nodiscard]] inline double floor_divide(double a, double b, bool& failed) {
  return std::floor(divide(a, b, failed));
}
[[nodiscard]] inline double modulo(double a, double b, bool& failed) {
  return a - b * floor_divide(a, b, failed);
}

[[nodiscard]] inline std::int64_t absolute(std::int64_t value) {
  return value == smallest ? largest : std::abs(value);
}
[[nodiscard]] inline double absolute(double value) { return std::fabs(value); }

/// A double without a fraction as an integer.
[[nodiscard]] inline std::int64_t whole(double value, bool& failed) {
  constexpr double bound = 9223372036854775808.0;  // 2^63
  if (!(value >= -bound && value < bound)) {
    failed = true;
    return 0;
  }
  return static_cast<std::int64_t>(value);
}

/// A value as a field holds it.
template <typename T>
[[nodiscard]] T as_field(std::int64_t value, bool& failed) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    failed = failed || !std::in_range<T>(value);
    return static_cast<T>(value);
  }
}
template <typename T>
[[nodiscard]] T as_field(double value, bool&) {
  return static_cast<T>(value);
}
template <typename T>
[[nodiscard]] T as_field(bool value, bool&) {
  return static_cast<T>(value);
}

/// An element of an array of numbers; one that is not there has no value.
template <typename Array>
[[nodiscard]] std::int64_t integer_at(const Array& array, std::int64_t index, bool& failed) {
  const bool is_there = std::cmp_greater_equal(index, 0) && std::cmp_less(index, array.size());
  failed = failed || !is_there;
  return is_there ? integer(array[static_cast<std::size_t>(index)]) : 0;
}
template <typename Array>
[[nodiscard]] double fraction_at(const Array& array, std::int64_t index, bool& failed) {
  const bool is_there = std::cmp_greater_equal(index, 0) && std::cmp_less(index, array.size());
  failed = failed || !is_there;
  return is_there ? double{array[static_cast<std::size_t>(index)]} : 0;
}
/// Whether some element is not 0.
template <typename Array>
[[nodiscard]] bool any_of(const Array& array) {
  for (std::size_t i = 0; i < array.size(); ++i) {
    if (array[i] != 0) {
      return true;
    }
  }
  return false;
}
/// Those elements as bytes, which may lie anywhere.
template <typename Array>
[[nodiscard]] std::span<const std::byte> bytes_of(const Array& array) {
  if constexpr (requires { array.bytes(); }) {
    return array.bytes();
  } else {
    return std::as_bytes(array);
  }
}

/// The length of a field.
[[nodiscard]] inline std::size_t as_length(std::int64_t value, bool& failed) {
  failed = failed || value < 0;
  return value < 0 ? 0 : static_cast<std::size_t>(value);
}

}  // namespace ligament::gpu
