// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ligament/parameter.hpp>

#include "entry_of.hpp"

namespace ligament {

std::string_view to_string(ParameterType type) {
  static constexpr std::array<std::string_view, 10> names{
      "not set",    "bool",       "integer",       "double",       "string",
      "byte array", "bool array", "integer array", "double array", "string array"};
  return detail::entry_of<ParameterType::string_array>(names, type);
}

namespace {

std::string quoted(const std::string& text) { return "'" + text + "'"; }

struct Printer {
  std::string operator()(std::monostate /*none*/) const { return "nothing"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return fmt::format("{:#}", value); }
  std::string operator()(const std::string& value) const { return quoted(value); }
  template <typename T>
  std::string operator()(const std::vector<T>& values) const {
    std::string text = "[";
    for (const auto& value : values) {
      text += text.size() > 1 ? ", " : "";
      if constexpr (std::is_same_v<T, std::uint8_t>) {
        text += (*this)(static_cast<std::int64_t>(value));
      } else {
        text += (*this)(static_cast<T>(value));
      }
    }
    return text + "]";
  }
};

ParameterValue empty_of(ParameterType type) {
  switch (type) {
    case ParameterType::byte_array:
      return std::vector<std::uint8_t>{};
    case ParameterType::bool_array:
      return std::vector<bool>{};
    case ParameterType::integer_array:
      return std::vector<std::int64_t>{};
    case ParameterType::double_array:
      return std::vector<double>{};
    case ParameterType::string_array:
      return std::vector<std::string>{};
    default:
      return {};
  }
}

bool is_empty_list(const ParameterValue& value) {
  const auto* bytes = value.get_if<std::vector<std::uint8_t>>();
  return bytes != nullptr && bytes->empty();
}

std::optional<ParameterValue> bytes_from(const std::vector<std::int64_t>& numbers) {
  const auto fits = [](std::int64_t n) { return n >= 0 && n <= 255; };
  if (!std::all_of(numbers.begin(), numbers.end(), fits)) {
    return std::nullopt;
  }
  std::vector<std::uint8_t> bytes(numbers.size());
  std::transform(numbers.begin(), numbers.end(), bytes.begin(),
                 [](std::int64_t n) { return static_cast<std::uint8_t>(n); });
  return bytes;
}

}  // namespace

std::string to_string(const ParameterValue& value) { return value.visit(Printer{}); }

std::optional<ParameterValue> convert(const ParameterValue& value, ParameterType declared) {
  if (value.get_type() == declared || declared == ParameterType::not_set) {
    return value;
  }
  if (const auto* number = value.get_if<std::int64_t>();
      number != nullptr && declared == ParameterType::double_) {
    return static_cast<double>(*number);
  }
  if (const auto* numbers = value.get_if<std::vector<std::int64_t>>()) {
    if (declared == ParameterType::double_array) {
      return std::vector<double>(numbers->begin(), numbers->end());
    }
    if (declared == ParameterType::byte_array) {
      return bytes_from(*numbers);
    }
  }
  if (is_empty_list(value) && declared >= ParameterType::byte_array) {
    return empty_of(declared);
  }
  return std::nullopt;
}

}  // namespace ligament
