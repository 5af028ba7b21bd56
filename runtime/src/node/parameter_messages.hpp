// SPDX-License-Identifier: Apache-2.0
/// \file Between parameters here and rcl_interfaces' messages.
#pragma once

#include <ligament/parameter.hpp>
#include <ligament/rcl_interfaces/msg/parameter.hpp>
#include <ligament/rcl_interfaces/msg/parameter_descriptor.hpp>
#include <ligament/rcl_interfaces/msg/parameter_value.hpp>
#include <string>

namespace ligament::detail {

[[nodiscard]] rcl_interfaces::msg::ParameterValue to_message(const ParameterValue& value);
[[nodiscard]] rcl_interfaces::msg::Parameter to_message(const Parameter& parameter);
/// A type that does not exist becomes "not set".
[[nodiscard]] ParameterValue from_message(const rcl_interfaces::msg::ParameterValue& message);
[[nodiscard]] Parameter from_message(const rcl_interfaces::msg::Parameter& message);
[[nodiscard]] rcl_interfaces::msg::ParameterDescriptor to_message(
    const std::string& name, ParameterType type, const ParameterDescriptor& descriptor);

}  // namespace ligament::detail
