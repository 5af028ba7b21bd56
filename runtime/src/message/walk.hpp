// SPDX-License-Identifier: Apache-2.0
// Shared by the functions that read stored messages from their type table alone.
#pragma once

#include <cstdint>
#include <ligament/type_table.hpp>
#include <string>

namespace ligament::detail {

/// Calls `function.template operator()<T>()` with the C++ type of a primitive kind.
template <typename Function>
bool with_primitive(ElementKind kind, Function&& function) {
  switch (kind) {
    case ElementKind::boolean:
      return function.template operator()<bool>();
    case ElementKind::byte:
    case ElementKind::uint8:
      return function.template operator()<std::uint8_t>();
    case ElementKind::int8:
      return function.template operator()<std::int8_t>();
    case ElementKind::int16:
      return function.template operator()<std::int16_t>();
    case ElementKind::uint16:
      return function.template operator()<std::uint16_t>();
    case ElementKind::int32:
      return function.template operator()<std::int32_t>();
    case ElementKind::uint32:
      return function.template operator()<std::uint32_t>();
    case ElementKind::int64:
      return function.template operator()<std::int64_t>();
    case ElementKind::uint64:
      return function.template operator()<std::uint64_t>();
    case ElementKind::float32:
      return function.template operator()<float>();
    case ElementKind::float64:
      return function.template operator()<double>();
    case ElementKind::string:
    case ElementKind::wstring:
    case ElementKind::message:
      break;
  }
  return false;
}

inline bool is_primitive(ElementKind kind) { return kind < ElementKind::string; }

inline bool is_sequence(const FieldEntry& field) {
  return field.multiplicity == Multiplicity::sequence ||
         field.multiplicity == Multiplicity::bounded_sequence;
}

}  // namespace ligament::detail
