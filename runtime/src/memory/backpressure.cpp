// SPDX-License-Identifier: Apache-2.0
/// A keep-all writer's wait for room: section 11 of spec/wire/pool.md.
#include "memory/backpressure.hpp"

#include <time.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "memory/writer.hpp"

namespace ligament::pool {

namespace {

/// How often a publish that waits looks after something else.
constexpr std::int64_t meanwhile_ns = 1'000'000;

}  // namespace

bool has_no_room_for(std::uint64_t writer,
                     const std::array<layout::CursorRow, layout::max_ends>& cursors) {
  return std::all_of(cursors.begin(), cursors.end(), [writer](const auto& row) {
    const std::uint64_t owner = row.writer.load(std::memory_order_acquire);
    return owner != 0 && owner != writer;
  });
}

bool Pace::look(std::uint64_t head) {
  if (dropped) {
    return false;
  }
  if (row_ == nullptr) {
    // acquire; partner: ReaderState::link, which writes `next` first.
    const auto* found = std::find_if(cursors_->begin(), cursors_->end(), [this](const auto& row) {
      return row.writer.load(std::memory_order_acquire) == writer_;
    });
    if (found == cursors_->end()) {
      refused = has_no_room_for(writer_, *cursors_);
      return false;  // its process has not come to it yet: it is where it starts
    }
    refused = false;
    row_ = found;
  }
  raw_ = row_->next.load(std::memory_order_seq_cst);
  // Looked at after `next`: if the row is another writer's now, that may be its number.
  if (row_->writer.load(std::memory_order_acquire) != writer_) {
    dropped = true;
    return false;
  }
  if (raw_ == layout::resting) {
    // Not kept: it may wake at any place from the last one on (spec/run/moving.md).
    return std::exchange(rests_until_, head + 1) != head + 1;
  }
  rests_until_ = 0;
  // Never backwards, never beyond what has been published: anything else is a lie.
  if (raw_ <= next_ || next_ > head) {
    return false;
  }
  next_ = std::min(raw_, head + 1);
  return true;
}

/// Looks at all cursors that this writer minds. Null: there is room for the next sample, or nobody
/// left to wait for. Under lock_.
std::shared_ptr<ReaderLink> WriterState::late_reader(std::int64_t& sleep_ns) {
  const std::uint64_t sequence = ring_.next_sequence();
  std::uint64_t least = UINT64_MAX;
  bool all_counted = true;
  bool overrun = false;
  std::shared_ptr<ReaderLink> late;
  for (const auto& link : paced_) {
    Pace& pace = link->pace;
    const bool moved = pace.look(ring_.sequence());
    if (moved && pace.stalled) {
      note_stalled(*link, false);
    }
    const bool room = pace.has_room(sequence, ring_.capacity());
    if (!room && pace.is_waited_for() && !is_in_vain(*link, moved, sleep_ns)) {
      late = late == nullptr ? link : late;
    }
    pace.blocked_at_ns = room ? 0 : pace.blocked_at_ns;
    all_counted = all_counted && pace.is_waited_for();
    overrun = overrun || (!room && !pace.dropped && !pace.refused);
    least = std::min(least, pace.next());
  }
  if (late == nullptr) {
    stats_.overrun += overrun ? 1 : 0;
    const bool nobody = paced_.empty();  // the last one has left while we slept
    free_until_ = nobody ? UINT64_MAX : all_counted ? least + ring_.capacity() - 1 : 0;
  }
  return late;
}

/// This reader has no room. True, and it is stalled: a publish has waited long enough for it to
/// move, or at least to work where that counts. Else `sleep_ns` becomes at most what is left of its
/// time.
bool WriterState::is_in_vain(ReaderLink& link, bool moved, std::int64_t& sleep_ns) {
  Pace& pace = link.pace;
  const std::int64_t now = monotonic_now_ns();
  const bool worked = options.spares_working &&
                      pace.has_worked(link.segment.as<const layout::ReaderSegment>()->working);
  if (moved || worked || pace.blocked_at_ns == 0) {
    pace.blocked_at_ns = now;
  }
  const std::int64_t left = options.max_blocking_ns - (now - pace.blocked_at_ns);
  if (left <= 0) {
    note_stalled(link, true);
    return true;
  }
  sleep_ns = std::min(sleep_ns, left);
  return false;
}

/// Names it before the event is raised, so that who is told finds the name. Under lock_.
void WriterState::note_stalled(ReaderLink& link, bool stalled) {
  link.pace.stalled = stalled;
  const auto known =
      std::find_if(stalled_.begin(), stalled_.end(),
                   [&link](const StalledReader& one) { return one.reader == link.reader; });
  if (known != stalled_.end()) {
    known->now = stalled;
    known->times += stalled ? 1 : 0;
  } else if (stalled) {
    if (stalled_.size() == layout::max_ends) {
      // One that has recovered, or has left: those that are stalled now stay, and there is room.
      const auto past = std::find_if(stalled_.begin(), stalled_.end(),
                                     [](const StalledReader& one) { return !one.now; });
      stalled_.erase(past == stalled_.end() ? stalled_.begin() : past);
    }
    stalled_.push_back({link.reader, link.node, link.pid, true, 1});
  }
  events.note([stalled](WriterEvents& now) { add(now.stalled, stalled ? 1 : -1); });
}

/// Before P2. Returns when the ring has room, or whoever lacks it is not waited for. Under lock_,
/// which is let go while it sleeps.
void WriterState::make_room() {
  std::int64_t sleep_ns = longest_sleep_ns;
  if (late_reader(sleep_ns) == nullptr) {
    return;
  }
  ++stats_.waits;
  shared->waiting.fetch_add(1, std::memory_order_seq_cst);  // B1
  LIGAMENT_CRASH_POINT("publish.waiting");
  for (;;) {
    sleep_ns = longest_sleep_ns;
    if (meanwhile) {
      lock_.unlock();
      meanwhile();
      lock_.lock();
      sleep_ns = meanwhile_ns;  // what it waits for rings nobody's bell here
    }
    const auto late = late_reader(sleep_ns);  // B2
    if (late == nullptr) {
      break;
    }
    sleep_until_moved(*late, sleep_ns);
  }
  shared->waiting.fetch_sub(1, std::memory_order_seq_cst);
}

/// B2'. Whoever calls keeps `link`, and with it the mapped word, alive.
void WriterState::sleep_until_moved(ReaderLink& link, std::int64_t sleep_ns) {
  auto* const word = link.pace.word();
  const std::uint32_t seen = link.pace.seen();
  ++link.pace.sleepers;
  lock_.unlock();
  LIGAMENT_CRASH_POINT("publish.before_futex");
  if (word != nullptr) {
    os::futex_wait(word, seen, sleep_ns);
  } else {
    // Its process is about to make its cursor, for which there is nothing to sleep on.
    const timespec nap{0, static_cast<long>(std::min<std::int64_t>(sleep_ns, 500'000))};
    ::nanosleep(&nap, nullptr);
  }
  lock_.lock();
  --link.pace.sleepers;
}

/// This reader is waited for no more. A publish that has decided to sleep may not sleep yet, so one
/// wake-up is not enough: until all have left.
void WriterState::wake_sleepers(ReaderLink& link) {
  for (Patience patience;; patience.wait_a_little()) {
    std::atomic<std::uint32_t>* word = nullptr;
    {
      const std::lock_guard guard(lock_);
      if (link.pace.sleepers == 0) {
        return;
      }
      word = link.pace.word();
    }
    if (word != nullptr) {
      os::futex_wake_all(word);
    }
  }
}

}  // namespace ligament::pool
