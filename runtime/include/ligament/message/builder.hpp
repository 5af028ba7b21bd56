// SPDX-License-Identifier: Apache-2.0
/// \file What the accessors of generated builders return, and how a builder reports a mistake.
///
/// create() writes a skeleton into the bytes (all lengths, padding, defaults; zeros elsewhere, but
/// the chosen array is left for the caller to fill) and then finds every place with the same walk
/// that reads messages. Setters store directly into the bytes. A mistake (a string of another
/// length than the shape says) is remembered and returned by finish().
#pragma once

#include <cstddef>
#include <cstring>
#include <ligament/message/emitter.hpp>
#include <ligament/message/reader.hpp>
#include <ligament/message/view.hpp>
#include <optional>
#include <span>
#include <string_view>

namespace ligament {

/// A writable array of primitives whose address may be misaligned.
template <typename T>
class ArrayBuilder {
 public:
  ArrayBuilder() = default;
  explicit ArrayBuilder(detail::Extent<std::byte> found) : found_(found) {}

  [[nodiscard]] std::size_t size() const { return found_.count; }
  /// Stores one element; `index` must be below size().
  void set(std::size_t index, T value) {
    std::memcpy(found_.data + index * sizeof(T), &value, sizeof(T));
  }
  [[nodiscard]] std::span<std::byte> bytes() { return {found_.data, found_.count * sizeof(T)}; }
  /// All elements for direct writing, or `misaligned`.
  [[nodiscard]] expected<std::span<T>, CodecError> span() requires(!std::is_same_v<T, bool>) {
    if (reinterpret_cast<std::uintptr_t>(found_.data) % alignof(T) != 0) {
      return unexpected<CodecError>(CodecError::misaligned);
    }
    return std::span<T>(reinterpret_cast<T*>(found_.data), found_.count);
  }
  /// Copies as many elements as both sides have; returns how many.
  std::size_t copy_from(std::span<const T> values) {
    const std::size_t count = std::min(values.size(), found_.count);
    if (count != 0) {
      std::memcpy(found_.data, values.data(), count * sizeof(T));
    }
    return count;
  }

 private:
  detail::Extent<std::byte> found_;
};

namespace detail {

/// What an array accessor of a builder returns: a plain span for bytes, else an ArrayBuilder.
template <typename T>
auto array_builder_of(Extent<std::byte> found) {
  if constexpr (is_byte_like<T>) {
    return std::span<T>(reinterpret_cast<T*>(found.data), found.count);
  } else {
    return ArrayBuilder<T>(found);
  }
}

/// The first mistake made with a builder. Nested builders report to the outermost one.
class BuilderStatus {
 public:
  void fail(CodecError error) {
    std::optional<CodecError>& mistake = outer_ == nullptr ? own_ : *outer_;
    if (!mistake) {
      mistake = error;
    }
  }
  /// Refreshed at every access, because the outermost builder may have been moved since.
  void report_to(BuilderStatus& outer) {
    outer_ = outer.outer_ == nullptr ? &outer.own_ : outer.outer_;
  }
  [[nodiscard]] std::optional<CodecError> mistake() const { return own_; }

  template <typename T>
  static void store(const Extent<std::byte>& place, T value) {
    if (place.data != nullptr) {  // null: next() of an empty sequence, already a mistake
      std::memcpy(place.data, &value, sizeof(T));
    }
  }
  void store_text(const Extent<std::byte>& place, std::string_view text) {
    if (text.size() != place.count) {
      fail(CodecError::length_mismatch);
    } else if (!text.empty()) {
      std::memcpy(place.data, text.data(), text.size());
    }
  }
  void store_text(const Extent<std::byte>& place, std::u16string_view text) {
    if (text.size() != place.count) {
      return fail(CodecError::length_mismatch);
    }
    for (std::size_t i = 0; i < text.size(); ++i) {
      const std::uint32_t wide = text[i];
      std::memcpy(place.data + i * sizeof(wide), &wide, sizeof(wide));
    }
  }

 private:
  std::optional<CodecError> own_;
  std::optional<CodecError>* outer_ = nullptr;
};

/// Element builders of SequenceBuilder.
struct TextPlace : BuilderStatus {
  Extent<std::byte> found;
  bool read(Reader<std::byte>& reader) { return reader.text(found); }
  void set(std::string_view text) { store_text(found, text); }
};
struct WideTextPlace : BuilderStatus {
  Extent<std::byte> found;
  bool read(Reader<std::byte>& reader) { return reader.wide_text(found); }
  void set(std::u16string_view text) { store_text(found, text); }
};

}  // namespace detail

/// A sequence of strings or messages, filled from front to back:
///
///   auto& fields = builder.fields();
///   for (std::size_t i = 0; i < fields.size(); ++i) { fields.next().set_offset(4 * i); }
///
/// next() past the end is a mistake that finish() returns; it hands out the last element again.
/// After rewind() the sequence starts over.
template <typename Element>
class SequenceBuilder {
 public:
  [[nodiscard]] std::size_t size() const { return count_; }
  Element& next() {
    detail::Reader<std::byte> reader(body_, next_);
    if (index_ == count_ || !detail::Access::read(element_, reader)) {
      status_.fail(CodecError::length_mismatch);
      return element_;
    }
    next_ = reader.position();
    ++index_;
    element_.report_to(status_);
    return element_;
  }
  void rewind() {
    next_ = first_;
    index_ = 0;
  }

  bool read(detail::Reader<std::byte>& reader) {
    return reader.sequence(count_, 1, detail::no_bound) && skip(reader);
  }
  bool read_array(detail::Reader<std::byte>& reader, std::size_t count) {
    count_ = count;
    return skip(reader);
  }
  void report_to(detail::BuilderStatus& outer) { status_.report_to(outer); }

 private:
  bool skip(detail::Reader<std::byte>& reader) {
    body_ = reader.body();
    first_ = reader.position();
    rewind();
    for (std::size_t i = 0; i < count_; ++i) {
      if (!detail::Access::read(element_, reader)) {
        return false;
      }
    }
    return true;
  }

  std::span<std::byte> body_;
  std::size_t first_ = 0;
  std::size_t next_ = 0;
  std::size_t index_ = 0;
  std::size_t count_ = 0;
  Element element_;
  detail::BuilderStatus status_;
};

using StringSequenceBuilder = SequenceBuilder<detail::TextPlace>;
using WideStringSequenceBuilder = SequenceBuilder<detail::WideTextPlace>;

namespace detail {

/// Base of all generated builders. The outermost one knows the bytes and how many are in use.
class BuilderBase : public BuilderStatus {
 public:
  void attach(std::span<std::byte> stored, std::size_t size, std::size_t last_count_offset) {
    stored_ = stored;
    size_ = size;
    last_count_offset_ = last_count_offset;
  }

 protected:
  expected<std::size_t, CodecError> finished() const {
    if (auto first = mistake()) {
      return unexpected<CodecError>(*first);
    }
    return size_;
  }
  /// Shortens the last array, which has elements of `element_size` bytes; the fields behind it have
  /// to follow with relocate(). False if there is nothing to move.
  bool shorten(Extent<std::byte>& last, std::size_t element_size, std::size_t count) {
    if (count > last.count) {
      fail(CodecError::length_mismatch);
    }
    if (count >= last.count) {
      return false;
    }
    const auto length = static_cast<std::uint32_t>(count);
    std::memcpy(stored_.data() + last_count_offset_, &length, sizeof(length));
    const auto begin = static_cast<std::size_t>(last.data - stored_.data());
    // An empty sequence is its count word alone, without the padding in front of elements.
    size_ = count == 0 ? last_count_offset_ + sizeof(length) : begin + count * element_size;
    last.count = count;
    return true;
  }
  /// Moves a fixed-size field to its place behind what is in front of it now.
  void relocate(Extent<std::byte>& field, std::size_t element_size) {
    const std::size_t begin =
        encapsulation_size + align_up(size_ - encapsulation_size, element_size);
    std::memmove(stored_.data() + begin, field.data, field.count * element_size);
    std::memset(stored_.data() + size_, 0, begin - size_);
    field.data = stored_.data() + begin;
    size_ = begin + field.count * element_size;
  }

 private:
  std::span<std::byte> stored_;
  std::size_t size_ = 0;
  std::size_t last_count_offset_ = 0;
};

}  // namespace detail
}  // namespace ligament
