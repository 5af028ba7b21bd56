// SPDX-License-Identifier: Apache-2.0
#include "memory/writer.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <new>

#include "memory/crash_point.hpp"

namespace ligament::pool {

namespace {

using Guard = std::lock_guard<OpLock>;

constexpr std::uint32_t loans_per_look = 16;  ///< while readers are behind

/// Two loads: comparing arrays would call memcmp, which every publish would pay for.
bool is_set(const Gid& gid) {
  std::array<std::uint64_t, 2> halves{};
  std::memcpy(halves.data(), gid.data(), gid.size());
  return (halves[0] | halves[1]) != 0;
}

}  // namespace

Gid make_gid(std::uint64_t nonce, std::uint64_t counter) {
  Gid gid{};
  const auto low = static_cast<std::uint32_t>(counter);
  const std::uint8_t entity[4] = {0x00, 0x00, 0x12, 0x03};
  std::memcpy(gid.data(), &nonce, 8);
  std::memcpy(gid.data() + 8, &low, 4);
  std::memcpy(gid.data() + 12, entity, 4);
  return gid;
}

WriterState::WriterState(EndpointDescription description_in, const WriterOptions& options_in)
    : description(std::move(description_in)), options(options_in), blocks_(options_in.alignment) {
  links_.reserve(layout::max_ends);
  paced_.reserve(layout::max_ends);
  holds_.reserve(layout::max_ends);
  doorbells_.reserve(layout::max_ends);
}

expected<void, os::SystemError> WriterState::open(std::uint64_t nonce, std::uint64_t counter) {
  process = nonce;
  id = layout::endpoint_id(nonce, counter);
  tag = layout::writer_tag(id);
  gid = make_gid(nonce, counter);
  const std::uint32_t capacity = std::max(description.qos.depth, options.ring);
  const std::size_t bytes =
      round_up(layout::ring_offset + capacity * sizeof(layout::Word), page_bytes);
  auto memory = os::create_shared("ligament-writer", bytes, {});
  if (!memory) {
    return unexpected<os::SystemError>(memory.error());
  }
  segment = std::move(*memory);
  shared = new (segment.mapping.base()) layout::WriterSegment{};
  shared->header = {
      layout::magic, layout::version, layout::SegmentKind::writer, nonce, id, bytes, {}};
  shared->gid = gid;
  shared->type_hash = description.type_hash;
  shared->ring_capacity = capacity;
  shared->depth = description.qos.depth;
  shared->alignment = options.alignment;
  ring_ = RingWriter(segment.mapping.as<layout::Word>(layout::ring_offset), capacity);
  if (options.max_bytes != 0 && !grow_for(options.max_bytes)) {
    return unexpected<os::SystemError>(os::SystemError{"allocation of the pool", ENOMEM});
  }
  return {};
}

// --- data path -----------------------------------------------------------------------------------

expected<std::pair<std::uint32_t, std::span<std::byte>>, LoanError> WriterState::acquire(
    std::size_t size, std::size_t aligned_offset) {
  for (bool grown = false;; grown = true) {
    {
      const Guard guard(lock_);
      if (options.max_bytes != 0 && size > options.max_bytes) {
        ++stats_.loans_failed;
        return unexpected<LoanError>(LoanError::exceeds_bound);
      }
      if (loans_out_ >= options.max_loans) {
        ++stats_.loans_failed;
        return unexpected<LoanError>(LoanError::too_many_loans);
      }
      const bool has_looked = retires_taken(size);
      if (const auto block =
              blocks_.acquire(size, holds_, tag, has_looked || size >= large_block)) {
        ++loans_out_;
        LIGAMENT_CRASH_POINT("loan.acquired");
        return std::pair(*block, place(*block, size, aligned_offset));
      }
      if (grown || blocks_.fits_any(size)) {
        ++stats_.loans_failed;
        return unexpected<LoanError>(LoanError::exhausted);
      }
    }
    if (!grow_for(size)) {
      const Guard guard(lock_);
      ++stats_.loans_failed;
      return unexpected<LoanError>(LoanError::out_of_memory);
    }
  }
}

bool WriterState::retires_taken(std::size_t size) {
  const bool looks = looks_for_taken(size);
  if (looks) {
    retire_taken();
  }
  return looks;
}

/// Nobody will ask for a sample that all readers have taken: those who join get none, and no ring
/// was asked for, which may be there for who still writes in it.
bool WriterState::forgets_taken() const {
  return description.qos.history == HistoryPolicy::keep_last &&
         description.qos.durability == DurabilityPolicy::volatile_ && options.ring == 0;
}

/// A look costs two lines of each reader's. Of small samples that come as fast as readers take them
/// that is more than it saves: then only now and then.
bool WriterState::looks_for_taken(std::size_t size) {
  if (!forgets_taken() || (size < large_block && loans_until_look_ != 0)) {
    loans_until_look_ -= loans_until_look_ == 0 ? 0 : 1;
    return false;
  }
  return true;
}

/// S0. Their blocks leave the ring before it has gone round, so that a publisher whose readers keep
/// up fills the same one or two again, while caches still have them. Entries stay: no cursor ever
/// comes back to them.
void WriterState::retire_taken() {
  std::uint64_t taken = ring_.next_sequence();
  for (const auto& link : links_) {
    if (!link->closing) {
      (void)link->pace.look(ring_.sequence());
      taken = link->pace.dropped ? taken : std::min(taken, link->pace.next());
    }
  }
  loans_until_look_ = taken == ring_.next_sequence() ? 0 : loans_per_look;
  for (; not_retired_ < taken; ++not_retired_) {
    blocks_.retire(ring_.block_of(not_retired_));
  }
}

std::span<std::byte> WriterState::place(std::uint32_t block, std::size_t size,
                                        std::size_t aligned_offset) {
  std::byte* base = blocks_.address(block);
  const std::size_t alignment = blocks_.alignment_of(blocks_.block_bytes(block));
  const std::size_t inside = aligned_offset & (alignment - 1);
  const std::size_t offset = round_up(sizeof(layout::SampleHeader) + inside, alignment) - inside;
  reinterpret_cast<layout::SampleHeader*>(base)->payload_offset =
      static_cast<std::uint32_t>(offset);
  // Readers have these two lines of it since they took what it held: ask for them a message ahead.
  if (const std::byte* next = blocks_.next(); next != nullptr) {
    os::prefetch_to_write(next);
    os::prefetch_to_write(next + offset);
  }
  return {base + offset, size};
}

void WriterState::move_origin(std::uint32_t block, std::size_t bytes) {
  const Guard guard(lock_);
  reinterpret_cast<layout::SampleHeader*>(blocks_.address(block))->payload_offset +=
      static_cast<std::uint32_t>(bytes);
}

void WriterState::stamp(layout::SampleHeader& header, std::size_t size, const PublishInfo& info,
                        std::int64_t now_ns) {
  const std::int64_t wanted =
      info.source_timestamp_ns != 0 ? info.source_timestamp_ns : now_ns + os::realtime_offset_ns();
  const bool relayed = is_set(info.origin);
  const std::int64_t next = last_timestamp_ == INT64_MAX ? INT64_MAX : last_timestamp_ + 1;
  const std::int64_t timestamp = relayed ? wanted : std::max(wanted, next);
  last_timestamp_ = relayed ? last_timestamp_ : timestamp;
  header.flags = 0;
  header.sequence = ring_.next_sequence();
  header.source_timestamp_ns = timestamp;
  header.monotonic_ns = now_ns;
  header.payload_bytes = size;
  if (is_set(info.request.client) || info.request.sequence != 0) {
    header.flags = layout::has_request;
    header.request_client = info.request.client;
    header.request_sequence = info.request.sequence;
  }
  if (relayed) {
    header.flags = static_cast<std::uint16_t>(header.flags | layout::is_relayed);
    header.gid = info.origin;
  }
}

/// Who sends the sample on pads it to 4 bytes with what stands there: not with an older message.
void WriterState::clear_behind(std::uint32_t block, std::size_t size) {
  const std::size_t padding = -size & 3U;
  if (padding != 0) {  // most have none, and their last line is left alone
    std::byte* const base = blocks_.address(block);
    const auto* header = reinterpret_cast<const layout::SampleHeader*>(base);
    std::memset(base + header->payload_offset + size, 0, padding);
  }
}

Published WriterState::commit(std::uint32_t block, std::size_t size, const PublishInfo& info) {
  Published published;
  Sleepers sleepers;
  {
    const Guard guard(lock_);
    published = push(block, size, info, 0);
    sleepers = find_sleepers();
  }
  // Without the lock: who is woken may take this processor, and ask for a loan of this writer.
  if (sleepers.last != nullptr) [[unlikely]] {
    wake(sleepers);
  }
  return published;
}

/// `now_ns` 0: the clock is read, after a wait for room.
Published WriterState::push(std::uint32_t block, std::size_t size, const PublishInfo& info,
                            std::int64_t now_ns) {
  if (ring_.next_sequence() > free_until_) [[unlikely]] {
    make_room();
  }
  --loans_out_;
  clear_behind(block, size);
  const std::int64_t now = now_ns != 0 ? now_ns : monotonic_now_ns();
  stamp(*reinterpret_cast<layout::SampleHeader*>(blocks_.address(block)), size, info, now);
  LIGAMENT_CRASH_POINT("publish.stamped");
  const std::uint64_t old = ring_.push(block);
  // By its number, not `old != 0`: block 0 with a multiple of 2^40 as its number is 0, too.
  if (ring_.sequence() == not_retired_ + ring_.capacity()) {
    blocks_.retire(layout::word_block(old));
    ++not_retired_;
  }
  LIGAMENT_CRASH_POINT("publish.retired");
  // Beside `head`, and not before the exchange: that would wait for one line more.
  shared->active.store(static_cast<std::uint64_t>(now), std::memory_order_relaxed);
  // release: late joiners and slow readers find the entry there; partner: loads of `head`.
  shared->head.store(ring_.sequence(), std::memory_order_release);
  LIGAMENT_CRASH_POINT("publish.head_written");
  ++stats_.published;
  stats_.bytes += size;
  return {ring_.sequence(), last_timestamp_};
}

Sleepers WriterState::find_sleepers() {
  Sleepers sleepers;
  for (const Doorbells& doorbells : doorbells_) {
    // seq_cst after the ring exchange; partner: the waiter's two fetch_or, which precede its look
    // at the rings. One of the two sees the other. One line per process, however many executors.
    const std::uint64_t asleep =
        doorbells.page->header.asleep.load(std::memory_order_seq_cst) & doorbells.slots;
    if (asleep != 0) [[unlikely]] {
      gather(doorbells, asleep, sleepers);
    }
  }
  return sleepers;
}

/// None is woken before all are found: the first could take this processor, and the others would
/// sleep until it is done.
void WriterState::gather(const Doorbells& doorbells, std::uint64_t asleep, Sleepers& sleepers) {
  for (; asleep != 0; asleep &= asleep - 1) {
    auto* const bell =
        &doorbells.page->bells[static_cast<std::size_t>(std::countr_zero(asleep)) - 1].word;
    // Who takes bit 0 away wakes; the mask is the waiter's own to clear.
    std::uint32_t seen = bell->load(std::memory_order_seq_cst);
    if ((seen & 1U) == 0 || !bell->compare_exchange_strong(seen, (seen & ~1U) + 2)) {
      continue;
    }
    LIGAMENT_CRASH_POINT("publish.before_wake");
    ++stats_.wakes;
    if (sleepers.last != nullptr) {
      os::futex_move(sleepers.last, low_half(shared->gather));
      sleepers.are_more = true;
      LIGAMENT_CRASH_POINT("publish.gathered");
    }
    sleepers.last = bell;
    sleepers.page = doorbells.mapping;
  }
}

void WriterState::wake(const Sleepers& sleepers) {
  if (sleepers.are_more) {
    os::futex_wake_both(low_half(shared->gather), sleepers.last);
  } else {
    os::futex_wake_one(sleepers.last);
  }
  LIGAMENT_CRASH_POINT("publish.woken");
}

void WriterState::give_back(std::uint32_t block) {
  const Guard guard(lock_);
  --loans_out_;
  blocks_.give_back(block);
  LIGAMENT_CRASH_POINT("loan.given_back");
}

// --- memory --------------------------------------------------------------------------------------

/// Ring, loans, one for the block between them, and what all readers may hold. A few more when
/// blocks are small: then one scan of the holds serves several publishes.
std::size_t WriterState::blocks_needed(std::size_t block_bytes, std::size_t more_held) const {
  std::size_t held = more_held;
  for (const auto& link : links_) {
    held += link->max_held;
  }
  const std::size_t spare = std::min<std::size_t>(8, std::size_t{16} * 1024 / block_bytes);
  return ring_.capacity() + options.max_loans + 1 + held + spare;
}

bool WriterState::grow_for(std::size_t size) {
  const std::lock_guard growth(growth_);
  std::size_t block_bytes = 0;
  std::size_t count = 0;
  {
    const Guard guard(lock_);
    if (blocks_.fits_any(size)) {
      return true;  // another thread grew
    }
    // By at least half, so that slowly growing payloads settle after a few steps.
    const std::size_t half_more = blocks_.largest_bytes() + blocks_.largest_bytes() / 2;
    block_bytes = std::max(blocks_.block_bytes_for(size), round_up(half_more, page_bytes));
    count = blocks_needed(block_bytes, 0);
  }
  os::counters().growths.fetch_add(1, std::memory_order_relaxed);
  return add_blocks(block_bytes, count);
}

/// In as many chunks as the block numbers ask for.
bool WriterState::add_blocks(std::size_t block_bytes, std::size_t count) {
  while (count != 0) {
    const std::size_t some = std::min(count, layout::max_chunk_blocks);
    if (!add_chunk(block_bytes, some)) {
      return false;
    }
    count -= some;
  }
  return true;
}

bool WriterState::add_chunk(std::size_t block_bytes, std::size_t count) {
  if (count > layout::max_chunk_blocks || chunks_.size() >= layout::max_chunks ||
      block_bytes > SIZE_MAX / 2 / count) {
    return false;
  }
  auto memory = os::create_shared("ligament-chunk", round_up(block_bytes * count, page_bytes),
                                  {.peers_write = false, .prefault = options.prefault});
  if (!memory) {
    return false;
  }
  LIGAMENT_CRASH_POINT("grow.created");
  for (std::size_t i = 0; i < count; ++i) {
    auto* header = new (memory->mapping.base() + i * block_bytes) layout::SampleHeader{};
    header->version = layout::sample_header_version;
    header->header_bytes = sizeof(layout::SampleHeader);
    header->publisher = id;
    header->segment_id = chunks_.size();
    header->gid = gid;
    header->type_hash = description.type_hash;
  }
  const auto blocks = static_cast<std::uint32_t>(count);
  // What may fail for lack of memory comes before what others see.
  chunks_.reserve(chunks_.size() + 1);
  BlockStore::Room room = [&] {
    const Guard guard(lock_);
    return blocks_.make_room(block_bytes, blocks);
  }();
  pass_to_foreign(*memory);
  announce_chunk(*memory, block_bytes, count);
  const Guard guard(lock_);
  const bool added =
      blocks_.add_chunk(memory->mapping.base(), block_bytes, blocks, std::move(room));
  ++stats_.grown;
  stats_.memory_bytes += memory->mapping.size();
  chunks_.push_back(std::move(*memory));
  return added;
}

/// Readers must find the chunk's row before any ring word names the chunk: the release of
/// `chunks` precedes every later exchange of a ring entry. Partner: WriterLink::map_chunks.
void WriterState::announce_chunk(const os::SharedMemory& memory, std::size_t block_bytes,
                                 std::size_t count) {
  const auto index = static_cast<std::uint32_t>(chunks_.size());
  layout::ChunkRow& row = shared->chunk[index];
  row.segment.fd.store(static_cast<std::uint32_t>(memory.fd.get()), std::memory_order_relaxed);
  row.segment.inode.store(memory.inode, std::memory_order_relaxed);
  row.segment.bytes.store(memory.mapping.size(), std::memory_order_relaxed);
  row.block_bytes.store(block_bytes, std::memory_order_relaxed);
  row.blocks.store(count, std::memory_order_relaxed);
  shared->chunks.store(index + 1, std::memory_order_release);
  LIGAMENT_CRASH_POINT("grow.announced");
  if (on_growth) {
    on_growth();
  }
}

std::vector<StalledReader> WriterState::stalled() const {
  const Guard guard(lock_);
  return stalled_;
}

WriterStats WriterState::snapshot() {
  const WriterEvents seen = events.peek();
  const Guard guard(lock_);
  if (forgets_taken()) {
    retire_taken();
  }
  blocks_.reclaim(holds_, tag);  // so that the free ones are all known
  WriterStats stats = stats_;
  stats.stalled = seen.stalled.current;
  stats.deadline_missed = seen.deadline_missed.total;
  stats.quarantined = static_cast<std::uint64_t>(std::count_if(
      links_.begin(), links_.end(), [](const auto& link) { return link->quarantined; }));
  stats.scans = blocks_.scans();
  stats.in_ring = ring_.next_sequence() - not_retired_;
  stats.blocks = blocks_.count();
  stats.blocks_free = blocks_.free_count();
  return stats;
}

}  // namespace ligament::pool
