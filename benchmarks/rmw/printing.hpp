// SPDX-License-Identifier: Apache-2.0
/// \file The lines that the bench reads.
#pragma once

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>

namespace bench {

inline void print_line(const std::string& text) {
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

/// What a role has measured: fields of JSON, with the middleware that really was below it.
void print_measured(const std::string& role, const std::string& fields);

inline void print_ready() { print_line("ready"); }

[[nodiscard]] inline std::string json_list(std::span<const std::int64_t> values) {
  std::string text = "[";
  for (const std::int64_t value : values) {
    text += (text.size() > 1 ? "," : "") + std::to_string(value);
  }
  return text + "]";
}

}  // namespace bench
