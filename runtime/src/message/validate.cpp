// SPDX-License-Identifier: Apache-2.0
#include <ligament/type_table.hpp>

#include "message/table_reader.hpp"

namespace ligament {

expected<std::size_t, CodecError> validate(const TypeTable& table,
                                           std::span<const std::byte> stored) {
  if (auto encapsulation = detail::check_encapsulation(stored); !encapsulation) {
    return unexpected<CodecError>(encapsulation.error());
  }
  detail::TableReader reader(stored.subspan(encapsulation_size));
  if (!reader.message(table) || !reader.cursor().finished()) {
    return unexpected<CodecError>(reader.cursor().error());
  }
  return encapsulation_size + reader.cursor().position();
}

std::string hash_text(const std::array<std::uint8_t, 32>& type_hash) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "RIHS01_";
  for (const std::uint8_t byte : type_hash) {
    text += digits[byte >> 4U];
    text += digits[byte & 0xFU];
  }
  return text;
}

}  // namespace ligament
