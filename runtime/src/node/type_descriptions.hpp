// SPDX-License-Identifier: Apache-2.0
/// \file The types that a node uses, told by its service ~/get_type_description as rcl tells them.
///
/// A request names a type by its hash. The answer has the fields of the type and of all types
/// inside it. It has no default values of fields and no sources, *because* tables of types have
/// neither.
#pragma once

#include <ligament/node.hpp>
#include <ligament/type_description_interfaces/srv/get_type_description.hpp>
#include <ligament/type_table.hpp>
#include <memory>

namespace ligament::detail {

/// Those inside follow in the order of their names: the hash is over that.
[[nodiscard]] type_description_interfaces::msg::TypeDescription describe_type(
    const TypeTable& table);

/// It lives as long as the handle that is returned.
[[nodiscard]] std::shared_ptr<ServiceBase> make_type_description_service(Node& node);

}  // namespace ligament::detail
