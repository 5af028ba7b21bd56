// SPDX-License-Identifier: Apache-2.0
/// \file How the core of a node in firmware lives, for its container's status lines. Not promised.
#pragma once

#include <cstdint>
#include <string>

namespace ligament::detail {

struct CoreFigures {
  std::string device;  ///< as the platform calls it
  std::string state;   ///< spec/device/mcu.md, section 4: starting, running, crashed
  std::uint64_t starts = 0;
  std::uint64_t ends = 0;  ///< that nobody asked for
  std::string last_end;    ///< why; empty: none
};

}  // namespace ligament::detail
