// SPDX-License-Identifier: Apache-2.0
/// The walks over a message: measure and write are one walk into two sinks, so that they cannot
/// disagree; read checks each number of the stored form before it is used.
#include <rosidl_runtime_c/primitives_sequence.h>
#include <rosidl_runtime_c/string.h>
#include <rosidl_runtime_c/string_functions.h>
#include <rosidl_runtime_c/u16string.h>
#include <rosidl_runtime_c/u16string_functions.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>

#include "message_type.hpp"

namespace rmw_ligament_cpp {

namespace {

using Kind = MessageType::Kind;
using Field = MessageType::Field;
using Layout = MessageType::Layout;
using Apart = MessageType::Apart;

std::size_t align_up(std::size_t position, std::size_t alignment) {
  return (position + alignment - 1) & ~(alignment - 1);
}

/// A message within another one begins where the one before it ended, so its first field may be
/// less aligned than its memory is.
bool is_as_in_memory(const Layout& layout, std::size_t position) {
  return layout.plain.is_plain && position % layout.plain.alignment == 0;
}

std::string_view text_of(const void* value, bool is_cpp) {
  if (is_cpp) {
    return *static_cast<const std::string*>(value);
  }
  const auto& text = *static_cast<const rosidl_runtime_c__String*>(value);
  return {text.data, text.size};
}

std::u16string_view wide_text_of(const void* value, bool is_cpp) {
  if (is_cpp) {
    return *static_cast<const std::u16string*>(value);
  }
  const auto& text = *static_cast<const rosidl_runtime_c__U16String*>(value);
  return {reinterpret_cast<const char16_t*>(text.data), text.size};
}

/// Positions count from behind the encapsulation, as alignment does.
class SizeSink {
 public:
  void align(std::size_t alignment) { position_ = align_up(position_, alignment); }
  void put(const void* /*from*/, std::size_t size) { position_ += size; }
  void skip(std::size_t size) { position_ += size; }
  void note_array(std::size_t size) {
    if (size > largest_) {
      largest_ = size;
      largest_at_ = position_;
    }
  }
  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] std::size_t largest_at() const { return largest_at_; }

 private:
  std::size_t position_ = 0;
  std::size_t largest_ = 0;
  std::size_t largest_at_ = 0;
};

/// Padding becomes zero: what the memory held before must not leave this process.
class ByteSink {
 public:
  explicit ByteSink(std::byte* at) : at_(at) {}
  void align(std::size_t alignment) {
    const std::size_t aligned = align_up(position_, alignment);
    std::memset(at_ + position_, 0, aligned - position_);
    position_ = aligned;
  }
  void put(const void* from, std::size_t size) {
    if (size != 0) {  // an empty sequence has no memory
      std::memcpy(at_ + position_, from, size);
      position_ += size;
    }
  }
  void skip(std::size_t size) { position_ += size; }
  void note_array(std::size_t /*size*/) {}
  [[nodiscard]] std::size_t position() const { return position_; }

 private:
  std::byte* at_;
  std::size_t position_ = 0;
};

template <typename Sink>
class Writing {
 public:
  Writing(Sink& sink, Apart& apart) : sink_(sink), apart_(apart) {}

  void message(const Layout& layout, const std::byte* at) {
    if (is_as_in_memory(layout, sink_.position())) {
      sink_.put(at, layout.plain.size);
      return;
    }
    for (const Field& field : layout.fields) {
      elements(layout, field, at + field.offset);
    }
  }
  [[nodiscard]] bool fits() const { return fits_; }

 private:
  void elements(const Layout& layout, const Field& field, const std::byte* at) {
    const void* first = at;
    std::size_t count = field.count;
    if (&field == apart_.field) {
      leave_out(field);
      return;
    }
    if (field.is_sequence) {
      count = field.length(at);
      fits_ = fits_ && (field.bound == 0 || count <= field.bound);
      length(count);
      const bool is_bits = layout.is_cpp && field.kind == Kind::boolean;  // vector<bool>
      if (count == 0 || is_bits) {
        bits(field, at, count);
        return;
      }
      first = field.at(at, 0);
    }
    run(layout, field, static_cast<const std::byte*>(first), count);
  }

  void run(const Layout& layout, const Field& field, const std::byte* first, std::size_t count) {
    switch (field.kind) {
      case Kind::number:
      case Kind::boolean:
        sink_.align(field.width);
        sink_.note_array(count * field.width);
        sink_.put(first, count * field.width);
        return;
      case Kind::text:
        for (std::size_t i = 0; i < count; ++i) {
          text(field, text_of(first + i * field.stride, layout.is_cpp));
        }
        return;
      case Kind::wide_text:
        for (std::size_t i = 0; i < count; ++i) {
          wide_text(field, wide_text_of(first + i * field.stride, layout.is_cpp));
        }
        return;
      case Kind::message:
        for (std::size_t i = 0; i < count; ++i) {
          message(*field.nested, first + i * field.stride);
        }
        return;
    }
  }

  /// Whoever asked for it fills the place.
  void leave_out(const Field& field) {
    fits_ = fits_ && (field.bound == 0 || apart_.count <= field.bound);
    length(apart_.count);
    if (apart_.count != 0) {
      sink_.align(field.width);
      sink_.note_array(apart_.count * field.width);
    }
    apart_.position = encapsulation_size + sink_.position();
    sink_.skip(apart_.count * field.width);
  }

  void bits(const Field& field, const std::byte* at, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      bool value = false;
      field.fetch(at, i, &value);
      sink_.put(&value, 1);
    }
  }

  void length(std::size_t count) {
    fits_ = fits_ && count < std::numeric_limits<std::uint32_t>::max();
    const auto stored = static_cast<std::uint32_t>(count);
    sink_.align(sizeof stored);
    sink_.put(&stored, sizeof stored);
  }

  void text(const Field& field, std::string_view value) {
    fits_ = fits_ && (field.text_bound == 0 || value.size() <= field.text_bound);
    length(value.size() + 1);
    sink_.put(value.data(), value.size());
    sink_.put("", 1);
  }

  void wide_text(const Field& field, std::u16string_view value) {
    fits_ = fits_ && (field.text_bound == 0 || value.size() <= field.text_bound);
    length(value.size());
    for (const char16_t unit : value) {
      const std::uint32_t wide = unit;
      sink_.put(&wide, sizeof wide);
    }
  }

  Sink& sink_;
  Apart& apart_;
  bool fits_ = true;
};

class Reading {
 public:
  Reading(std::span<const std::byte> fields, Apart& apart) : fields_(fields), apart_(apart) {}

  [[nodiscard]] bool message(const Layout& layout, std::byte* at) {
    if (is_as_in_memory(layout, position_)) {
      return get(at, layout.plain.size);
    }
    for (const Field& field : layout.fields) {
      if (!elements(layout, field, at + field.offset)) {
        return false;
      }
    }
    return true;
  }

 private:
  [[nodiscard]] std::size_t left() const { return fields_.size() - position_; }
  [[nodiscard]] const std::byte* here() const { return fields_.data() + position_; }

  [[nodiscard]] bool align(std::size_t alignment) {
    const std::size_t aligned = align_up(position_, alignment);
    if (aligned > fields_.size()) {
      return false;
    }
    position_ = aligned;
    return true;
  }
  [[nodiscard]] bool get(void* to, std::size_t size) {
    if (size > left()) {
      return false;
    }
    if (size != 0) {
      std::memcpy(to, here(), size);
      position_ += size;
    }
    return true;
  }
  [[nodiscard]] bool length(std::size_t& count) {
    std::uint32_t stored = 0;
    const bool is_there = align(sizeof stored) && get(&stored, sizeof stored);
    count = stored;
    return is_there;
  }

  /// The least bytes that an element takes: a sequence longer than what is left is refused before
  /// memory is taken for it.
  [[nodiscard]] static std::size_t least_size(const Field& field) {
    switch (field.kind) {
      case Kind::text:
      case Kind::wide_text:
        return 4;
      case Kind::number:
      case Kind::boolean:
        return field.width;
      case Kind::message:
        return 1;
    }
    return 1;
  }

  [[nodiscard]] bool elements(const Layout& layout, const Field& field, std::byte* at) {
    if (!field.is_sequence) {
      return run(layout, field, at, field.count);
    }
    std::size_t count = 0;
    if (!length(count) || (field.bound != 0 && count > field.bound) ||
        count > left() / least_size(field)) {
      return false;
    }
    if (&field == apart_.field) {
      return count == 0 || pass_over(field, count);
    }
    if (!resize(layout, field, at, count)) {
      return false;
    }
    if (count == 0) {
      return true;
    }
    if (layout.is_cpp && field.kind == Kind::boolean) {
      return bits(field, at, count);
    }
    return run(layout, field, static_cast<std::byte*>(field.change_at(at, 0)), count);
  }

  [[nodiscard]] bool pass_over(const Field& field, std::size_t count) {
    if (!align(field.width) || count > left() / field.width) {
      return false;
    }
    apart_.count = count;
    apart_.position = encapsulation_size + position_;
    position_ += count * field.width;
    return true;
  }

  /// A C sequence of numbers that is large enough keeps its memory: to make it anew would clear it.
  [[nodiscard]] static bool resize(const Layout& layout, const Field& field, std::byte* at,
                                   std::size_t count) {
    if (layout.is_cpp) {
      field.resize_cpp(at, count);
      return true;
    }
    auto& sequence = *reinterpret_cast<rosidl_runtime_c__uint8__Sequence*>(at);  // all are alike
    if (field.kind == Kind::number && sequence.capacity >= count) {
      sequence.size = count;
      return true;
    }
    return field.resize_c(at, count);
  }

  [[nodiscard]] bool run(const Layout& layout, const Field& field, std::byte* first,
                         std::size_t count) {
    switch (field.kind) {
      case Kind::number:
        return align(field.width) && get(first, count * field.width);
      case Kind::boolean:
        return booleans(first, count);
      default:
        break;
    }
    for (std::size_t i = 0; i < count; ++i) {
      std::byte* const at = first + i * field.stride;
      const bool is_read = field.kind == Kind::message ? message(*field.nested, at)
                           : field.kind == Kind::text  ? text(layout, field, at)
                                                       : wide_text(layout, field, at);
      if (!is_read) {
        return false;
      }
    }
    return true;
  }

  /// A byte other than 0 and 1 must not become a bool.
  [[nodiscard]] bool booleans(std::byte* first, std::size_t count) {
    if (count > left()) {
      return false;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const bool value = fields_[position_ + i] != std::byte{0};
      std::memcpy(first + i, &value, 1);
    }
    position_ += count;
    return true;
  }
  [[nodiscard]] bool bits(const Field& field, std::byte* at, std::size_t count) {
    if (count > left()) {
      return false;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const bool value = fields_[position_ + i] != std::byte{0};
      field.assign(at, i, &value);
    }
    position_ += count;
    return true;
  }

  [[nodiscard]] bool text(const Layout& layout, const Field& field, std::byte* at) {
    std::size_t size = 0;
    if (!length(size) || size > left() ||
        (size != 0 && fields_[position_ + size - 1] != std::byte{0})) {
      return false;
    }
    const std::size_t characters = size == 0 ? 0 : size - 1;
    if (field.text_bound != 0 && characters > field.text_bound) {
      return false;
    }
    const auto* from = reinterpret_cast<const char*>(here());
    position_ += size;
    if (layout.is_cpp) {
      reinterpret_cast<std::string*>(at)->assign(from, characters);
      return true;
    }
    return rosidl_runtime_c__String__assignn(reinterpret_cast<rosidl_runtime_c__String*>(at),
                                             characters == 0 ? "" : from, characters);
  }

  [[nodiscard]] bool wide_text(const Layout& layout, const Field& field, std::byte* at) {
    std::size_t count = 0;
    if (!length(count) || count > left() / 4 ||
        (field.text_bound != 0 && count > field.text_bound)) {
      return false;
    }
    std::u16string value(count, u'\0');
    for (char16_t& unit : value) {
      std::uint32_t wide = 0;
      if (!get(&wide, sizeof wide) || wide > 0xFFFF) {
        return false;
      }
      unit = static_cast<char16_t>(wide);
    }
    if (layout.is_cpp) {
      *reinterpret_cast<std::u16string*>(at) = std::move(value);
      return true;
    }
    return rosidl_runtime_c__U16String__assignn(
        reinterpret_cast<rosidl_runtime_c__U16String*>(at),
        reinterpret_cast<const std::uint16_t*>(value.data()), count);
  }

  std::span<const std::byte> fields_;
  Apart& apart_;
  std::size_t position_ = 0;
};

}  // namespace

Apart MessageType::apart(std::size_t offset) const {
  const auto& fields = layouts_.front()->fields;
  const auto field = std::find_if(fields.begin(), fields.end(), [offset](const Field& one) {
    return one.offset == offset && one.is_sequence && one.kind == Kind::number;
  });
  return {field == fields.end() ? nullptr : &*field, 0, 0};
}

Measure MessageType::measure(const void* message, Apart& apart) const {
  SizeSink sink;
  Writing writing(sink, apart);
  writing.message(*layouts_.front(), static_cast<const std::byte*>(message));
  return {encapsulation_size + sink.position(), encapsulation_size + sink.largest_at(),
          writing.fits()};
}

void MessageType::write(const void* message, std::span<std::byte> stored, Apart& apart) const {
  constexpr std::uint8_t little_endian_cdr[encapsulation_size] = {0, 1, 0, 0};
  std::memcpy(stored.data(), little_endian_cdr, encapsulation_size);
  ByteSink sink(stored.data() + encapsulation_size);
  Writing(sink, apart).message(*layouts_.front(), static_cast<const std::byte*>(message));
}

bool MessageType::read(std::span<const std::byte> stored, void* message, Apart& apart) const {
  if (stored.size() < encapsulation_size || stored[0] != std::byte{0} ||
      stored[1] != std::byte{1}) {
    return false;
  }
  return Reading(stored.subspan(encapsulation_size), apart)
      .message(*layouts_.front(), static_cast<std::byte*>(message));
}

Measure MessageType::measure(const void* message) const {
  Apart none;
  return measure(message, none);
}

void MessageType::write(const void* message, std::span<std::byte> stored) const {
  Apart none;
  write(message, stored, none);
}

bool MessageType::read(std::span<const std::byte> stored, void* message) const {
  Apart none;
  return read(stored, message, none);
}

}  // namespace rmw_ligament_cpp
