// SPDX-License-Identifier: Apache-2.0
/// \file The inside of a writer: its segment, its chunks, and links to the readers it serves.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ligament/detail/pool.hpp"
#include "memory/backpressure.hpp"
#include "memory/blocks.hpp"
#include "memory/events.hpp"
#include "memory/layout.hpp"
#include "memory/op_lock.hpp"
#include "memory/os/system.hpp"
#include "memory/ring.hpp"
#include "memory/writer_link.hpp"

namespace ligament::pool {

/// A peer process's bell page, shared by all links to that process.
using BellMapping = std::shared_ptr<const os::Mapping>;

/// What a writer needs of a matched reader: its holds, and the bell of its executor.
struct ReaderLink {
  std::uint64_t reader = 0;
  std::string node;  ///< whose it is, for messages
  std::int32_t pid = 0;
  std::uint32_t max_held = 0;  ///< our copy, checked; the reader's page is not asked again
  std::uint32_t match_row = 0;
  bool closing = false;      ///< destroyed, but samples of it are still held
  bool paced = false;        ///< reliable and keep-all at both ends: a publish waits for it
  bool quarantined = false;  ///< its process died; a device may still read what it held
  Pace pace;
  os::Mapping segment;
  BellMapping bell_page;
  std::uint16_t bell_slot = 0;           ///< on that page; 0: nobody is woken
  OnPublish on_publish;                  ///< called instead of ringing, where it is not null
  std::shared_ptr<os::Passage> passage;  ///< of a process in another pid namespace

  [[nodiscard]] HoldRow holds() const {
    return {segment.as<const layout::Word>(layout::holds_offset), max_held};
  }
};

/// The bells of one process that a writer rings.
struct Doorbells {
  BellMapping mapping;
  layout::BellPage* page = nullptr;
  std::uint64_t slots = 0;  ///< bit k: slot k
};

/// Bells whose bit 0 a publish took away: whoever sleeps on them is its to wake.
struct Sleepers {
  std::atomic<std::uint32_t>* last = nullptr;
  BellMapping page;       ///< that it is on
  bool are_more = false;  ///< others, moved to where the writer gathers them
};

/// Where a reader starts: what the writer's match row says.
struct JoinPoint {
  std::uint64_t start = 1;
  std::uint64_t granted = 0;
};

/// A writer's gid: nonce of its process, its number there, and the ending of a DDS writer's.
[[nodiscard]] Gid make_gid(std::uint64_t nonce, std::uint64_t counter);

struct WriterState {
  WriterState(EndpointDescription description_in, const WriterOptions& options_in);

  /// Creates the segment (and blocks, when the payload is bounded).
  [[nodiscard]] expected<void, os::SystemError> open(std::uint64_t nonce, std::uint64_t counter);

  // --- data path ---
  [[nodiscard]] expected<std::pair<std::uint32_t, std::span<std::byte>>, LoanError> acquire(
      std::size_t size, std::size_t aligned_offset);
  /// The payload of a block on loan begins so much later.
  void move_origin(std::uint32_t block, std::size_t bytes);
  [[nodiscard]] Published commit(std::uint32_t block, std::size_t size, const PublishInfo& info);
  /// `Writer::publish_copies`, but for the call of readers.
  [[nodiscard]] PublishedCopies commit_copies(std::span<const std::byte> head,
                                              std::span<const std::span<const std::byte>> bodies,
                                              std::int64_t now_ns);
  void call_readers();  ///< after a commit, without the lock
  void give_back(std::uint32_t block);

  // --- housekeeping ---
  /// Adds the blocks that this reader may hold, then serves it. After return, its holds are read
  /// by every scan; only then may it be told so. False: no room or no memory.
  [[nodiscard]] bool link(std::unique_ptr<ReaderLink> link, bool history, std::uint32_t depth);
  void mark_closing(std::uint64_t reader);
  void unlink(std::uint64_t reader);
  /// Its process is dead: as closing, until `unlink`.
  void quarantine(std::uint64_t reader);
  [[nodiscard]] std::size_t matched() const;
  [[nodiscard]] bool has_loans_out();
  /// Up to this number a publish does not look whom it may have to wait for.
  [[nodiscard]] std::uint64_t free_until() const;
  /// All readers have mapped all chunks: nothing is lost when our descriptors close.
  [[nodiscard]] bool is_mapped_by_readers();
  [[nodiscard]] WriterStats snapshot();
  [[nodiscard]] std::vector<StalledReader> stalled() const;

  const EndpointDescription description;
  const WriterOptions options;
  std::uint64_t process = 0;
  std::uint64_t id = 0;
  std::uint64_t tag = 0;
  Gid gid{};
  os::SharedMemory segment;
  layout::WriterSegment* shared = nullptr;
  std::shared_ptr<WaiterState> waiter;  ///< of the executor that publishes; may be null
  EventLog<WriterEvents> events;
  std::function<void()> on_growth;  ///< readers should map the new chunk
  std::function<void()> meanwhile;  ///< while a publish waits for room; set before the first
  std::shared_ptr<DomainState> domain;

 private:
  [[nodiscard]] std::size_t blocks_needed(std::size_t block_bytes, std::size_t more_held) const;
  [[nodiscard]] bool grow_for(std::size_t size);
  [[nodiscard]] bool add_blocks(std::size_t block_bytes, std::size_t count);
  [[nodiscard]] bool add_chunk(std::size_t block_bytes, std::size_t count);
  void announce_chunk(const os::SharedMemory& memory, std::size_t block_bytes, std::size_t count);
  [[nodiscard]] std::span<std::byte> place(std::uint32_t block, std::size_t size,
                                           std::size_t aligned_offset);
  void clear_behind(std::uint32_t block, std::size_t size);
  void stamp(layout::SampleHeader& header, std::size_t size, const PublishInfo& info,
             std::int64_t now_ns);
  [[nodiscard]] bool forgets_taken() const;
  [[nodiscard]] bool looks_for_taken(std::size_t size);
  [[nodiscard]] bool retires_taken(std::size_t size);
  void retire_taken();
  [[nodiscard]] Published push(std::uint32_t block, std::size_t size, const PublishInfo& info,
                               std::int64_t now_ns);
  [[nodiscard]] bool push_copy(std::span<const std::byte> head, std::span<const std::byte> body,
                               std::int64_t now_ns, bool is_first);
  [[nodiscard]] std::size_t push_copies(std::span<const std::byte> head,
                                        std::span<const std::span<const std::byte>> bodies,
                                        std::int64_t now_ns);
  [[nodiscard]] bool copy_apart(std::span<const std::byte> head, std::span<const std::byte> body);
  [[nodiscard]] Sleepers find_sleepers();
  void gather(const Doorbells& doorbells, std::uint64_t asleep, Sleepers& sleepers);
  void wake(const Sleepers& sleepers);
  void rebuild_views();  ///< after `links_` changed
  void pass_to_foreign(const os::SharedMemory& chunk);
  void add_bell(const ReaderLink& link);
  void end_link(ReaderLink& link);
  [[nodiscard]] std::vector<std::shared_ptr<ReaderLink>>::iterator find_link(std::uint64_t reader);
  JoinPoint join_point(bool history, std::uint32_t depth) const;

  // backpressure.cpp
  void make_room();
  [[nodiscard]] std::shared_ptr<ReaderLink> late_reader(std::int64_t& sleep_ns);
  [[nodiscard]] bool is_in_vain(ReaderLink& link, bool moved, std::int64_t& sleep_ns);
  void note_stalled(ReaderLink& link, bool stalled);
  void sleep_until_moved(ReaderLink& link, std::int64_t sleep_ns);
  void wake_sleepers(ReaderLink& link);

  std::atomic<bool> calls_{false};  ///< `called_` is not null: a hint, for those without

  std::mutex growth_;                     ///< one growth at a time; taken before `lock_`
  std::vector<os::SharedMemory> chunks_;  ///< guarded by growth_

  mutable OpLock lock_;  ///< guards everything below
  RingWriter ring_{nullptr, 1};
  std::uint64_t not_retired_ = 1;  ///< blocks of samples before this one have left the ring
  std::uint32_t loans_until_look_ = 0;
  BlockStore blocks_;
  std::vector<std::shared_ptr<ReaderLink>> links_;  ///< shared with a publish that sleeps
  std::vector<std::shared_ptr<ReaderLink>> paced_;
  std::uint64_t free_until_ = UINT64_MAX;  ///< up to there a publish need not look at `paced_`
  std::vector<HoldRow> holds_;
  std::vector<Doorbells> doorbells_;                      ///< one per process
  std::shared_ptr<const std::vector<OnPublish>> called_;  ///< after a publish; null: nothing
  std::uint32_t loans_out_ = 0;
  std::int64_t last_timestamp_ = 0;
  WriterStats stats_;
  std::vector<StalledReader> stalled_;  ///< the last max_ends that were
};

}  // namespace ligament::pool
