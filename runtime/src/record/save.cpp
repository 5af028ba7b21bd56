// SPDX-License-Identifier: Apache-2.0
#include "record/save.hpp"

#include <fmt/format.h>

#include <fstream>
#include <system_error>

namespace ligament::record {

expected<void, std::string> make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (folder.has_parent_path()) {
    std::filesystem::create_directories(folder.parent_path(), error);
  }
  if (!error && !std::filesystem::create_directory(folder, error) && !error) {
    return unexpected<std::string>(fmt::format("{} is there already", folder.string()));
  }
  if (error) {
    return unexpected<std::string>(fmt::format("{}: {}", folder.string(), error.message()));
  }
  return {};
}

expected<void, std::string> save(const std::filesystem::path& file, const std::string& text) {
  const std::filesystem::path partial = file.string() + ".partial";
  std::ofstream out(partial, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  std::error_code error;
  if (out) {
    std::filesystem::rename(partial, file, error);
  }
  if (!out || error) {
    std::error_code ignored;
    std::filesystem::remove(partial, ignored);
    return unexpected<std::string>(
        fmt::format("{}: {}", file.string(), error ? error.message() : "cannot be written"));
  }
  return {};
}

}  // namespace ligament::record
