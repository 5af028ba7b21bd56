// SPDX-License-Identifier: Apache-2.0
#include "record/types.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace ligament::record {

expected<Types, std::string> read_types(const std::filesystem::path& file) {
  std::ifstream in(file);
  const auto data = nlohmann::json::parse(in, nullptr, false);
  if (!data.is_object()) {
    return unexpected<std::string>(fmt::format("{}: no JSON object of types", file.string()));
  }
  Types types;
  for (const auto& [name, entry] : data.items()) {
    const bool is_type = entry.is_object() && entry.contains("hash") &&
                         entry.at("hash").is_string() && entry.contains("definition") &&
                         entry.at("definition").is_string();
    const auto hash =
        is_type ? parse_hash(entry.at("hash").get_ref<const std::string&>()) : std::nullopt;
    if (!hash) {
      return unexpected<std::string>(
          fmt::format("{}: type '{}' has no hash or definition", file.string(), name));
    }
    types[name] = {*hash, entry.at("definition").get<std::string>()};
  }
  return types;
}

}  // namespace ligament::record
