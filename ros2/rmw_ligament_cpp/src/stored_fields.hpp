// SPDX-License-Identifier: Apache-2.0
/// \file Single fields of a message in its stored form, without reading the rest of it: numbers are
/// passed over at once, however many there are.
///
///   const auto value = stored_value(type.layout(), path, sample.payload().subspan(4));
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "message_type.hpp"

namespace rmw_ligament_cpp {

/// A field of a layout, and which of its elements; 0 where it is one value.
struct PathStep {
  std::size_t field = 0;
  std::size_t index = 0;
};
using Path = std::vector<PathStep>;

/// Texts are UTF-8. Nothing: the message has no such element, or is no message of this type.
using StoredValue =
    std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string>;

/// `fields`: the stored form behind its encapsulation. It may hold any bytes.
[[nodiscard]] StoredValue stored_value(const MessageType::Layout& layout, const Path& path,
                                       std::span<const std::byte> fields);

}  // namespace rmw_ligament_cpp
