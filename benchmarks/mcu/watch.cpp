// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>

#include "pool_ends.hpp"

namespace bench {

namespace pool = ligament::pool;

namespace {

void print(std::span<const std::byte> payload) {
  for (const std::byte byte : payload) {
    std::printf("%02x", static_cast<unsigned>(byte));
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

void watch(const WatchOptions& options) {
  const auto domain = made(pool::Domain::join({options.domain, "ros"}));
  const auto waiter = made(domain->create_waiter());
  const auto reader = made(domain->create_reader(
      describe(options.topic, options.type, options.type_hash, false), *waiter));
  for (std::size_t count = 0; count < options.messages;) {
    auto taken = reader->take();
    if (taken && *taken) {
      print((**taken).payload());
      ++count;
    } else if (waiter->wait(pool::WaitStrategy::sleep(), pool::monotonic_now_ns() + patience_ns) ==
               pool::WaitResult::timeout) {
      fail("nobody publishes " + options.topic);
    }
  }
}

}  // namespace bench
