// SPDX-License-Identifier: Apache-2.0
/// \file Parameters, as in ROS 2: typed values that a node declares, with a default, perhaps a
/// range, and values from outside that override the default.
///
///   ligament::ParameterDescriptor descriptor;
///   descriptor.description = "Interpolation: 0 nearest, 1 linear, 2 cubic";
///   descriptor.integer_range = {{0, 4, 1}};
///   const auto interpolation = declare_parameter<std::int64_t>("interpolation", 1, descriptor);
///
/// A value from outside for a name that the node never declares is a mistake that names the nearest
/// declared one. A whole number is accepted where a double is declared; nothing else is converted.
#pragma once

#include <cstdint>
#include <functional>
#include <ligament/expected.hpp>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace ligament {

/// Numbers as in rcl_interfaces/msg/ParameterType.
enum class ParameterType : std::uint8_t {
  not_set,
  bool_,
  integer,
  double_,
  string,
  byte_array,
  bool_array,
  integer_array,
  double_array,
  string_array,
};

/// `integer`, `double array`, ...
[[nodiscard]] std::string_view to_string(ParameterType type);

/// One value of any parameter type.
class ParameterValue {
 public:
  using Storage =
      std::variant<std::monostate, bool, std::int64_t, double, std::string,
                   std::vector<std::uint8_t>, std::vector<bool>, std::vector<std::int64_t>,
                   std::vector<double>, std::vector<std::string>>;

  ParameterValue() = default;
  ParameterValue(bool value) : storage_(value) {}                          // NOLINT: as rclcpp
  ParameterValue(const char* value) : storage_(std::string(value)) {}      // NOLINT
  ParameterValue(std::string value) : storage_(std::move(value)) {}        // NOLINT
  ParameterValue(std::vector<std::uint8_t> v) : storage_(std::move(v)) {}  // NOLINT
  ParameterValue(std::vector<bool> v) : storage_(std::move(v)) {}          // NOLINT
  ParameterValue(std::vector<std::int64_t> v) : storage_(std::move(v)) {}  // NOLINT
  ParameterValue(std::vector<double> v) : storage_(std::move(v)) {}        // NOLINT
  ParameterValue(std::vector<std::string> v) : storage_(std::move(v)) {}   // NOLINT
  ParameterValue(std::vector<int> v)                                       // NOLINT
      : storage_(std::vector<std::int64_t>(v.begin(), v.end())) {}
  template <typename T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) ParameterValue(T value)
      : storage_(static_cast<std::int64_t>(value)) {}  // NOLINT
  template <typename T>
  requires(std::is_floating_point_v<T>) ParameterValue(T value)
      : storage_(static_cast<double>(value)) {}  // NOLINT

  [[nodiscard]] ParameterType get_type() const {
    return static_cast<ParameterType>(storage_.index());
  }
  /// The value as `T`, or null if it has another type.
  template <typename T>
  [[nodiscard]] const T* get_if() const {
    return std::get_if<T>(&storage_);
  }
  template <typename Visitor>
  auto visit(Visitor&& visitor) const {
    return std::visit(std::forward<Visitor>(visitor), storage_);
  }
  bool operator==(const ParameterValue&) const = default;

 private:
  Storage storage_;
};

/// The value as people write it: `3`, `'rgb8'`, `[1.5, 2.0]`.
[[nodiscard]] std::string to_string(const ParameterValue& value);

/// `value` in the declared type: a whole number where a double is declared, numbers 0..255 where
/// bytes are, an empty list where any list is. Nothing if it does not fit.
[[nodiscard]] std::optional<ParameterValue> convert(const ParameterValue& value,
                                                    ParameterType declared);

/// A name and its value.
class Parameter {
 public:
  Parameter() = default;
  Parameter(std::string name, ParameterValue value)
      : name_(std::move(name)), value_(std::move(value)) {}

  [[nodiscard]] const std::string& get_name() const { return name_; }
  [[nodiscard]] ParameterType get_type() const { return value_.get_type(); }
  [[nodiscard]] const ParameterValue& get_parameter_value() const { return value_; }

  /// The value; of another type than the parameter has: false, 0, "" or empty.
  [[nodiscard]] bool as_bool() const { return value_or_empty<bool>(); }
  [[nodiscard]] std::int64_t as_int() const { return value_or_empty<std::int64_t>(); }
  [[nodiscard]] double as_double() const { return value_or_empty<double>(); }
  [[nodiscard]] std::string as_string() const { return value_or_empty<std::string>(); }
  [[nodiscard]] std::vector<std::uint8_t> as_byte_array() const {
    return value_or_empty<std::vector<std::uint8_t>>();
  }
  [[nodiscard]] std::vector<bool> as_bool_array() const {
    return value_or_empty<std::vector<bool>>();
  }
  [[nodiscard]] std::vector<std::int64_t> as_integer_array() const {
    return value_or_empty<std::vector<std::int64_t>>();
  }
  [[nodiscard]] std::vector<double> as_double_array() const {
    return value_or_empty<std::vector<double>>();
  }
  [[nodiscard]] std::vector<std::string> as_string_array() const {
    return value_or_empty<std::vector<std::string>>();
  }

 private:
  template <typename T>
  T value_or_empty() const {
    const T* value = value_.get_if<T>();
    return value == nullptr ? T{} : *value;
  }
  std::string name_;
  ParameterValue value_;
};

/// Both ends belong to the range; step 0 means any value between.
struct IntegerRange {
  std::int64_t from_value = std::numeric_limits<std::int64_t>::min();
  std::int64_t to_value = std::numeric_limits<std::int64_t>::max();
  std::uint64_t step = 0;
};
struct FloatingPointRange {
  double from_value = std::numeric_limits<double>::lowest();
  double to_value = std::numeric_limits<double>::max();
  double step = 0;
};

/// What else a node says about a parameter.
struct ParameterDescriptor {
  std::string description;
  bool read_only = false;  ///< only an override at start may set it
  std::optional<IntegerRange> integer_range;
  std::optional<FloatingPointRange> floating_point_range;
  std::vector<std::string> choices;  ///< of a string; empty: any
};

/// What a node's manifest says about a parameter (spec/node): it holds beside what the node's code
/// says, and is shown where that says nothing.
struct ParameterRule {
  bool read_only = false;
  std::optional<IntegerRange> integer_range;               ///< of integers, also in a list
  std::optional<FloatingPointRange> floating_point_range;  ///< of doubles, also in a list
  std::vector<ParameterValue> choices;                     ///< of any type, also in a list
};

/// Answer of set_parameter(), and of a callback that may refuse.
struct SetParametersResult {
  bool successful = true;
  std::string reason;
};
using OnSetParametersCallback =
    std::function<SetParametersResult(const std::vector<Parameter>& parameters)>;

/// What a file or map says for one node, and whether its author meant this node in particular.
struct ParameterOverride {
  Parameter parameter;
  bool for_any_node = false;  ///< from a `/**` entry: a node that lacks it passes it over
  std::string origin;         ///< file and entry, for messages
};

/// Reads a ROS 2 parameter file (YAML) and returns, in the file's order, what it says for the node
/// `/ns/name`. Entries: `/ns/name:`, `name:`, `/**:`, `/*/name:` with `ros__parameters:` inside;
/// nested maps become dotted names. The error is one sentence with file and line.
[[nodiscard]] expected<std::vector<ParameterOverride>, std::string> read_parameter_file(
    const std::string& path, std::string_view node_id);

}  // namespace ligament
