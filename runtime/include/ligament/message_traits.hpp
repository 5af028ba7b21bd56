// SPDX-License-Identifier: Apache-2.0
/// \file What the generated code says about a message type, and how reading or writing one can
/// fail.
///
/// A message exists in two forms. The *struct* (`sensor_msgs::msg::Image`) is for convenience. The
/// *stored form* is one span of bytes: a 4-byte encapsulation {0, 1, 0, 0} and an XCDR1
/// little-endian body (spec/wire/message.md). Views read it and builders fill it in place.
///
///   using Traits = ligament::MessageTraits<sensor_msgs::msg::Image>;
///   auto layout = Traits::layout(shape);                 // how many bytes, where the big array is
///   auto builder = Traits::Builder::create(bytes, shape);  // fill these bytes in place
///   auto view = Traits::View::parse(bytes);              // read them without a copy
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ligament {

/// Why bytes could not be read as a message, or a message not be written as bytes.
enum class CodecError : std::uint8_t {
  truncated,           ///< the bytes end before the message does
  trailing_bytes,      ///< more bytes follow the message than transport padding explains
  big_endian,          ///< the encapsulation says big-endian; see to_little_endian()
  unknown_encoding,    ///< the encapsulation is neither CDR_LE nor CDR_BE
  bad_string,          ///< a string without its terminating NUL
  bad_wide_character,  ///< a wide character beyond 16 bits
  bound_exceeded,      ///< a bounded string or sequence is longer than its type allows
  length_overflow,     ///< a length that does not fit the 32 bits it has on the wire
  buffer_too_small,    ///< the message does not fit the bytes that it shall be written to
  length_mismatch,     ///< a builder was given another length than its shape says
  misaligned,          ///< an array cannot be a typed span at this address
};

/// One sentence for people; never changes meaning, may change wording.
[[nodiscard]] std::string_view to_string(CodecError error);

/// Size of a stored message, and where its chosen array begins.
struct Layout {
  std::size_t size = 0;           ///< all stored bytes, the 4 of the encapsulation included
  std::size_t chosen_offset = 0;  ///< first byte of the chosen array from the start of the stored
                                  ///< bytes; 4 (the body) where a type has none
  bool operator==(const Layout&) const = default;
};

/// Bytes in front of the body of a stored message.
inline constexpr std::size_t encapsulation_size = 4;

/// Specialised by generated headers. Members: name, type_hash, Shape, View, Builder, table(),
/// layout(shape), shape_of(message), layout_of(message), serialize(message, bytes),
/// deserialize(bytes, message).
template <typename Message>
struct MessageTraits;

}  // namespace ligament
