// SPDX-License-Identifier: Apache-2.0
/// One topic: publish, take, hold, keep-last, late joiners, wait, bounds; inside one process and
/// between two.
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <vector>

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
  ASSERT_NO_FATAL_FAILURE(publish_in(other, "/there", *reader));
  for (std::uint64_t i = 1; i <= 100; ++i) {
    ASSERT_EQ(other.ask("publish /there 1 1000"), fmt::format("ok {}", i));
    ASSERT_EQ(wait_for_data(*side.waiter), WaitResult::data);
    auto sample = reader->take().value();
    ASSERT_TRUE(sample);
    ASSERT_EQ(number_of(sample->payload()), i);
    ASSERT_EQ(sample->info().sequence, i);
  }
  EXPECT_EQ(reader->stats().lost, 0U);
}

/// A matched writer and reader in this process.
struct Pair {
  explicit Pair(QoS offered = QoS(10), QoS requested = QoS(10), const WriterOptions& options = {})
      : side(unique_name()),
        reader(side.reader(bytes_on("/t", requested))),
        writer(side.writer(bytes_on("/t", offered), options)) {
    EXPECT_TRUE(eventually([this] { return reader->matched_writers() == 1; }));
  }
  std::vector<std::uint64_t> take_all() {
    std::vector<std::uint64_t> numbers;
    while (auto sample = reader->take().value()) {
      numbers.push_back(number_of(sample->payload()));
    }
    return numbers;
  }
  Side side;
  std::unique_ptr<Reader> reader;
  std::unique_ptr<Writer> writer;
};

/// An edge sends up to 3 bytes of padding from there.
TEST(Topic, NothingOfAnOlderSampleIsBehindAPayload) {
  Pair pair;
  const auto pass_on = [&pair](std::size_t size) {
    auto loan = pair.writer->loan(size).value();
    std::memset(loan.payload().data(), 0xff, size);
    EXPECT_TRUE(pair.writer->publish(std::move(loan)));
    auto sample = pair.reader->take().value();
    return sample ? std::vector<std::byte>(sample->payload().data(), sample->payload().data() + 64)
                  : std::vector<std::byte>(64);
  };
  for (int i = 0; i < 100; ++i) {  // every block has been used
    (void)pass_on(64);
  }
  for (const std::size_t size : {61U, 62U, 63U}) {
    const auto last = pass_on(size);
    EXPECT_EQ(last[size - 1], std::byte{0xff});
    for (std::size_t behind = size; behind < 64; ++behind) {
      EXPECT_EQ(last[behind], std::byte{0});
    }
    (void)pass_on(64);
  }
}

TEST(Topic, KeepLastOverwritesTheOldestAndCountsIt) {
  Pair pair(QoS(4));
  for (std::uint64_t i = 1; i <= 10; ++i) {
    publish_stamped(*pair.writer, i, 32);
  }
  EXPECT_EQ(pair.take_all(), (std::vector<std::uint64_t>{7, 8, 9, 10}));
  EXPECT_EQ(pair.reader->stats().lost, 6U);
  EXPECT_EQ(pair.reader->stats().taken, 4U);
}

TEST(Topic, ReaderKeepsNoMoreThanItsOwnDepth) {
  Pair pair(QoS(8), QoS(3));
  for (std::uint64_t i = 1; i <= 6; ++i) {
    publish_stamped(*pair.writer, i, 32);
  }
  EXPECT_EQ(pair.take_all(), (std::vector<std::uint64_t>{4, 5, 6}));
  EXPECT_EQ(pair.reader->stats().lost, 3U);
  for (std::uint64_t i = 7; i <= 40; ++i) {
    publish_stamped(*pair.writer, i, 32);
  }
  EXPECT_EQ(pair.take_all(), (std::vector<std::uint64_t>{38, 39, 40}));
}

TEST(Topic, DepthOneGivesTheNewest) {
  Pair pair(QoS(1), QoS(1));
  for (std::uint64_t i = 1; i <= 7; ++i) {
    publish_stamped(*pair.writer, i, 32);
  }
  EXPECT_EQ(pair.take_all(), (std::vector<std::uint64_t>{7}));
  publish_stamped(*pair.writer, 8, 32);
  EXPECT_EQ(pair.take_all(), (std::vector<std::uint64_t>{8}));
}

TEST(Topic, RingOptionKeepsMoreForSlowReaders) {
  Pair pair(QoS(1), QoS(10), {.ring = 10});
  for (std::uint64_t i = 1; i <= 10; ++i) {
    publish_stamped(*pair.writer, i, 32);
  }
  EXPECT_EQ(pair.take_all().size(), 10U);
}

TEST(Topic, LateJoinerGetsHistoryOnlyWhenBothAreTransientLocal) {
  const Side side(unique_name());
  auto latched = side.writer(bytes_on("/t", QoS(5).transient_local()));
  for (std::uint64_t i = 1; i <= 9; ++i) {
    publish_stamped(*latched, i, 32);
  }
  auto late = side.reader(bytes_on("/t", QoS(3).transient_local()));
  auto later = side.reader(bytes_on("/t", QoS(10).transient_local()));
  auto plain = side.reader(bytes_on("/t", QoS(3)));
  ASSERT_TRUE(eventually([&] {
    return late->matched_writers() + later->matched_writers() + plain->matched_writers() == 3;
  }));
  EXPECT_EQ(late->stats().history_granted, 3U);
  EXPECT_EQ(later->stats().history_granted, 5U);
  EXPECT_EQ(plain->stats().history_granted, 0U);
  EXPECT_EQ(number_of(late->take().value()->payload()), 7U);
  EXPECT_EQ(number_of(later->take().value()->payload()), 5U);
  EXPECT_FALSE(plain->take().value());
  publish_stamped(*latched, 10, 32);
  EXPECT_EQ(number_of(plain->take().value()->payload()), 10U);
}

TEST(Topic, LateJoinerGetsTheHistoryAndNotTheRing) {
  const Side side(unique_name());
  auto latched = side.writer(bytes_on("/t", QoS(3).transient_local()), {.ring = 10});
  for (std::uint64_t i = 1; i <= 9; ++i) {
    publish_stamped(*latched, i, 32);
  }
  auto late = side.reader(bytes_on("/t", QoS(10).transient_local()));
  ASSERT_TRUE(eventually([&] { return late->matched_writers() == 1; }));
  EXPECT_EQ(late->stats().history_granted, 3U);
  EXPECT_EQ(number_of(late->take().value()->payload()), 7U);
}

TEST(Topic, OneMoreTakeThanMaxHeldIsANamedError) {
  Pair pair(QoS(10), QoS(10).max_held(2));
  for (std::uint64_t i = 1; i <= 4; ++i) {
    publish_stamped(*pair.writer, i, 32);
  }
  auto first = pair.reader->take().value();
  auto second = pair.reader->take().value();
  const auto third = pair.reader->take();
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error(), TakeError::too_many_held);
  first.reset();
  EXPECT_EQ(number_of(pair.reader->take().value()->payload()), 3U);
  EXPECT_EQ(number_of(second->payload()), 2U);
}

TEST(Topic, AHeldSampleStaysWholeWhileThousandsPassBy) {
  Pair pair(QoS(2), QoS(2).max_held(3));
  publish_stamped(*pair.writer, 77, 4096);
  const auto kept = pair.reader->take().value();
  for (std::uint64_t i = 1; i <= 5000; ++i) {
    publish_stamped(*pair.writer, i, 4096);
  }
  EXPECT_EQ(number_of(kept->payload()), 77U);
  EXPECT_EQ(kept->info().sequence, 1U);
}

TEST(Topic, SamplesAndLoansMayOutliveTheirEnds) {
  std::optional<HeldSample> sample;
  std::optional<Loan> loan;
  {
    Pair pair;
    publish_stamped(*pair.writer, 5, 128);
    sample = pair.reader->take().value();
    loan = pair.writer->loan(128).value();
  }
  EXPECT_EQ(number_of(sample->payload()), 5U);
  stamp(loan->payload(), 6);
  sample.reset();
  loan.reset();
}

TEST(Topic, WriterGoneLeavesItsSamplesToTake) {
  Pair pair;
  publish_stamped(*pair.writer, 1, 64);
  publish_stamped(*pair.writer, 2, 64);
  pair.writer.reset();
  ASSERT_TRUE(eventually([&] { return pair.reader->matched_writers() == 0; }));
  EXPECT_EQ(pair.take_all(), (std::vector<std::uint64_t>{1, 2}));
}

TEST(Loan, IsAlignedAtTheChosenOffset) {
  Pair pair;
  for (const std::size_t size : {1U, 100U, 5000U, 70'000U, 300'000U}) {
    for (const std::size_t offset : {0U, 1U, 28U, 64U, 100U}) {
      auto loan = pair.writer->loan(size, offset).value();
      const auto address = reinterpret_cast<std::uintptr_t>(loan.payload().data()) + offset;
      EXPECT_EQ(address % (size >= 65536 ? 4096 : 128), 0U) << size << " " << offset;
      stamp(loan.payload(), size);
      ASSERT_TRUE(pair.writer->publish(std::move(loan)));
      auto sample = pair.reader->take().value();
      const auto seen = reinterpret_cast<std::uintptr_t>(sample->payload().data()) + offset;
      EXPECT_EQ(seen % (size >= 65536 ? 4096 : 128), 0U);
      ASSERT_EQ(sample->payload().size(), size);
    }
  }
}

TEST(Loan, RespectsBoundAndNumber) {
  Pair pair(QoS(10), QoS(10), {.max_loans = 2, .max_bytes = 1000});
  EXPECT_EQ(pair.writer->loan(1001).error(), LoanError::exceeds_bound);
  auto first = pair.writer->loan(1000);
  auto second = pair.writer->loan(1);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(pair.writer->loan(1).error(), LoanError::too_many_loans);
  { const Loan given_back = std::move(*first); }
  EXPECT_TRUE(pair.writer->loan(1));
  EXPECT_EQ(pair.writer->stats().loans_failed, 2U);
  EXPECT_EQ(pair.writer->stats().grown, 2U) << "at creation and at the match, never for a loan";
}

TEST(Loan, OfAnotherWriterIsRefused) {
  Pair pair;
  auto other = pair.side.writer(bytes_on("/other"));
  const auto result = other->publish(pair.writer->loan(8).value());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), PublishError::foreign_loan);
  Loan loan = pair.writer->loan(8).value();
  ASSERT_TRUE(pair.writer->publish(std::move(loan)));
  EXPECT_FALSE(pair.writer->publish(std::move(loan))) << "published twice";  // NOLINT: the point
}

TEST(Loan, CanBeShortenedButNeverGrown) {
  Pair pair;
  auto loan = pair.writer->loan(100).value();
  loan.resize(200);
  EXPECT_EQ(loan.payload().size(), 100U);
  loan.resize(40);
  stamp(loan.payload(), 3);
  ASSERT_TRUE(pair.writer->publish(std::move(loan)));
  EXPECT_EQ(pair.reader->take().value()->payload().size(), 40U);
}

TEST(Loan, CanBeginLaterAndEndSooner) {
  Pair pair;
  auto loan = pair.writer->loan(100).value();
  stamp(loan.payload().subspan(24, 40), 7);
  loan.narrow(24, 40);
  ASSERT_TRUE(pair.writer->publish(std::move(loan)));
  {
    const auto sample = pair.reader->take().value();
    EXPECT_EQ(sample->payload().size(), 40U);
    EXPECT_EQ(number_of(sample->payload()), 7U);
  }
  auto other = pair.writer->loan(100).value();
  other.narrow(90, 40);
  EXPECT_EQ(other.payload().size(), 10U) << "never grown";
  other.narrow(11, 1);
  EXPECT_TRUE(other.payload().empty());
}

TEST(Loan, SizesMayMix) {
  Pair pair(QoS(3), QoS(3));
  std::uint64_t number = 0;
  for (int round = 0; round < 200; ++round) {
    for (const std::size_t size : {16U, 40'000U, 64U, 3000U, 100'000U}) {
      publish_stamped(*pair.writer, ++number, size);
      auto sample = pair.reader->take().value();
      ASSERT_TRUE(sample);
      ASSERT_EQ(number_of(sample->payload()), number);
      ASSERT_EQ(sample->payload().size(), size);
    }
  }
  EXPECT_LE(pair.writer->stats().grown, 8U) << "growth must settle";
}

TEST(Topic, TimestampsOfAWriterStrictlyIncrease) {
  Pair pair(QoS(100), QoS(100));
  for (int i = 0; i < 50; ++i) {
    auto loan = pair.writer->loan(8).value();
    stamp(loan.payload(), 1);
    ASSERT_TRUE(
        pair.writer->publish(std::move(loan), {.source_timestamp_ns = 1000, .request = {}}));
  }
  std::int64_t last = 0;
  while (auto sample = pair.reader->take().value()) {
    EXPECT_GT(sample->info().source_timestamp_ns, last);
    last = sample->info().source_timestamp_ns;
  }
  EXPECT_EQ(last, 1049);
}

TEST(Topic, TimestampsOfRelayedSamplesAreTheirOwn) {
  Pair pair;
  constexpr std::int64_t far = std::int64_t{1} << 62;  // another computer's clock
  const std::array<std::int64_t, 3> wanted{1000, far, 500};
  for (const std::int64_t time : wanted) {
    PublishInfo info;
    info.source_timestamp_ns = time;
    info.origin.fill(time == far ? 7 : 0);
    ASSERT_TRUE(pair.writer->publish(pair.writer->loan(8).value(), info));
  }
  const std::array<std::int64_t, 3> expected{1000, far, 1001};
  for (const std::int64_t time : expected) {
    EXPECT_EQ(pair.reader->take().value()->info().source_timestamp_ns, time);
  }
}

TEST(Topic, ManyWritersAreServedInTurn) {
  const Side side(unique_name());
  auto reader = side.reader(bytes_on("/t"));
  const auto writers = side.writers(5, bytes_on("/t"));
  ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 5; }));
  for (const auto& writer : writers) {
    publish_stamped(*writer, 1, 16);
    publish_stamped(*writer, 2, 16);
  }
  std::map<std::uint64_t, std::uint64_t> last;
  for (int i = 0; i < 10; ++i) {
    auto sample = reader->take().value();
    ASSERT_TRUE(sample);
    EXPECT_EQ(number_of(sample->payload()), i < 5 ? 1U : 2U) << "one writer starved another";
    last[sample->info().publisher] = sample->info().sequence;
  }
  EXPECT_EQ(last.size(), 5U);
}

TEST(Waiter, WakesOnRequestAndOnDeadline) {
  const Side side(unique_name());
  for (const auto strategy :
       {WaitStrategy::sleep(), WaitStrategy::poll(), WaitStrategy::spin_then_sleep(20'000)}) {
    EXPECT_EQ(side.waiter->wait(strategy, monotonic_now_ns() + 3'000'000), WaitResult::timeout);
    side.waiter->wake();
    EXPECT_EQ(side.waiter->wait(strategy), WaitResult::woken);
    std::thread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      side.waiter->wake();
    });
    EXPECT_EQ(side.waiter->wait(strategy), WaitResult::woken);
    later.join();
  }
}

TEST(Waiter, AFullReaderWaitsUntilASampleIsReleased) {
  Pair pair(QoS(10), QoS(10).max_held(1));
  publish_stamped(*pair.writer, 1, 16);
  publish_stamped(*pair.writer, 2, 16);
  auto held = pair.reader->take().value();
  EXPECT_EQ(pair.side.waiter->wait(WaitStrategy::poll(), 0), WaitResult::woken) << "matched";
  EXPECT_EQ(pair.side.waiter->wait(WaitStrategy::sleep(), monotonic_now_ns() + 2'000'000),
            WaitResult::timeout)
      << "data that cannot be taken must not make the executor spin";
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    held.reset();
  });
  EXPECT_EQ(wait_for_data(*pair.side.waiter), WaitResult::data);
  later.join();
}

TEST(Endpoint, BadDescriptionsAreRefusedWithASentence) {
  const Side side(unique_name());
  const auto refused = [&](const EndpointDescription& description, const WriterOptions& options) {
    auto writer = side.domain->create_writer(description, options);
    EXPECT_FALSE(writer);
    return writer ? EndpointErrorCode::system : writer.error().code;
  };
  using Code = EndpointErrorCode;
  EXPECT_EQ(refused(bytes_on(""), {}), Code::bad_description);
  EXPECT_EQ(refused(bytes_on(std::string(256, 't')), {}), Code::bad_description);
  EXPECT_EQ(refused(bytes_on("/t", QoS(0)), {}), Code::bad_description);
  EXPECT_EQ(refused(bytes_on("/t"), {.alignment = 100}), Code::bad_description);
  EXPECT_EQ(refused(bytes_on("/t"), {.max_loans = 0}), Code::bad_description);
  EXPECT_EQ(refused(bytes_on("/t"), {.max_blocking_ns = 0}), Code::bad_description);
  EXPECT_EQ(refused(bytes_on("/t"), {.max_bytes = std::size_t{1} << 50}), Code::out_of_memory);
  EXPECT_FALSE(side.domain->create_reader(bytes_on("/t", QoS(1).max_held(0)), *side.waiter));
}

TEST(Endpoint, MismatchesAreReportedAndNotMatched) {
  const Side side(unique_name());
  auto writer = side.writer(bytes_on("/t", QoS(1).best_effort()));
  auto demanding = side.reader(bytes_on("/t", QoS(1).reliable()));
  auto other = bytes_on("/t", QoS(1).best_effort());
  other.type_name = "test/msg/Other";
  auto confused = side.reader(other);
  auto fine = side.reader(bytes_on("/t", QoS(1).best_effort()));
  ASSERT_TRUE(eventually([&] { return fine->matched_writers() == 1; }));
  ASSERT_TRUE(eventually([&] { return side.domain->problems().size() == 4; }));
  EXPECT_EQ(demanding->matched_writers(), 0U);
  EXPECT_EQ(confused->matched_writers(), 0U);
  std::string all;
  for (const Problem& problem : side.domain->problems()) {
    all += problem.text + "\n";
  }
  EXPECT_NE(all.find("it offers best-effort, it wants reliable"), std::string::npos) << all;
  EXPECT_NE(all.find("it publishes test/msg/Bytes, it wants test/msg/Other"), std::string::npos);
  confused.reset();
  demanding.reset();
  EXPECT_TRUE(eventually([&] { return side.domain->problems().empty(); })) << "problems must go";
}

TEST(Endpoint, ThousandsFitIntoOneProcess) {
  const Side side(unique_name());
  std::vector<std::unique_ptr<Reader>> readers;
  for (int i = 0; i < 300; ++i) {
    readers.push_back(side.reader(bytes_on(fmt::format("/t{}", i))));
  }
  EXPECT_EQ(side.domain->endpoints().size(), 300U);
  auto writer = side.writer(bytes_on("/t299"));
  EXPECT_TRUE(eventually([&] { return readers.back()->matched_writers() == 1; }));
}

TEST(Endpoint, HasAGidThatEndsAsItsKindDoesInDDS) {
  const Side side(unique_name());
  const auto writer = side.writer(bytes_on("/t"));
  const auto reader = side.reader(bytes_on("/t"));
  for (const EndpointInfo& end : side.domain->endpoints()) {
    const bool is_writer = end.kind == EndpointKind::writer;
    EXPECT_EQ(end.gid.back(), is_writer ? 0x03 : 0x04);
    EXPECT_EQ(end.gid == writer->gid(), is_writer);
  }
}

TEST(Endpoint, SixtyFourReadersAreServedTheNextIsReported) {
  const Side side(unique_name());
  auto writer = side.writer(bytes_on("/t"));
  const auto readers = side.readers(65, bytes_on("/t"));
  ASSERT_TRUE(eventually(
      [&] { return writer->matched_readers() == 64 && side.domain->problems().size() == 2; }));
  EXPECT_EQ(side.domain->problems()[0].kind, ProblemKind::too_many_ends);
  EXPECT_EQ(side.domain->problems()[1].kind, ProblemKind::too_many_ends) << "of the other end";
  publish_stamped(*writer, 1, 16);
  int got = 0;
  for (const auto& reader : readers) {
    got += reader->take().value() ? 1 : 0;
  }
  EXPECT_EQ(got, 64);
}

TEST(Endpoint, TheSixtyFifthReaderIsToldSoInItsOwnProcess) {
  const auto name = unique_name();
  const OtherProcess publisher(name);
  ASSERT_EQ(publisher.ask("writer /t"), "ok");
  const Side side(name);
  const auto readers = side.readers(65, bytes_on("/t"));
  ASSERT_TRUE(eventually([&] {
    const auto problems = side.domain->problems();
    return std::any_of(problems.begin(), problems.end(), [](const Problem& problem) {
      return problem.kind == ProblemKind::too_many_ends &&
             problem.text.find("serves 64 subscriptions already, the most") != std::string::npos;
    });
  }));
  EXPECT_EQ(std::count_if(readers.begin(), readers.end(),
                          [](const auto& reader) { return reader->matched_writers() == 1; }),
            64);
}

TEST(Domain, JoiningTwiceInOneProcessIsOneDomain) {
  const auto name = unique_name();
  const auto first = Domain::join({name, "run"}).value();
  EXPECT_EQ(Domain::join({name, "run"}).value(), first);
  const auto other_run = Domain::join({name, "other"});
  ASSERT_FALSE(other_run);
  EXPECT_EQ(other_run.error().code, DomainErrorCode::name_in_use);
  EXPECT_EQ(Domain::join({"a/b", "run"}).error().code, DomainErrorCode::bad_name);
  EXPECT_EQ(Domain::join({std::string(49, 'a'), "run"}).error().code, DomainErrorCode::bad_name);
}

}  // namespace
}  // namespace ligament::pool::test
