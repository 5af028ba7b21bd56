// SPDX-License-Identifier: Apache-2.0
/// \file Writes MCAP records for tests, right or wrong on purpose. Written from the format's
/// description, independently of the reader.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include "camera/mcap_reader.hpp"

namespace ligament::nodes::image::mcap {

template <typename T>
std::string number(T value) {
  std::string out(sizeof(T), '\0');
  std::memcpy(out.data(), &value, sizeof(T));
  return out;
}
inline std::string text(std::string_view value) {
  return number(static_cast<std::uint32_t>(value.size())) + std::string(value);
}
inline std::string record(std::uint8_t opcode, const std::string& content) {
  return number(opcode) + number(static_cast<std::uint64_t>(content.size())) + content;
}
inline std::string magic() { return std::string(1, char(0x89)) + "MCAP0\r\n"; }
inline std::string header() { return record(1, text("ros2") + text("test")); }
inline std::string schema(std::uint16_t id, std::string_view name) {
  return record(3, number(id) + text(name) + text("ros2msg") + text(""));
}
inline std::string channel(std::uint16_t id, std::uint16_t schema_id, std::string_view topic) {
  return record(
      4, number(id) + number(schema_id) + text(topic) + text("cdr") + number(std::uint32_t{0}));
}
inline std::string message(std::uint16_t channel_id, std::uint64_t time, std::string_view data) {
  return record(5, number(channel_id) + number(std::uint32_t{0}) + number(time) + number(time) +
                       std::string(data));
}
inline std::string chunk(const std::string& records, std::string_view compression,
                         std::uint64_t size, std::uint32_t crc = 0) {
  return record(6, number(std::uint64_t{0}) + number(std::uint64_t{0}) + number(size) +
                       number(crc) + text(compression) +
                       number(static_cast<std::uint64_t>(records.size())) + records);
}
inline std::string data_end() { return record(15, number(std::uint32_t{0})); }
inline std::string footer() { return record(2, std::string(20, '\0')); }
inline std::string file(const std::string& records) {
  return magic() + header() + records + data_end() + footer() + magic();
}

/// Bytes as a file.
class MemoryInput final : public McapInput {
 public:
  explicit MemoryInput(std::string bytes) : bytes_(std::move(bytes)) {}
  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  [[nodiscard]] bool read(std::uint64_t offset, std::span<std::byte> out) override {
    if (offset > bytes_.size() || out.size() > bytes_.size() - offset) return false;
    if (out.empty()) return true;
    std::memcpy(out.data(), bytes_.data() + offset, out.size());
    return true;
  }

 private:
  std::string bytes_;
};

}  // namespace ligament::nodes::image::mcap
