// SPDX-License-Identifier: Apache-2.0
/// The ring and the holds alone, all parties as threads over one memory, so that the thread
/// sanitizer sees every access to every byte of a payload (blocks are plain memory). Built with
/// crash points: at each of them a thread may dawdle, which opens the windows that the protocol
/// must close. (Without the second look at the ring entry this fails.)
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "memory/blocks.hpp"
#include "memory/os/system.hpp"
#include "memory/ring.hpp"
#include "stamped_payload.hpp"

namespace ligament::pool::test {
namespace {

constexpr std::uint64_t tag = 12345;
constexpr std::size_t payload_bytes = 64;

/// Mostly goes on; sometimes lets the others run for a few messages.
void dawdle(const char*) {
  thread_local std::uint64_t random = std::hash<std::thread::id>()(std::this_thread::get_id());
  random = mix(random + 0x9E3779B97F4A7C15ULL);
  if (random % 64 == 0) {
    std::this_thread::yield();
  } else if (random % 16 == 0) {
    for (std::uint64_t i = random / 64 % 500; i > 0; --i) {
      os::cpu_relax();
    }
  }
}

struct Party {  ///< a reader's shared words
  std::array<layout::Word, 2> holds{};
};

struct Memory {
  explicit Memory(std::uint32_t capacity, std::size_t readers)
      : ring(capacity), parties(readers), store(128) {
    const std::size_t count = capacity + 2 * readers + 2;
    blocks.resize(count * 512);
    if (!store.add_chunk(blocks.data(), 512, static_cast<std::uint32_t>(count))) {
      std::abort();
    }
    for (const Party& party : parties) {
      rows.push_back({party.holds.data(), 2});
    }
  }
  std::vector<layout::Word> ring;
  std::vector<Party> parties;
  std::vector<HoldRow> rows;
  std::vector<std::byte> blocks;
  BlockStore store;
  layout::Word head{0};
  std::atomic<bool> done{false};
};

void publish_all(Memory& memory, std::uint64_t messages) {
  RingWriter writer(memory.ring.data(), static_cast<std::uint32_t>(memory.ring.size()));
  for (std::uint64_t number = 1; number <= messages; ++number) {
    const auto block = memory.store.acquire(payload_bytes, memory.rows, tag, number % 2 == 0);
    ASSERT_TRUE(block) << "the writer ran out of blocks at " << number;
    stamp({memory.store.address(*block), payload_bytes}, number);
    if (const std::uint64_t old = writer.push(*block); old != 0) {
      memory.store.retire(layout::word_block(old));
    }
    memory.head.store(number, std::memory_order_release);
  }
  memory.done.store(true);
}

/// Takes until the end, sometimes keeping one sample while it takes the next.
void take_all(Memory& memory, Party& party, std::uint32_t depth, std::uint64_t& seen) {
  RingCursor cursor(memory.ring.data(), static_cast<std::uint32_t>(memory.ring.size()), depth, 1);
  std::uint64_t last = 0;
  std::uint64_t accounted = 0;
  std::uint64_t kept_number = 0;
  std::uint32_t kept_block = 0;
  for (;;) {
    const bool finished = memory.done.load();
    layout::Word& hold = party.holds[seen % 2];
    if (hold.load(std::memory_order_relaxed) != 0) {
      ASSERT_EQ(number_of({memory.store.address(kept_block), payload_bytes}), kept_number);
      hold.store(0, std::memory_order_seq_cst);
    }
    const Claim claim = cursor.claim(hold, tag, memory.head);
    accounted += claim.lost;
    ASSERT_NE(claim.result, Claim::Result::corrupt);
    if (claim.result == Claim::Result::nothing) {
      if (finished && !cursor.has_data()) {
        break;
      }
      std::this_thread::yield();  // fewer cores than parties
      continue;
    }
    ++accounted;
    ++seen;
    const std::uint64_t number = number_of({memory.store.address(claim.block), payload_bytes});
    ASSERT_EQ(number, claim.sequence) << "torn, or another message";
    ASSERT_GT(number, last) << "twice, or out of order";
    ASSERT_EQ(number, accounted) << "lost samples must be counted exactly";
    last = number;
    if (number % 3 != 0) {
      hold.store(0, std::memory_order_seq_cst);
    } else {
      kept_number = number;
      kept_block = claim.block;
      // Let go at the second next take: the other hold word is used meanwhile.
    }
  }
  ASSERT_EQ(accounted, memory.head.load());
}

class Protocol : public testing::TestWithParam<std::array<std::uint32_t, 3>> {};

TEST_P(Protocol, NothingIsTornOrDoubleAndLossIsExact) {
  const std::uint32_t capacity = GetParam()[0];
  const std::uint32_t depth = GetParam()[1];
  const std::uint32_t readers = GetParam()[2];
  crash_hook = dawdle;
  Memory memory(capacity, readers);
  std::vector<std::uint64_t> seen(readers, 0);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < readers; ++i) {
    threads.emplace_back([&, i] { take_all(memory, memory.parties[i], depth, seen[i]); });
  }
  publish_all(memory, 10'000);
  for (auto& thread : threads) {
    thread.join();
  }
  for (const std::uint64_t count : seen) {
    EXPECT_GT(count, 0U);
  }
  memory.store.reclaim(memory.rows, tag);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Protocol,
                         testing::Values(std::array<std::uint32_t, 3>{1, 1, 1},
                                         std::array<std::uint32_t, 3>{1, 1, 3},
                                         std::array<std::uint32_t, 3>{2, 1, 2},
                                         std::array<std::uint32_t, 3>{5, 5, 2},
                                         std::array<std::uint32_t, 3>{8, 3, 3},
                                         std::array<std::uint32_t, 3>{64, 64, 2}));

TEST(Words, FortyBitSequencesCompareAcrossTheWrap) {
  const std::uint64_t wrap = std::uint64_t{1} << 40;
  EXPECT_EQ(layout::word_ahead(layout::make_word(wrap - 1, 7), wrap - 1), 0);
  EXPECT_EQ(layout::word_ahead(layout::make_word(wrap, 7), wrap - 1), 1);
  EXPECT_EQ(layout::word_ahead(layout::make_word(wrap - 1, 7), wrap + 2), -3);
  EXPECT_EQ(layout::word_block(layout::make_word(wrap + 5, 0xABCDEF)), 0xABCDEFU);
}

TEST(Cursor, SurvivesAnyRingContent) {
  // A hostile writer: random words, random head. The cursor must end, and claim no block number
  // that the word did not have.
  std::uint64_t random = 1;
  const auto next = [&random] { return random = mix(random + 0x9E3779B97F4A7C15ULL); };
  for (int round = 0; round < 20'000; ++round) {
    std::array<layout::Word, 5> ring{};
    const std::uint64_t base = next() % 1000 + 1;
    for (auto& word : ring) {
      const auto kind = next() % 3;
      word.store(kind == 0 ? next() : kind == 1 ? layout::make_word(base + next() % 12, 3) : 0);
    }
    layout::Word head{next() % 2 == 0 ? next() : base + next() % 12};
    layout::Word hold{0};
    RingCursor cursor(ring.data(), 5, 1 + static_cast<std::uint32_t>(next() % 6), base);
    for (int take = 0; take < 20; ++take) {
      const Claim claim = cursor.claim(hold, tag, head);
      if (claim.result != Claim::Result::held) {
        break;
      }
      EXPECT_EQ(hold.exchange(0), layout::make_word(tag, claim.block));
    }
  }
}

TEST(Blocks, AreFreedOnlyWhenNoRowHoldsThem) {
  std::vector<std::byte> memory(4 * 512);
  BlockStore store(128);
  ASSERT_TRUE(store.add_chunk(memory.data(), 512, 4));
  std::array<layout::Word, 3> holds{};
  const std::array<HoldRow, 1> rows{HoldRow{holds.data(), 3}};
  for (int i = 0; i < 4; ++i) {
    store.retire(*store.acquire(64, rows, tag, false));
  }
  holds[0] = layout::make_word(tag, layout::make_block(0, 2));
  holds[1] = layout::make_word(tag + 1, layout::make_block(0, 1));     // of another writer
  holds[2] = layout::make_word(tag, layout::make_block(200, 60'000));  // nonsense
  store.reclaim(rows, tag);
  EXPECT_EQ(store.free_count(), 3U);
  holds[0] = 0;
  store.reclaim(rows, tag);
  EXPECT_EQ(store.free_count(), 4U);
}

TEST(Blocks, ThatAreReclaimedAtOnceComeAgainAndOthersStayUntouched) {
  constexpr std::size_t bytes = 2 * large_block;
  std::vector<std::byte> memory(8 * bytes);
  BlockStore store(128);
  ASSERT_TRUE(store.add_chunk(memory.data(), bytes, 8));
  std::set<std::uint32_t> used;
  std::deque<std::uint32_t> ring;
  for (int i = 0; i < 50; ++i) {
    const auto block = store.acquire(large_block, {}, 1, true);
    ASSERT_TRUE(block);
    used.insert(*block);
    ring.push_back(*block);
    if (ring.size() > 2) {
      store.retire(ring.front());
      ring.pop_front();
    }
  }
  EXPECT_EQ(used.size(), 3U);  // two in the ring, one that is filled
}

TEST(Blocks, FitWhateverTheAlignedOffsetIs) {
  for (const std::uint32_t alignment : {64U, 128U, 4096U}) {
    const BlockStore store(alignment);
    for (std::size_t size = 0; size < 200'000; size += 997) {
      const std::size_t block = store.block_bytes_for(size);
      const std::size_t unit = store.alignment_of(block);
      EXPECT_GE(block, sizeof(layout::SampleHeader) + unit - 1 + size);
      EXPECT_EQ(block % unit, 0U);
    }
  }
}

}  // namespace
}  // namespace ligament::pool::test
