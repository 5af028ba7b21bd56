// SPDX-License-Identifier: Apache-2.0
/// Small samples that are published together: as if each had been lent and published.
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "support.hpp"

namespace ligament::pool::test {
namespace {

constexpr std::array<std::byte, 4> first_bytes{std::byte{0}, std::byte{1}, std::byte{2},
                                               std::byte{3}};

/// Payloads of so many bytes with the numbers from `first` on.
class Bodies {
 public:
  Bodies(std::uint64_t first, std::vector<std::size_t> sizes) {
    for (const std::size_t size : sizes) {
      stamp(memory_.emplace_back(size), first++);
    }
    for (const auto& body : memory_) {
      bodies_.emplace_back(body);
    }
  }
  [[nodiscard]] std::span<const std::span<const std::byte>> all() const { return bodies_; }

 private:
  std::vector<std::vector<std::byte>> memory_;
  std::vector<std::span<const std::byte>> bodies_;
};

struct CopiedTopic {
  explicit CopiedTopic(const WriterOptions& options = {}, QoS qos = QoS(40))
      : side(unique_name()),
        reader(side.reader(bytes_on("/t", qos))),
        writer(side.writer(bytes_on("/t", qos), options)) {
    EXPECT_TRUE(eventually(
        [this] { return reader->matched_writers() == 1 && writer->matched_readers() == 1; }));
  }
  /// The next sample's number; 0: there is none, or its bytes are not those that were published.
  [[nodiscard]] std::uint64_t take(std::size_t size) {
    const auto sample = reader->take().value();
    if (!sample || sample->payload().size() != first_bytes.size() + size ||
        !std::equal(first_bytes.begin(), first_bytes.end(), sample->payload().begin())) {
      return 0;
    }
    const auto body = sample->payload().subspan(first_bytes.size());
    last = sample->info();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(body.data()) % 64, 0U);
    return number_of(body);
  }
  Side side;
  std::unique_ptr<Reader> reader;
  std::unique_ptr<Writer> writer;
  SampleInfo last;
};

TEST(Copies, ArriveInOrderBehindTheFirstBytes) {
  CopiedTopic ends;
  const Bodies bodies(1, {64, 64, 64, 64});
  for (std::uint64_t sequence = 0; sequence < 400; sequence += 4) {  // all blocks come again
    ASSERT_EQ(ends.writer->publish_copies(first_bytes, bodies.all()).count, 4U);
    for (std::uint64_t i = 1; i <= 4; ++i) {
      ASSERT_EQ(ends.take(64), i);
      ASSERT_EQ(ends.last.sequence, sequence + i);
    }
  }
  EXPECT_EQ(ends.writer->stats().published, 400U);
}

TEST(Copies, MayBeEmptyOrNone) {
  CopiedTopic ends;
  EXPECT_EQ(ends.writer->publish_copies(first_bytes, {}).count, 0U);
  const Bodies bodies(0, {0});
  EXPECT_EQ(ends.writer->publish_copies(first_bytes, bodies.all()).count, 1U);
  const auto sample = ends.reader->take().value();
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->payload().size(), first_bytes.size());
}

TEST(Copies, OfDifferentSizesMakeMemoryWhereItIsNeeded) {
  CopiedTopic ends;
  const std::vector<std::size_t> sizes{8, 8, 5000, 16, 60'000, 24};
  const Bodies bodies(1, sizes);
  ASSERT_EQ(ends.writer->publish_copies(first_bytes, bodies.all()).count, sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_EQ(ends.take(sizes[i]), i + 1);
  }
}

TEST(Copies, HaveTheTimeOfTheCallerAndStampsThatIncrease) {
  CopiedTopic ends;
  const Bodies bodies(1, {8, 8, 8});
  publish_stamped(*ends.writer, 9, 12);  // there is memory: nothing waits
  (void)ends.reader->take();
  const std::int64_t now = monotonic_now_ns() - 1000;
  ASSERT_EQ(ends.writer->publish_copies(first_bytes, bodies.all(), now).count, 3U);
  std::int64_t before = 0;
  for (std::uint64_t i = 1; i <= 3; ++i) {
    ASSERT_EQ(ends.take(8), i);
    EXPECT_EQ(ends.last.monotonic_ns, now);
    EXPECT_GT(ends.last.source_timestamp_ns, before);
    before = ends.last.source_timestamp_ns;
  }
}

TEST(Copies, LeaveOutWhatIsOverTheBound) {
  CopiedTopic ends({.max_bytes = 68});
  const Bodies bodies(1, {64, 65, 64, 66, 67, 8, 64});
  const PublishedCopies done = ends.writer->publish_copies(first_bytes, bodies.all());
  EXPECT_EQ(done.count, 4U);
  EXPECT_EQ(done.bytes, 64U + 64 + 8 + 64);
  EXPECT_EQ(ends.take(64), 1U);
  EXPECT_EQ(ends.take(64), 3U);
  EXPECT_EQ(ends.take(8), 6U);
  EXPECT_EQ(ends.take(64), 7U);
  EXPECT_EQ(ends.writer->stats().loans_failed, 3U);
}

TEST(Copies, LeaveBlocksForLoansThatAreOut) {
  CopiedTopic ends({.max_loans = 1});
  const Bodies bodies(1, {64});
  auto loan = ends.writer->loan(64);
  ASSERT_TRUE(loan);
  EXPECT_EQ(ends.writer->publish_copies(first_bytes, bodies.all()).count, 0U);
  ASSERT_TRUE(ends.writer->publish(std::move(*loan)));
  EXPECT_EQ(ends.writer->publish_copies(first_bytes, bodies.all()).count, 1U);
}

}  // namespace
}  // namespace ligament::pool::test
