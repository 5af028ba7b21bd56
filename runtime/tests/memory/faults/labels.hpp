// SPDX-License-Identifier: Apache-2.0
/// \file The labels of crash points: as the table in spec/models/reference.md has them, and as the
/// sources have them.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace ligament::pool::test {

/// label -> the letters of the roles that pass it.
[[nodiscard]] inline std::map<std::string, std::string> labels_of_table() {
  std::map<std::string, std::string> labels;
  std::ifstream page(std::string(LIGAMENT_REPO) + "/spec/models/reference.md");
  const std::regex row(R"(^\| `([a-z]+\.[a-z_]+)` \| ([PSBC ]+) \| .*)");
  for (std::string line; std::getline(page, line);) {
    std::smatch match;
    if (std::regex_match(line, match, row)) {
      labels[match[1]] = match[2];
    }
  }
  return labels;
}

[[nodiscard]] inline std::set<std::string> labels_of_sources() {
  std::set<std::string> labels;
  const std::regex point(R"re(LIGAMENT_CRASH_POINT\("([^"]+)"\))re");
  const std::string folder = std::string(LIGAMENT_REPO) + "/runtime/src/memory";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      std::smatch match;
      if (std::regex_search(line, match, point)) {
        labels.insert(match[1]);
      }
    }
  }
  return labels;
}

}  // namespace ligament::pool::test
