// SPDX-License-Identifier: Apache-2.0
#include "gpu/parameter.hpp"

#include <cstring>
#include <utility>

#include "entry_of.hpp"

namespace ligament::gpu {
namespace {

constexpr std::array<std::pair<std::string_view, NumberType>, 24> number_types{{
    {"char", NumberType::int8},
    {"signed char", NumberType::int8},
    {"int8_t", NumberType::int8},
    {"uchar", NumberType::uint8},
    {"unsigned char", NumberType::uint8},
    {"uint8_t", NumberType::uint8},
    {"short", NumberType::int16},
    {"int16_t", NumberType::int16},
    {"ushort", NumberType::uint16},
    {"unsigned short", NumberType::uint16},
    {"uint16_t", NumberType::uint16},
    {"int", NumberType::int32},
    {"int32_t", NumberType::int32},
    {"uint", NumberType::uint32},
    {"unsigned int", NumberType::uint32},
    {"unsigned", NumberType::uint32},
    {"uint32_t", NumberType::uint32},
    {"long", NumberType::int64},
    {"int64_t", NumberType::int64},
    {"ulong", NumberType::uint64},
    {"unsigned long", NumberType::uint64},
    {"uint64_t", NumberType::uint64},
    {"float", NumberType::float32},
    {"double", NumberType::float64},
}};

const char* to_string(ArgumentKind kind) {
  static constexpr std::array<const char*, 5> texts{
      "a number", "bytes that it reads", "bytes that it writes", "an array of numbers", "a buffer"};
  return ligament::detail::entry_of<ArgumentKind::buffer>(texts, kind);
}

unexpected<Error> mismatch(std::string text) {
  return unexpected<Error>(Error{ErrorCode::kernel_mismatch, std::move(text)});
}

std::string text_of(const ParameterPlace& place) {
  return "parameter " + std::to_string(place.index + 1) + " of kernel '" + place.kernel + "'";
}

template <typename T>
EncodedNumber as_bytes(T value) {
  EncodedNumber encoded;
  std::memcpy(encoded.bytes.data(), &value, sizeof value);
  encoded.size = sizeof value;
  return encoded;
}

template <typename T>
Result<EncodedNumber> narrowed(std::int64_t value, const ParameterPlace& place) {
  if (!std::in_range<T>(value)) {
    return unexpected<Error>(
        Error{ErrorCode::launch_failed, std::to_string(value) + " does not fit " + text_of(place)});
  }
  return as_bytes(static_cast<T>(value));
}

}  // namespace

NumberType number_type(std::string_view name) {
  for (const auto& [known, type] : number_types) {
    if (known == name) {
      return type;
    }
  }
  return NumberType::none;
}

Result<void> check_parameters(const KernelDescription& expected, std::span<const Parameter> found) {
  if (found.size() != expected.arguments.size()) {
    return mismatch("kernel '" + expected.name + "' has " + std::to_string(found.size()) +
                    " parameters, and the manifest gives " +
                    std::to_string(expected.arguments.size()) + " arguments");
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Parameter& parameter = found[i];
    const bool fits = expected.arguments[i] == ArgumentKind::number
                          ? !parameter.is_buffer && parameter.number != NumberType::none
                          : parameter.is_buffer;
    if (!fits) {
      return mismatch("parameter " + std::to_string(i + 1) + " ('" + parameter.name +
                      "') of kernel '" + expected.name + "' is a " + parameter.type +
                      ", and the manifest gives " + to_string(expected.arguments[i]));
    }
  }
  return {};
}

Result<EncodedNumber> encode(std::int64_t value, NumberType type, const ParameterPlace& place) {
  switch (type) {
    case NumberType::int8:
      return narrowed<std::int8_t>(value, place);
    case NumberType::uint8:
      return narrowed<std::uint8_t>(value, place);
    case NumberType::int16:
      return narrowed<std::int16_t>(value, place);
    case NumberType::uint16:
      return narrowed<std::uint16_t>(value, place);
    case NumberType::int32:
      return narrowed<std::int32_t>(value, place);
    case NumberType::uint32:
      return narrowed<std::uint32_t>(value, place);
    case NumberType::int64:
      return as_bytes(value);
    case NumberType::uint64:
      return narrowed<std::uint64_t>(value, place);
    case NumberType::float32:
      return as_bytes(static_cast<float>(value));
    case NumberType::float64:
      return as_bytes(static_cast<double>(value));
    case NumberType::none:
      break;
  }
  return mismatch("a number for a buffer: " + text_of(place));
}

Result<EncodedNumber> encode(double value, NumberType type, const ParameterPlace& place) {
  switch (type) {
    case NumberType::float32:
      return as_bytes(static_cast<float>(value));
    case NumberType::float64:
      return as_bytes(value);
    default:
      return mismatch(text_of(place) +
                      " is a whole number, and the manifest gives a fraction; write int(...)");
  }
}

}  // namespace ligament::gpu
