// SPDX-License-Identifier: Apache-2.0
#include "node/parameter_messages.hpp"

#include "node/nearest.hpp"

namespace ligament::detail {

namespace {

using Message = rcl_interfaces::msg::ParameterValue;

/// Puts a value into the field of its type.
struct Filler {
  Message& message;
  void operator()(std::monostate /*none*/) const {}
  void operator()(bool value) const { message.bool_value = value; }
  void operator()(std::int64_t value) const { message.integer_value = value; }
  void operator()(double value) const { message.double_value = value; }
  void operator()(const std::string& value) const { message.string_value = value; }
  void operator()(const std::vector<std::uint8_t>& value) const {
    message.byte_array_value = value;
  }
  void operator()(const std::vector<bool>& value) const { message.bool_array_value = value; }
  void operator()(const std::vector<std::int64_t>& value) const {
    message.integer_array_value = value;
  }
  void operator()(const std::vector<double>& value) const { message.double_array_value = value; }
  void operator()(const std::vector<std::string>& value) const {
    message.string_array_value = value;
  }
};

}  // namespace

Message to_message(const ParameterValue& value) {
  Message message;
  message.type = static_cast<std::uint8_t>(value.get_type());
  value.visit(Filler{message});
  return message;
}

rcl_interfaces::msg::Parameter to_message(const Parameter& parameter) {
  rcl_interfaces::msg::Parameter message;
  message.name = parameter.get_name();
  message.value = to_message(parameter.get_parameter_value());
  return message;
}

ParameterValue from_message(const Message& message) {
  switch (static_cast<ParameterType>(message.type)) {
    case ParameterType::bool_:
      return message.bool_value;
    case ParameterType::integer:
      return message.integer_value;
    case ParameterType::double_:
      return message.double_value;
    case ParameterType::string:
      return message.string_value;
    case ParameterType::byte_array:
      return message.byte_array_value;
    case ParameterType::bool_array:
      return message.bool_array_value;
    case ParameterType::integer_array:
      return message.integer_array_value;
    case ParameterType::double_array:
      return message.double_array_value;
    case ParameterType::string_array:
      return message.string_array_value;
    case ParameterType::not_set:
      break;
  }
  return {};
}

Parameter from_message(const rcl_interfaces::msg::Parameter& message) {
  return {message.name, from_message(message.value)};
}

rcl_interfaces::msg::ParameterDescriptor to_message(const std::string& name, ParameterType type,
                                                    const ParameterDescriptor& descriptor) {
  rcl_interfaces::msg::ParameterDescriptor message;
  message.name = name;
  message.type = static_cast<std::uint8_t>(type);
  message.description = descriptor.description;
  message.read_only = descriptor.read_only;
  if (!descriptor.choices.empty()) {
    message.additional_constraints = "one of " + listing(descriptor.choices);
  }
  if (const auto& range = descriptor.integer_range) {
    auto& told = message.integer_range.emplace_back();
    told.from_value = range->from_value;
    told.to_value = range->to_value;
    told.step = range->step;
  }
  if (const auto& range = descriptor.floating_point_range) {
    auto& told = message.floating_point_range.emplace_back();
    told.from_value = range->from_value;
    told.to_value = range->to_value;
    told.step = range->step;
  }
  return message;
}

}  // namespace ligament::detail
