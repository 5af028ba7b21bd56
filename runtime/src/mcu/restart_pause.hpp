// SPDX-License-Identifier: Apache-2.0
/// \file How long a core that has ended is left alone before it is started again.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace ligament::mcu {

/// One that ends soon after its start, again and again, is started less and less often: its host
/// has other work. After a long life all is forgotten.
class RestartPause {
 public:
  static constexpr std::int64_t first_ns = 250'000'000;
  static constexpr std::int64_t longest_ns = 32'000'000'000;
  static constexpr std::int64_t long_life_ns = 10'000'000'000;

  /// Until the next start, of a core that has lived so long.
  std::int64_t after_end(std::int64_t life_ns) {
    const bool is_quick = life_ns < long_life_ns;
    quick_ends_ = is_quick ? quick_ends_ + 1 : 1;
    pause_ns_ = quick_ends_ == 1 ? first_ns : std::min(2 * pause_ns_, longest_ns);
    return pause_ns_;
  }
  /// What people are told; empty: nothing is unusual.
  [[nodiscard]] std::string text() const {
    return quick_ends_ <= 1
               ? ""
               : fmt::format(" in {} s: this was end {} in a row within {} s of a start",
                             static_cast<double>(pause_ns_) / 1e9, quick_ends_,
                             long_life_ns / 1'000'000'000);
  }

 private:
  int quick_ends_ = 0;
  std::int64_t pause_ns_ = 0;
};

}  // namespace ligament::mcu
