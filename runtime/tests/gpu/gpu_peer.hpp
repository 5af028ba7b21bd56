// SPDX-License-Identifier: Apache-2.0
/// \file What gpu_peer's kernel writes into a page that it shares with the test, as it runs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ligament::gpu::test {

/// `first`: the message's first word as the kernel found it. Volatile: a device writes.
struct Watched {
  volatile std::uint64_t looks;    ///< times that the kernel has read the whole message
  volatile std::uint64_t changes;  ///< words that were not as at first
  volatile std::uint64_t first;
};
inline constexpr std::size_t watched_bytes = 4096;
inline constexpr std::size_t message_words = 512;
inline constexpr int copies_exit_status = 77;  ///< the device does not work on the pool's bytes

}  // namespace ligament::gpu::test
