// SPDX-License-Identifier: Apache-2.0
/// A writer's and a reader's end by hand, without domains: what one tells the other.
#include <unistd.h>

#include <array>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <thread>
#include <vector>

#include "ligament/detail/unmap_watch.hpp"
#include "memory/reader.hpp"
#include "memory/writer.hpp"
#include "memory/writer_link.hpp"
#include "support.hpp"

namespace ligament::pool::test {
namespace {

os::ForeignMemory where(const os::SharedMemory& memory) {
  return {::getpid(), static_cast<std::uint32_t>(memory.fd.get()), memory.inode,
          memory.mapping.size()};
}

/// Both halves of a match, as matching.cpp makes them.
struct Ends {
  static constexpr std::uint64_t nonce = 7;
  explicit Ends(const QoS& offered = QoS(10), const WriterOptions& options = {})
      : writer(bytes_on("/t", offered), options) {
    EXPECT_TRUE(writer.open(nonce, 1));
    EXPECT_TRUE(reader.open(nonce, 2));
    auto served = std::make_unique<ReaderLink>();
    served->reader = reader.id;
    served->max_held = reader.description.qos.max_held;
    served->segment = std::move(*os::map_foreign(where(reader.segment), {}));
    EXPECT_TRUE(writer.link(std::move(served), false, 10));
    auto seen = WriterLink::open({nonce, writer.id, {}, where(writer.segment), 0, false});
    std::uint64_t start = 0;
    std::uint64_t granted = 0;
    EXPECT_TRUE(seen && (*seen)->find_match(reader.id, start, granted));
    EXPECT_TRUE(reader.link(std::move(*seen), start, granted));
  }
  void publish(std::size_t size) { ASSERT_TRUE(publish_in_block(size)); }
  /// The block it lies in.
  std::optional<std::uint32_t> publish_in_block(std::size_t size) {
    const auto loan = writer.acquire(size, 0);
    if (!loan) {
      return std::nullopt;
    }
    (void)writer.commit(loan->first, size, {});
    return loan->first;
  }
  HoldSlot* take() {
    const auto slot = reader.take();
    return slot ? *slot : nullptr;
  }
  WriterState writer;
  ReaderState reader{bytes_on("/t")};
};

/// A writer whose only reader paces it, its ring full.
struct Paced {
  Paced() {
    EXPECT_TRUE(writer.open(7, 1));
    EXPECT_TRUE(reader.open(7, 2));
    auto served = std::make_unique<ReaderLink>();
    served->reader = reader.id;
    served->node = "/slow";
    served->max_held = 1;
    served->paced = true;
    served->segment = std::move(*os::map_foreign(where(reader.segment), {}));
    EXPECT_TRUE(writer.link(std::move(served), false, 2));
  }
  void publish() {
    const auto loan = writer.acquire(64, 0);
    ASSERT_TRUE(loan);
    (void)writer.commit(loan->first, 64, {});
  }
  WriterState writer{bytes_on("/t", QoS(2).keep_all()), {.max_blocking_ns = 120'000'000'000}};
  ReaderState reader{bytes_on("/t", QoS(2).keep_all())};
};

TEST(Ends, OnceNobodyPacesItAWriterLooksAtNoCursorAnyMore) {
  Paced ends;
  ends.publish();
  ends.publish();
  std::thread waiting([&] { ends.publish(); });
  ASSERT_TRUE(eventually([&] { return ends.writer.snapshot().waits == 1; }));
  ends.writer.unlink(ends.reader.id);  // while a publish waits for it
  waiting.join();
  EXPECT_EQ(ends.writer.free_until(), UINT64_MAX)
      << "each later publish would look again for whom to wait";
  for (int i = 0; i < 10; ++i) {
    ends.publish();
  }
  EXPECT_EQ(ends.writer.free_until(), UINT64_MAX);
  EXPECT_EQ(ends.writer.snapshot().waits, 1U);
}

/// Blocks that a writer touches whose reader takes and lets go at once.
std::size_t blocks_used(std::size_t size, const QoS& offered, const WriterOptions& options = {}) {
  Ends ends(offered, options);
  std::set<std::optional<std::uint32_t>> used;
  for (int i = 0; i < 30; ++i) {
    used.insert(ends.publish_in_block(size));
    HoldSlot* const slot = ends.take();
    EXPECT_NE(slot, nullptr);
    if (slot != nullptr) {
      ends.reader.release(*slot);
    }
  }
  EXPECT_FALSE(used.contains(std::nullopt));
  return used.size();
}

TEST(Ends, AWriterFillsTheBlockAgainThatAllHaveTaken) {
  for (const std::size_t size : {std::size_t{64}, large_block}) {
    EXPECT_EQ(blocks_used(size, QoS(5)), 1U);
    EXPECT_EQ(blocks_used(size, QoS(1)), 1U);
  }
}

/// How often it looks, for as many samples that nobody takes.
std::uint64_t looks_of_one_who_is_ahead(std::size_t size) {
  Ends ends(QoS(5));
  for (int i = 0; i < 64; ++i) {
    (void)ends.publish_in_block(size);
  }
  return ends.writer.snapshot().scans;
}

TEST(Ends, AWriterOfSmallPayloadsSeldomLooksWhileItsReadersAreBehind) {
  EXPECT_LT(looks_of_one_who_is_ahead(64), looks_of_one_who_is_ahead(large_block) / 3);
}

TEST(Ends, AWriterLooksAgainOnceItsReadersHaveCaughtUp) {
  Ends ends(QoS(5));
  for (int i = 0; i < 10; ++i) {
    (void)ends.publish_in_block(64);
  }
  std::vector<std::optional<std::uint32_t>> used;
  for (int i = 0; i < 40; ++i) {
    used.push_back(ends.publish_in_block(64));
    while (HoldSlot* const slot = ends.take()) {
      ends.reader.release(*slot);
    }
  }
  EXPECT_EQ((std::set(used.end() - 10, used.end()).size()), 1U);
}

TEST(Ends, AWriterFillsNothingAgainThatTheRingIsThereFor) {
  EXPECT_EQ(blocks_used(large_block, QoS(5).transient_local()), 6U) << "who joins late gets it";
  EXPECT_EQ(blocks_used(large_block, QoS(5).keep_all()), 6U);
  EXPECT_EQ(blocks_used(large_block, QoS(5), {.ring = 3}), 6U) << "a ring was asked for";
}

TEST(Ends, AWriterFillsNothingAgainThatIsHeldOrNotTaken) {
  Ends ends(QoS(5));
  const auto held = ends.publish_in_block(large_block);
  HoldSlot* const slot = ends.take();
  ASSERT_NE(slot, nullptr);
  std::set<std::optional<std::uint32_t>> used{held};
  for (std::size_t untaken = 1; untaken <= 5; ++untaken) {
    used.insert(ends.publish_in_block(large_block));
    EXPECT_EQ(used.size(), 1 + untaken);
  }
  // Two more overwrite the oldest two, whose blocks come again; that which is held does not.
  for (int i = 0; i < 2; ++i) {
    const auto block = ends.publish_in_block(large_block);
    EXPECT_NE(block, held);
    used.insert(block);
  }
  ends.reader.release(*slot);
  std::uint64_t last = 0;
  while (HoldSlot* const next = ends.take()) {
    EXPECT_GT(next->info.sequence, last);
    last = next->info.sequence;
    ends.reader.release(*next);
  }
  EXPECT_EQ(last, 8U);
  EXPECT_EQ(ends.reader.snapshot().lost, 2U);
}

TEST(Ends, AWriterWithoutReadersFillsOneBlock) {
  Ends ends(QoS(5));
  ends.publish(large_block);
  ends.writer.unlink(ends.reader.id);  // it has taken nothing
  std::set<std::optional<std::uint32_t>> used;
  for (int i = 0; i < 10; ++i) {
    used.insert(ends.publish_in_block(large_block));
  }
  EXPECT_EQ(used.size(), 1U);
}

using Cursors = Pace::Cursors;

TEST(Pace, AFullSubscriptionIsWaitedForOnlyOnceItHasARow) {
  auto cursors = std::make_unique<Cursors>();
  for (std::size_t i = 0; i < layout::max_ends; ++i) {
    (*cursors)[i].writer.store(100 + i);
  }
  Pace pace;
  pace.start(*cursors, 1, 1);
  EXPECT_FALSE(pace.look(0));
  EXPECT_FALSE(pace.is_waited_for()) << "all its rows are others'";
  (*cursors)[5].writer.store(0);
  EXPECT_FALSE(pace.look(0));
  EXPECT_TRUE(pace.is_waited_for()) << "it is about to make one";
  (*cursors)[5].next.store(3);
  (*cursors)[5].writer.store(1);
  EXPECT_TRUE(pace.look(9));
  EXPECT_EQ(pace.next(), 3U);
}

TEST(Pace, WorkCountsOnceForEachTimeThatItIsSaid) {
  Pace pace;
  layout::Word working{0};
  EXPECT_FALSE(pace.has_worked(working));
  working.store(3);
  EXPECT_TRUE(pace.has_worked(working));
  EXPECT_FALSE(pace.has_worked(working));
  working.store(0);  // nonsense is a change too: it ends when the lies do
  EXPECT_TRUE(pace.has_worked(working));
}

/// A cursor row goes to another writer with a far larger number while the first one's writer looks
/// at it. It may see that the row is another's, never the other's number as its reader's.
TEST(Pace, ARowThatPassesToAnotherWriterNeverSpeaksForTheFirst) {
  constexpr std::uint64_t mine = 11;
  constexpr std::uint64_t others = 12;
  constexpr std::uint64_t far = 1'000'000;
  unsigned seen_dropped = 0;
  for (int round = 0; round < 3000; ++round) {
    auto cursors = std::make_unique<Cursors>();
    layout::CursorRow& row = (*cursors)[0];
    row.next.store(5);
    row.writer.store(mine);
    Pace pace;
    pace.start(*cursors, mine, 1);
    ASSERT_TRUE(pace.look(2 * far));
    std::atomic<bool> go{false};
    std::thread reader([&] {
      while (!go) {
      }
      row.writer.store(0, std::memory_order_release);  // ReaderState::reap, then ::link
      row.next.store(far, std::memory_order_release);
      row.writer.store(others, std::memory_order_release);
    });
    go = true;
    for (int i = 0; i < 20 && !pace.dropped; ++i) {
      (void)pace.look(2 * far);
      ASSERT_LT(pace.next(), far);
    }
    reader.join();
    (void)pace.look(2 * far);
    ASSERT_TRUE(pace.dropped);
    ASSERT_LT(pace.next(), far);
    ++seen_dropped;
  }
  EXPECT_EQ(seen_dropped, 3000U);
}

/// What the test above plays is what a reader does.
TEST(Ends, AReusedCursorRowIsItsNewWritersFromTheFirstLook) {
  Ends ends;
  const auto& row = ends.reader.shared->cursors[0];
  EXPECT_EQ(row.writer.load(), ends.writer.id);
  Pace first;
  first.start(ends.reader.shared->cursors, ends.writer.id, 1);
  ends.publish(64);
  HoldSlot* slot = ends.reader.take().value();
  ASSERT_NE(slot, nullptr);
  ends.reader.release(*slot);
  EXPECT_TRUE(first.look(1));
  EXPECT_EQ(first.next(), 2U);
  ends.reader.mark_gone(ends.writer.id);
  ends.reader.reap();
  EXPECT_EQ(row.writer.load(), 0U);
  WriterState other{bytes_on("/t"), {}};
  ASSERT_TRUE(other.open(7, 3));
  auto link = WriterLink::open({7, other.id, {}, where(other.segment), 0, false});
  ASSERT_TRUE(link);
  ASSERT_TRUE(ends.reader.link(std::move(*link), 500, 0));
  EXPECT_EQ(row.writer.load(), other.id);
  EXPECT_EQ(row.next.load(), 500U);
  EXPECT_FALSE(first.look(1000));
  EXPECT_TRUE(first.dropped);
  EXPECT_EQ(first.next(), 2U);
}

TEST(Ends, ATakeThatMapsAChunkTellsTheWriterWhichMayThenClose) {
  Ends ends;
  EXPECT_TRUE(ends.writer.is_mapped_by_readers()) << "there is nothing to map yet";
  for (const std::size_t size : {100U, 10'000U, 500'000U}) {
    ends.publish(size);
    EXPECT_FALSE(ends.writer.is_mapped_by_readers()) << size;
    HoldSlot* slot = ends.reader.take().value();
    ASSERT_NE(slot, nullptr);
    EXPECT_EQ(slot->payload.size(), size);
    EXPECT_TRUE(ends.writer.is_mapped_by_readers())
        << size << " bytes: nobody but the take has mapped it, and the take must say so";
    ends.reader.release(*slot);
  }
}

TEST(Blocks, OneByteMoreThanAWholeNumberOfUnitsNeedsAnother) {
  const std::size_t unit = page_bytes;
  EXPECT_EQ(round_up(0, unit), 0U);
  EXPECT_EQ(round_up(1, unit), unit);
  EXPECT_EQ(round_up(unit, unit), unit);
  EXPECT_EQ(round_up(unit + 1, unit), 2 * unit);
}

TEST(UnmapWatch, IsToldOfMemoryForAsLongAsItLives) {
  const std::array<std::byte, 3> memory{};
  std::vector<std::size_t> told;
  {
    const UnmapWatch watch([&](std::span<const std::byte> gone) { told.push_back(gone.size()); });
    const UnmapWatch other([&](std::span<const std::byte>) { told.push_back(0); });
    tell_unmap_watches(memory);
  }
  tell_unmap_watches(memory);
  EXPECT_EQ(told, (std::vector<std::size_t>{3, 0}));
}

}  // namespace
}  // namespace ligament::pool::test
