// SPDX-License-Identifier: Apache-2.0
/// \file How a subscriber gets its next message.
#pragma once

#include <algorithm>

#include "clock.hpp"
#include "ends.hpp"

namespace ligament::bench {

/// For a subscriber that spins: how many looks from one reading of the clock to the next.
inline constexpr unsigned looks_per_clock = 1024;

inline bool keep_waiting(pool::Waiter& waiter, Wait wait, std::int64_t since_ns, unsigned look) {
  const std::int64_t deadline_ns =
      since_ns == 0 ? pool::no_deadline : since_ns + longest_silence_ns;
  if (wait == Wait::poll) {
    return look % looks_per_clock != 0 ||
           (!stopped.load(std::memory_order_relaxed) && now_ns() < deadline_ns);
  }
  // Not forever in one go, so that a signal that comes just before the wait is seen.
  const std::int64_t now = now_ns();
  (void)waiter.wait(pool::WaitStrategy::sleep(), std::min(deadline_ns, now + 500'000'000));
  return !stopped.load(std::memory_order_relaxed) && now < deadline_ns;
}

template <typename Use>
bool take_one(pool::Reader& reader, pool::Waiter& waiter, Wait wait, std::int64_t since_ns,
              Use&& use) {
  for (unsigned look = 1;; ++look) {
    auto taken = reader.take();
    if (!taken) {
      fail(std::string(pool::to_string(taken.error())));
    }
    if (*taken) {
      Stamp stamp;
      if (!read_stamp((*taken)->payload(), stamp)) {
        fail("a message was torn: its first and its last sequence number differ");
      }
      // Not before: a take may return without having touched the message, and the peers' do.
      use(stamp, now_ns());
      return true;
    }
    if (!keep_waiting(waiter, wait, since_ns, look)) {
      return false;
    }
  }
}

}  // namespace ligament::bench
