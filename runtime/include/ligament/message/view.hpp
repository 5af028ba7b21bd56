// SPDX-License-Identifier: Apache-2.0
/// \file What the accessors of generated views return: arrays, strings and sequences in place.
///
/// All of them point into the stored bytes and live no longer than those. They remember their own
/// bounds from parse(), so a publisher that scribbles can change values but never what is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <ligament/expected.hpp>
#include <ligament/message/reader.hpp>
#include <ligament/message_traits.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace ligament {

/// Whether elements can be handed out as a plain span at any address.
template <typename T>
inline constexpr bool is_byte_like = sizeof(T) == 1 && !std::is_same_v<T, bool>;

/// An array of primitives whose address may be misaligned: elements are read one by one, or all
/// together as a span where the address allows (the chosen array of a pool sample always does).
template <typename T>
class ArrayView {
 public:
  ArrayView() = default;
  explicit ArrayView(detail::Extent<const std::byte> found) : found_(found) {}

  [[nodiscard]] std::size_t size() const { return found_.count; }
  [[nodiscard]] bool empty() const { return found_.count == 0; }
  /// The element; `index` must be below size().
  [[nodiscard]] T operator[](std::size_t index) const {
    if constexpr (std::is_same_v<T, bool>) {
      return found_.data[index] != std::byte{0};
    } else {
      T value;
      std::memcpy(&value, found_.data + index * sizeof(T), sizeof(T));
      return value;
    }
  }
  [[nodiscard]] std::span<const std::byte> bytes() const {
    return {found_.data, found_.count * sizeof(T)};
  }
  /// All elements without a copy, or `misaligned`.
  [[nodiscard]] expected<std::span<const T>, CodecError> span() const
      requires(!std::is_same_v<T, bool>) {
    if (reinterpret_cast<std::uintptr_t>(found_.data) % alignof(T) != 0) {
      return unexpected<CodecError>(CodecError::misaligned);
    }
    return std::span<const T>(reinterpret_cast<const T*>(found_.data), found_.count);
  }
  /// Copies as many elements as both sides have; returns how many.
  std::size_t copy_to(std::span<T> out) const requires(!std::is_same_v<T, bool>) {
    const std::size_t count = std::min(out.size(), found_.count);
    if (count != 0) {
      std::memcpy(out.data(), found_.data, count * sizeof(T));
    }
    return count;
  }

 private:
  detail::Extent<const std::byte> found_;
};

namespace detail {

/// What an array accessor returns: a plain span for bytes, else an ArrayView.
template <typename T>
auto array_of(Extent<const std::byte> found) {
  if constexpr (is_byte_like<T>) {
    return std::span<const T>(reinterpret_cast<const T*>(found.data), found.count);
  } else {
    return ArrayView<T>(found);
  }
}

inline std::string_view text_of(Extent<const std::byte> found) {
  return {reinterpret_cast<const char*>(found.data), found.count};
}

inline std::u16string wide_text_of(Extent<const std::byte> found) {
  std::u16string text(found.count, u'\0');
  for (std::size_t i = 0; i < found.count; ++i) {
    std::uint32_t wide = 0;
    std::memcpy(&wide, found.data + i * sizeof(wide), sizeof(wide));
    text[i] = static_cast<char16_t>(wide);
  }
  return text;
}

/// Lets readers call the private read() of generated views and builders.
struct Access {
  template <typename Part, typename Byte>
  static bool read(Part& part, Reader<Byte>& reader) {
    return part.read(reader);
  }
};

/// Element readers of SequenceView.
struct TextElement {
  using Value = std::string_view;
  Extent<const std::byte> found;
  bool read(Reader<const std::byte>& reader) { return reader.text(found); }
  [[nodiscard]] Value value() const { return text_of(found); }
  static constexpr std::size_t min_size = min_wire_size<std::string>();
};
struct WideTextElement {
  using Value = std::u16string;
  Extent<const std::byte> found;
  bool read(Reader<const std::byte>& reader) { return reader.wide_text(found); }
  [[nodiscard]] Value value() const { return wide_text_of(found); }
  static constexpr std::size_t min_size = min_wire_size<std::u16string>();
};
template <typename View>
struct ViewElement {
  using Value = const View&;
  View view;
  bool read(Reader<const std::byte>& reader) { return Access::read(view, reader); }
  [[nodiscard]] Value value() const { return view; }
  static constexpr std::size_t min_size = View::min_size;
};

}  // namespace detail

/// A sequence of strings or messages, read from front to back.
///
///   for (const auto& field : view.fields()) { use(field.name(), field.offset()); }
///
/// Elements have no fixed size, so there is no index: each step parses the next element. If the
/// publisher overwrites the bytes meanwhile, the loop ends early and never leaves the message.
template <typename Element>
class SequenceView {
 public:
  class Iterator {
   public:
    using value_type = std::remove_cvref_t<typename Element::Value>;
    using difference_type = std::ptrdiff_t;
    Iterator() : reader_({}) {}
    Iterator(detail::Reader<const std::byte> reader, std::size_t count)
        : reader_(reader), left_(count) {
      advance();
    }
    typename Element::Value operator*() const { return element_.value(); }
    Iterator& operator++() {
      --left_;
      advance();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t /*end*/) const { return left_ == 0; }

   private:
    void advance() {
      if (left_ != 0 && !element_.read(reader_)) {
        left_ = 0;
      }
    }
    detail::Reader<const std::byte> reader_;
    Element element_;
    std::size_t left_ = 0;
  };

  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] Iterator begin() const {
    return Iterator(detail::Reader<const std::byte>(body_, position_), count_);
  }
  [[nodiscard]] std::default_sentinel_t end() const { return {}; }

  /// Parses: remembers where the elements begin and walks over all of them once.
  bool read(detail::Reader<const std::byte>& reader, std::size_t bound, std::size_t text_bound) {
    return reader.sequence(count_, Element::min_size, bound) && skip(reader, text_bound);
  }
  /// Parses a fixed-size array of elements.
  bool read_array(detail::Reader<const std::byte>& reader, std::size_t count,
                  std::size_t text_bound) {
    count_ = count;
    return skip(reader, text_bound);
  }

 private:
  bool skip(detail::Reader<const std::byte>& reader, std::size_t text_bound) {
    body_ = reader.body();
    position_ = reader.position();
    Element element;
    for (std::size_t i = 0; i < count_; ++i) {
      if (!element.read(reader)) {
        return false;
      }
      if constexpr (requires { element.found.count; }) {
        if (element.found.count > text_bound) {
          return reader.fail(CodecError::bound_exceeded);
        }
      }
    }
    return true;
  }

  std::span<const std::byte> body_;
  std::size_t position_ = 0;
  std::size_t count_ = 0;
};

/// Sequence of messages; `View` is the generated view of one.
template <typename View>
using MessageSequenceView = SequenceView<detail::ViewElement<View>>;
using StringSequenceView = SequenceView<detail::TextElement>;
using WideStringSequenceView = SequenceView<detail::WideTextElement>;

namespace detail {

/// Generated `parse` functions are this one.
template <typename View>
expected<View, CodecError> parse_view(std::span<const std::byte> stored) {
  if (auto encapsulation = check_encapsulation(stored); !encapsulation) {
    return unexpected<CodecError>(encapsulation.error());
  }
  expected<View, CodecError> view;
  Reader<const std::byte> reader(stored.subspan(encapsulation_size));
  if (!Access::read(*view, reader) || !reader.finished()) {
    return unexpected<CodecError>(reader.error());
  }
  return view;
}

}  // namespace detail
}  // namespace ligament
