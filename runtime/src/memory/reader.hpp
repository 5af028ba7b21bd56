// SPDX-License-Identifier: Apache-2.0
/// \file The inside of a reader: its hold rows, and links to the writers it takes from.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "ligament/detail/pool.hpp"
#include "memory/events.hpp"
#include "memory/layout.hpp"
#include "memory/op_lock.hpp"
#include "memory/os/system.hpp"
#include "memory/ring.hpp"
#include "memory/writer_link.hpp"

namespace ligament::pool {

struct ReaderState;

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

struct ReaderState {
  explicit ReaderState(EndpointDescription description_in);
  [[nodiscard]] expected<void, os::SystemError> open(std::uint64_t nonce, std::uint64_t counter);

  // --- data path ---
  [[nodiscard]] expected<HoldSlot*, TakeError> take();  ///< null: nothing there
  [[nodiscard]] bool has_data();
  /// For waiting: data, and a slot free to take it. If only the slot is missing, the next release
  /// rings our own bell.
  [[nodiscard]] bool ready();
  [[nodiscard]] std::uint64_t arrived();
  void release(HoldSlot& slot);
  void rest();
  void resume();
  [[nodiscard]] std::vector<ReaderPlace> places() const;
  void resume_at(std::span<const ReaderPlace> places);

  // --- housekeeping ---
  void say_working() { shared->working.fetch_add(1, std::memory_order_relaxed); }
  /// Starts taking from the writer at `start`. False: max_ends writers already.
  [[nodiscard]] bool link(std::shared_ptr<WriterLink> link, std::uint64_t start,
                          std::uint64_t granted);
  [[nodiscard]] bool is_full() const;  ///< max_ends writers, and no more is taken from
  void map_new_chunks();
  void mark_closing(std::uint64_t writer);
  void mark_gone(std::uint64_t writer);
  /// Whom a writer of these processes had gathered and not woken.
  void wake_gathered(std::span<const std::uint64_t> processes);
  /// Forgets writers that are gone, once nothing of them is left to take or held.
  void reap();
  [[nodiscard]] bool has_gone_links() const;
  [[nodiscard]] bool holds_anything() const;
  [[nodiscard]] std::size_t matched() const;
  [[nodiscard]] ReaderStats snapshot() const;
  [[nodiscard]] ReaderEvents take_events();
  /// Writers dropped because their memory made no sense (ids), each once.
  [[nodiscard]] std::vector<std::uint64_t> take_corrupt();

  const EndpointDescription description;
  std::uint64_t id = 0;
  std::uint64_t process = 0;
  os::SharedMemory segment;
  layout::ReaderSegment* shared = nullptr;
  std::shared_ptr<WaiterState> waiter;
  OnPublish on_publish;           ///< of writers in this process, instead of a bell; may be null
  EventLog<ReaderEvents> events;  ///< messages lost: see take_events
  std::shared_ptr<DomainState> domain;

 private:
  [[nodiscard]] HoldSlot* free_slot();
  enum class Reading : std::uint8_t { whole, unreachable, nonsense };
  void keep_near() const;
  [[nodiscard]] bool take_from(WriterLink& link, HoldSlot& slot);
  void note_taken(WriterLink& link, HoldSlot& slot);
  void count_lost(std::uint64_t samples);
  [[nodiscard]] static bool is_expired(const WriterLink& link, const HoldSlot& slot,
                                       std::int64_t& now);
  void note_unmatched(const WriterLink& link);
  void find_before(WriterLink& link) const;
  void tell_passed(const WriterLink& link);
  void tell_pace(const WriterLink& link, std::uint64_t next);
  /// keep-all never passes over a sample by itself.
  [[nodiscard]] std::uint32_t depth() const {
    const bool all = description.qos.history == HistoryPolicy::keep_all;
    return all ? static_cast<std::uint32_t>(layout::max_ring) : description.qos.depth;
  }
  [[nodiscard]] Reading read_sample(WriterLink& link, HoldSlot& slot, const Claim& claim);
  void tell_mapped(const WriterLink& link);
  void drop_corrupt(WriterLink& link, HoldSlot& slot);
  [[nodiscard]] bool is_finished(const WriterLink& link) const;

  mutable OpLock lock_;  ///< guards everything below; releasing a sample does not need it
  std::vector<std::shared_ptr<WriterLink>> links_;  ///< shared with the housekeeping
  bool is_resting_ = false;
  std::size_t turn_ = 0;  ///< the link to ask first, so that no writer starves another
  std::unique_ptr<HoldSlot[]> slot_memory_;
  std::span<HoldSlot> slots_;
  std::vector<std::uint64_t> corrupt_;
  ReaderStats stats_;
  std::uint64_t lost_told_ = 0;       ///< of stats_.lost, when the events were last taken
  std::uint64_t passed_over_ = 0;     ///< samples, by `resume`
  std::atomic<bool> blocked_{false};  ///< the executor sleeps only because all slots are held
};

}  // namespace ligament::pool
