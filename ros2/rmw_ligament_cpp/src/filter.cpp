// SPDX-License-Identifier: Apache-2.0
#include "filter.hpp"

#include <fmt/format.h>
#include <rosidl_typesupport_introspection_c/field_types.h>

#include <compare>
#include <optional>
#include <string_view>
#include <utility>

namespace rmw_ligament_cpp {

namespace {

using ligament::expected;
using ligament::unexpected;
using Field = MessageType::Field;
using Kind = MessageType::Kind;
using Side = ContentFilter::Side;

/// What kinds of values can be compared with each other.
enum class Group : std::uint8_t { truth, number, text };

struct Bound {
  Side side;
  Group group = Group::number;
  std::string name;  ///< for sentences
  std::uint8_t type_id = 0;
};

unexpected<std::string> fault(std::string text) { return unexpected<std::string>(std::move(text)); }

expected<const Field*, std::string> find_field(const MessageType::Layout& layout,
                                               const FilterStep& step, std::size_t& place) {
  for (place = 0; place < layout.fields.size(); ++place) {
    if (step.name == layout.fields[place].name) {
      return &layout.fields[place];
    }
  }
  std::string names;
  for (const Field& one : layout.fields) {
    names += (names.empty() ? "" : ", ") + std::string(one.name);
  }
  return fault(fmt::format("there is no field '{}': there are {}", step.name, names));
}

expected<Bound, std::string> bind(const MessageType::Layout& layout, const FilterField& wanted) {
  Bound bound;
  bound.side.is_field = true;
  bound.name = wanted.text();
  const MessageType::Layout* here = &layout;
  for (std::size_t i = 0; i < wanted.steps.size(); ++i) {
    const FilterStep& step = wanted.steps[i];
    std::size_t place = 0;
    const auto found = find_field(*here, step, place);
    if (!found) {
      return fault(found.error());
    }
    const Field& field = **found;
    const bool is_many = field.is_sequence || field.is_array;
    if (is_many != step.has_index) {
      return fault(is_many ? fmt::format("'{}' has several elements: say which, as {}[0]",
                                         step.name, step.name)
                           : fmt::format("'{}' is one value and has no elements", step.name));
    }
    if (field.is_array && step.index >= field.count) {
      return fault(
          fmt::format("'{}' has {} elements, and no [{}]", step.name, field.count, step.index));
    }
    const bool is_last = i + 1 == wanted.steps.size();
    if (is_last == (field.kind == Kind::message)) {
      return fault(is_last ? fmt::format("'{}' is a message: name a field of it", bound.name)
                           : fmt::format("'{}' is a value and has no fields", step.name));
    }
    bound.side.path.push_back({place, step.index});
    bound.type_id = field.type_id;
    bound.group = field.kind == Kind::number    ? Group::number
                  : field.kind == Kind::boolean ? Group::truth
                                                : Group::text;
    here = field.nested;
  }
  return bound;
}

Bound bind(const FilterLiteral& literal) {
  Bound bound;
  bound.name = "a value";
  bound.group = std::holds_alternative<bool>(literal)          ? Group::truth
                : std::holds_alternative<std::string>(literal) ? Group::text
                                                               : Group::number;
  bound.side.value = std::visit([](const auto& value) { return StoredValue(value); }, literal);
  return bound;
}

expected<Bound, std::string> bind(const MessageType::Layout& layout, const FilterTerm& term) {
  const auto* field = std::get_if<FilterField>(&term);
  return field != nullptr ? bind(layout, *field) : bind(std::get<FilterLiteral>(term));
}

std::optional<double> real(const StoredValue& value) {
  if (const auto* number = std::get_if<double>(&value)) {
    return *number;
  }
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    return static_cast<double>(*number);
  }
  const auto* number = std::get_if<std::uint64_t>(&value);
  return number != nullptr ? std::optional(static_cast<double>(*number)) : std::nullopt;
}

/// A value becomes what it is compared with: a character its number, 0 and 1 truth; and a decimal
/// fraction the float that is nearest, as which the publisher had it.
void adapt(Bound& value, const Bound& field) {
  if (value.side.is_field || !field.side.is_field) {
    return;
  }
  const auto* text = std::get_if<std::string>(&value.side.value);
  if (text != nullptr && field.group == Group::number && text->size() == 1) {
    value.side.value = std::uint64_t{static_cast<std::uint8_t>(text->front())};
    value.group = Group::number;
  }
  const auto* number = std::get_if<std::int64_t>(&value.side.value);
  if (number != nullptr && field.group == Group::truth && (*number == 0 || *number == 1)) {
    value.side.value = *number == 1;
    value.group = Group::truth;
  }
  if (field.group == Group::number &&
      field.type_id == rosidl_typesupport_introspection_c__ROS_TYPE_FLOAT) {
    if (const auto wide = real(value.side.value)) {
      value.side.value = static_cast<double>(static_cast<float>(*wide));
    }
  }
}

std::string_view name_of(Group group) {
  return group == Group::truth ? "a boolean" : group == Group::number ? "a number" : "a text";
}

expected<ContentFilter::Comparison, std::string> bind(const MessageType::Layout& layout,
                                                      const FilterComparison& comparison) {
  auto left = bind(layout, comparison.left);
  auto right = bind(layout, comparison.right);
  if (!left || !right) {
    return fault(left ? right.error() : left.error());
  }
  if (!left->side.is_field && !right->side.is_field) {
    return fault("a comparison of two values: one side must be a field");
  }
  adapt(*left, *right);
  adapt(*right, *left);
  if (left->group != right->group) {
    return fault(fmt::format("{} is {}, and {} is {}: they cannot be compared", left->name,
                             name_of(left->group), right->name, name_of(right->group)));
  }
  if (comparison.relation == FilterOperator::like && left->group != Group::text) {
    return fault(
        fmt::format("LIKE compares texts, and {} is {}", left->name, name_of(left->group)));
  }
  return ContentFilter::Comparison{std::move(left->side), comparison.relation,
                                   std::move(right->side)};
}

// --- what a message is asked ---------------------------------------------------------------------

/// `%`: any characters, `_`: one. In time of the product of both lengths, without recursion.
bool is_like(std::string_view text, std::string_view pattern) {
  std::size_t at = 0;
  std::size_t in_pattern = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (at < text.size()) {
    if (in_pattern < pattern.size() && pattern[in_pattern] == '%') {
      star = in_pattern++;
      resume = at;
    } else if (in_pattern < pattern.size() &&
               (pattern[in_pattern] == '_' || pattern[in_pattern] == text[at])) {
      ++in_pattern;
      ++at;
    } else if (star != std::string_view::npos) {
      in_pattern = star + 1;
      at = ++resume;
    } else {
      return false;
    }
  }
  const auto rest = pattern.find_first_not_of('%', in_pattern);
  return rest == std::string_view::npos;
}

std::partial_ordering order(std::int64_t left, std::uint64_t right) {
  return left < 0 ? std::partial_ordering::less : static_cast<std::uint64_t>(left) <=> right;
}

/// Whole numbers are compared exactly, whatever their signs.
std::partial_ordering order(const StoredValue& left, const StoredValue& right) {
  return std::visit(
      [](const auto& one, const auto& other) -> std::partial_ordering {
        using One = std::decay_t<decltype(one)>;
        using Other = std::decay_t<decltype(other)>;
        if constexpr (std::is_same_v<One, std::monostate> ||
                      std::is_same_v<Other, std::monostate>) {
          return std::partial_ordering::unordered;
        } else if constexpr (std::is_same_v<One, Other>) {
          return one <=> other;
        } else if constexpr (!std::is_arithmetic_v<One> || !std::is_arithmetic_v<Other> ||
                             std::is_same_v<One, bool> || std::is_same_v<Other, bool>) {
          return std::partial_ordering::unordered;
        } else if constexpr (std::is_same_v<One, double> || std::is_same_v<Other, double>) {
          return static_cast<long double>(one) <=> static_cast<long double>(other);
        } else if constexpr (std::is_same_v<One, std::int64_t>) {
          return order(one, other);
        } else {
          const auto turned = order(other, one);
          return turned == std::partial_ordering::less      ? std::partial_ordering::greater
                 : turned == std::partial_ordering::greater ? std::partial_ordering::less
                                                            : turned;
        }
      },
      left, right);
}

bool holds(const StoredValue& left, FilterOperator relation, const StoredValue& right) {
  if (relation == FilterOperator::like) {
    const auto* text = std::get_if<std::string>(&left);
    const auto* pattern = std::get_if<std::string>(&right);
    return text != nullptr && pattern != nullptr && is_like(*text, *pattern);
  }
  const auto found = order(left, right);
  switch (relation) {
    case FilterOperator::equal:
      return found == std::partial_ordering::equivalent;
    case FilterOperator::not_equal:
      return found == std::partial_ordering::less || found == std::partial_ordering::greater;
    case FilterOperator::less:
      return found == std::partial_ordering::less;
    case FilterOperator::less_or_equal:
      return found == std::partial_ordering::less || found == std::partial_ordering::equivalent;
    case FilterOperator::greater:
      return found == std::partial_ordering::greater;
    case FilterOperator::greater_or_equal:
      return found == std::partial_ordering::greater || found == std::partial_ordering::equivalent;
    case FilterOperator::like:
      break;
  }
  return false;
}

}  // namespace

expected<std::unique_ptr<const ContentFilter>, std::string> ContentFilter::make(
    const MessageType& type, std::string text, std::vector<std::string> parameters) {
  const auto refuse = [&type](const std::string& why) {
    return fault("the content filter for " + type.name() + " is not valid: " + why);
  };
  auto tree = parse_filter(text, parameters);
  if (!tree) {
    return refuse(tree.error());
  }
  std::unique_ptr<ContentFilter> self(new ContentFilter());
  for (const FilterComparison& one : tree->comparisons) {
    auto bound = bind(type.layout(), one);
    if (!bound) {
      return refuse(bound.error());
    }
    self->comparisons_.push_back(std::move(*bound));
  }
  self->layout_ = &type.layout();
  self->nodes_ = std::move(tree->nodes);
  self->text_ = std::move(text);
  self->parameters_ = std::move(parameters);
  return self;
}

/// Operands come before what they are operands of, so one pass suffices.
bool ContentFilter::wants(std::span<const std::byte> stored) const {
  if (stored.size() < encapsulation_size || stored[0] != std::byte{0} ||
      stored[1] != std::byte{1}) {
    return true;
  }
  const auto fields = stored.subspan(encapsulation_size);
  const auto value = [&](const Side& side) {
    return side.is_field ? stored_value(*layout_, side.path, fields) : side.value;
  };
  std::vector<bool> results;
  results.reserve(nodes_.size());
  for (const FilterNode& node : nodes_) {
    switch (node.kind) {
      case FilterNode::Kind::comparison: {
        const Comparison& one = comparisons_[node.first];
        results.push_back(holds(value(one.left), one.relation, value(one.right)));
        break;
      }
      case FilterNode::Kind::both:
        results.push_back(results[node.first] && results[node.second]);
        break;
      case FilterNode::Kind::either:
        results.push_back(results[node.first] || results[node.second]);
        break;
      case FilterNode::Kind::negation:
        results.push_back(!results[node.first]);
        break;
    }
  }
  return results.back();
}

}  // namespace rmw_ligament_cpp
