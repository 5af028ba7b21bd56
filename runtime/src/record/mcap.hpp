// SPDX-License-Identifier: Apache-2.0
/// \file MCAP as Ligament writes and reads it (spec/wire/bag.md): numbers of records, and what
/// schemas, channels and messages say.
///
/// All numbers are little-endian. A record is its opcode, the length of its content in 8 bytes, and
/// the content. A string has its length in 4 bytes before it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ligament::record {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie");

inline constexpr std::array<unsigned char, 8> mcap_magic{0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};

enum class Opcode : std::uint8_t {
  header = 0x01,
  footer = 0x02,
  schema = 0x03,
  channel = 0x04,
  message = 0x05,
  chunk = 0x06,
  message_index = 0x07,
  chunk_index = 0x08,
  statistics = 0x0B,
  metadata = 0x0C,
  metadata_index = 0x0D,
  summary_offset = 0x0E,
  data_end = 0x0F,
};

inline constexpr std::size_t record_header_bytes = 9;
inline constexpr std::size_t message_fields_bytes = 22;
inline constexpr std::size_t chunk_fields_bytes = 40;  // with an empty name of a compression
inline constexpr std::size_t footer_bytes = 20;

using TextMap = std::vector<std::pair<std::string, std::string>>;

struct Schema {
  std::uint16_t id = 0;
  std::string name;      ///< `pkg/msg/Name`
  std::string encoding;  ///< `ros2msg`; empty: the definition is not known
  std::string text;
  bool operator==(const Schema&) const = default;
};
struct Channel {
  std::uint16_t id = 0;
  std::uint16_t schema = 0;
  std::string topic;
  std::string encoding = "cdr";
  TextMap metadata;
  bool operator==(const Channel&) const = default;
};
struct MessageFields {
  std::uint16_t channel = 0;
  std::uint32_t sequence = 0;
  std::uint64_t log_time = 0;
  std::uint64_t publish_time = 0;
};

/// Records, put together.
class Bytes {
 public:
  template <typename Number>
  void put(Number value) {
    static_assert(std::is_integral_v<Number>);
    append(&value, sizeof value);
  }
  void put(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    append(text.data(), text.size());
  }
  void put(const TextMap& map) {
    const std::size_t at = reserve<std::uint32_t>();
    for (const auto& [key, value] : map) {
      put(std::string_view(key));
      put(std::string_view(value));
    }
    set(at, static_cast<std::uint32_t>(size() - at - sizeof(std::uint32_t)));
  }
  void append(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), bytes, bytes + size);
  }
  /// Returns what `end` needs.
  [[nodiscard]] std::size_t begin(Opcode opcode) {
    put(static_cast<std::uint8_t>(opcode));
    return reserve<std::uint64_t>();
  }
  void end(std::size_t begun, std::uint64_t more = 0) {
    set(begun, std::uint64_t{size() - begun - sizeof(std::uint64_t)} + more);
  }
  template <typename Number>
  [[nodiscard]] std::size_t reserve() {
    put(Number{});
    return size() - sizeof(Number);
  }
  template <typename Number>
  void set(std::size_t at, Number value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }

  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] const std::byte* data() const { return bytes_.data(); }
  [[nodiscard]] std::span<const std::byte> span() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  std::vector<std::byte> bytes_;
};

void put_schema(Bytes& out, const Schema& schema);
void put_channel(Bytes& out, const Channel& channel);
/// Of a message of `size` bytes, which are to follow.
void put_message_fields(Bytes& out, const MessageFields& fields, std::size_t size);

}  // namespace ligament::record
