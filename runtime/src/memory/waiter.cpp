// SPDX-License-Identifier: Apache-2.0
#include "memory/waiter.hpp"

#include <algorithm>
#include <mutex>

#include "memory/crash_point.hpp"
#include "memory/os/system.hpp"
#include "memory/reader.hpp"

namespace ligament::pool {

WaiterState::WaiterState(std::shared_ptr<Bells> bells_in, std::uint16_t slot)
    : bells(std::move(bells_in)), bell_slot(slot), word(bells->word(slot)) {}

WaiterState::~WaiterState() { bells->release(bell_slot); }

void WaiterState::attach(ReaderState* reader) {
  const std::lock_guard guard(lock_);
  readers_.push_back(reader);
}

void WaiterState::detach(ReaderState* reader) {
  const std::lock_guard guard(lock_);
  std::erase(readers_, reader);
}

bool WaiterState::any_ready() {
  const std::lock_guard guard(lock_);
  return std::any_of(readers_.begin(), readers_.end(),
                     [](ReaderState* reader) { return reader->ready(); });
}

bool WaiterState::look(WaitResult& result) {
  // seq_cst; partner: wake(), which writes this flag and then looks at the word.
  if (wake_asked_.load(std::memory_order_seq_cst) && wake_asked_.exchange(false)) {
    result = WaitResult::woken;
    return true;
  }
  result = WaitResult::data;
  return any_ready();
}

bool WaiterState::spin(std::int64_t until_ns, WaitResult& result) {
  for (unsigned round = 1;; ++round) {
    if (look(result)) {
      return true;
    }
    os::cpu_relax();
    // Reading the clock costs as much as ten looks.
    if (round % 32 == 0 && monotonic_now_ns() >= until_ns) {
      return false;
    }
  }
}

WaitResult WaiterState::sleep(std::int64_t deadline_ns) {
  WaitResult result = WaitResult::timeout;
  return wait_for([&] { return look(result); }, deadline_ns) ? result : WaitResult::timeout;
}

bool WaiterState::wait_for(const std::function<bool()>& is_ready, std::int64_t deadline_ns) {
  std::int64_t began_ns = 0;
  while (!is_ready()) {
    const std::int64_t now = monotonic_now_ns();
    if (now >= deadline_ns) {
      return false;
    }
    began_ns = began_ns == 0 ? now : began_ns;
    const bool has_looked = now - began_ns >= longest_sleep_ns;
    const std::int64_t longest_ns =
        has_looked ? std::max(longest_sleep_ns, longest_idle_sleep_ns) : longest_sleep_ns;
    if (doze(is_ready, std::min(deadline_ns - now, longest_ns))) {
      break;
    }
  }
  return true;
}

/// One sleep, unless something is found once it has been announced: then true.
bool WaiterState::doze(const std::function<bool()>& is_found, std::int64_t longest_ns) {
  sleeping_.store(true, std::memory_order_seq_cst);
  // seq_cst: announce first, then look again; partner: WriterState::find_sleepers, which publishes
  // first and then reads the mask and, if our bit is there, the word. One of the two sees the
  // other.
  const std::uint32_t announced = word->fetch_or(1U, std::memory_order_seq_cst) | 1U;
  LIGAMENT_CRASH_POINT("wait.announced");
  bells->asleep().fetch_or(std::uint64_t{1} << bell_slot, std::memory_order_seq_cst);
  LIGAMENT_CRASH_POINT("wait.shown");
  const bool found = is_found();
  LIGAMENT_CRASH_POINT("wait.looked");
  if (!found) {
    os::futex_wait(word, announced, longest_ns);
    LIGAMENT_CRASH_POINT("wait.woken");
  }
  bells->asleep().fetch_and(~(std::uint64_t{1} << bell_slot), std::memory_order_relaxed);
  word->fetch_and(~1U, std::memory_order_relaxed);
  sleeping_.store(false, std::memory_order_relaxed);
  return found;
}

WaitResult WaiterState::wait(const WaitStrategy& strategy, std::int64_t deadline_ns) {
  WaitResult result = WaitResult::timeout;
  if (strategy.kind == WaitStrategy::Kind::poll) {
    return spin(deadline_ns, result) ? result : WaitResult::timeout;
  }
  if (strategy.kind == WaitStrategy::Kind::spin_then_sleep && strategy.spin_ns > 0) {
    const std::int64_t until = std::min(deadline_ns, monotonic_now_ns() + strategy.spin_ns);
    if (spin(until, result)) {
      return result;
    }
  }
  return sleep(deadline_ns);
}

void WaiterState::ring() {
  // First the word changes, then we wake: who has looked, but not yet gone to sleep on the old
  // value, will not. seq_cst; partner: sleep(), which sets the flag, then the word, then looks.
  word->fetch_add(2, std::memory_order_seq_cst);
  if (sleeping_.load(std::memory_order_seq_cst)) {
    os::futex_wake_one(word);
  }
}

void WaiterState::wake() {
  wake_asked_.store(true, std::memory_order_seq_cst);
  ring();
}

}  // namespace ligament::pool
