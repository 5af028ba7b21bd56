// SPDX-License-Identifier: Apache-2.0
/// \file The inside of a reader: its hold rows, and links to the writers it takes from.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "ligament/detail/pool.hpp"
#include "memory/layout.hpp"
#include "memory/op_lock.hpp"
#include "memory/os/system.hpp"
#include "memory/ring.hpp"

namespace ligament::pool {

struct ReaderState;
struct WriterLink;

/// One of the samples a reader may hold. `word` in the reader's shared page is what the writer
/// sees: 0 gives the block back. `busy` ends a little later, with the releasing thread's last
/// access to the reader: only then may the slot be used again, or the reader be freed.
struct HoldSlot {
  ReaderState* reader = nullptr;
  layout::Word* word = nullptr;
  std::atomic<bool> busy{false};
  const WriterLink* link = nullptr;
  std::span<const std::byte> payload;
  SampleInfo info;
};

/// A matched writer as this reader sees it: its segment and chunks mapped read-only, every number
/// copied once and checked. What its process does from now on can only spoil its own samples.
struct WriterLink {
  struct Chunk {
    os::Mapping mapping;
    std::size_t block_bytes = 0;
    std::size_t blocks = 0;
  };
  struct Source {  ///< what the directory says of the writer
    std::uint64_t process = 0;
    std::uint64_t writer = 0;
    std::array<std::uint8_t, 32> type_hash{};
    os::ForeignMemory segment;
  };

  /// Maps the control segment. Errors: it is gone, or it is not what the directory promised.
  [[nodiscard]] static expected<std::unique_ptr<WriterLink>, os::SystemError> open(
      const Source& source);
  /// The writer's match row for this reader, once the writer has made it.
  [[nodiscard]] bool find_match(std::uint64_t reader, std::uint64_t& start,
                                std::uint64_t& granted) const;
  /// Chunks that the writer has announced.
  [[nodiscard]] std::size_t announced() const;
  /// Maps chunk `index`. System calls, but once per chunk.
  [[nodiscard]] Chunk map_chunk(std::size_t index) const;
  void map_chunks();  ///< all that are announced and not mapped yet
  /// The header of a block we hold; null if the number makes no sense or the chunk is unreachable.
  [[nodiscard]] const layout::SampleHeader* block(std::uint32_t number, std::size_t& bytes);
  /// The block may exist, but its chunk could not be mapped.
  [[nodiscard]] bool is_unreachable(std::uint32_t number) const;

  Source source;
  std::uint64_t tag = 0;
  std::uint32_t capacity = 0;
  os::Mapping segment;
  const layout::WriterSegment* shared = nullptr;
  Gid gid{};
  std::vector<Chunk> chunks;
  RingCursor cursor{nullptr, 1, 1, 1};
  std::uint32_t cursor_row = 0;
  bool closing = false;  ///< its endpoint is being destroyed; counts no more
  bool gone = false;     ///< its process or endpoint is; what it published can still be taken
};

struct ReaderState {
  explicit ReaderState(EndpointDescription description_in);
  [[nodiscard]] expected<void, os::SystemError> open(std::uint64_t nonce, std::uint64_t counter);

  // --- data path ---
  [[nodiscard]] expected<HoldSlot*, TakeError> take();  ///< null: nothing there
  [[nodiscard]] bool has_data();
  /// For waiting: data, and a slot free to take it. If only the slot is missing, the next release
  /// rings our own bell.
  [[nodiscard]] bool ready();
  void release(HoldSlot& slot);

  // --- housekeeping ---
  /// Starts taking from the writer at `start`. False: max_ends writers already.
  [[nodiscard]] bool link(std::unique_ptr<WriterLink> link, std::uint64_t start,
                          std::uint64_t granted);
  void map_new_chunks();
  void mark_closing(std::uint64_t writer);
  void mark_gone(std::uint64_t writer);
  /// Forgets writers that are gone, once nothing of them is left to take or held.
  void reap();
  [[nodiscard]] bool has_gone_links() const;
  [[nodiscard]] bool holds_anything() const;
  [[nodiscard]] std::size_t matched() const;
  [[nodiscard]] ReaderStats snapshot() const;
  /// Writers dropped because their memory made no sense (ids), each once.
  [[nodiscard]] std::vector<std::uint64_t> take_corrupt();

  const EndpointDescription description;
  std::uint64_t id = 0;
  std::uint64_t process = 0;
  os::SharedMemory segment;
  layout::ReaderSegment* shared = nullptr;
  std::shared_ptr<WaiterState> waiter;
  std::shared_ptr<DomainState> domain;

 private:
  [[nodiscard]] HoldSlot* free_slot();
  enum class Reading : std::uint8_t { whole, unreachable, nonsense };
  [[nodiscard]] bool take_from(WriterLink& link, HoldSlot& slot);
  [[nodiscard]] Reading read_sample(WriterLink& link, HoldSlot& slot, const Claim& claim);
  void tell_mapped(const WriterLink& link);
  void drop_corrupt(WriterLink& link, HoldSlot& slot);
  [[nodiscard]] bool is_finished(const WriterLink& link) const;

  mutable OpLock lock_;  ///< guards everything below; releasing a sample does not need it
  std::vector<std::unique_ptr<WriterLink>> links_;
  std::size_t turn_ = 0;  ///< the link to ask first, so that no writer starves another
  std::unique_ptr<HoldSlot[]> slot_memory_;
  std::span<HoldSlot> slots_;
  std::vector<std::uint64_t> corrupt_;
  ReaderStats stats_;
  std::atomic<bool> blocked_{false};  ///< the executor sleeps only because all slots are held
};

}  // namespace ligament::pool
