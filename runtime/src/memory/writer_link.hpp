// SPDX-License-Identifier: Apache-2.0
/// \file A writer as a reader sees it.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ligament/detail/pool.hpp"
#include "memory/layout.hpp"
#include "memory/os/system.hpp"
#include "memory/ring.hpp"

namespace ligament::pool {

/// What a publish of the same process calls; shared by a reader and the writers that serve it.
using OnPublish = std::shared_ptr<const std::function<void()>>;

/// Reads a word that a hostile writer may change meanwhile exactly once.
template <typename T>
[[nodiscard]] T read_once(const T& shared) {
  T value;
  __atomic_load(&shared, &value, __ATOMIC_RELAXED);
  return value;
}

/// A matched writer as this reader sees it: its segment and chunks mapped read-only, every number
/// copied once and checked. What its process does from now on can only spoil its own samples.
struct WriterLink {
  struct Chunk {
    os::Mapping mapping;
    std::size_t block_bytes = 0;
    std::size_t blocks = 0;
    std::uint64_t inode = 0;
  };
  struct Source {  ///< what the directory says of the writer
    std::uint64_t process = 0;
    std::uint64_t writer = 0;
    std::array<std::uint8_t, 32> type_hash{};
    os::ForeignMemory segment;
    std::int64_t lifespan_ns = 0;  ///< 0: none
    bool paced = false;            ///< reliable and keep-all at both ends: it waits for our cursor
    bool successor = false;        ///< its node took over: what `node` left elsewhere goes first
    std::string node = {};         ///< fully qualified name
  };

  /// Maps the control segment. Errors: it is gone, or it is not what the directory promised.
  [[nodiscard]] static expected<std::unique_ptr<WriterLink>, os::SystemError> open(
      const Source& source);
  /// The writer's match row for this reader, once the writer has made it.
  [[nodiscard]] bool find_match(std::uint64_t reader, std::uint64_t& start,
                                std::uint64_t& granted) const;
  /// It has as many readers as it may have, and `reader` is none of them.
  [[nodiscard]] bool serves_only_others(std::uint64_t reader) const;
  /// Chunks that the writer has announced.
  [[nodiscard]] std::size_t announced() const;
  /// Maps chunk `index`. System calls, but once per chunk. An error is a want of our own process
  /// (descriptors, memory) that may pass; a chunk that can never be mapped is an empty one.
  [[nodiscard]] expected<Chunk, os::SystemError> map_chunk(std::size_t index) const;
  void add(Chunk&& chunk);
  void map_chunks();  ///< all that are announced and not mapped yet, unless we lack something
  /// The header of a block we hold; null if the number makes no sense or the chunk is unreachable.
  [[nodiscard]] const layout::SampleHeader* block(std::uint32_t number, std::size_t& bytes);
  /// Asks for the lines of a sample that will be read: its header, and where the last one's payload
  /// began. Both are another core's, and come together while the hold is written.
  void fetch(std::uint32_t number) const;
  /// The block may exist, but its chunk could not be mapped.
  [[nodiscard]] bool is_unreachable(std::uint32_t number) const;
  /// A writer whose place this one took has something left. Asked after this one has been seen to
  /// have data: what that one published came before, so all of it is seen.
  [[nodiscard]] bool yields() const;

  Source source;
  std::uint64_t tag = 0;
  std::uint32_t capacity = 0;
  os::Mapping segment;
  const layout::WriterSegment* shared = nullptr;
  Gid gid{};
  std::vector<Chunk> chunks;
  std::size_t usual_offset = sizeof(layout::SampleHeader);  ///< of the last payload
  RingCursor cursor{nullptr, 1, 1, 1};
  std::uint32_t cursor_row = 0;
  std::uint64_t start = 1;  ///< the first sequence number it gives us
  bool closing = false;     ///< its endpoint is being destroyed; counts no more
  bool gone = false;        ///< its process or endpoint is; what it published can still be taken
  std::vector<std::shared_ptr<const WriterLink>> before;  ///< of a successor: whom it follows
};

}  // namespace ligament::pool
