// SPDX-License-Identifier: Apache-2.0
/// \file The four roles over the pool, and what they share.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "ligament/detail/pool.hpp"
#include "options.hpp"
#include "stamp.hpp"

namespace ligament::bench {

int subscribe(const Options& options);
int publish(const Options& options);
int ping(const Options& options);
int pong(const Options& options);

/// A sentence on stderr and the end: a figure of a run in which anything went wrong is none.
[[noreturn]] void fail(const std::string& text);

/// The domain of this run; each has its own, so that nothing else is in it.
std::shared_ptr<pool::Domain> join(const Options& options);
std::unique_ptr<pool::Writer> create_writer(pool::Domain& domain, const Options& options,
                                            const std::string& topic);
std::unique_ptr<pool::Reader> create_reader(pool::Domain& domain, pool::Waiter& waiter,
                                            const std::string& topic);
std::unique_ptr<pool::Waiter> create_waiter(pool::Domain& domain);
/// Until so many readers are matched, 30 s at most, and then 200 ms more: links settle.
void await_readers(const pool::Writer& writer, std::size_t readers);

/// Set by SIGTERM and SIGINT.
extern std::atomic<bool> stopped;
void stop_on_signals();

inline constexpr std::int64_t longest_silence_ns = 3'000'000'000;

/// Waits for the next message as the options say, and hands it to `use(message, now_ns)` with the
/// clock read first. False after 3 s without one, counted from `since_ns` (0: waits forever), or
/// when the process was asked to end.
template <typename Use>
bool take_one(pool::Reader& reader, pool::Waiter& waiter, Wait wait, std::int64_t since_ns,
              Use&& use);

}  // namespace ligament::bench

#include "take.hpp"
