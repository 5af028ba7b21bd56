// SPDX-License-Identifier: Apache-2.0
/// \file ROS 2 parameter files.
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <ligament/names.hpp>
#include <ligament/parameter.hpp>

namespace ligament {
namespace {

using Overrides = std::vector<ParameterOverride>;
using Result = expected<void, std::string>;

struct File {
  const std::string& path;
  std::string_view node_id;
  Overrides& out;

  [[nodiscard]] std::string at(const YAML::Node& node) const {
    const auto mark = node.Mark();
    return mark.is_null() ? path : path + ":" + std::to_string(mark.line + 1);
  }
};

std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin < name.size()) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    if (end != begin) {
      parts.emplace_back(name.substr(begin, end - begin));
    }
    begin = end + 1;
  }
  return parts;
}

using Part = std::vector<std::string>::const_iterator;

/// `*` stands for one part, `**` for any number of them.
bool matches(Part pattern, Part pattern_end, Part part, Part part_end) {
  if (pattern == pattern_end) {
    return part == part_end;
  }
  if (*pattern == "**") {
    for (;; ++part) {
      if (matches(pattern + 1, pattern_end, part, part_end)) {
        return true;
      }
      if (part == part_end) {
        return false;
      }
    }
  }
  return part != part_end && (*pattern == "*" || *pattern == *part) &&
         matches(pattern + 1, pattern_end, part + 1, part_end);
}

bool matches(const std::string& pattern, std::string_view node_id) {
  const auto pattern_parts = parts_of(pattern);
  const auto node_parts = parts_of(node_id);
  return matches(pattern_parts.begin(), pattern_parts.end(), node_parts.begin(), node_parts.end());
}

std::optional<bool> as_bool(const std::string& text) {
  for (const char* yes : {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"}) {
    if (text == yes) return true;
  }
  for (const char* no : {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

std::optional<std::int64_t> as_integer(const std::string& text) {
  std::string_view digits = text;
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) {
    digits.remove_prefix(1);
  }
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    base = 16;
    digits.remove_prefix(2);
  }
  const std::string signed_digits = (negative ? "-" : "") + std::string(digits);
  std::int64_t value = 0;
  const char* end = signed_digits.data() + signed_digits.size();
  const auto result = std::from_chars(signed_digits.data(), end, value, base);
  if (digits.empty() || result.ec != std::errc{} || result.ptr != end) {
    return std::nullopt;
  }
  return value;
}

std::optional<double> as_double(const YAML::Node& node) {
  double value = 0;
  if (!YAML::convert<double>::decode(node, value)) {
    return std::nullopt;
  }
  return value;
}

/// A scalar by YAML's rules: quoted is a string, else bool, integer, double, string.
ParameterValue scalar(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() == "!" || node.Tag() == "tag:yaml.org,2002:str") {
    return text;
  }
  if (const auto value = as_bool(text)) return *value;
  if (const auto value = as_integer(text)) return *value;
  if (const auto value = as_double(node)) return *value;
  return text;
}

template <typename T>
std::optional<ParameterValue> list_of(const std::vector<ParameterValue>& values) {
  std::vector<T> list;
  for (const auto& value : values) {
    const T* element = value.get_if<T>();
    if (element == nullptr) {
      return std::nullopt;
    }
    list.push_back(*element);
  }
  return ParameterValue(std::move(list));
}

expected<ParameterValue, std::string> list(const File& file, const YAML::Node& node) {
  std::vector<ParameterValue> values;
  for (const auto& element : node) {
    if (!element.IsScalar()) {
      return unexpected<std::string>(file.at(element) + ": a list holds plain values only");
    }
    values.push_back(scalar(element));
  }
  if (values.empty()) {
    return ParameterValue(std::vector<std::uint8_t>{});
  }
  if (auto found = list_of<bool>(values)) return *found;
  if (auto found = list_of<std::int64_t>(values)) return *found;
  if (auto found = list_of<std::string>(values)) return *found;
  for (auto& value : values) {  // a list with one double is a list of doubles
    value = convert(value, ParameterType::double_).value_or(value);
  }
  if (auto found = list_of<double>(values)) return *found;
  return unexpected<std::string>(file.at(node) + ": the values of a list must be of one type");
}

Result read_values(const File& file, const YAML::Node& values, const std::string& prefix,
                   const std::string& pattern) {
  for (const auto& entry : values) {
    const std::string name = prefix + entry.first.Scalar();
    const YAML::Node& value = entry.second;
    if (value.IsMap()) {
      if (auto inner = read_values(file, value, name + ".", pattern); !inner) {
        return inner;
      }
      continue;
    }
    ParameterValue parsed;
    if (value.IsSequence()) {
      auto elements = list(file, value);
      if (!elements) {
        return unexpected<std::string>(elements.error());
      }
      parsed = std::move(*elements);
    } else if (value.IsScalar()) {
      parsed = scalar(value);
    } else {
      return unexpected<std::string>(file.at(entry.first) + ": parameter '" + name +
                                     "' has no value");
    }
    file.out.push_back({Parameter(name, std::move(parsed)), pattern.find('*') != std::string::npos,
                        file.at(entry.first)});
  }
  return {};
}

Result read_entries(const File& file, const YAML::Node& node, const std::string& name) {
  for (const auto& entry : node) {
    const std::string key = entry.first.Scalar();
    if (key == "ros__parameters" && !name.empty() && entry.second.IsMap()) {
      if (matches(name, file.node_id)) {
        if (auto read = read_values(file, entry.second, "", name); !read) {
          return read;
        }
      }
    } else if (entry.second.IsMap()) {
      if (auto read = read_entries(file, entry.second, join_name(name, key)); !read) {
        return read;
      }
    } else {
      return unexpected<std::string>(file.at(entry.first) + ": '" + key +
                                     "' is not the form of a ROS 2 parameter file; expected "
                                     "node_name: {ros__parameters: {name: value}}");
    }
  }
  return {};
}

}  // namespace

expected<std::vector<ParameterOverride>, std::string> read_parameter_file(
    const std::string& path, std::string_view node_id) {
  Overrides overrides;
  try {  // yaml-cpp throws; nothing leaves this function
    const YAML::Node root = YAML::LoadFile(path);
    if (!root.IsMap()) {
      return unexpected<std::string>(path +
                                     ": not a ROS 2 parameter file; expected node_name: "
                                     "{ros__parameters: {name: value}}");
    }
    if (auto read = read_entries({path, node_id, overrides}, root, ""); !read) {
      return unexpected<std::string>(read.error());
    }
  } catch (const YAML::BadFile&) {
    return unexpected<std::string>("the parameter file " + path + " cannot be read");
  } catch (const YAML::Exception& error) {
    return unexpected<std::string>(path + ":" + std::to_string(error.mark.line + 1) + ": " +
                                   error.msg);
  }
  return overrides;
}

}  // namespace ligament
