// SPDX-License-Identifier: Apache-2.0
/// \file All that a generated message header includes: its traits derive from GeneratedTraits, so
/// that a header holds only what differs between types.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ligament/expected.hpp>
#include <ligament/message/builder.hpp>
#include <ligament/message/emitter.hpp>
#include <ligament/message/reader.hpp>
#include <ligament/message/view.hpp>
#include <ligament/message_traits.hpp>
#include <ligament/type_table.hpp>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ligament::detail {

/// Lengths of one value, as its shape holds them: a number for a string or an array of fixed-size
/// elements, a shape for a message, a list for elements of varying size.
template <typename Lengths, typename Value>
void measure(Lengths& lengths, const Value& value) {
  if constexpr (Structure<Value>) {
    lengths = MessageTraits<Value>::shape_of(value);
  } else if constexpr (std::is_same_v<Lengths, std::size_t>) {
    lengths = value.size();
  } else {
    if constexpr (requires { lengths.resize(value.size()); }) {
      lengths.resize(value.size());
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
      measure(lengths[i], value[i]);
    }
  }
}

/// The functions of MessageTraits that are the same for every type. `fields(archive, message)` and
/// `skeleton(archive, shape)` of the specialisation name the fields in wire order.
template <typename Message, typename ShapeType, typename ViewType, typename BuilderType>
struct GeneratedTraits {
  using Shape = ShapeType;
  using View = ViewType;
  using Builder = BuilderType;

  [[nodiscard]] static expected<Layout, CodecError> layout(const Shape& shape) {
    return measured([&](auto& emitter) { return Traits::skeleton(emitter, shape); });
  }
  [[nodiscard]] static expected<Layout, CodecError> layout_of(const Message& message) {
    return measured([&](auto& emitter) { return Traits::fields(emitter, message); });
  }
  [[nodiscard]] static expected<std::size_t, CodecError> serialize(const Message& message,
                                                                   std::span<std::byte> stored) {
    return written(stored, [&](auto& emitter) { return Traits::fields(emitter, message); });
  }
  /// Writes the lengths, defaults and zeros that builders start from; returns the stored size.
  [[nodiscard]] static expected<std::size_t, CodecError> write_skeleton(
      const Shape& shape, std::span<std::byte> stored) {
    return written(stored, [&](auto& emitter) { return Traits::skeleton(emitter, shape); });
  }
  /// On failure the message holds what was read so far.
  [[nodiscard]] static expected<void, CodecError> deserialize(std::span<const std::byte> stored,
                                                              Message& message) {
    if (auto encapsulation = check_encapsulation(stored); !encapsulation) {
      return encapsulation;
    }
    Reader<const std::byte> reader(stored.subspan(encapsulation_size));
    if (!Traits::fields(reader, message) || !reader.finished()) {
      return unexpected<CodecError>(reader.error());
    }
    return {};
  }

 private:
  using Traits = MessageTraits<Message>;

  template <typename Walk>
  static expected<Layout, CodecError> measured(const Walk& walk) {
    Emitter<SizeSink> emitter{SizeSink{}};
    if (!walk(emitter)) {
      return unexpected<CodecError>(emitter.error());
    }
    return emitter.layout();
  }
  template <typename Walk>
  static expected<std::size_t, CodecError> written(std::span<std::byte> stored, const Walk& walk) {
    if (stored.size() < encapsulation_size) {
      return unexpected<CodecError>(CodecError::buffer_too_small);
    }
    constexpr std::array<std::uint8_t, encapsulation_size> cdr_le{0, 1, 0, 0};
    std::memcpy(stored.data(), cdr_le.data(), cdr_le.size());
    Emitter<ByteSink> emitter{ByteSink{stored.subspan(encapsulation_size)}};
    if (!walk(emitter)) {
      return unexpected<CodecError>(emitter.error());
    }
    return emitter.layout().size;
  }
};

/// Generated `create` functions are this one.
template <typename Message>
expected<typename MessageTraits<Message>::Builder, CodecError> create_builder(
    std::span<std::byte> stored, const typename MessageTraits<Message>::Shape& shape) {
  const auto size = MessageTraits<Message>::write_skeleton(shape, stored);
  if (!size) {
    return unexpected<CodecError>(size.error());
  }
  expected<typename MessageTraits<Message>::Builder, CodecError> builder;
  Reader<std::byte> reader(stored.first(*size).subspan(encapsulation_size));
  if (!Access::read(*builder, reader)) {
    return unexpected<CodecError>(reader.error());
  }
  builder->attach(stored, *size, encapsulation_size + reader.last_count_position());
  return builder;
}

}  // namespace ligament::detail
