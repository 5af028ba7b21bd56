// SPDX-License-Identifier: Apache-2.0
/// \file Message types as data: read, check, print and convert stored messages without their
/// generated code (recorder, echo, bridge, validators).
///
///   const TypeTable& table = MessageTraits<sensor_msgs::msg::Image>::table();
///   if (auto size = validate(table, bytes); !size) { return size.error(); }
///   std::string text = *print(table, bytes);     // as `ros2 topic echo` prints it
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ligament/expected.hpp>
#include <ligament/message_traits.hpp>
#include <span>
#include <string>
#include <string_view>

namespace ligament {

struct TypeTable;

/// What one element of a field is on the wire.
enum class ElementKind : std::uint8_t {
  boolean,
  byte,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float32,
  float64,
  string,
  wstring,
  message,
};

/// How many elements a field has.
enum class Multiplicity : std::uint8_t { single, array, bounded_sequence, sequence };

/// One field of a message type.
struct FieldEntry {
  std::string_view name;
  ElementKind kind = ElementKind::uint8;
  Multiplicity multiplicity = Multiplicity::single;
  bool chosen = false;             ///< the chosen array is this field or lies inside it
  std::uint32_t count = 0;         ///< elements of an array, bound of a bounded sequence
  std::uint32_t string_bound = 0;  ///< longest string, 0: unbounded
  const TypeTable* nested = nullptr;
  std::string_view default_value = {};  ///< as ROS 2's type descriptions write it; empty: none
};

/// One message type: its name, its hash (RIHS01) and its fields in wire order.
struct TypeTable {
  std::string_view name;
  std::array<std::uint8_t, 32> type_hash{};
  std::span<const FieldEntry> fields;
};

/// Whether the stored bytes are one well-formed message of this type; returns the bytes it takes.
[[nodiscard]] expected<std::size_t, CodecError> validate(const TypeTable& table,
                                                         std::span<const std::byte> stored);

/// The message as text, one `name: value` line per field. Long arrays are cut after `max_elements`.
[[nodiscard]] expected<std::string, CodecError> print(const TypeTable& table,
                                                      std::span<const std::byte> stored,
                                                      std::size_t max_elements = 64);

/// The definition as text, one `type name` line per field, nested types after it.
[[nodiscard]] std::string describe(const TypeTable& table);

/// Turns a big-endian stored message into little-endian in place. Little-endian ones stay as is.
[[nodiscard]] expected<void, CodecError> to_little_endian(const TypeTable& table,
                                                          std::span<std::byte> stored);

/// `RIHS01_<64 hex digits>`, the form in which type hashes travel.
[[nodiscard]] std::string hash_text(const std::array<std::uint8_t, 32>& type_hash);

}  // namespace ligament
