// SPDX-License-Identifier: Apache-2.0
#include "node/parameter_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "node/nearest.hpp"

namespace ligament::detail {
namespace {

template <typename Range, typename T>
bool inside(const Range& range, T value) {
  if (!(value >= range.from_value && value <= range.to_value)) {  // NaN is nowhere
    return false;
  }
  if (range.step == 0 || value == range.to_value) {
    return true;
  }
  if constexpr (std::is_floating_point_v<T>) {
    const double steps = (value - range.from_value) / range.step;
    return std::abs(steps - std::round(steps)) < 1e-9 * std::max(1.0, std::abs(steps));
  } else {
    const auto distance =
        static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(range.from_value);
    return distance % range.step == 0;
  }
}

template <typename T, typename Range>
bool all_inside(const ParameterValue& value, const Range& range) {
  if (const auto* single = value.get_if<T>()) {
    return inside(range, *single);
  }
  if (const auto* list = value.get_if<std::vector<T>>()) {
    return std::all_of(list->begin(), list->end(), [&](T v) { return inside(range, v); });
  }
  return true;
}

template <typename Range>
std::string words(const Range& range) {
  std::string text = fmt::format("expected {} to {}", range.from_value, range.to_value);
  return range.step == 0 ? text : text + fmt::format(" in steps of {}", range.step);
}

/// What the ranges of a descriptor or a rule say against the value, or nothing.
template <typename Ranges>
std::string range_fault(const ParameterValue& value, const Ranges& ranges) {
  if (ranges.integer_range && !all_inside<std::int64_t>(value, *ranges.integer_range)) {
    return words(*ranges.integer_range);
  }
  if (ranges.floating_point_range && !all_inside<double>(value, *ranges.floating_point_range)) {
    return words(*ranges.floating_point_range);
  }
  return "";
}

/// What the descriptor says against the value, or nothing.
std::string descriptor_fault(const ParameterValue& value, const ParameterDescriptor& descriptor) {
  if (std::string fault = range_fault(value, descriptor); !fault.empty()) {
    return fault;
  }
  const auto* text = value.get_if<std::string>();
  const auto& choices = descriptor.choices;
  if (text != nullptr && !choices.empty() &&
      std::find(choices.begin(), choices.end(), *text) == choices.end()) {
    return "expected one of " + listing(choices) + did_you_mean(*text, choices);
  }
  return "";
}

/// A choice as people write it; a text without quotes.
std::string shown(const ParameterValue& choice) {
  const auto* text = choice.get_if<std::string>();
  return text == nullptr ? to_string(choice) : *text;
}

std::vector<std::string> shown(const std::vector<ParameterValue>& choices) {
  std::vector<std::string> texts;
  texts.reserve(choices.size());
  for (const ParameterValue& choice : choices) {
    texts.push_back(shown(choice));
  }
  return texts;
}

bool is_choice(const ParameterValue& value, const std::vector<ParameterValue>& choices) {
  return std::any_of(choices.begin(), choices.end(), [&](const ParameterValue& choice) {
    return convert(choice, value.get_type()) == value;
  });
}

/// The value itself, or all that is in the list.
bool are_choices(const ParameterValue& value, const std::vector<ParameterValue>& choices) {
  return value.visit([&](const auto& held) {
    using Held = std::decay_t<decltype(held)>;
    if constexpr (std::is_arithmetic_v<Held> || std::is_same_v<Held, std::string>) {
      return is_choice(value, choices);
    } else if constexpr (requires { held.begin(); }) {
      return std::all_of(held.begin(), held.end(), [&](const typename Held::value_type& one) {
        return is_choice(ParameterValue(one), choices);
      });
    } else {
      return true;  // not set
    }
  });
}

/// What the manifest says against the value, or nothing.
std::string rule_fault(const ParameterValue& value, const ParameterRule& rule) {
  if (std::string fault = range_fault(value, rule); !fault.empty()) {
    return fault;
  }
  if (!rule.choices.empty() && !are_choices(value, rule.choices)) {
    const auto choices = shown(rule.choices);
    return "expected one of " + listing(choices) + did_you_mean(shown(value), choices);
  }
  return "";
}

/// What a descriptor shows: the rule where the node's code says nothing.
ParameterDescriptor completed(ParameterDescriptor descriptor, const ParameterRule& rule,
                              ParameterType type) {
  using Type = ParameterType;
  descriptor.read_only = descriptor.read_only || rule.read_only;
  if (!descriptor.integer_range && (type == Type::integer || type == Type::integer_array)) {
    descriptor.integer_range = rule.integer_range;
  }
  if (!descriptor.floating_point_range && (type == Type::double_ || type == Type::double_array)) {
    descriptor.floating_point_range = rule.floating_point_range;
  }
  if (descriptor.choices.empty()) {
    descriptor.choices = shown(rule.choices);
  }
  return descriptor;
}

}  // namespace

void ParameterSet::add_rule(const std::string& name, ParameterRule rule) {
  const std::lock_guard lock(mutex_);
  rules_[name] = std::move(rule);
}

void ParameterSet::add_override(ParameterOverride value) {
  const std::lock_guard lock(mutex_);
  auto& place = overrides_[value.parameter.get_name()];
  place = std::move(value);
}

expected<ParameterValue, std::string> ParameterSet::checked(const std::string& name,
                                                            const Entry& entry,
                                                            const ParameterValue& value) const {
  const auto converted = convert(value, entry.type);
  if (!converted) {
    return unexpected<std::string>(
        fmt::format("parameter '{}' is {}, expected {} {}", name, to_string(value),
                    entry.type == ParameterType::integer ? "an" : "a", to_string(entry.type)));
  }
  std::string fault = rule_fault(*converted, entry.rule);
  if (fault.empty()) {
    fault = descriptor_fault(*converted, entry.descriptor);
  }
  if (!fault.empty()) {
    return unexpected<std::string>(
        fmt::format("parameter '{}' is {}, {}", name, to_string(*converted), fault));
  }
  return *converted;
}

expected<void, std::string> ParameterSet::declare(const std::string& name,
                                                  const ParameterValue& initial,
                                                  const ParameterDescriptor& descriptor) {
  const std::lock_guard lock(mutex_);
  if (name.empty()) {
    return unexpected<std::string>("a parameter needs a name");
  }
  if (entries_.contains(name)) {
    return unexpected<std::string>("parameter '" + name + "' is declared twice");
  }
  Entry& entry = entries_[name];
  entry = {initial, initial.get_type(), descriptor, {}};
  if (auto valid = checked(name, entry, initial); !valid) {
    return unexpected<std::string>("the default is not valid: " + valid.error());
  }
  if (const auto rule = rules_.find(name); rule != rules_.end()) {
    entry.rule = rule->second;
  }
  auto taken = take_override(name, entry);
  if (entry.type == ParameterType::not_set) {
    entry.type = entry.value.get_type();
  }
  entry.descriptor = completed(entry.descriptor, entry.rule, entry.type);
  return taken;
}

/// The manifest's rule is for the value in force: the code's default may break it.
expected<void, std::string> ParameterSet::take_override(const std::string& name, Entry& entry) {
  const auto found = overrides_.find(name);
  if (found == overrides_.end()) {
    const auto valid = checked(name, entry, entry.value);
    return valid ? expected<void, std::string>{}
                 : unexpected<std::string>("the default is not valid: " + valid.error());
  }
  auto value = checked(name, entry, found->second.parameter.get_parameter_value());
  if (!value) {
    const std::string& origin = found->second.origin;
    return unexpected<std::string>(value.error() + (origin.empty() ? "" : " (" + origin + ")"));
  }
  entry.value = std::move(*value);
  return {};
}

bool ParameterSet::has(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  return entries_.contains(name);
}

std::vector<std::string> ParameterSet::names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) {
    names.push_back(name);
  }
  return names;
}

std::string ParameterSet::unknown(const std::string& name) const {
  const auto known = names();
  return "there is no parameter '" + name + "'" + did_you_mean(name, known) +
         "; declared: " + listing(known);
}

expected<ParameterValue, std::string> ParameterSet::get(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    return unexpected<std::string>(unknown(name));
  }
  return found->second.value;
}

std::optional<ParameterSet::Description> ParameterSet::describe(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(name);
  return found == entries_.end() ? std::nullopt : std::optional(found->second);
}

expected<std::vector<ParameterValue>, std::string> ParameterSet::all_checked(
    const std::vector<Parameter>& parameters) const {
  std::vector<ParameterValue> values;
  for (const Parameter& parameter : parameters) {
    const auto found = entries_.find(parameter.get_name());
    if (found == entries_.end()) {
      return unexpected<std::string>(unknown(parameter.get_name()));
    }
    if (found->second.descriptor.read_only) {
      return unexpected<std::string>("parameter '" + parameter.get_name() + "' is read-only");
    }
    auto value = checked(parameter.get_name(), found->second, parameter.get_parameter_value());
    if (!value) {
      return unexpected<std::string>(value.error());
    }
    values.push_back(std::move(*value));
  }
  return values;
}

SetParametersResult ParameterSet::set(const std::vector<Parameter>& parameters) {
  const std::lock_guard lock(mutex_);
  auto values = all_checked(parameters);
  if (!values) {
    return {false, values.error()};
  }
  std::vector<Parameter> converted;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    converted.emplace_back(parameters[i].get_name(), (*values)[i]);
  }
  std::erase_if(callbacks_, [](const auto& callback) { return callback.expired(); });
  const auto callbacks = callbacks_;  // one of them may add another
  for (const auto& weak : callbacks) {
    const auto callback = weak.lock();
    if (callback == nullptr) {
      continue;
    }
    if (auto answer = (*callback)(converted); !answer.successful) {
      return answer;
    }
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    entries_[parameters[i].get_name()].value = std::move((*values)[i]);
  }
  return {};
}

void ParameterSet::add_callback(const std::shared_ptr<OnSetParametersCallback>& callback) {
  const std::lock_guard lock(mutex_);
  callbacks_.push_back(callback);
}

std::vector<std::string> ParameterSet::undeclared_overrides() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> sentences;
  for (const auto& [name, value] : overrides_) {
    if (!entries_.contains(name) && !value.for_any_node) {
      sentences.push_back(unknown(name) + (value.origin.empty() ? "" : " (" + value.origin + ")"));
    }
  }
  return sentences;
}

}  // namespace ligament::detail
