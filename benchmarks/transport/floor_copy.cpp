// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "clock.hpp"
#include "floor.hpp"
#include "record.hpp"

namespace ligament::bench {

/// Small copies are timed many at once: one of them is shorter than a reading of the clock.
int copy_floor(const Options& options) {
  const std::size_t at_once = std::max<std::size_t>(1, 65536 / options.bytes);
  const std::vector<std::byte> source(options.bytes, std::byte{0x5a});
  std::vector<std::byte> target(options.bytes);
  std::vector<double> copy_ns;
  copy_ns.reserve(options.messages);
  for (std::size_t round = 0; round < options.total(); ++round) {
    const std::int64_t begin = now_ns();
    for (std::size_t i = 0; i < at_once; ++i) {
      std::memcpy(target.data(), source.data(), options.bytes);
      asm volatile("" : : "r"(target.data()) : "memory");  // each copy is made
    }
    const auto spent = static_cast<double>(now_ns() - begin);
    if (round >= options.warmup) {
      copy_ns.push_back(spent / static_cast<double>(at_once));
    }
  }
  print_line({{"role", "subscribe"},
              {"index", 0},
              {"received", options.messages},
              {"lost", 0},
              {"latency_ns", copy_ns},
              {"cpu_ns", 0},
              {"wall_ns", 0}});
  return 0;
}

}  // namespace ligament::bench
