// SPDX-License-Identifier: Apache-2.0
/// \file A writer's blocks: which are free, which wait for readers. Private to the writer; the
/// only shared words it reads are the readers' holds.
///
/// A block goes free -> loaned -> in the ring -> retired -> free. Retired blocks are sorted out
/// only when a loan finds no free one: one pass over all holds pays for several publishes, which
/// is why a publish costs the same with 0 and with 64 readers. Where payloads are large, each loan
/// sorts them out: the block that was used last is the one that caches have something of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "memory/ring.hpp"

namespace ligament::pool {

inline constexpr std::size_t page_bytes = 4096;
inline constexpr std::size_t large_block = std::size_t{64} * 1024;

[[nodiscard]] constexpr std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

class BlockStore {
 public:
  explicit BlockStore(std::uint32_t alignment) : alignment_(alignment) {}

  /// Alignment of blocks of this size: large ones lie on pages, for devices.
  [[nodiscard]] std::uint32_t alignment_of(std::size_t block_bytes) const {
    return block_bytes >= large_block && alignment_ < page_bytes ? page_bytes : alignment_;
  }
  /// Smallest block that holds a payload of `size` wherever its aligned origin is.
  [[nodiscard]] std::size_t block_bytes_for(std::size_t size) const;

  /// All memory that adding a chunk takes: afterwards it cannot fail for lack of any.
  struct Room {
    std::vector<std::uint64_t> held_in_scan;
    std::vector<std::uint32_t> free;
  };
  [[nodiscard]] Room make_room(std::size_t block_bytes, std::uint32_t count);
  bool add_chunk(std::byte* base, std::size_t block_bytes, std::uint32_t count, Room&& room);
  /// Allocates bookkeeping, so that nothing later does. False: no more chunks can be numbered.
  [[nodiscard]] bool add_chunk(std::byte* base, std::size_t block_bytes, std::uint32_t count) {
    return add_chunk(base, block_bytes, count, make_room(block_bytes, count));
  }

  /// A block for a payload of `size`, after sorting out retired ones if necessary. With `reclaims`
  /// at once: what was used last comes again while caches still have some of it, and blocks beyond
  /// those in use are never touched.
  [[nodiscard]] std::optional<std::uint32_t> acquire(std::size_t size,
                                                     std::span<const HoldRow> holds,
                                                     std::uint64_t tag, bool reclaims);
  /// Where the next payload of a like size goes, if nothing else happens first; may be null.
  [[nodiscard]] const std::byte* next() const { return next_; }
  void give_back(std::uint32_t block);  ///< never published
  void retire(std::uint32_t block) { retired_.push_back(block); }
  /// Moves the retired blocks that no reader holds to the free lists.
  void reclaim(std::span<const HoldRow> holds, std::uint64_t tag);

  [[nodiscard]] bool fits_any(std::size_t size) const;
  [[nodiscard]] std::byte* address(std::uint32_t block) const {
    const Chunk& chunk = chunks_[layout::block_chunk(block)];
    return chunk.base + layout::block_index(block) * chunk.block_bytes;
  }
  [[nodiscard]] std::size_t block_bytes(std::uint32_t block) const {
    return chunks_[layout::block_chunk(block)].block_bytes;
  }
  [[nodiscard]] std::size_t chunk_count() const { return chunks_.size(); }
  /// Block size and number of blocks of the largest class; zeros while there is none.
  [[nodiscard]] std::size_t largest_bytes() const;
  [[nodiscard]] std::size_t largest_count() const;
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t free_count() const;
  [[nodiscard]] std::uint64_t scans() const { return scans_; }

 private:
  struct Class {  ///< all chunks of one block size; kept sorted by it
    std::size_t block_bytes = 0;
    std::size_t count = 0;
    std::vector<std::uint32_t> free;
  };
  struct Chunk {
    std::byte* base = nullptr;
    std::size_t block_bytes = 0;
    std::size_t place = 0;  ///< of its class
    std::vector<std::uint64_t> held_in_scan;
  };
  [[nodiscard]] bool fits(const Class& blocks, std::size_t size) const {
    const std::size_t overhead =
        sizeof(layout::SampleHeader) + alignment_of(blocks.block_bytes) - 1;
    return blocks.block_bytes >= overhead && blocks.block_bytes - overhead >= size;
  }
  [[nodiscard]] std::optional<std::uint32_t> pop(std::size_t size);
  [[nodiscard]] Class& class_of(std::size_t block_bytes);

  std::uint32_t alignment_;
  std::vector<Class> classes_;
  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> retired_;
  const std::byte* next_ = nullptr;
  std::size_t count_ = 0;
  std::uint64_t scans_ = 0;
};

// Here, as each publish has them: an optional that a call returns is stored as two values and read
// as one, which waits until both are in the cache.

inline std::optional<std::uint32_t> BlockStore::pop(std::size_t size) {
  for (Class& blocks : classes_) {
    if (!blocks.free.empty() && fits(blocks, size)) {
      const std::uint32_t block = blocks.free.back();
      blocks.free.pop_back();
      next_ = blocks.free.empty() ? nullptr : address(blocks.free.back());
      return block;
    }
  }
  return std::nullopt;
}

inline std::optional<std::uint32_t> BlockStore::acquire(std::size_t size,
                                                        std::span<const HoldRow> holds,
                                                        std::uint64_t tag, bool reclaims) {
  if (!reclaims) {
    if (auto block = pop(size)) {
      return block;
    }
  }
  if (!retired_.empty()) {
    reclaim(holds, tag);
  }
  return pop(size);
}

}  // namespace ligament::pool
