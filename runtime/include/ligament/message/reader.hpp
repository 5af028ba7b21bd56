// SPDX-License-Identifier: Apache-2.0
/// \file Reading side of the codec: the one place that turns untrusted bytes into values.
///
/// Every length is compared with the bytes that are left *before* anything is allocated or skipped.
/// Bytes may change while they are read (another process owns them), so each word is loaded once.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ligament/expected.hpp>
#include <ligament/message/emitter.hpp>
#include <ligament/message_traits.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ligament::detail {

/// RTPS pads payloads to a multiple of four; more than that behind a message is not padding.
inline constexpr std::size_t max_trailing_bytes = 3;

/// Checks the encapsulation; the body follows it.
[[nodiscard]] inline expected<void, CodecError> check_encapsulation(
    std::span<const std::byte> stored) {
  if (stored.size() < encapsulation_size) {
    return unexpected<CodecError>(CodecError::truncated);
  }
  if (stored[0] != std::byte{0} || stored[1] > std::byte{1}) {
    return unexpected<CodecError>(CodecError::unknown_encoding);
  }
  if (stored[1] == std::byte{0}) {
    return unexpected<CodecError>(CodecError::big_endian);
  }
  return {};
}

/// Fewest bytes one element of a sequence takes; bounds what a hostile count can ask for.
template <typename T>
constexpr std::size_t min_wire_size() {
  if constexpr (Primitive<T>) {
    return sizeof(T);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return 5;
  } else if constexpr (std::is_same_v<T, std::u16string>) {
    return 4;
  } else {
    return MessageTraits<T>::min_size;
  }
}

/// Where a range of stored elements lies; what views and builders keep of a parsed field.
template <typename Byte>
struct Extent {
  Byte* data = nullptr;
  std::size_t count = 0;
};

/// A cursor over a message body. `Byte` is `const std::byte` for messages and views, `std::byte`
/// for builders, which find their places with the same walk.
template <typename Byte>
class Reader {
 public:
  explicit Reader(std::span<Byte> body, std::size_t position = 0)
      : body_(body), position_(position) {}

  template <Primitive T>
  bool operator()(T& value, Bounds /*none*/ = {}) {
    Byte* at = take(sizeof(T), sizeof(T));
    if (at == nullptr) {
      return false;
    }
    if constexpr (std::is_same_v<T, bool>) {
      value = *at != std::byte{0};  // any other byte in a bool would be undefined behaviour
    } else {
      std::memcpy(&value, at, sizeof(T));
    }
    return true;
  }
  bool operator()(std::string& text, Bounds bounds = {}) {
    Extent<Byte> found;
    if (!this->text(found, bounds)) {
      return false;
    }
    text.assign(reinterpret_cast<const char*>(found.data), found.count);
    return true;
  }
  bool operator()(std::u16string& text, Bounds bounds = {}) {
    Extent<Byte> found;
    if (!wide_text(found, bounds)) {
      return false;
    }
    text.resize(found.count);
    for (std::size_t i = 0; i < found.count; ++i) {
      std::uint32_t wide = 0;
      std::memcpy(&wide, found.data + i * sizeof(wide), sizeof(wide));
      text[i] = static_cast<char16_t>(wide);
    }
    return true;
  }
  template <typename T>
  bool operator()(std::vector<T>& values, Bounds bounds = {}) {
    if constexpr (Primitive<T>) {
      Extent<Byte> found;
      if (!array<T>(found, bounds)) {
        return false;
      }
      copy_elements(found, values);
      return true;
    } else {
      std::size_t count = 0;
      return sequence(count, min_wire_size<T>(), bounds.count) && grow(values, count, bounds);
    }
  }
  template <typename T, std::size_t count>
  bool operator()(std::array<T, count>& values, Bounds bounds = {}) {
    if constexpr (Primitive<T> && !std::is_same_v<T, bool>) {
      Byte* at = take(count * sizeof(T), sizeof(T));
      if (at == nullptr) {
        return false;
      }
      std::memcpy(values.data(), at, count * sizeof(T));
      return true;
    } else {
      for (T& value : values) {
        if (!(*this)(value, bounds)) {
          return false;
        }
      }
      return true;
    }
  }
  template <Structure T>
  bool operator()(T& message, Bounds /*none*/ = {}) {
    return MessageTraits<T>::fields(*this, message);
  }
  template <typename T>
  bool chosen(T& value, Bounds bounds = {}) {
    return (*this)(value, bounds);
  }

  /// Finds a string: its characters without the terminating NUL.
  bool text(Extent<Byte>& found, Bounds bounds = {}) {
    std::uint32_t size = 0;
    if (!(*this)(size)) {
      return false;
    }
    if (size == 0) {
      return fail(CodecError::bad_string);
    }
    Byte* at = take(size, 1);
    if (at == nullptr) {
      return false;
    }
    if (at[size - 1] != std::byte{0}) {
      return fail(CodecError::bad_string);
    }
    found = {at, size - 1};
    return size - 1 <= bounds.text || fail(CodecError::bound_exceeded);
  }
  /// Finds a wide string: `count` characters of four bytes each.
  bool wide_text(Extent<Byte>& found, Bounds bounds = {}) {
    std::size_t count = 0;
    if (!sequence(count, sizeof(std::uint32_t), bounds.text)) {
      return false;
    }
    found = {take(count * sizeof(std::uint32_t), 1), count};
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t wide = 0;
      std::memcpy(&wide, found.data + i * sizeof(wide), sizeof(wide));
      if (wide > 0xFFFF) {
        return fail(CodecError::bad_wide_character);
      }
    }
    return found.data != nullptr;
  }
  /// Finds a sequence of primitives.
  template <Primitive T>
  bool array(Extent<Byte>& found, Bounds bounds = {}) {
    std::size_t count = 0;
    if (!sequence(count, sizeof(T), bounds.count)) {
      return false;
    }
    found = {count == 0 ? body_.data() + position_ : take(count * sizeof(T), sizeof(T)), count};
    return found.data != nullptr;
  }
  /// Finds a fixed-size array of primitives (or, with count 1, one primitive).
  template <Primitive T>
  bool fixed(Extent<Byte>& found, std::size_t count) {
    found = {take(count * sizeof(T), sizeof(T)), count};
    return found.data != nullptr;
  }
  /// Reads the count word of a sequence whose elements take at least `element_size` bytes each.
  bool sequence(std::size_t& count, std::size_t element_size, std::size_t bound) {
    std::uint32_t stored_count = 0;
    if (!(*this)(stored_count)) {
      return false;
    }
    count = stored_count;
    last_count_position_ = position_ - sizeof(stored_count);
    if (count > bound) {
      return fail(CodecError::bound_exceeded);
    }
    return count <= (body_.size() - position_) / element_size || fail(CodecError::truncated);
  }

  [[nodiscard]] std::span<Byte> body() const { return body_; }
  [[nodiscard]] std::size_t position() const { return position_; }
  /// Where the count word of the sequence read last lies.
  [[nodiscard]] std::size_t last_count_position() const { return last_count_position_; }
  [[nodiscard]] CodecError error() const { return error_; }

  bool fail(CodecError error) {
    error_ = error;
    return false;
  }
  /// Whether the message ends where its bytes do.
  bool finished() {
    return body_.size() - position_ <= max_trailing_bytes || fail(CodecError::trailing_bytes);
  }

 private:
  Byte* take(std::size_t size, std::size_t alignment) {
    const std::size_t begin = align_up(position_, alignment);
    if (begin > body_.size() || size > body_.size() - begin) {
      error_ = CodecError::truncated;
      return nullptr;
    }
    position_ = begin + size;
    return body_.data() + begin;
  }
  template <typename T>
  static void copy_elements(const Extent<Byte>& found, std::vector<T>& values) {
    if (found.count == 0) {
      values.clear();
    } else if constexpr (std::is_same_v<T, bool>) {
      values.resize(found.count);
      for (std::size_t i = 0; i < found.count; ++i) {
        values[i] = found.data[i] != std::byte{0};
      }
    } else if (reinterpret_cast<std::uintptr_t>(found.data) % alignof(T) == 0) {
      // assign() copies once, where resize() and memcpy would first clear new elements.
      const T* first = reinterpret_cast<const T*>(found.data);
      values.assign(first, first + found.count);
    } else {
      values.resize(found.count);  // not empty here: an empty one could have a null data()
      std::memcpy(values.data(), found.data, found.count * sizeof(T));
    }
  }
  /// Grows while elements prove to be there: a hostile count costs at most twice what was read.
  template <typename T>
  bool grow(std::vector<T>& values, std::size_t count, Bounds bounds) {
    if (values.size() > count) {
      values.resize(count);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (i == values.size()) {
        values.resize(std::min(count, std::max<std::size_t>(16, 2 * i)));
      }
      if (!(*this)(values[i], bounds)) {
        return false;
      }
    }
    return true;
  }

  std::span<Byte> body_;
  std::size_t position_;
  std::size_t last_count_position_ = 0;
  CodecError error_ = CodecError::truncated;
};

}  // namespace ligament::detail
