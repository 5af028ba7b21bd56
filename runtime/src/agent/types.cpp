// SPDX-License-Identifier: Apache-2.0
#include "agent/types.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "transport/dds/names.hpp"

namespace ligament::xrce {

expected<TypeHashes, std::string> read_types(const std::filesystem::path& file) {
  std::ifstream stream(file);
  const auto tables = nlohmann::json::parse(stream, nullptr, false);
  const auto failed = [&file](const std::string& why) {
    return unexpected<std::string>(file.string() + ": " + why);
  };
  if (!tables.is_object() || !tables.contains("messages") || !tables["messages"].is_object()) {
    return failed("no table of types (ligament/types/1)");
  }
  TypeHashes hashes;
  for (const auto& [name, table] : tables["messages"].items()) {
    const auto text = table.is_object() ? table.value("type_hash", "") : std::string();
    const auto hash = dds::hash_in_user_data("typehash=" + text);
    if (!hash) {
      return failed("the type " + name + " has no hash");
    }
    hashes.emplace(name, *hash);
  }
  return hashes;
}

}  // namespace ligament::xrce
