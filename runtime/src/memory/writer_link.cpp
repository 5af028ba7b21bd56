// SPDX-License-Identifier: Apache-2.0
#include "memory/writer_link.hpp"

#include <algorithm>
#include <cerrno>

#include "memory/blocks.hpp"

namespace ligament::pool {

namespace {

// Larger chunks are mapped page by page as they are read: a peer that announces much may not keep
// our housekeeping, or a take, busy with it.
constexpr std::size_t largest_prefault = std::size_t{64} << 20;
constexpr std::size_t largest_block = std::size_t{1} << 40;

bool is_expected(const layout::SegmentHeader& header, const WriterLink::Source& source) {
  return header.magic == layout::magic && header.version == layout::version &&
         header.kind == layout::SegmentKind::writer && header.process == source.process &&
         header.id == source.writer;
}

/// Errors that say nothing about the peer.
bool is_want_of_ours(const os::SystemError& error) {
  return error.code == EMFILE || error.code == ENFILE || error.code == ENOMEM ||
         error.code == EINTR || error.code == EAGAIN;
}

}  // namespace

expected<std::unique_ptr<WriterLink>, os::SystemError> WriterLink::open(const Source& source) {
  auto mapping = os::map_foreign(source.segment, {});
  if (!mapping) {
    return unexpected<os::SystemError>(mapping.error());
  }
  const os::SystemError nonsense{"check of a writer's segment", EBADMSG};
  if (mapping->size() < layout::ring_offset + sizeof(layout::Word)) {
    return unexpected<os::SystemError>(nonsense);
  }
  auto link = std::make_unique<WriterLink>();
  link->source = source;
  link->tag = layout::writer_tag(source.writer);
  link->segment = std::move(*mapping);
  link->shared = link->segment.as<const layout::WriterSegment>();
  const layout::SegmentHeader header = link->shared->header;
  link->capacity = read_once(link->shared->ring_capacity);
  const std::size_t room = (link->segment.size() - layout::ring_offset) / sizeof(layout::Word);
  if (!is_expected(header, source) || link->capacity == 0 ||
      link->capacity > std::min(room, layout::max_ring)) {
    return unexpected<os::SystemError>(nonsense);
  }
  link->gid = link->shared->gid;
  link->chunks.reserve(layout::max_chunks);
  return link;
}

bool WriterLink::find_match(std::uint64_t reader, std::uint64_t& first,
                            std::uint64_t& granted) const {
  for (const layout::MatchRow& row : shared->matches) {
    // acquire; partner: the release in WriterState::link. From here on our holds are honoured.
    if (row.reader.load(std::memory_order_acquire) == reader) {
      first = row.start.load(std::memory_order_relaxed);
      granted = std::min<std::uint64_t>(row.granted.load(std::memory_order_relaxed), capacity);
      // So far below the end that adding to it never passes through 0.
      return first != 0 && first <= UINT64_MAX / 2;
    }
  }
  return false;
}

bool WriterLink::serves_only_others(std::uint64_t reader) const {
  return std::all_of(shared->matches.begin(), shared->matches.end(), [reader](const auto& row) {
    const std::uint64_t served = row.reader.load(std::memory_order_relaxed);
    return served != 0 && served != reader;
  });
}

std::size_t WriterLink::announced() const {
  // acquire; partner: the release in WriterState::announce_chunk.
  return std::min<std::size_t>(shared->chunks.load(std::memory_order_acquire), layout::max_chunks);
}

expected<WriterLink::Chunk, os::SystemError> WriterLink::map_chunk(std::size_t index) const {
  const layout::ChunkRow& row = shared->chunk[index];
  Chunk chunk;
  chunk.block_bytes = row.block_bytes.load(std::memory_order_relaxed);
  chunk.blocks = row.blocks.load(std::memory_order_relaxed);
  const os::ForeignMemory where{source.segment.pid, row.segment.fd.load(std::memory_order_relaxed),
                                row.segment.inode.load(std::memory_order_relaxed),
                                row.segment.bytes.load(std::memory_order_relaxed),
                                source.segment.passage};
  // What it lies in is as large as its blocks, so that a chunk costs us no more than it gives.
  if (chunk.blocks == 0 || chunk.blocks > layout::max_chunk_blocks ||
      chunk.block_bytes > largest_block ||
      where.size != round_up(chunk.blocks * chunk.block_bytes, page_bytes)) {
    return Chunk{};
  }
  chunk.inode = where.inode;
  auto mapping = os::map_foreign(where, {.prefault = where.size <= largest_prefault});
  if (!mapping && is_want_of_ours(mapping.error())) {
    return unexpected<os::SystemError>(mapping.error());
  }
  const bool sane = mapping && chunk.block_bytes >= sizeof(layout::SampleHeader) &&
                    chunk.block_bytes % alignof(layout::SampleHeader) == 0 &&
                    chunk.blocks <= mapping->size() / chunk.block_bytes;
  if (!sane) {
    return Chunk{};  // its writer died first, or lies: no block of it is ever found
  }
  chunk.mapping = std::move(*mapping);
  return chunk;
}

void WriterLink::map_chunks() {
  while (chunks.size() < announced()) {
    auto chunk = map_chunk(chunks.size());
    if (!chunk) {
      return;
    }
    add(std::move(*chunk));
  }
}

/// A memory that is announced again and again would take our address space, mapping by mapping.
void WriterLink::add(Chunk&& chunk) {
  const bool known = std::any_of(chunks.begin(), chunks.end(), [&chunk](const Chunk& other) {
    return other.mapping && other.inode == chunk.inode;
  });
  chunks.push_back(known ? Chunk{} : std::move(chunk));
}

void WriterLink::fetch(std::uint32_t number) const {
  const std::size_t index = layout::block_chunk(number);
  if (index < chunks.size() && layout::block_index(number) < chunks[index].blocks) {
    const std::byte* block =
        chunks[index].mapping.base() + layout::block_index(number) * chunks[index].block_bytes;
    os::prefetch(block);
    os::prefetch(block + usual_offset);
  }
}

bool WriterLink::is_unreachable(std::uint32_t number) const {
  const std::size_t index = layout::block_chunk(number);
  return index < chunks.size() ? !chunks[index].mapping : index < announced();
}

bool WriterLink::yields() const {
  return std::any_of(before.begin(), before.end(),
                     [](const auto& one) { return one->cursor.has_data(); });
}

const layout::SampleHeader* WriterLink::block(std::uint32_t number, std::size_t& bytes) {
  const std::size_t index = layout::block_chunk(number);
  if (index >= chunks.size()) {
    os::counters().growths.fetch_add(1, std::memory_order_relaxed);
    LIGAMENT_CRASH_POINT("take.chunk_missing");
    map_chunks();
  }
  if (index >= chunks.size() || layout::block_index(number) >= chunks[index].blocks) {
    return nullptr;
  }
  const Chunk& chunk = chunks[index];
  bytes = chunk.block_bytes;
  return chunk.mapping.as<const layout::SampleHeader>(layout::block_index(number) *
                                                      chunk.block_bytes);
}

}  // namespace ligament::pool
