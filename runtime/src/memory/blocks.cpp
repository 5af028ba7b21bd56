// SPDX-License-Identifier: Apache-2.0
#include "memory/blocks.hpp"

#include <algorithm>

namespace ligament::pool {

std::size_t BlockStore::block_bytes_for(std::size_t size) const {
  const auto with = [size](std::size_t alignment) {
    return round_up(sizeof(layout::SampleHeader) + alignment - 1 + size, alignment);
  };
  const std::size_t small = with(alignment_);
  return small < large_block ? small : with(alignment_of(large_block));
}

bool BlockStore::fits_any(std::size_t size) const {
  return !classes_.empty() && fits(classes_.back(), size);
}

BlockStore::Class& BlockStore::class_of(std::size_t block_bytes) {
  auto place = std::lower_bound(
      classes_.begin(), classes_.end(), block_bytes,
      [](const Class& blocks, std::size_t bytes) { return blocks.block_bytes < bytes; });
  if (place == classes_.end() || place->block_bytes != block_bytes) {
    place = classes_.insert(place, Class{block_bytes, 0, {}});
    for (Chunk& chunk : chunks_) {
      chunk.place += chunk.block_bytes > block_bytes ? 1 : 0;
    }
  }
  return *place;
}

BlockStore::Room BlockStore::make_room(std::size_t block_bytes, std::uint32_t count) {
  Room room;
  room.held_in_scan.resize(count, 0);
  const auto known = std::find_if(classes_.begin(), classes_.end(), [&](const Class& blocks) {
    return blocks.block_bytes == block_bytes;
  });
  room.free.reserve(count + (known == classes_.end() ? 0 : known->count));
  chunks_.reserve(chunks_.size() + 1);
  classes_.reserve(classes_.size() + 1);
  retired_.reserve(count_ + count);
  return room;
}

bool BlockStore::add_chunk(std::byte* base, std::size_t block_bytes, std::uint32_t count,
                           Room&& room) {
  if (chunks_.size() >= layout::max_chunks || count > layout::max_chunk_blocks) {
    return false;
  }
  const auto chunk = static_cast<std::uint32_t>(chunks_.size());
  count_ += count;
  Class& blocks = class_of(block_bytes);
  const auto place = static_cast<std::size_t>(&blocks - classes_.data());
  chunks_.push_back({base, block_bytes, place, std::move(room.held_in_scan)});
  blocks.count += count;
  room.free.assign(blocks.free.begin(), blocks.free.end());
  blocks.free = std::move(room.free);
  for (std::uint32_t index = count; index-- > 0;) {
    blocks.free.push_back(layout::make_block(chunk, index));
  }
  return true;
}

void BlockStore::give_back(std::uint32_t block) {
  classes_[chunks_[layout::block_chunk(block)].place].free.push_back(block);
}

void BlockStore::reclaim(std::span<const HoldRow> holds, std::uint64_t tag) {
  ++scans_;
  for (const HoldRow& row : holds) {
    for (std::uint32_t i = 0; i < row.count; ++i) {
      // seq_cst, after the exchange that retired the blocks; partner: RingCursor::claim's store.
      // As acquire it pairs with the reader's release of the hold: its reads are over.
      const std::uint64_t word = row.words[i].load(std::memory_order_seq_cst);
      if (layout::word_high(word) != tag) {
        continue;
      }
      const std::uint32_t block = layout::word_block(word);
      const std::uint32_t chunk = layout::block_chunk(block);
      const std::uint32_t index = layout::block_index(block);
      if (chunk < chunks_.size() && index < chunks_[chunk].held_in_scan.size()) {
        chunks_[chunk].held_in_scan[index] = scans_;
      }
    }
  }
  const auto is_held = [this](std::uint32_t block) {
    return chunks_[layout::block_chunk(block)].held_in_scan[layout::block_index(block)] == scans_;
  };
  const auto first_free =
      std::partition(retired_.begin(), retired_.end(), [&](auto block) { return is_held(block); });
  LIGAMENT_CRASH_POINT("reclaim.holds_read");
  std::for_each(first_free, retired_.end(), [this](auto block) { give_back(block); });
  retired_.erase(first_free, retired_.end());
  LIGAMENT_CRASH_POINT("reclaim.freed");
}

std::size_t BlockStore::largest_bytes() const {
  return classes_.empty() ? 0 : classes_.back().block_bytes;
}

std::size_t BlockStore::largest_count() const {
  return classes_.empty() ? 0 : classes_.back().count;
}

std::size_t BlockStore::free_count() const {
  std::size_t sum = 0;
  for (const Class& blocks : classes_) {
    sum += blocks.free.size();
  }
  return sum;
}

}  // namespace ligament::pool
