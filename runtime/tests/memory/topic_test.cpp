// SPDX-License-Identifier: Apache-2.0
/// One topic: publish, take, hold, keep-last, late joiners, wait, bounds; inside one process and
/// between two.
#include <gtest/gtest.h>

#include <cstring>

#include "support.hpp"

namespace ligament::pool::test {
namespace {

TEST(Topic, CarriesASampleInsideOneProcess) {
  const Side side(unique_name());
  auto reader = side.reader(bytes_on("/t"));
  auto writer = side.writer(bytes_on("/t"));
  ASSERT_TRUE(
      eventually([&] { return writer->matched_readers() == 1 && reader->matched_writers() == 1; }));
  auto loan = writer->loan(64).value();
  stamp(loan.payload(), 42);
  const auto published = writer->publish(std::move(loan), {.request = {{1, 2, 3}, 9}});
  ASSERT_TRUE(published);
  auto sample = reader->take().value();
  ASSERT_TRUE(sample);
  EXPECT_EQ(number_of(sample->payload()), 42U);
  EXPECT_EQ(sample->payload().size(), 64U);
  EXPECT_EQ(sample->info().sequence, 1U);
  EXPECT_EQ(sample->info().publisher, writer->id());
  EXPECT_EQ(sample->info().gid, writer->gid());
  EXPECT_EQ(sample->info().source_timestamp_ns, published->source_timestamp_ns);
  EXPECT_EQ(sample->info().request, (RequestIdentity{{1, 2, 3}, 9}));
  EXPECT_FALSE(reader->take().value());
}

TEST(Topic, CarriesSamplesBetweenTwoProcesses) {
  const auto name = unique_name();
  const Side side(name);
  const OtherProcess other(name);
  auto reader = side.reader(bytes_on("/there"));
  ASSERT_EQ(other.ask("writer /there"), "ok");
  ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 1; }));
  for (std::uint64_t i = 1; i <= 100; ++i) {
    ASSERT_EQ(other.ask("publish /there 1 1000"), fmt::format("ok {}", i));
    ASSERT_EQ(side.waiter->wait(WaitStrategy::sleep()), WaitResult::data);
    auto sample = reader->take().value();
    ASSERT_TRUE(sample);
    ASSERT_EQ(number_of(sample->payload()), i);
    ASSERT_EQ(sample->info().sequence, i);
  }
  EXPECT_EQ(reader->stats().lost, 0U);
}

}  // namespace
}  // namespace ligament::pool::test
