// SPDX-License-Identifier: Apache-2.0
/// A peer that works honestly and then writes one wrong value at one place of its own pages: sizes,
/// identities, sequence numbers, counts. Others lose nothing; of the liar nothing torn is taken.
#include "lies.hpp"

#include <fmt/format.h>

#include <iostream>
#include <vector>

#include "memory/layout.hpp"
#include "support.hpp"

namespace ligament::pool::test {
namespace {

constexpr std::uint32_t ring = 10;
constexpr std::uint64_t all_ones = UINT64_MAX;
constexpr std::uint64_t huge = std::uint64_t{1} << 62;

/// What we get of the five samples that the liar published before it lied.
enum class Outcome {
  whole,    ///< all five
  dropped,  ///< the liar's writer is dropped and counted as corrupt
  counted,  ///< what is missing is counted as lost
  silent,   ///< fewer, as if the others were not published yet
};

struct Case {
  const char* what;
  Lie lie;
  Outcome outcome = Outcome::whole;
  const char* problem = "";  ///< what we report, if anything
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.what; }

// The rows of the liar: 0 its writer, 1 its reader. In shared memory, content starts at 8.
constexpr std::size_t row(std::size_t index, std::size_t offset) {
  return sizeof(layout::SegmentHeader) + index * sizeof(layout::SharedRow) + 8 + offset;
}
constexpr std::size_t match(std::size_t offset) {
  return offsetof(layout::WriterSegment, matches) + offset;
}
constexpr std::size_t chunk_row(std::size_t offset) {
  return offsetof(layout::WriterSegment, chunk) + offset;
}
/// The entry of the liar's second sample that we take after the lie, of sequence number 2.
constexpr std::size_t entry = layout::ring_offset + 8;
constexpr std::uint64_t word(std::uint64_t sequence, std::uint32_t block) {
  return layout::make_word(sequence, block);
}
constexpr std::size_t cursor(std::size_t offset) {
  return offsetof(layout::ReaderSegment, cursors) + offset;
}

const char* const nonsense = "make no sense";

const std::vector<Case>& cases() {
  using Header = layout::SampleHeader;
  // Sample 2 lies in block 1; blocks of 1000 bytes of payload are so large.
  constexpr std::size_t block = 1408;
  static const auto* all = new std::vector<Case>{
      // --- rows of the directory
      {"row_id", {"rows", row(0, 0), 8, 4711}, Outcome::whole, nonsense},
      {"row_kind", {"rows", row(0, 9), 1, 7}, Outcome::whole, nonsense},
      {"row_depth", {"rows", row(1, 16), 4, 0xFFFFFFFF}, Outcome::whole, nonsense},
      {"row_max_held", {"rows", row(1, 20), 4, 1025}, Outcome::whole, nonsense},
      {"row_larger_max_held", {"rows", row(1, 20), 4, 1024}},
      {"row_duration", {"rows", row(0, 24), 8, all_ones}, Outcome::whole, nonsense},
      {"row_counter", {"rows", row(0, 48), 8, 9}, Outcome::whole, nonsense},
      {"row_inode", {"rows", row(0, 56), 8, 4711}},
      {"row_bytes", {"rows", row(0, 64), 8, huge}},
      {"row_descriptor", {"rows", row(0, 72), 4, 0xFFFFFFFF}},
      {"row_closing", {"rows", row(0, 8), 1, 2}},
      {"row_bell_slot", {"rows", row(1, 14), 2, 63}},
      {"row_being_written", {"rows", row(0, 0) - 8, 8, 1001}},
      // --- the directory itself
      {"row_segments", {"directory", offsetof(layout::DirectoryPage, row_segments), 4, 0xFFFFFFFF}},
      {"row_segment_descriptor", {"directory", offsetof(layout::DirectoryPage, rows), 4, 1}},
      {"row_segment_bytes", {"directory", offsetof(layout::DirectoryPage, rows) + 16, 8, huge}},
      {"generation", {"directory", offsetof(layout::DirectoryPage, generation), 8, all_ones}},
      {"process_state", {"directory", offsetof(layout::DirectoryPage, state), 4, 77}},
      {"pid", {"directory", offsetof(layout::DirectoryPage, pid), 4, 1}},
      {"slot", {"directory", offsetof(layout::DirectoryPage, slot), 4, 99999}},
      {"nonce", {"directory", 16, 8, 4711}},
      {"magic", {"directory", 0, 8, 0}},
      // --- writer segment; its chunk may be mapped already, or not
      {"ring_capacity_none", {"writer", offsetof(layout::WriterSegment, ring_capacity), 4, 0}},
      {"ring_capacity", {"writer", offsetof(layout::WriterSegment, ring_capacity), 4, 0xFFFFFFFF}},
      {"chunks", {"writer", offsetof(layout::WriterSegment, chunks), 4, 0xFFFFFFFF}},
      {"head", {"writer", offsetof(layout::WriterSegment, head), 8, huge}},
      {"head_none", {"writer", offsetof(layout::WriterSegment, head), 8, 0}},
      {"match_row_reader", {"writer", match(0), 8, 4711}},
      {"match_row_start", {"writer", match(8), 8, all_ones}},
      {"match_row_granted", {"writer", match(16), 8, all_ones}},
      {"chunk_row_descriptor", {"writer", chunk_row(0), 4, 0xFFFFFFFF}, Outcome::counted},
      {"chunk_row_inode", {"writer", chunk_row(8), 8, 1}, Outcome::counted},
      {"chunk_row_bytes", {"writer", chunk_row(16), 8, huge}, Outcome::counted},
      {"chunk_row_block_bytes_none", {"writer", chunk_row(24), 8, 0}, Outcome::counted},
      {"chunk_row_block_bytes", {"writer", chunk_row(24), 8, huge}, Outcome::counted},
      {"chunk_row_blocks", {"writer", chunk_row(32), 8, huge}, Outcome::counted},
      {"sequence_backwards", {"writer", entry, 8, word(1, 1)}, Outcome::silent},
      {"sequence_none", {"writer", entry, 8, 0}, Outcome::silent},
      {"sequence_ahead", {"writer", entry, 8, word(3, 1)}, Outcome::dropped},
      {"sequence_laps_ahead", {"writer", entry, 8, word(2 + 3 * ring, 1)}, Outcome::counted},
      {"block_of_no_chunk", {"writer", entry, 8, word(2, 200 << 16)}, Outcome::dropped},
      {"block_beyond_chunk", {"writer", entry, 8, word(2, 0xFFFF)}, Outcome::dropped},
      // --- sample headers
      {"sample_sequence", {"chunk", block + offsetof(Header, sequence), 8, 3}, Outcome::dropped},
      {"sample_size",
       {"chunk", block + offsetof(Header, payload_bytes), 8, all_ones},
       Outcome::dropped},
      {"sample_size_by_one",
       {"chunk", block + offsetof(Header, payload_bytes), 8, block},
       Outcome::dropped},
      {"sample_offset_none",
       {"chunk", block + offsetof(Header, payload_offset), 4, 0},
       Outcome::dropped},
      {"sample_offset",
       {"chunk", block + offsetof(Header, payload_offset), 4, 0xFFFFFFFF},
       Outcome::dropped},
      {"sample_publisher", {"chunk", block + offsetof(Header, publisher), 8, 4711}},
      {"sample_segment", {"chunk", block + offsetof(Header, segment_id), 8, all_ones}},
      // --- reader segment
      {"cursor_backwards", {"reader", cursor(8), 8, 0}},
      {"cursor_ahead", {"reader", cursor(8), 8, all_ones}},
      {"cursor_writer", {"reader", cursor(0), 8, 4711}},
      {"cursor_chunks", {"reader", cursor(16), 8, all_ones}},
      {"hold", {"reader", layout::holds_offset, 8, all_ones}},
      {"hold_none", {"reader", layout::holds_offset, 8, 0}},
      {"max_held", {"reader", offsetof(layout::ReaderSegment, max_held), 4, 0xFFFFFFFF}},
      {"bell", {"bell", 64, 4, 0xFFFFFFFF}},
  };
  return *all;
}

struct Tally {
  unsigned cases = 0;
  std::uint64_t honest = 0;   ///< samples that honest ends took of each other
  std::uint64_t whole = 0;    ///< of liars, taken
  std::uint64_t lost = 0;     ///< of liars, counted as lost
  std::uint64_t dropped = 0;  ///< liars dropped as corrupt
};
Tally& tally() {
  static Tally sum;
  return sum;
}

class OneLie : public testing::TestWithParam<Case> {
 public:
  static void TearDownTestSuite() {
    const Tally& sum = tally();
    std::cout << fmt::format(
        "{} lies; {} samples among honest ends, none lost; of the liars {} whole, {} lost, {} "
        "dropped\n",
        sum.cases, sum.honest, sum.whole, sum.lost, sum.dropped);
  }

 protected:
  void SetUp() override {
    ASSERT_EQ(liar_.ask("writer /up depth=10"), "ok");
    ASSERT_EQ(liar_.ask("reader /down depth=4 held=2"), "ok");
    ASSERT_EQ(friendly_.ask("writer /up2 depth=100"), "ok");
    ASSERT_EQ(friendly_.ask("reader /down depth=100"), "ok");
    ASSERT_TRUE(eventually([&] {
      return up_->matched_writers() == 1 && honest_->matched_writers() == 1 &&
             down_->matched_readers() == 2 && liar_.ask("matched /down") == "ok 1" &&
             friendly_.ask("matched /down") == "ok 1";
    }));
    exchange(5);
    ASSERT_EQ(liar_.ask("hold /down 1").rfind("ok 1", 0), 0U);
    ASSERT_EQ(liar_.ask("publish /up 5 1000"), "ok 5");
  }
  /// Samples among the honest ends, both ways.
  void exchange(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      publish_stamped(*down_, ++sent_, 100);
    }
    ASSERT_EQ(friendly_.ask(fmt::format("take /down {}", count)),
              fmt::format("ok {} lost 0", count));
    ASSERT_EQ(friendly_.ask(fmt::format("publish /up2 {} 64", count)).rfind("ok", 0), 0U);
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto sample = honest_->take().value();
      ASSERT_TRUE(sample);
      ASSERT_EQ(number_of(sample->payload()), ++received_);
    }
    ASSERT_EQ(honest_->stats().lost, 0U);
    tally().honest += 2 * count;
  }
  /// Whoever looks must see it: rows and generations say that they have changed, and we look.
  void lie() {
    const Lie& lie = GetParam().lie;
    const auto tell = [this](const Lie& one) {
      ASSERT_EQ(
          liar_.ask(fmt::format("lie {} {} {} {}", one.segment, one.offset, one.bytes, one.value))
              .rfind("ok", 0),
          0U);
    };
    tell(lie);
    for (const std::size_t index : {0U, 1U}) {
      const std::size_t version = row(index, 0) - 8;
      if (lie.segment != "rows" || lie.offset != version) {
        tell({"rows", version, 8, 1000});
      }
    }
    constexpr std::size_t generation = offsetof(layout::DirectoryPage, generation);
    if (lie.segment != "directory" || lie.offset != generation) {
      tell({"directory", generation, 8, 1000});
    }
    nudge_ = side_.reader(bytes_on("/nudge"));
    auto nudged = side_.writer(bytes_on("/nudge"));
    ASSERT_TRUE(eventually([&] { return nudged->matched_readers() == 1; }));
    ASSERT_EQ(friendly_.ask("reader /nudge"), "ok");
  }
  /// How many of the liar's samples are whole.
  std::uint64_t take_up() {
    std::uint64_t whole = 0;
    for (int i = 0; i < 200; ++i) {
      if (const auto sample = up_->take().value()) {
        EXPECT_EQ(number_of(sample->payload()), sample->info().sequence) << "torn";
        ++whole;
      }
    }
    return whole;
  }
  void expect_outcome(std::uint64_t whole, const ReaderStats& stats) const {
    switch (GetParam().outcome) {
      case Outcome::whole:
        EXPECT_EQ(whole, 5U);
        EXPECT_EQ(stats.lost + stats.corrupt, 0U);
        break;
      case Outcome::dropped:
        EXPECT_LT(whole, 5U);
        EXPECT_EQ(stats.corrupt, 1U);
        EXPECT_EQ(up_->matched_writers(), 0U);
        break;
      case Outcome::counted:
        EXPECT_GE(whole + stats.lost, 5U);
        EXPECT_EQ(stats.corrupt, 0U);
        break;
      case Outcome::silent:
        EXPECT_LT(whole, 5U);
        EXPECT_EQ(stats.corrupt, 0U);
        break;
    }
  }
  void expect_problem() const {
    if (GetParam().problem[0] != '\0') {
      EXPECT_TRUE(eventually([&] {
        for (const Problem& problem : side_.domain->problems()) {
          if (problem.text.find(GetParam().problem) != std::string::npos) {
            return true;
          }
        }
        return false;
      }));
    }
  }

  const std::string name_ = unique_name();
  Side side_{name_};
  std::unique_ptr<Writer> down_ = side_.writer(bytes_on("/down", QoS(100)));
  std::unique_ptr<Reader> up_ = side_.reader(bytes_on("/up"));
  std::unique_ptr<Reader> honest_ = side_.reader(bytes_on("/up2", QoS(100)));
  std::unique_ptr<Reader> nudge_;
  OtherProcess liar_{name_};
  OtherProcess friendly_{name_};
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
};

TEST_P(OneLie, CostsTheLiarOnly) {
  lie();
  const std::uint64_t whole = take_up();
  const ReaderStats stats = up_->stats();
  expect_outcome(whole, stats);
  expect_problem();
  exchange(50);
  // Somebody who comes now sees the lie first of all, and is served by the honest.
  const OtherProcess newcomer(name_);
  ASSERT_EQ(newcomer.ask("reader /up depth=10"), "ok");
  ASSERT_NO_FATAL_FAILURE(subscribe_in(newcomer, "/down", " depth=100"));
  exchange(20);
  EXPECT_EQ(newcomer.ask("take /down 20"), "ok 20 lost 0");
  EXPECT_EQ(newcomer.ask("once /up").rfind("ok", 0), 0U);
  // The liar's death gives back whatever it said that it holds.
  liar_.die();
  ASSERT_TRUE(eventually([&] { return side_.domain->peers().size() == 2; }));
  exchange(30);
  ASSERT_TRUE(eventually([&] {
    const WriterStats now = down_->stats();
    return now.blocks_free + now.in_ring == now.blocks;
  }));
  ++tally().cases;
  tally().whole += whole;
  tally().lost += stats.lost;
  tally().dropped += stats.corrupt;
}

INSTANTIATE_TEST_SUITE_P(Of, OneLie, testing::ValuesIn(cases()),
                         [](const auto& each) { return std::string(each.param.what); });

/// The one lie about itself that reaches further: it is an end of the graph's name.
TEST(Lies, APeerThatClaimsAnotherRunIsNamedToNewcomers) {
  const auto name = unique_name();
  const Side side(name);
  auto reader = side.reader(bytes_on("/t"));
  const OtherProcess friendly(name);
  const OtherProcess liar(name);
  ASSERT_NO_FATAL_FAILURE(publish_in(friendly, "/t", *reader));
  const auto run_id = offsetof(layout::DirectoryPage, run_id);
  ASSERT_EQ(liar.ask(fmt::format("lie directory {} 1 120", run_id)), "ok 1");
  const OtherProcess newcomer;
  const auto answer = newcomer.ask("join " + name + " run");
  EXPECT_NE(answer.find(fmt::format("process {}", liar.pid())), std::string::npos) << answer;
  ASSERT_EQ(friendly.ask("publish /t 3 64"), "ok 3");
  for (std::uint64_t expected = 1; expected <= 3; ++expected) {
    EXPECT_EQ(number_of(reader->take().value()->payload()), expected);
  }
}

/// Holds what it may, forever.
TEST(Lies, APeerThatHoldsSamplesForEverCostsItsMaxHeldOnly) {
  constexpr std::uint64_t held = 5;
  constexpr std::uint64_t rounds = 40;
  constexpr std::uint64_t at_once = 50;
  const auto name = unique_name();
  const Side side(name);
  auto writer = side.writer(bytes_on("/t", QoS(at_once)));
  OtherProcess holder(name);
  const OtherProcess friendly(name);
  ASSERT_EQ(holder.ask(fmt::format("reader /t depth=50 held={}", held)), "ok");
  ASSERT_EQ(friendly.ask("reader /t depth=50"), "ok");
  ASSERT_TRUE(eventually(
      [&] { return holder.ask("matched /t") == "ok 1" && friendly.ask("matched /t") == "ok 1"; }));
  for (std::uint64_t i = 1; i <= at_once; ++i) {
    publish_stamped(*writer, i, 100);
  }
  ASSERT_EQ(holder.ask("hold /t 5"), "ok 5 lost 0");
  ASSERT_EQ(holder.ask("once /t").rfind("error", 0), 0U) << "it may not hold a sixth";
  ASSERT_EQ(friendly.ask("take /t 50"), "ok 50 lost 0");
  const WriterStats before = writer->stats();
  for (std::uint64_t round = 1; round < rounds; ++round) {
    for (std::uint64_t i = 1; i <= at_once; ++i) {
      publish_stamped(*writer, round * at_once + i, 100);
    }
    ASSERT_EQ(friendly.ask("take /t 50"), "ok 50 lost 0");
  }
  const WriterStats stats = writer->stats();
  EXPECT_EQ(stats.blocks - stats.blocks_free - stats.in_ring, held);
  EXPECT_EQ(stats.blocks, before.blocks) << "nobody pays with more memory";
  EXPECT_EQ(stats.loans_failed, 0U);
  EXPECT_EQ(holder.ask("held"), "ok 1 2 3 4 5") << "what is held is never overwritten";
  std::cout << fmt::format("{} samples held forever, {} published, 0 lost by others\n", held,
                           stats.published);
  holder.die();
  EXPECT_TRUE(eventually([&] {
    const WriterStats now = writer->stats();
    return now.blocks_free + now.in_ring == now.blocks;
  }));
}

}  // namespace
}  // namespace ligament::pool::test
