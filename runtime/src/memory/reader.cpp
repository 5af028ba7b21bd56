// SPDX-License-Identifier: Apache-2.0
#include "memory/reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <new>

#include "memory/backpressure.hpp"
#include "memory/blocks.hpp"
#include "memory/crash_point.hpp"
#include "memory/waiter.hpp"

namespace ligament::pool {

namespace {

using Guard = std::lock_guard<OpLock>;

/// Of a writer that has come to `head`. Its number may be anything: bounded by its ring.
std::uint64_t still_to_take(const WriterLink& link, std::uint64_t head) {
  const std::uint64_t next = link.cursor.next();
  const bool is_behind = !link.gone && head >= next;
  return is_behind ? std::min<std::uint64_t>(head - next + 1, link.capacity) : 0;
}

}  // namespace

ReaderState::ReaderState(EndpointDescription description_in)
    : description(std::move(description_in)),
      slot_memory_(std::make_unique<HoldSlot[]>(description.qos.max_held)),
      slots_(slot_memory_.get(), description.qos.max_held) {
  links_.reserve(layout::max_ends);
}

expected<void, os::SystemError> ReaderState::open(std::uint64_t nonce, std::uint64_t counter) {
  process = nonce;
  id = layout::endpoint_id(nonce, counter);
  const std::size_t bytes =
      round_up(layout::holds_offset + slots_.size() * sizeof(layout::Word), page_bytes);
  auto memory = os::create_shared("ligament-reader", bytes, {});
  if (!memory) {
    return unexpected<os::SystemError>(memory.error());
  }
  segment = std::move(*memory);
  shared = new (segment.mapping.base()) layout::ReaderSegment{};
  shared->header = {
      layout::magic, layout::version, layout::SegmentKind::reader, nonce, id, bytes, {}};
  shared->max_held = static_cast<std::uint32_t>(slots_.size());
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].reader = this;
    slots_[i].word = segment.mapping.as<layout::Word>(layout::holds_offset) + i;
  }
  return {};
}

HoldSlot* ReaderState::free_slot() {
  Patience patience;
  for (;;) {
    bool releasing = false;
    for (HoldSlot& slot : slots_) {
      // acquire; partner: the last store in release(), on whatever thread that ran.
      if (!slot.busy.load(std::memory_order_acquire)) {
        return &slot;
      }
      // Another thread is a few instructions from the end of release().
      releasing = releasing || slot.word->load(std::memory_order_relaxed) == 0;
    }
    if (!releasing) {
      return nullptr;
    }
    patience.wait_a_little();
  }
}

expected<HoldSlot*, TakeError> ReaderState::take() {
  const Guard guard(lock_);
  HoldSlot* slot = nullptr;
  const std::size_t count = links_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = turn_ + i < count ? turn_ + i : turn_ + i - count;
    WriterLink& link = *links_[at];
    if (!link.cursor.has_data() || (!link.before.empty() && link.yields())) {
      continue;
    }
    link.fetch(link.cursor.likely_block());
    if (slot == nullptr && (slot = free_slot()) == nullptr) {
      return unexpected<TakeError>(TakeError::too_many_held);
    }
    if (take_from(link, *slot)) {
      turn_ = at + 1 == count ? 0 : at + 1;
      return slot;
    }
  }
  keep_near();
  return nullptr;
}

/// Nothing there: who polls will need these soon, and others' work on this core may have pushed
/// them out; the writer, which looks at holds, has shared the hold's line.
void ReaderState::keep_near() const {
  const HoldSlot& slot = slots_.front();
  const auto* lines = reinterpret_cast<const std::byte*>(&slot);
  for (std::size_t at = 0; at < sizeof slot; at += 64) {
    os::prefetch(lines + at);
  }
  os::prefetch_to_write(slot.word);
  if (!links_.empty()) {
    const WriterLink& link = *links_[turn_ < links_.size() ? turn_ : 0];
    os::prefetch_to_write(&shared->cursors[link.cursor_row].next);
    os::prefetch(link.chunks.data());
  }
}

bool ReaderState::take_from(WriterLink& link, HoldSlot& slot) {
  // Bounded: a writer that publishes what we cannot reach, as quickly as we pass over it, must not
  // keep us under the lock. has_data() still says that there is something. What is expired costs
  // no system call to pass over: a whole ring of it.
  std::uint32_t unreachable = 0;
  std::uint32_t expired = 0;
  std::int64_t now = 0;
  while (unreachable < 64 && expired <= link.capacity) {
    const Claim claim = link.cursor.claim(*slot.word, link.tag, link.shared->head);
    count_lost(claim.lost);
    if (claim.result == Claim::Result::nothing) {
      break;
    }
    const Reading reading =
        claim.result == Claim::Result::held ? read_sample(link, slot, claim) : Reading::nonsense;
    if (reading == Reading::nonsense) {
      drop_corrupt(link, slot);
      return false;
    }
    if (reading == Reading::whole && !is_expired(link, slot, now)) {
      note_taken(link, slot);
      return true;
    }
    slot.word->store(0, std::memory_order_seq_cst);
    if (reading == Reading::whole) {
      ++stats_.expired;
      ++expired;
    } else {
      ++unreachable;
      // Its writer died before we could map the memory it lies in, or we have no room to map it.
      count_lost(1);
    }
  }
  if (link.source.paced) {
    tell_passed(link);  // what we passed over is room, too
  }
  return false;
}

void ReaderState::note_taken(WriterLink& link, HoldSlot& slot) {
  slot.busy.store(true, std::memory_order_relaxed);  // under lock_, as every take
  LIGAMENT_CRASH_POINT("take.read");
  tell_passed(link);
  ++stats_.taken;
  stats_.bytes += slot.payload.size();
}

/// Older than its writer lets it become. `now` is read once per take, and only for such writers.
bool ReaderState::is_expired(const WriterLink& link, const HoldSlot& slot, std::int64_t& now) {
  if (link.source.lifespan_ns == 0) {
    return false;
  }
  now = now == 0 ? monotonic_now_ns() : now;
  // Unsigned: the stamp is the writer's and may be anything.
  const auto age =
      static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(slot.info.monotonic_ns);
  return static_cast<std::int64_t>(age) > link.source.lifespan_ns;
}

void ReaderState::count_lost(std::uint64_t samples) {
  if (samples != 0) {
    stats_.lost += samples;
    events.flag.raise();
  }
}

/// "I am past these samples." A keep-all writer may wait to hear it; to others it says nothing yet.
void ReaderState::tell_passed(const WriterLink& link) {
  layout::Word& next = shared->cursors[link.cursor_row].next;
  if (!link.source.paced) {
    next.store(link.cursor.next(), std::memory_order_release);
  } else if (!is_resting_) {
    tell_pace(link, link.cursor.next());
  }
}

void ReaderState::tell_pace(const WriterLink& link, std::uint64_t next) {
  layout::Word& word = shared->cursors[link.cursor_row].next;
  if (word.load(std::memory_order_relaxed) != next) {
    tell_cursor(word, next, link.shared->waiting);
  }
}

/// A writer takes it for one that has taken everything, at each of its looks.
void ReaderState::rest() {
  const Guard guard(lock_);
  is_resting_ = true;
  for (const auto& link : links_) {
    if (link->source.paced) {
      tell_pace(*link, layout::resting);
    }
  }
}

void ReaderState::resume() {
  const Guard guard(lock_);
  is_resting_ = false;
  for (const auto& link : links_) {
    if (link->source.paced) {
      // A writer that looked while we rested counts on us from its head on: at most this one.
      const std::uint64_t head = link->shared->head.load(std::memory_order_acquire);
      passed_over_ += still_to_take(*link, head);  // they have come: `arrived` never goes back
      link->cursor.pass(head);
      tell_pace(*link, link->cursor.next());
    }
  }
}

/// Copies each number out of the header once and checks it: the writer may scribble at any time.
ReaderState::Reading ReaderState::read_sample(WriterLink& link, HoldSlot& slot,
                                              const Claim& claim) {
  std::size_t block_bytes = 0;
  const std::size_t mapped = link.chunks.size();
  const layout::SampleHeader* header = link.block(claim.block, block_bytes);
  if (link.chunks.size() != mapped) {
    tell_mapped(link);
  }
  if (header == nullptr) {
    return link.is_unreachable(claim.block) ? Reading::unreachable : Reading::nonsense;
  }
  const std::size_t offset = read_once(header->payload_offset);
  const std::size_t size = read_once(header->payload_bytes);
  if (read_once(header->sequence) != claim.sequence || offset < sizeof(layout::SampleHeader) ||
      offset > block_bytes || size > block_bytes - offset) {
    return Reading::nonsense;
  }
  link.usual_offset = offset;
  slot.link = &link;
  slot.payload = {reinterpret_cast<const std::byte*>(header) + offset, size};
  slot.info.gid = link.gid;
  slot.info.publisher = link.source.writer;
  slot.info.sequence = claim.sequence;
  slot.info.source_timestamp_ns = read_once(header->source_timestamp_ns);
  slot.info.monotonic_ns = read_once(header->monotonic_ns);
  slot.info.type_hash = link.source.type_hash;
  slot.info.request = {};
  const unsigned flags = read_once(header->flags);
  if ((flags & layout::is_relayed) != 0) {
    std::memcpy(slot.info.gid.data(), header->gid.data(), sizeof(Gid));
  }
  if ((flags & layout::has_request) != 0) {
    std::memcpy(slot.info.request.client.data(), header->request_client.data(), sizeof(Gid));
    slot.info.request.sequence = read_once(header->request_sequence);
  }
  return Reading::whole;
}

/// A writer that closes keeps its descriptors until we have mapped what it published.
void ReaderState::tell_mapped(const WriterLink& link) {
  // release; partner: WriterState::is_mapped_by_readers.
  shared->cursors[link.cursor_row].chunks.store(link.chunks.size(), std::memory_order_release);
}

void ReaderState::drop_corrupt(WriterLink& link, HoldSlot& slot) {
  slot.word->store(0, std::memory_order_seq_cst);
  ++stats_.corrupt;
  if (corrupt_.size() < layout::max_ends) {
    corrupt_.push_back(link.source.writer);
  }
  note_unmatched(link);
  link.gone = true;
  static const layout::Word silent{0};
  link.cursor = RingCursor(&silent, 1, 1, 1);
}

bool ReaderState::has_data() {
  const Guard guard(lock_);
  return std::any_of(links_.begin(), links_.end(),
                     [](const auto& link) { return link->cursor.has_data(); });
}

std::uint64_t ReaderState::arrived() {
  const Guard guard(lock_);
  std::uint64_t count = stats_.taken + stats_.lost + stats_.expired + passed_over_;
  for (const auto& link : links_) {
    // acquire; partner: WriterState::push.
    count += still_to_take(*link, link->shared->head.load(std::memory_order_acquire));
  }
  return count;
}

bool ReaderState::ready() {
  if (!has_data()) {
    return false;
  }
  if (free_slot() != nullptr) {
    return true;
  }
  // seq_cst store, then look again; partner: release(), which frees a slot, then looks at this.
  blocked_.store(true, std::memory_order_seq_cst);
  for (const HoldSlot& slot : slots_) {
    if (slot.word->load(std::memory_order_seq_cst) == 0) {
      return true;
    }
  }
  return false;
}

void ReaderState::release(HoldSlot& slot) {
  // seq_cst: as release, our reads of the payload are over (partner: BlockStore::reclaim); and
  // ordered before the look at `blocked_` (partner: ready()).
  slot.word->store(0, std::memory_order_seq_cst);
  LIGAMENT_CRASH_POINT("release.word_cleared");
  if (blocked_.load(std::memory_order_seq_cst) && blocked_.exchange(false)) {
    waiter->ring();
  }
  // The last access: after this the housekeeping may free this reader.
  slot.busy.store(false, std::memory_order_release);
  LIGAMENT_CRASH_POINT("release.done");
}

}  // namespace ligament::pool
