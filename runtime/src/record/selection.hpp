// SPDX-License-Identifier: Apache-2.0
/// \file Which topics are meant: all, the named ones, or those whose name a pattern is found in.
#pragma once

#include <algorithm>
#include <optional>
#include <regex>
#include <string>
#include <vector>

namespace ligament::record {

struct Selection {
  std::vector<std::string> topics;
  std::optional<std::regex> pattern;

  [[nodiscard]] bool has(const std::string& topic) const {
    const bool is_named = std::find(topics.begin(), topics.end(), topic) != topics.end();
    const bool is_all = topics.empty() && !pattern;
    return is_all || is_named || (pattern && std::regex_search(topic, *pattern));
  }
};

}  // namespace ligament::record
