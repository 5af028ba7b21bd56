// SPDX-License-Identifier: Apache-2.0
/// \file Labelled places where a test may kill or delay a thread; nothing in ordinary builds.
///
/// A label is a step of the protocol's model, `operation.step`. Tests build these sources with
/// LIGAMENT_CRASH_POINTS and set the hook; the labels are the same in the model's source.
#pragma once

#include <cstdint>

#ifdef LIGAMENT_CRASH_POINTS
#include <atomic>
namespace ligament::pool {
inline std::atomic<void (*)(const char* label)> crash_hook{nullptr};
}
#define LIGAMENT_CRASH_POINT(label)                               \
  do {                                                            \
    if (auto* const hook = ::ligament::pool::crash_hook.load()) { \
      hook(label);                                                \
    }                                                             \
  } while (false)
#define LIGAMENT_SAFETY_NET inline
#else
#define LIGAMENT_CRASH_POINT(label) static_cast<void>(0)
#define LIGAMENT_SAFETY_NET inline constexpr
#endif

namespace ligament::pool {

// Bounds on what a mistake, ours or the system's, can cost. Tests with crash points take them
// away: a wake-up or a notice that is lost is then a hang, and not merely late.
LIGAMENT_SAFETY_NET std::int64_t longest_sleep_ns = 1'000'000'000;  ///< between two looks at rings
/// The same once a wait has looked in vain: the housekeeping thread looks for it from then on.
inline constexpr std::int64_t longest_idle_sleep_ns = 60'000'000'000;
LIGAMENT_SAFETY_NET int rescan_ms = 5000;  ///< between two matchings, twice as long after each...
inline constexpr int longest_rescans = 4;  ///< ... up to so many times, while nobody says anything
LIGAMENT_SAFETY_NET std::int64_t settle_ns = 2'000'000'000;  ///< for another run to say what it is
LIGAMENT_SAFETY_NET std::int64_t linger_ns = 200'000'000;    ///< for readers to map what is new
LIGAMENT_SAFETY_NET int listen_backlog = 4096;  ///< newcomers that a stopped process can keep

}  // namespace ligament::pool
