// SPDX-License-Identifier: Apache-2.0
/// Ends that come and go beside one that stays: nothing of them uses it up.
#include "support.hpp"

namespace ligament::pool::test {
namespace {

/// More than the places for other ends that an end has (64).
constexpr std::uint64_t many = 70;

TEST(Turnover, OfReadersLeavesTheirWriterAsItWas) {
  const Side side(unique_name());
  const auto writer = side.writer(bytes_on("/t"));
  for (std::uint64_t number = 1; number <= many; ++number) {
    auto reader = side.reader(bytes_on("/t"));
    side.domain->match_now();
    ASSERT_EQ(writer->matched_readers(), 1U) << number;
    ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 1; })) << number;
    publish_stamped(*writer, number, 64);
    ASSERT_EQ(number_of(reader->take().value()->payload()), number);
    reader.reset();
    side.domain->match_now();
    ASSERT_EQ(writer->matched_readers(), 0U) << number;
  }
  EXPECT_TRUE(side.domain->problems().empty());
}

TEST(Turnover, OfWritersLeavesTheirReaderAsItWas) {
  const Side side(unique_name());
  const auto reader = side.reader(bytes_on("/t"));
  for (std::uint64_t number = 1; number <= many; ++number) {
    auto writer = side.writer(bytes_on("/t"));
    ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 1; })) << number;
    publish_stamped(*writer, number, 64);
    writer.reset();
    ASSERT_EQ(number_of(reader->take().value()->payload()), number);
    ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 0; })) << number;
  }
  EXPECT_TRUE(side.domain->problems().empty());
}

}  // namespace
}  // namespace ligament::pool::test
