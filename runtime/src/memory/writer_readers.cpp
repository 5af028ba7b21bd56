// SPDX-License-Identifier: Apache-2.0
/// The readers of a writer: linked, closing, gone.
#include <algorithm>
#include <mutex>

#include "memory/crash_point.hpp"
#include "memory/os/passage.hpp"
#include "memory/writer.hpp"

namespace ligament::pool {

namespace {
using Guard = std::lock_guard<OpLock>;
}  // namespace

JoinPoint WriterState::join_point(bool history, std::uint32_t depth) const {
  const std::uint64_t published = ring_.sequence();
  JoinPoint point{published + 1, 0};
  if (history) {
    const bool all = description.qos.history == HistoryPolicy::keep_all;
    const std::uint32_t kept = all ? ring_.capacity() : description.qos.depth;
    point.granted = std::min<std::uint64_t>({published, depth, kept});
    point.start -= point.granted;
  }
  return point;
}

bool WriterState::link(std::unique_ptr<ReaderLink> link, bool history, std::uint32_t depth) {
  const std::lock_guard growth(growth_);
  std::size_t block_bytes = 0;
  std::size_t missing = 0;
  {
    const Guard guard(lock_);
    if (links_.size() >= layout::max_ends) {
      return false;
    }
    block_bytes = blocks_.largest_bytes();
    if (block_bytes != 0) {
      const std::size_t needed = blocks_needed(block_bytes, link->max_held);
      missing = needed - std::min(needed, blocks_.largest_count());
    }
  }
  if (missing != 0 && !add_blocks(block_bytes, missing)) {
    return false;
  }
  const Guard guard(lock_);
  std::uint32_t row = 0;
  while (shared->matches[row].reader.load(std::memory_order_relaxed) != 0) {
    ++row;  // at most max_ends - 1 rows are taken
  }
  link->match_row = row;
  if (link->passage != nullptr) {
    for (const os::SharedMemory& chunk : chunks_) {
      (void)link->passage->pass(chunk.inode, static_cast<std::uint32_t>(chunk.fd.get()));
    }
  }
  layout::MatchRow& match = shared->matches[row];
  const JoinPoint point = join_point(history, depth);
  match.start.store(point.start, std::memory_order_relaxed);
  match.granted.store(point.granted, std::memory_order_relaxed);
  const std::uint64_t reader = link->reader;
  link->pace.start(link->segment.as<const layout::ReaderSegment>()->cursors, id, point.start);
  links_.push_back(std::move(link));
  rebuild_views();
  // release, and inside the lock: every scan before this point saw blocks that the reader can no
  // longer claim, every scan after it reads the reader's holds. Partner: WriterLink::find_match.
  LIGAMENT_CRASH_POINT("link.before_match");
  match.reader.store(reader, std::memory_order_release);
  events.note([](WriterEvents& now) { add(now.matched, 1); });
  LIGAMENT_CRASH_POINT("link.matched");
  return true;
}

/// Before any ring word names the chunk: a reader in another pid namespace then finds it although
/// we are stopped. What does not get through now is asked for.
void WriterState::pass_to_foreign(const os::SharedMemory& chunk) {
  std::vector<std::shared_ptr<os::Passage>> passages;
  {
    const Guard guard(lock_);
    for (const auto& link : links_) {
      if (link->passage != nullptr &&
          std::find(passages.begin(), passages.end(), link->passage) == passages.end()) {
        passages.push_back(link->passage);
      }
    }
  }
  for (const auto& passage : passages) {
    (void)passage->pass(chunk.inode, static_cast<std::uint32_t>(chunk.fd.get()));
  }
}

void WriterState::rebuild_views() {
  holds_.clear();
  doorbells_.clear();
  paced_.clear();
  std::vector<OnPublish> called;
  for (const auto& link : links_) {
    holds_.push_back(link->holds());
    if (!link->closing && link->on_publish != nullptr) {
      called.push_back(link->on_publish);
    } else if (!link->closing && link->bell_slot != 0) {
      add_bell(*link);
    }
    if (!link->closing && link->paced) {
      paced_.push_back(link);
    }
  }
  free_until_ = paced_.empty() ? UINT64_MAX : 0;
  called_ =
      called.empty() ? nullptr : std::make_shared<const std::vector<OnPublish>>(std::move(called));
  calls_.store(called_ != nullptr, std::memory_order_relaxed);
}

/// A sample that is published while a reader is being linked may be of either side; the reader is
/// woken when it is linked and looks for itself.
void WriterState::call_readers() {
  if (!calls_.load(std::memory_order_relaxed)) {
    return;
  }
  std::shared_ptr<const std::vector<OnPublish>> called;
  {
    const Guard guard(lock_);
    called = called_;
  }
  if (called != nullptr) {
    for (const OnPublish& call : *called) {
      (*call)();
    }
  }
}

void WriterState::add_bell(const ReaderLink& link) {
  auto* const page = link.bell_page->as<layout::BellPage>();
  auto known = std::find_if(doorbells_.begin(), doorbells_.end(),
                            [page](const Doorbells& one) { return one.page == page; });
  if (known == doorbells_.end()) {
    known = doorbells_.insert(known, {link.bell_page, page, 0});
  }
  known->slots |= std::uint64_t{1} << link.bell_slot;
}

void WriterState::mark_closing(std::uint64_t reader) {
  std::shared_ptr<ReaderLink> closing;
  {
    const Guard guard(lock_);
    const auto place = find_link(reader);
    if (place == links_.end() || (*place)->closing) {
      return;
    }
    closing = *place;
    end_link(*closing);
    rebuild_views();
  }
  wake_sleepers(*closing);
}

/// It is counted, rung and waited for no more. Under lock_.
void WriterState::end_link(ReaderLink& link) {
  link.closing = true;
  if (link.pace.stalled) {
    note_stalled(link, false);
  }
  events.note([](WriterEvents& now) { add(now.matched, -1); });
}

std::vector<std::shared_ptr<ReaderLink>>::iterator WriterState::find_link(std::uint64_t reader) {
  return std::find_if(links_.begin(), links_.end(),
                      [reader](const auto& link) { return link->reader == reader; });
}

void WriterState::quarantine(std::uint64_t reader) {
  mark_closing(reader);
  const Guard guard(lock_);
  if (const auto place = find_link(reader); place != links_.end()) {
    (*place)->quarantined = true;
  }
}

void WriterState::unlink(std::uint64_t reader) {
  std::shared_ptr<ReaderLink> gone;  // unmapped after the lock is released
  {
    const Guard guard(lock_);
    const auto place = find_link(reader);
    if (place == links_.end()) {
      return;
    }
    gone = std::move(*place);
    links_.erase(place);
    LIGAMENT_CRASH_POINT("link.erased");
    if (!gone->closing) {
      end_link(*gone);
    }
    rebuild_views();
    shared->matches[gone->match_row].reader.store(0, std::memory_order_release);
  }
  wake_sleepers(*gone);
}

std::size_t WriterState::matched() const {
  const Guard guard(lock_);
  return static_cast<std::size_t>(
      std::count_if(links_.begin(), links_.end(), [](const auto& link) { return !link->closing; }));
}

std::uint64_t WriterState::free_until() const {
  const Guard guard(lock_);
  return free_until_;
}

bool WriterState::has_loans_out() {
  const Guard guard(lock_);
  return loans_out_ != 0;
}

bool WriterState::is_mapped_by_readers() {
  const Guard guard(lock_);
  const std::uint64_t announced = shared->chunks.load(std::memory_order_relaxed);
  return std::all_of(links_.begin(), links_.end(), [&](const auto& link) {
    const auto& cursors = link->segment.template as<const layout::ReaderSegment>()->cursors;
    return link->closing || std::any_of(cursors.begin(), cursors.end(), [&](const auto& row) {
             return row.writer.load(std::memory_order_acquire) == id &&
                    row.chunks.load(std::memory_order_acquire) >= announced;
           });
  });
}

}  // namespace ligament::pool
