// SPDX-License-Identifier: Apache-2.0
/// \file An event of ros2_tracing as plain values, in the order of the fields in ros2.yaml.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "trace/convert/row_writer.hpp"

namespace ligament::trace::ros2 {

struct Decoded {
  EventId id{};
  Stamp stamp;
  std::string_view program;  ///< LTTng's `procname`
  std::array<std::uint64_t, max_fields> values{};
  std::array<std::string_view, max_fields> texts{};
  std::uint8_t present = 0;  ///< bit per field; what `since` says may be absent

  [[nodiscard]] bool has(std::size_t field) const { return ((present >> field) & 1U) != 0; }
};

}  // namespace ligament::trace::ros2
