// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>
#include <ligament/message/view.hpp>
#include <ligament/type_table.hpp>

#include "message/table_reader.hpp"

namespace ligament {
namespace {

template <typename T>
std::string number_text(T value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  std::string text(digits.data(), end);
  // A float stays one for a YAML reader: 1 becomes 1.0.
  if (std::is_floating_point_v<T> && text.find_first_not_of("-0123456789") == std::string::npos) {
    text += ".0";
  }
  return text;
}

std::string value_text(double value) {
  if (std::isnan(value)) {
    return ".nan";
  }
  if (std::isinf(value)) {
    return value < 0 ? "-.inf" : ".inf";
  }
  return number_text(value);
}
std::string value_text(float value) {
  return std::isfinite(value) ? number_text(value) : value_text(static_cast<double>(value));
}
std::string value_text(bool value) { return value ? "true" : "false"; }
template <std::integral T>
std::string value_text(T value) {
  return number_text(value);
}

/// Double-quoted YAML. Control characters become escapes, so that no text can disturb a terminal;
/// the bytes of other UTF-8 characters stay.
class Quoted {
 public:
  void plain(char character) {
    const auto code = static_cast<unsigned char>(character);
    if (code < 0x20 || code == 0x7F || character == '"' || character == '\\') {
      escaped("\\x", code, 2);
    } else {
      text_ += character;
    }
  }
  void wide(char16_t unit) {
    if (unit < 0x7F) {
      plain(static_cast<char>(unit));
    } else {
      escaped("\\u", unit, 4);
    }
  }
  [[nodiscard]] std::string text() const { return text_ + "\""; }

 private:
  void escaped(std::string_view mark, unsigned code, unsigned digits) {
    text_ += mark;
    for (unsigned left = digits; left > 0; --left) {
      text_ += "0123456789abcdef"[(code >> (4 * (left - 1))) & 0xFU];
    }
  }
  std::string text_ = "\"";
};

class Printer {
 public:
  Printer(std::span<const std::byte> body, std::size_t max_elements)
      : reader_(body), max_elements_(max_elements) {}

  bool message(const TypeTable& table, std::size_t indent, bool first_inline) {
    for (const FieldEntry& field : table.fields) {
      text_.append(first_inline ? 0 : indent, ' ');
      first_inline = false;
      text_.append(field.name).append(":");
      if (!this->field(field, indent)) {
        return false;
      }
    }
    return true;
  }
  bool finished() { return reader_.cursor().finished(); }
  [[nodiscard]] CodecError error() { return reader_.cursor().error(); }
  [[nodiscard]] std::string take_text() { return std::move(text_); }

 private:
  bool field(const FieldEntry& field, std::size_t indent) {
    std::size_t count = 0;
    if (!reader_.begin(field, count)) {
      return false;
    }
    if (field.multiplicity == Multiplicity::single) {
      return single(field, indent);
    }
    text_ += count == 0 ? " []\n" : "\n";
    const std::size_t shown = std::min(count, max_elements_);
    for (std::size_t i = 0; i < shown; ++i) {
      text_.append(indent, ' ').append("-");
      if (!element(field, indent)) {
        return false;
      }
    }
    if (shown == count) {
      return true;
    }
    text_.append(indent, ' ').append("- '... " + number_text(count - shown) + " more'\n");
    return is_primitive(field.kind) ? reader_.primitives(field.kind, count - shown)
                                    : reader_.elements(field, count - shown);
  }
  bool single(const FieldEntry& field, std::size_t indent) {
    if (field.kind == ElementKind::message) {
      text_ += "\n";
      return message(*field.nested, indent + 2, false);
    }
    return element(field, indent);
  }
  bool element(const FieldEntry& field, std::size_t indent) {
    text_ += ' ';
    if (field.kind == ElementKind::message) {
      return message(*field.nested, indent + 2, true);
    }
    const bool read = detail::is_primitive(field.kind) ? primitive(field) : text(field);
    text_ += '\n';
    return read;
  }
  bool primitive(const FieldEntry& field) {
    return detail::with_primitive(field.kind, [&]<typename T>() {
      T value{};
      if (!reader_.cursor()(value)) {
        return false;
      }
      text_ += value_text(value);
      return true;
    });
  }
  bool text(const FieldEntry& field) {
    detail::Extent<const std::byte> found;
    if (!reader_.text(field, found)) {
      return false;
    }
    Quoted quoted;
    if (field.kind == ElementKind::wstring) {
      for (const char16_t unit : detail::wide_text_of(found)) {
        quoted.wide(unit);
      }
    } else {
      for (const char character : detail::text_of(found)) {
        quoted.plain(character);
      }
    }
    text_ += quoted.text();
    return true;
  }
  static bool is_primitive(ElementKind kind) { return detail::is_primitive(kind); }

  detail::TableReader reader_;
  std::size_t max_elements_;
  std::string text_;
};

}  // namespace

expected<std::string, CodecError> print(const TypeTable& table, std::span<const std::byte> stored,
                                        std::size_t max_elements) {
  if (auto encapsulation = detail::check_encapsulation(stored); !encapsulation) {
    return unexpected<CodecError>(encapsulation.error());
  }
  Printer printer(stored.subspan(encapsulation_size), max_elements);
  if (!printer.message(table, 0, false) || !printer.finished()) {
    return unexpected<CodecError>(printer.error());
  }
  return printer.take_text();
}

}  // namespace ligament
