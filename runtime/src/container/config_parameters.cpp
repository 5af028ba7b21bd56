// SPDX-License-Identifier: Apache-2.0
#include "container/config_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace ligament::container {
namespace {

using Need = ObjectReader::Need;

std::optional<ParameterValue> scalar(const Json& value) {
  if (value.is_boolean()) {
    return value.get<bool>();
  }
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() >
          static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return std::nullopt;
  }
  if (value.is_number_integer()) {
    return value.get<std::int64_t>();
  }
  if (value.is_number_float()) {
    return value.get<double>();
  }
  if (value.is_string()) {
    return value.get<std::string>();
  }
  return std::nullopt;
}

std::optional<ParameterValue> list(const Json& values) {
  const auto all = [&](auto is_kind) { return std::all_of(values.begin(), values.end(), is_kind); };
  if (values.empty()) {
    return ParameterValue(std::vector<std::uint8_t>{});  // becomes any list that is declared
  }
  if (all([](const Json& v) { return v.is_boolean(); })) {
    return values.get<std::vector<bool>>();
  }
  if (all([](const Json& v) { return v.is_string(); })) {
    return values.get<std::vector<std::string>>();
  }
  if (all([](const Json& v) { return v.is_number_integer() && scalar(v).has_value(); })) {
    return values.get<std::vector<std::int64_t>>();
  }
  if (all([](const Json& v) { return v.is_number(); })) {
    return values.get<std::vector<double>>();
  }
  return std::nullopt;
}

/// A limit of integers: the next one inside.
template <typename Round>
std::int64_t whole_limit(const Json& limit, const Round& round) {
  if (limit.is_number_integer()) {
    return limit.get<std::int64_t>();
  }
  const double whole = round(limit.get<double>());
  constexpr double beyond = 9223372036854775808.0;  // 2^63: no integer of 64 bits
  if (whole >= beyond) {
    return std::numeric_limits<std::int64_t>::max();
  }
  return whole < -beyond ? std::numeric_limits<std::int64_t>::min()
                         : static_cast<std::int64_t>(whole);
}

std::optional<ParameterValue> parameter_value(const Json& value) {
  return value.is_array() ? list(value) : scalar(value);
}

/// Two numbers, the first not above the second. A range of integers keeps all their digits.
void read_range(const Json& range, const std::string& pointer, ParameterRule& rule,
                Problems& problems) {
  const auto is_pair = [&] {
    return range.is_array() && range.size() == 2 && scalar(range[0]) && scalar(range[1]) &&
           range[0].is_number() && range[1].is_number() && range[0] <= range[1];
  };
  if (!is_pair()) {
    problems.add(pointer, "expected [smallest, largest], two numbers, found " + shown(range));
    return;
  }
  rule.floating_point_range = FloatingPointRange{range[0].get<double>(), range[1].get<double>()};
  rule.integer_range = IntegerRange{whole_limit(range[0], [](double v) { return std::ceil(v); }),
                                    whole_limit(range[1], [](double v) { return std::floor(v); })};
}

ParameterRule read_rule(const Json& value, const std::string& pointer, Problems& problems) {
  ParameterRule rule;
  ObjectReader reader(value, pointer, problems);
  rule.read_only = reader.flag("read_only");
  if (const Json* range = reader.member("range", Need::optional)) {
    read_range(*range, reader.at("range"), rule, problems);
  }
  reader.list(
      "choices",
      [&](const Json& choice, const std::string& at) {
        if (auto parsed = scalar(choice)) {
          rule.choices.push_back(std::move(*parsed));
        } else {
          problems.add(at, "expected true or false, a number or a string, found " + shown(choice));
        }
      },
      Need::optional);
  reader.finish();
  return rule;
}

}  // namespace

void read_parameters(ObjectReader& reader, NodeConfig& node, const std::filesystem::path& folder,
                     Problems& problems) {
  reader.map(
      "parameters",
      [&](const std::string& name, const Json& value, const std::string& pointer) {
        if (auto parsed = parameter_value(value)) {
          node.parameters.emplace_back(name, std::move(*parsed));
        } else {
          problems.add(pointer,
                       "expected true or false, a number, a string, or a list of one of "
                       "them, found " +
                           shown(value));
        }
      },
      Need::optional);
  reader.list(
      "parameter_files",
      [&](const Json& value, const std::string& pointer) {
        if (value.is_string()) {
          node.parameter_files.push_back(folder / value.get<std::string>());
        } else {
          problems.add(pointer, "expected the path of a parameter file, found " + shown(value));
        }
      },
      Need::optional);
  reader.map(
      "parameter_rules",
      [&](const std::string& name, const Json& rule, const std::string& at) {
        node.parameter_rules[name] = read_rule(rule, at, problems);
      },
      Need::optional);
}

}  // namespace ligament::container
