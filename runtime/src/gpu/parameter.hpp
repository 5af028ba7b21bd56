// SPDX-License-Identifier: Apache-2.0
/// \file The parameters of a kernel as its own signature gives them, against those of the manifest.
/// The same for every back-end, so that a node is refused with the same sentence everywhere.
#pragma once

#include <array>
#include <ligament/gpu.hpp>
#include <span>
#include <string_view>

namespace ligament::gpu {

/// The kinds of number that a kernel's parameter may be.
enum class NumberType : std::uint8_t {
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float32,
  float64,
  none
};
/// By the name that kernels write; `none` for any other type.
[[nodiscard]] NumberType number_type(std::string_view name);

struct Parameter {
  std::string name;
  std::string type;                      ///< as the signature writes it, for sentences
  NumberType number = NumberType::none;  ///< none: a buffer, or what no manifest can give
  bool is_buffer = false;
};

[[nodiscard]] Result<void> check_parameters(const KernelDescription& expected,
                                            std::span<const Parameter> found);

/// A number as the parameter's own type has it in memory.
struct EncodedNumber {
  std::array<std::byte, 8> bytes{};
  std::size_t size = 0;
};
/// Where a number is in a kernel's list, for sentences.
struct ParameterPlace {
  const std::string& kernel;
  std::size_t index;
};
/// A number that does not fit the parameter's type is refused.
[[nodiscard]] Result<EncodedNumber> encode(std::int64_t value, NumberType type,
                                           const ParameterPlace& place);
[[nodiscard]] Result<EncodedNumber> encode(double value, NumberType type,
                                           const ParameterPlace& place);

}  // namespace ligament::gpu
