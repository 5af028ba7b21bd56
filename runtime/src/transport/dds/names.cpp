// SPDX-License-Identifier: Apache-2.0
#include "transport/dds/names.hpp"

#include <ligament/type_table.hpp>

namespace ligament::dds {

namespace {

constexpr std::string_view topic_prefix = "rt";
constexpr std::string_view hash_key = "typehash=";
constexpr std::string_view hash_version = "RIHS01_";

/// The value of a hex digit, or 16.
unsigned digit(char c) {
  if (c >= '0' && c <= '9') {
    return static_cast<unsigned>(c - '0');
  }
  if (c >= 'a' && c <= 'f') {
    return static_cast<unsigned>(c - 'a') + 10;
  }
  return 16;
}

}  // namespace

std::string topic_to_dds(std::string_view topic) {
  return std::string(topic_prefix) + std::string(topic);
}

std::optional<std::string> topic_from_dds(std::string_view name) {
  if (!name.starts_with("rt/") || name.size() < 4 || name.ends_with('/')) {
    return std::nullopt;
  }
  return std::string(name.substr(topic_prefix.size()));
}

std::string type_to_dds(std::string_view type) {
  std::string name;
  std::size_t begin = 0;
  for (std::size_t slash = type.find('/'); slash != std::string_view::npos;
       slash = type.find('/', begin)) {
    name += std::string(type.substr(begin, slash - begin)) + "::";
    begin = slash + 1;
  }
  return name + "dds_::" + std::string(type.substr(begin)) + "_";
}

std::optional<std::string> type_from_dds(std::string_view name) {
  constexpr std::string_view inner = "::dds_::";
  const std::size_t at = name.find(inner);
  if (at == std::string_view::npos || !name.ends_with('_') ||
      name.find('/') != std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view scope = name.substr(0, at);
  const std::string_view type = name.substr(at + inner.size(), name.size() - at - inner.size() - 1);
  const std::size_t colons = scope.find("::");
  if (colons == 0 || colons == std::string_view::npos || type.empty() ||
      type.find(':') != std::string_view::npos ||
      scope.find("::", colons + 2) != std::string_view::npos || colons + 2 == scope.size()) {
    return std::nullopt;
  }
  return std::string(scope.substr(0, colons)) + "/" + std::string(scope.substr(colons + 2)) + "/" +
         std::string(type);
}

std::string endpoint_user_data(const TypeHash& hash) {
  return std::string(hash_key) + hash_text(hash) + ";";
}

std::optional<TypeHash> hash_in_user_data(std::string_view bytes) {
  const std::size_t key = bytes.find(hash_key);
  if (key == std::string_view::npos || (key != 0 && bytes[key - 1] != ';')) {
    return std::nullopt;
  }
  std::string_view text = bytes.substr(key + hash_key.size());
  if (!text.starts_with(hash_version)) {
    return std::nullopt;
  }
  text.remove_prefix(hash_version.size());
  TypeHash hash{};
  if (text.size() < 2 * hash.size()) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < hash.size(); ++i) {
    const unsigned high = digit(text[2 * i]);
    const unsigned low = digit(text[2 * i + 1]);
    if (high > 15 || low > 15) {
      return std::nullopt;
    }
    hash[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return hash;
}

}  // namespace ligament::dds
