// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <vector>

#include "clock.hpp"
#include "ends.hpp"
#include "record.hpp"

namespace ligament::bench {

namespace {

/// Subscriptions that nobody takes from, until the driver ends them.
int subscribe_idly(const Options& options) {
  const auto domain = join(options);
  std::vector<std::unique_ptr<pool::Waiter>> waiters;
  std::vector<std::unique_ptr<pool::Reader>> readers;
  for (std::size_t i = 0; i < options.readers; ++i) {
    // A waiter for each, as if each had an executor: the publisher looks at every one of them.
    waiters.push_back(create_waiter(*domain));
    readers.push_back(create_reader(*domain, *waiters.back(), options.topic));
  }
  print_ready();
  while (!stopped.load()) {
    sleep_until(now_ns() + 10'000'000);
  }
  print_line({{"role", "subscribe"},
              {"index", options.index},
              {"received", 0},
              {"lost", 0},
              {"latency_ns", nlohmann::json::array()},
              {"cpu_ns", 0},
              {"wall_ns", 0}});
  return 0;
}

}  // namespace

int subscribe(const Options& options) {
  stop_on_signals();
  if (options.wait == Wait::idle) {
    return subscribe_idly(options);
  }
  const auto domain = join(options);
  const auto waiter = create_waiter(*domain);
  const auto reader = create_reader(*domain, *waiter, options.topic);
  Receipts receipts(options);
  print_ready();
  bool last = false;
  const auto note = [&](const Stamp& stamp, std::int64_t now) { last = receipts.note(stamp, now); };
  while (!last && take_one(*reader, *waiter, options.wait, receipts.last_ns(), note)) {
  }
  receipts.finish();
  print_line(receipts.to_json(options));
  return 0;
}

}  // namespace ligament::bench
