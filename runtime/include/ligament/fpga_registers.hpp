// SPDX-License-Identifier: Apache-2.0
/// \file Parameters of a node that its core has as registers of 64 bits (spec/device/fpga.md): what
/// generated classes declare them with.
///
///   const std::int64_t level =
///       fpga::integer_register(*this, {"level", "The least value that stays."}, 60, {{0, 255,
///       1}});
///   model.parameter_level_i = fpga::register_bits(level);
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <ligament/node.hpp>
#include <ligament/parameter.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ligament::fpga {

/// What a manifest says of a parameter of any type.
struct Register {
  std::string name;
  std::string description;
  bool read_only = true;
};

[[nodiscard]] inline ParameterDescriptor descriptor_of(const Register& what) {
  ParameterDescriptor descriptor;
  descriptor.description = what.description;
  descriptor.read_only = what.read_only;
  return descriptor;
}

[[nodiscard]] inline bool bool_register(Node& node, const Register& what, bool value) {
  return node.declare_parameter<bool>(what.name, value, descriptor_of(what));
}

[[nodiscard]] inline std::int64_t integer_register(Node& node, const Register& what,
                                                   std::int64_t value,
                                                   std::optional<IntegerRange> range = {}) {
  ParameterDescriptor descriptor = descriptor_of(what);
  descriptor.integer_range = range;
  return node.declare_parameter<std::int64_t>(what.name, value, descriptor);
}

[[nodiscard]] inline double double_register(Node& node, const Register& what, double value,
                                            std::optional<FloatingPointRange> range = {}) {
  ParameterDescriptor descriptor = descriptor_of(what);
  descriptor.floating_point_range = range;
  return node.declare_parameter<double>(what.name, value, descriptor);
}

/// Of a text: its place among the choices, from 0. No other text is taken.
[[nodiscard]] inline std::int64_t choice_register(Node& node, const Register& what,
                                                  const std::string& value,
                                                  std::vector<std::string> choices) {
  ParameterDescriptor descriptor = descriptor_of(what);
  descriptor.choices = std::move(choices);
  const auto chosen = node.declare_parameter<std::string>(what.name, value, descriptor);
  const auto found = std::find(descriptor.choices.begin(), descriptor.choices.end(), chosen);
  return found - descriptor.choices.begin();
}

[[nodiscard]] inline std::uint64_t register_bits(bool value) { return value ? 1 : 0; }
[[nodiscard]] inline std::uint64_t register_bits(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}
[[nodiscard]] inline std::uint64_t register_bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

/// Of a text: its place among the choices.
[[nodiscard]] inline std::uint64_t register_bits(const ParameterValue& value,
                                                 const std::vector<std::string>& choices) {
  if (const auto* text = value.get_if<std::string>()) {
    const auto found = std::find(choices.begin(), choices.end(), *text);
    return static_cast<std::uint64_t>(found - choices.begin());
  }
  if (const auto* number = value.get_if<double>()) {
    return register_bits(*number);
  }
  if (const auto* flag = value.get_if<bool>()) {
    return register_bits(*flag);
  }
  const auto* number = value.get_if<std::int64_t>();
  return number == nullptr ? 0 : register_bits(*number);
}

}  // namespace ligament::fpga
