// SPDX-License-Identifier: Apache-2.0
/// The writers of a reader: linked, closing, gone. And what it tells of itself.
#include <algorithm>
#include <mutex>

#include "memory/backpressure.hpp"
#include "memory/crash_point.hpp"
#include "memory/reader.hpp"

namespace ligament::pool {

namespace {
using Guard = std::lock_guard<OpLock>;
}  // namespace

bool ReaderState::link(std::shared_ptr<WriterLink> link, std::uint64_t start,
                       std::uint64_t granted) {
  const Guard guard(lock_);
  std::uint32_t row = 0;
  while (row < layout::max_ends &&
         shared->cursors[row].writer.load(std::memory_order_relaxed) != 0) {
    ++row;
  }
  if (row == layout::max_ends) {
    return false;
  }
  link->cursor_row = row;
  link->cursor = RingCursor(link->segment.as<const layout::Word>(layout::ring_offset),
                            link->capacity, depth(), start);
  // release: whoever sees this number no longer sees the row's old writer. Partner: Pace::look.
  const bool rests = is_resting_ && link->source.paced;
  shared->cursors[row].next.store(rests ? layout::resting : start, std::memory_order_release);
  shared->cursors[row].writer.store(link->source.writer, std::memory_order_release);
  LIGAMENT_CRASH_POINT("match.cursor_made");
  tell_mapped(*link);
  stats_.history_granted += granted;
  link->start = start;
  find_before(*link);
  if (!link->closing) {
    events.note([](ReaderEvents& now) { add(now.matched, 1); });
  }
  links_.push_back(std::move(link));
  return true;
}

/// Whose place it took: the same node's in other processes. Under lock_.
void ReaderState::find_before(WriterLink& link) const {
  if (!link.source.successor) {
    return;
  }
  for (const auto& other : links_) {
    if (other->source.node == link.source.node && other->source.process != link.source.process) {
      link.before.push_back(other);
    }
  }
}

bool ReaderState::is_full() const {
  const Guard guard(lock_);
  return links_.size() >= layout::max_ends;
}

void ReaderState::map_new_chunks() {
  for (std::size_t at = 0;; ++at) {
    lock_.lock();
    WriterLink* link = at < links_.size() ? links_[at].get() : nullptr;  // only we remove links
    const std::size_t index = link != nullptr ? link->chunks.size() : 0;
    lock_.unlock();
    if (link == nullptr) {
      return;
    }
    if (index < link->announced()) {
      auto chunk = link->map_chunk(index);  // slow: not under the lock
      LIGAMENT_CRASH_POINT("map.chunk_mapped");
      if (!chunk) {
        continue;  // a later look, or a take, tries again
      }
      const Guard guard(lock_);
      if (link->chunks.size() == index) {
        link->add(std::move(*chunk));
      }
      tell_mapped(*link);
      --at;  // there may be more
    }
  }
}

void ReaderState::mark_closing(std::uint64_t writer) {
  const Guard guard(lock_);
  for (const auto& link : links_) {
    if (link->source.writer == writer) {
      note_unmatched(*link);
      link->closing = true;
    }
  }
}

/// Before it is marked. Under lock_.
void ReaderState::note_unmatched(const WriterLink& link) {
  if (!link.closing && !link.gone) {
    events.note([](ReaderEvents& now) { add(now.matched, -1); });
  }
}

void ReaderState::mark_gone(std::uint64_t writer) {
  const Guard guard(lock_);
  for (const auto& link : links_) {
    if (link->source.writer == writer) {
      note_unmatched(*link);
      link->gone = true;
    }
  }
}

void ReaderState::wake_gathered(std::span<const std::uint64_t> processes) {
  const Guard guard(lock_);
  for (const auto& link : links_) {
    if (std::find(processes.begin(), processes.end(), link->source.process) != processes.end()) {
      os::futex_wake_all(low_half(link->shared->gather));
    }
  }
}

bool ReaderState::is_finished(const WriterLink& link) const {
  return link.gone && !link.cursor.has_data() &&
         std::none_of(slots_.begin(), slots_.end(), [&link](const HoldSlot& slot) {
           return slot.link == &link && slot.busy.load(std::memory_order_acquire);
         });
}

void ReaderState::reap() {
  std::vector<std::shared_ptr<WriterLink>> finished;  // unmapped after the lock is released
  const Guard guard(lock_);
  for (auto& link : links_) {
    if (is_finished(*link)) {
      shared->cursors[link->cursor_row].writer.store(0, std::memory_order_release);
      LIGAMENT_CRASH_POINT("match.cursor_freed");
      finished.push_back(std::move(link));
    }
  }
  std::erase(links_, nullptr);
  for (const auto& link : links_) {
    std::erase_if(link->before, [&finished](const auto& one) {
      return std::find(finished.begin(), finished.end(), one) != finished.end();
    });
  }
  turn_ = 0;
}

bool ReaderState::has_gone_links() const {
  const Guard guard(lock_);
  return std::any_of(links_.begin(), links_.end(), [](const auto& link) { return link->gone; });
}

bool ReaderState::holds_anything() const {
  return std::any_of(slots_.begin(), slots_.end(), [](const HoldSlot& slot) {
    return slot.busy.load(std::memory_order_acquire);
  });
}

std::vector<ReaderPlace> ReaderState::places() const {
  const Guard guard(lock_);
  std::vector<ReaderPlace> all;
  for (const auto& link : links_) {
    all.push_back({link->source.writer, link->cursor.next(), !link->gone && !link->closing,
                   link->cursor.has_data()});
  }
  return all;
}

void ReaderState::resume_at(std::span<const ReaderPlace> places) {
  const Guard guard(lock_);
  is_resting_ = false;
  for (const auto& link : links_) {
    const auto found = std::find_if(places.begin(), places.end(), [&link](const auto& place) {
      return place.writer == link->source.writer;
    });
    if (found != places.end() && found->next > link->cursor.next()) {
      passed_over_ += found->next - link->cursor.next();
      link->cursor.pass(found->next - 1);
    }
    tell_passed(*link);
  }
}

std::size_t ReaderState::matched() const {
  const Guard guard(lock_);
  return static_cast<std::size_t>(std::count_if(links_.begin(), links_.end(), [](const auto& link) {
    return !link->gone && !link->closing;
  }));
}

ReaderStats ReaderState::snapshot() const {
  const std::uint64_t missed = events.peek().deadline_missed.total;
  const Guard guard(lock_);
  ReaderStats stats = stats_;
  stats.deadline_missed = missed;
  return stats;
}

ReaderEvents ReaderState::take_events() {
  ReaderEvents taken = events.take();
  const Guard guard(lock_);
  taken.message_lost = {stats_.lost, stats_.lost - std::exchange(lost_told_, stats_.lost)};
  return taken;
}

std::vector<std::uint64_t> ReaderState::take_corrupt() {
  const Guard guard(lock_);
  return std::exchange(corrupt_, {});
}

}  // namespace ligament::pool
