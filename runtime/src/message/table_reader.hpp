// SPDX-License-Identifier: Apache-2.0
// Reads stored messages field by field from their type table.
#pragma once

#include <ligament/message/reader.hpp>
#include <ligament/type_table.hpp>

#include "message/walk.hpp"

namespace ligament::detail {

/// Checks and skips; the printing side reads values with the same cursor where it needs them.
class TableReader {
 public:
  using Cursor = Reader<const std::byte>;
  explicit TableReader(std::span<const std::byte> body) : cursor_(body) {}

  bool message(const TypeTable& table) {
    for (const FieldEntry& field : table.fields) {
      if (!this->field(field)) {
        return false;
      }
    }
    return true;
  }
  bool field(const FieldEntry& field) {
    std::size_t count = 0;
    if (!begin(field, count)) {
      return false;
    }
    if (is_primitive(field.kind)) {
      return primitives(field.kind, count);
    }
    return elements(field, count);
  }
  /// Reads the count word of a sequence; of other fields the count is known.
  bool begin(const FieldEntry& field, std::size_t& count) {
    if (!is_sequence(field)) {
      count = field.multiplicity == Multiplicity::array ? field.count : 1;
      return true;
    }
    const bool bounded = field.multiplicity == Multiplicity::bounded_sequence;
    return cursor_.sequence(count, 1, bounded ? field.count : no_bound);
  }
  bool elements(const FieldEntry& field, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      if (!element(field)) {
        return false;
      }
    }
    return true;
  }
  bool primitives(ElementKind kind, std::size_t count) {
    return count == 0 || with_primitive(kind, [&]<typename T>() {
             Extent<const std::byte> found;
             return cursor_.fixed<T>(found, count);
           });
  }
  bool text(const FieldEntry& field, Extent<const std::byte>& found) {
    const Bounds bounds{no_bound, field.string_bound == 0 ? no_bound : field.string_bound};
    return field.kind == ElementKind::string ? cursor_.text(found, bounds)
                                             : cursor_.wide_text(found, bounds);
  }
  [[nodiscard]] Cursor& cursor() { return cursor_; }

 private:
  bool element(const FieldEntry& field) {
    if (field.kind == ElementKind::message) {
      return message(*field.nested);
    }
    Extent<const std::byte> found;
    return text(field, found);
  }

  Cursor cursor_;
};

}  // namespace ligament::detail
