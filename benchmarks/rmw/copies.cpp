// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <vector>

#include "printing.hpp"
#include "rcl_node.hpp"
#include "roles.hpp"

namespace bench {

/// From the publisher's message into one of `depth` places between, and from there into the
/// subscriber's: what no middleware can do without where both have messages of their own.
void copies(const Options& options) {
  const auto bytes = static_cast<std::size_t>(options.bytes);
  std::vector<char> source(bytes, 'a');
  std::vector<char> target(bytes, 'b');
  std::vector<std::vector<char>> between(static_cast<std::size_t>(options.depth),
                                         std::vector<char>(bytes, 'c'));
  std::vector<std::int64_t> times;
  std::int64_t next = now_ns();
  for (std::int64_t k = 0; k < options.warmup + options.messages; ++k) {
    next = std::max(next + options.pacing_us * 1000, now_ns());
    sleep_until(next);
    auto& place = between[static_cast<std::size_t>(k) % between.size()];
    source[0] = static_cast<char>(k);
    const std::int64_t begin = now_ns();
    std::memcpy(place.data(), source.data(), bytes);
    std::memcpy(target.data(), place.data(), bytes);
    const std::int64_t end = now_ns();
    if (target[0] != static_cast<char>(k)) {
      give_up("a copy went wrong");
    }
    if (k >= options.warmup) {
      times.push_back(end - begin);
    }
  }
  print_measured("copies", "\"latency_ns\":" + json_list(times));
}

}  // namespace bench
