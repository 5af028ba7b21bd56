// SPDX-License-Identifier: Apache-2.0
#include "stored_fields.hpp"

#include <rosidl_typesupport_introspection_c/field_types.h>

#include <cstring>
#include <optional>

namespace rmw_ligament_cpp {

namespace {

using Field = MessageType::Field;
using Kind = MessageType::Kind;
using Layout = MessageType::Layout;

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6));
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3F));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

template <typename Number>
Number number_at(const std::byte* at) {
  Number value{};
  std::memcpy(&value, at, sizeof value);
  return value;
}

StoredValue number_of(std::uint8_t type_id, const std::byte* at) {
  switch (type_id) {
    case rosidl_typesupport_introspection_c__ROS_TYPE_FLOAT:
      return static_cast<double>(number_at<float>(at));
    case rosidl_typesupport_introspection_c__ROS_TYPE_DOUBLE:
      return number_at<double>(at);
    case rosidl_typesupport_introspection_c__ROS_TYPE_INT8:
      return std::int64_t{number_at<std::int8_t>(at)};
    case rosidl_typesupport_introspection_c__ROS_TYPE_INT16:
      return std::int64_t{number_at<std::int16_t>(at)};
    case rosidl_typesupport_introspection_c__ROS_TYPE_INT32:
      return std::int64_t{number_at<std::int32_t>(at)};
    case rosidl_typesupport_introspection_c__ROS_TYPE_INT64:
      return number_at<std::int64_t>(at);
    case rosidl_typesupport_introspection_c__ROS_TYPE_UINT16:
    case rosidl_typesupport_introspection_c__ROS_TYPE_WCHAR:
      return std::uint64_t{number_at<std::uint16_t>(at)};
    case rosidl_typesupport_introspection_c__ROS_TYPE_UINT32:
      return std::uint64_t{number_at<std::uint32_t>(at)};
    case rosidl_typesupport_introspection_c__ROS_TYPE_UINT64:
      return number_at<std::uint64_t>(at);
    default:
      return std::uint64_t{number_at<std::uint8_t>(at)};
  }
}

/// Walks as `codec.cpp` reads, and trusts the bytes as little.
class Walk {
 public:
  explicit Walk(std::span<const std::byte> fields) : fields_(fields) {}

  /// False: the bytes end before the field, or it has no such element.
  [[nodiscard]] bool go(const Layout& layout, const Path& path, StoredValue& value) {
    const Layout* here = &layout;
    for (std::size_t depth = 0; depth < path.size(); ++depth) {
      const PathStep& step = path[depth];
      for (std::size_t i = 0; i < step.field; ++i) {
        if (!skip(here->fields[i])) {
          return false;
        }
      }
      const Field& field = here->fields[step.field];
      const auto count = elements(field);
      if (!count || step.index >= *count || !skip(field, step.index)) {
        return false;
      }
      if (depth + 1 == path.size()) {
        return read(field, value);
      }
      here = field.nested;
    }
    return false;
  }

 private:
  [[nodiscard]] std::size_t left() const { return fields_.size() - position_; }

  [[nodiscard]] bool align(std::size_t alignment) {
    const std::size_t aligned = (position_ + alignment - 1) & ~(alignment - 1);
    if (aligned > fields_.size()) {
      return false;
    }
    position_ = aligned;
    return true;
  }
  [[nodiscard]] bool pass(std::size_t count, std::size_t width) {
    if (count > left() / width) {
      return false;
    }
    position_ += count * width;
    return true;
  }
  [[nodiscard]] std::optional<std::size_t> length() {
    if (!align(4) || left() < 4) {
      return std::nullopt;
    }
    const auto count = number_at<std::uint32_t>(fields_.data() + position_);
    position_ += 4;
    return count;
  }
  [[nodiscard]] std::optional<std::size_t> elements(const Field& field) {
    return field.is_sequence ? length() : std::optional(field.count);
  }

  [[nodiscard]] bool skip(const Field& field) {
    const auto count = elements(field);
    return count && skip(field, *count);
  }
  /// So many elements, whose length has been read.
  [[nodiscard]] bool skip(const Field& field, std::size_t count) {
    if (count == 0) {
      return true;
    }
    if (field.kind == Kind::number || field.kind == Kind::boolean) {
      return align(field.width) && pass(count, field.width);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (left() == 0 || !skip_one(field)) {  // none has no bytes: so the loop ends
        return false;
      }
    }
    return true;
  }
  [[nodiscard]] bool skip_one(const Field& field) {
    if (field.kind != Kind::message) {
      const auto size = length();
      return size && pass(*size, field.kind == Kind::text ? 1 : 4);
    }
    const Layout& layout = *field.nested;
    if (layout.plain.is_plain && position_ % layout.plain.alignment == 0) {
      return pass(layout.plain.size, 1);
    }
    for (const Field& inner : layout.fields) {
      if (!skip(inner)) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool read(const Field& field, StoredValue& value) {
    switch (field.kind) {
      case Kind::number:
        if (!align(field.width) || left() < field.width) {
          return false;
        }
        value = number_of(field.type_id, fields_.data() + position_);
        return true;
      case Kind::boolean:
        value = left() != 0 && fields_[position_] != std::byte{0};
        return left() != 0;
      case Kind::text:
        return read_text(value);
      case Kind::wide_text:
        return read_wide_text(value);
      case Kind::message:
        break;
    }
    return false;
  }

  [[nodiscard]] bool read_text(StoredValue& value) {
    const auto size = length();
    if (!size || *size > left()) {
      return false;
    }
    const auto* first = reinterpret_cast<const char*>(fields_.data() + position_);
    value = std::string(first, *size == 0 ? 0 : *size - 1);  // its last byte is a 0
    return true;
  }

  [[nodiscard]] bool read_wide_text(StoredValue& value) {
    const auto count = length();
    if (!count || *count > left() / 4) {
      return false;
    }
    const auto unit = [this](std::size_t i) {
      return number_at<std::uint32_t>(fields_.data() + position_ + 4 * i);
    };
    std::string text;
    for (std::size_t i = 0; i < *count; ++i) {
      std::uint32_t code = unit(i);
      const bool is_pair =
          (code & 0xFFFFFC00U) == 0xD800 && i + 1 < *count && (unit(i + 1) & 0xFFFFFC00U) == 0xDC00;
      if (is_pair) {
        code = 0x10000 + ((code & 0x3FF) << 10) + (unit(++i) & 0x3FF);
      }
      append_utf8(text, code & 0x1FFFFF);
    }
    value = std::move(text);
    return true;
  }

  std::span<const std::byte> fields_;
  std::size_t position_ = 0;
};

}  // namespace

StoredValue stored_value(const Layout& layout, const Path& path,
                         std::span<const std::byte> fields) {
  StoredValue value;
  return Walk(fields).go(layout, path, value) ? value : StoredValue{};
}

}  // namespace rmw_ligament_cpp
