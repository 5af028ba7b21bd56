// SPDX-License-Identifier: Apache-2.0
/// \file The inside of a waiter: one bell word that other processes may ring.
///
/// The word is a hint and nothing else: bit 0 says "somebody sleeps", the rest counts wake-ups.
/// Any process of the domain can write it, so the first sleep without a look at the rings lasts
/// `longest_sleep_ns` at most. After that the housekeeping thread, which looks around anyway, looks
/// for who sleeps: of a hundred idle processes each wake counts.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "ligament/detail/pool.hpp"
#include "memory/directory.hpp"
#include "memory/op_lock.hpp"

namespace ligament::pool {

struct ReaderState;

struct WaiterState {
  explicit WaiterState(std::shared_ptr<Bells> bells_in, std::uint16_t slot);
  ~WaiterState();
  WaiterState(const WaiterState&) = delete;
  WaiterState& operator=(const WaiterState&) = delete;

  void attach(ReaderState* reader);
  void detach(ReaderState* reader);
  [[nodiscard]] WaitResult wait(const WaitStrategy& strategy, std::int64_t deadline_ns);
  [[nodiscard]] bool wait_for(const std::function<bool()>& is_ready, std::int64_t deadline_ns);
  void wake();  ///< wait() returns
  /// The sleep, if any, ends; wait() looks again. Needs no bit 0, which a peer may have taken and
  /// then died or been stopped before it woke us.
  void ring();
  [[nodiscard]] bool is_asleep() const { return sleeping_.load(std::memory_order_relaxed); }

  const std::shared_ptr<Bells> bells;
  const std::uint16_t bell_slot;
  std::atomic<std::uint32_t>* const word;

 private:
  [[nodiscard]] bool any_ready();
  [[nodiscard]] bool look(WaitResult& result);
  [[nodiscard]] bool spin(std::int64_t until_ns, WaitResult& result);
  [[nodiscard]] WaitResult sleep(std::int64_t deadline_ns);
  [[nodiscard]] bool doze(const std::function<bool()>& is_found, std::int64_t longest_ns);

  OpLock lock_;  ///< guards readers_
  std::vector<ReaderState*> readers_;
  std::atomic<bool> wake_asked_{false};
  std::atomic<bool> sleeping_{false};  ///< ours alone, unlike bit 0
};

}  // namespace ligament::pool
