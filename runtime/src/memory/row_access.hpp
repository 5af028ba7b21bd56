// SPDX-License-Identifier: Apache-2.0
/// \file What the writer of a directory and its readers must agree on beyond the layout.
#pragma once

#include <cstring>
#include <string>

#include "memory/layout.hpp"
#include "memory/os/system.hpp"

namespace ligament::pool {

/// Name of the memfd: by it a peer knows the descriptor.
[[nodiscard]] inline std::string directory_name(const std::string& domain) {
  return "ligament-directory:" + domain;
}

[[nodiscard]] inline layout::SharedRow* row_at(const os::Mapping& mapping, std::size_t index) {
  return mapping.as<layout::SharedRow>(sizeof(layout::SegmentHeader)) + index;
}

/// A text of fixed room, which may lack its end.
template <std::size_t n>
[[nodiscard]] std::string read_text(const char (&text)[n]) {
  return {text, ::strnlen(text, n)};
}

}  // namespace ligament::pool
