// SPDX-License-Identifier: Apache-2.0
/// \file Writing side of the codec: one walk over fields, into a size or into bytes.
///
/// Generated code calls an emitter once per field, in wire order; `false` means that it failed and
/// `error()` says why. The same walk measures (SizeSink) and writes (ByteSink), so that a size and
/// its bytes cannot disagree.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ligament/message_traits.hpp>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ligament::detail {

static_assert(std::endian::native == std::endian::little,
              "the stored form is little-endian and read by memcpy");

inline constexpr std::size_t no_bound = std::numeric_limits<std::size_t>::max();

/// Bounds of one field: elements of its sequence, characters of its strings.
struct Bounds {
  std::size_t count = no_bound;
  std::size_t text = no_bound;
};

template <typename T>
concept Primitive = std::is_arithmetic_v<T>;

/// A generated message struct: it has traits.
template <typename T>
concept Structure = requires {
  MessageTraits<T>::name;
};

constexpr std::size_t align_up(std::size_t position, std::size_t alignment) {
  return (position + alignment - 1) & ~(alignment - 1);
}

/// Counts bytes only.
class SizeSink {
 public:
  bool align(std::size_t alignment) {
    position_ = align_up(position_, alignment);
    return true;
  }
  bool put(const void* /*source*/, std::size_t size) { return skip(size); }
  bool zero(std::size_t size) { return skip(size); }
  bool skip(std::size_t size) {
    position_ += size;
    return true;
  }
  [[nodiscard]] std::size_t position() const { return position_; }

 private:
  std::size_t position_ = 0;  // from the byte after the encapsulation, as alignment is
};

/// Writes into a fixed span, never past its end; padding becomes zero.
class ByteSink {
 public:
  explicit ByteSink(std::span<std::byte> body) : body_(body) {}

  bool align(std::size_t alignment) { return zero(align_up(position_, alignment) - position_); }
  bool put(const void* source, std::size_t size) {
    if (size > body_.size() - position_) {
      return false;
    }
    if (size != 0) {  // an empty vector's data() may be null, which memcpy must not see
      std::memcpy(body_.data() + position_, source, size);
    }
    position_ += size;
    return true;
  }
  bool zero(std::size_t size) {
    if (size > body_.size() - position_) {
      return false;
    }
    if (size != 0) {
      std::memset(body_.data() + position_, 0, size);
    }
    position_ += size;
    return true;
  }
  /// Leaves bytes as they are: for the one big array that the caller fills.
  bool skip(std::size_t size) {
    if (size > body_.size() - position_) {
      return false;
    }
    position_ += size;
    return true;
  }
  [[nodiscard]] std::size_t position() const { return position_; }

 private:
  std::span<std::byte> body_;
  std::size_t position_ = 0;
};

/// Whole-value walk: `emit(message.field)` for each field.
template <typename Sink>
class Emitter {
 public:
  explicit Emitter(Sink sink) : sink_(sink) {}

  template <Primitive T>
  bool operator()(const T& value, Bounds /*none*/ = {}) {
    return check(sink_.align(sizeof(T)) && sink_.put(&value, sizeof(T)));
  }
  bool operator()(std::string_view text, Bounds bounds = {}) {
    return within(text.size(), bounds.text) && length(text.size() + 1) &&
           check(sink_.put(text.data(), text.size()) && sink_.zero(1));
  }
  bool operator()(const std::string& text, Bounds bounds = {}) {
    return (*this)(std::string_view(text), bounds);
  }
  bool operator()(const std::u16string& text, Bounds bounds = {}) {
    if (!within(text.size(), bounds.text) || !length(text.size())) {
      return false;
    }
    for (const char16_t unit : text) {
      const std::uint32_t wide = unit;
      if (!check(sink_.put(&wide, sizeof(wide)))) {
        return false;
      }
    }
    return true;
  }
  template <typename T>
  bool operator()(const std::vector<T>& values, Bounds bounds = {}) {
    return within(values.size(), bounds.count) && length(values.size()) && elements(values, bounds);
  }
  template <typename T, std::size_t count>
  bool operator()(const std::array<T, count>& values, Bounds bounds = {}) {
    return elements(values, bounds);
  }
  template <Structure T>
  bool operator()(const T& message, Bounds /*none*/ = {}) {
    const std::size_t outer = chosen_;  // a nested type's own choice is not the outer type's
    const bool done = MessageTraits<T>::fields(*this, message);
    chosen_ = outer;
    return done;
  }

  /// The field that is, or holds, the chosen array of the type being walked.
  template <typename T>
  bool chosen(const T& value, Bounds bounds = {}) {
    if constexpr (Structure<T>) {
      return MessageTraits<T>::fields(*this, value);
    } else {
      return (*this)(value, bounds) && mark(value.size() * sizeof(typename T::value_type));
    }
  }

  // Skeleton walk: `emit.…(shape.field)`, which writes lengths and defaults and leaves room.

  bool text(std::size_t size, Bounds bounds = {}) {
    return within(size, bounds.text) && length(size + 1) && check(sink_.zero(size + 1));
  }
  bool wide_text(std::size_t size, Bounds bounds = {}) {
    return within(size, bounds.text) && length(size) && check(sink_.zero(size * 4));
  }
  template <Primitive T>
  bool room(std::size_t count, Bounds bounds = {}) {
    return sequence_room<T>(count, bounds) && check(sink_.zero(count * sizeof(T)));
  }
  /// Not zeroed: whoever builds a message fills its chosen array anyway.
  template <Primitive T>
  bool chosen_room(std::size_t count, Bounds bounds = {}) {
    return sequence_room<T>(count, bounds) && check(sink_.skip(count * sizeof(T))) &&
           mark(count * sizeof(T));
  }
  template <Primitive T>
  bool fixed_room(std::size_t count) {
    return check(sink_.align(sizeof(T)) && sink_.zero(count * sizeof(T)));
  }
  template <Primitive T>
  bool chosen_fixed_room(std::size_t count) {
    return check(sink_.align(sizeof(T)) && sink_.skip(count * sizeof(T))) &&
           mark(count * sizeof(T));
  }
  template <Structure T>
  bool nested(const typename MessageTraits<T>::Shape& shape) {
    const std::size_t outer = chosen_;
    const bool done = MessageTraits<T>::skeleton(*this, shape);
    chosen_ = outer;
    return done;
  }
  template <Structure T>
  bool chosen_nested(const typename MessageTraits<T>::Shape& shape) {
    return MessageTraits<T>::skeleton(*this, shape);
  }
  bool texts(std::span<const std::size_t> sizes, Bounds bounds = {}) {
    for (const std::size_t size : sizes) {
      if (!text(size, bounds)) {
        return false;
      }
    }
    return true;
  }
  bool wide_texts(std::span<const std::size_t> sizes, Bounds bounds = {}) {
    for (const std::size_t size : sizes) {
      if (!wide_text(size, bounds)) {
        return false;
      }
    }
    return true;
  }
  template <Structure T, typename Shapes>
  bool nested_all(const Shapes& shapes) {
    for (const auto& shape : shapes) {
      if (!nested<T>(shape)) {
        return false;
      }
    }
    return true;
  }
  template <Structure T>
  bool defaults(std::size_t count) {
    const T value{};
    for (std::size_t i = 0; i < count; ++i) {
      if (!(*this)(value)) {
        return false;
      }
    }
    return true;
  }
  template <Structure T>
  bool chosen_defaults(std::size_t /*one*/) {
    return chosen(T{});
  }
  /// The count word of a sequence.
  bool sequence(std::size_t count, Bounds bounds = {}) {
    return within(count, bounds.count) && length(count);
  }

  [[nodiscard]] Layout layout() const {
    return {encapsulation_size + sink_.position(), encapsulation_size + chosen_};
  }
  [[nodiscard]] CodecError error() const { return error_; }

 private:
  bool check(bool fits) {
    error_ = fits ? error_ : CodecError::buffer_too_small;
    return fits;
  }
  bool within(std::size_t size, std::size_t bound) {
    error_ = size <= bound ? error_ : CodecError::bound_exceeded;
    return size <= bound;
  }
  bool length(std::size_t size) {
    if (size > std::numeric_limits<std::uint32_t>::max()) {
      error_ = CodecError::length_overflow;
      return false;
    }
    return (*this)(static_cast<std::uint32_t>(size));
  }
  template <Primitive T>
  bool sequence_room(std::size_t count, Bounds bounds) {
    // Elements are aligned only where there are any: an empty sequence is its count word alone.
    return sequence(count, bounds) && (count == 0 || check(sink_.align(sizeof(T))));
  }
  bool mark(std::size_t bytes_behind) {
    chosen_ = sink_.position() - bytes_behind;
    return true;
  }
  template <typename Values>
  bool elements(const Values& values, Bounds bounds) {
    using T = typename Values::value_type;
    if constexpr (Primitive<T> && !std::is_same_v<Values, std::vector<bool>>) {
      return values.empty() ||
             check(sink_.align(sizeof(T)) && sink_.put(values.data(), values.size() * sizeof(T)));
    } else {
      for (const auto& value : values) {
        if (!(*this)(static_cast<const T&>(value), bounds)) {
          return false;
        }
      }
      return true;
    }
  }

  Sink sink_;
  std::size_t chosen_ = 0;
  CodecError error_ = CodecError::buffer_too_small;
};

}  // namespace ligament::detail
