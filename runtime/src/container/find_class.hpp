// SPDX-License-Identifier: Apache-2.0
/// \file Where the class of a node that shall be loaded is.
#pragma once

#include <ligament/component.hpp>
#include <ligament/expected.hpp>
#include <string>

namespace ligament::container {

/// The resource of the ament index that lists a package's node classes, one line each:
/// `CLASS;LIBRARY`, the library relative to the prefix. As `rclcpp_components`, for our nodes.
inline constexpr const char* component_resource = "ligament_components";

/// How to make a node of the class. With a package, from the library that
/// `PREFIX/share/ament_index/resource_index/ligament_components/PACKAGE` names, for the first
/// PREFIX of AMENT_PREFIX_PATH that has it; with an empty one, or where no prefix has it, from a
/// library that this process has opened. The text says what was looked for and what there is.
[[nodiscard]] expected<NodeFactory, std::string> find_class(const std::string& package,
                                                            const std::string& class_name);

}  // namespace ligament::container
