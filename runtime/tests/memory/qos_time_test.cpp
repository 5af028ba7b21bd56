// SPDX-License-Identifier: Apache-2.0
/// The policies that time decides: lifespan, deadline, liveliness. Offered by a process, watched by
/// another.
#include <memory>
#include <string>

#include "memory/directory.hpp"
#include "memory/qos_watch.hpp"
#include "support.hpp"

namespace ligament::pool::test {
namespace {

constexpr std::int64_t ms = 1'000'000;

EndpointDescription with(EndpointDescription description, std::int64_t QoSProfile::*what,
                         std::int64_t ns) {
  description.qos.*what = ns;
  return description;
}

void wait_until(std::int64_t time_ns) {
  while (monotonic_now_ns() < time_ns) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// A publisher in another process, a subscription here.
struct Watched {
  Watched(const std::string& offered, const EndpointDescription& requested) {
    EXPECT_EQ(other.ask("writer /t " + offered), "ok");
    reader = side.reader(requested);
    EXPECT_TRUE(eventually([this] { return reader->matched_writers() == 1; }));
  }
  [[nodiscard]] LivelinessChangedStatus liveliness() const {
    return reader->take_events().liveliness_changed;
  }
  /// Waits until so many are alive and not alive.
  [[nodiscard]] bool becomes(std::uint64_t alive, std::uint64_t not_alive) const {
    return eventually([&] {
      const auto now = liveliness();
      return now.alive == alive && now.not_alive == not_alive;
    });
  }
  const std::string name = unique_name();
  Side side{name};
  OtherProcess other{name};
  std::unique_ptr<Reader> reader;
};

TEST(Lifespan, WhatIsTooOldIsPassedOverAndCounted) {
  Watched topic("lifespan=1000 depth=100", bytes_on("/t", QoS(100)));
  ASSERT_EQ(topic.other.ask("publish /t 90 64"), "ok 90");
  wait_until(monotonic_now_ns() + 1000 * ms);
  ASSERT_EQ(topic.other.ask("publish /t 1 64"), "ok 91");
  const auto sample = topic.reader->take().value();
  ASSERT_TRUE(sample) << "more than 64 old samples hide the new one";
  EXPECT_EQ(number_of(sample->payload()), 91U);
  const ReaderStats stats = topic.reader->stats();
  EXPECT_EQ(stats.expired, 90U);
  EXPECT_EQ(stats.lost, 0U);
  EXPECT_EQ(stats.taken, 1U);
}

TEST(Lifespan, CountsForHistoryToo) {
  const Side side(unique_name());
  auto writer = side.writer(
      with(bytes_on("/t", QoS(4).transient_local()), &QoSProfile::lifespan_ns, 30 * ms));
  publish_stamped(*writer, 1, 64);
  publish_stamped(*writer, 2, 64);
  wait_until(monotonic_now_ns() + 31 * ms);
  auto late = side.reader(bytes_on("/t", QoS(4).transient_local()));
  ASSERT_TRUE(eventually([&] { return late->matched_writers() == 1; }));
  EXPECT_FALSE(late->take().value());
  EXPECT_EQ(late->stats().history_granted, 2U);
  EXPECT_EQ(late->stats().expired, 2U);
}

TEST(Lifespan, OldSamplesAreRoomForAKeepAllPublisher) {
  const Side side(unique_name());
  auto writer =
      side.writer(with(bytes_on("/t", QoS(4).keep_all()), &QoSProfile::lifespan_ns, 10 * ms),
                  {.max_blocking_ns = 120'000 * ms});
  auto reader = side.reader(bytes_on("/t", QoS(4).keep_all()));
  ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 1; }));
  for (std::uint64_t i = 1; i <= 4; ++i) {
    publish_stamped(*writer, i, 64);
  }
  wait_until(monotonic_now_ns() + 11 * ms);
  EXPECT_FALSE(reader->take().value());
  EXPECT_EQ(reader->stats().expired, 4U);
  publish_stamped(*writer, 5, 64);
  EXPECT_EQ(writer->stats().waits, 0U);
}

TEST(Deadline, EachPeriodWithoutASampleIsAMissAtBothEnds) {
  Watched topic("deadline=20", with(bytes_on("/t"), &QoSProfile::deadline_ns, 30 * ms));
  wait_until(monotonic_now_ns() + 100 * ms);
  EXPECT_EQ(topic.reader->stats().deadline_missed, 0U) << "the count starts with a sample";
  EXPECT_NE(topic.other.ask("events /t").find("deadline 0"), std::string::npos);
  (void)topic.reader->take_events();
  ASSERT_EQ(topic.other.ask("publish /t 1 64"), "ok 1");
  EXPECT_TRUE(eventually([&] { return topic.reader->stats().deadline_missed >= 3; }));
  EXPECT_TRUE(topic.reader->has_events());
  EXPECT_GE(topic.reader->take_events().deadline_missed.change, 3U);
  EXPECT_EQ(topic.other.ask("events /t").find("deadline 0"), std::string::npos);
}

/// A time that a peer wrote counts as not later than when it was first seen: one that lies in the
/// future forever is neither a publish nor a liveliness assertion forever.
TEST(Deadline, APublisherThatClaimsAFutureTimeMissesAllTheSame) {
  for (const std::uint64_t claim : {INT64_MAX - 1ULL, 1ULL << 62, ~0ULL, 1ULL << 63}) {
    Watched topic("deadline=20", with(bytes_on("/t"), &QoSProfile::deadline_ns, 30 * ms));
    ASSERT_EQ(topic.other.ask("publish /t 1 64"), "ok 1");
    ASSERT_EQ(topic.other.ask(fmt::format("lie writer 136 8 {}", claim)), "ok 1");
    EXPECT_TRUE(eventually([&] { return topic.reader->stats().deadline_missed >= 3; })) << claim;
  }
}

TEST(Liveliness, AProcessThatClaimsAFutureTimeIsNotAliveOnceItIsStopped) {
  for (const std::uint64_t claim : {INT64_MAX - 1ULL, 1ULL << 62, ~0ULL, 1ULL << 63}) {
    Watched topic("lease=60", with(bytes_on("/t"), &QoSProfile::liveliness_lease_ns, 100 * ms));
    ASSERT_TRUE(topic.becomes(1, 0));
    topic.other.send(fmt::format("lie directory 640 8 {}", claim));
    ASSERT_EQ(topic.other.answer(), "ok 1");
    topic.other.stop();
    EXPECT_TRUE(topic.becomes(0, 1)) << claim;
  }
}

/// Scribbles over its stamps, its match table and its lease again and again, while an honest
/// publisher of the same topic keeps its lease: the watch neither hangs nor miscounts the honest.
TEST(Liveliness, AScribblingPublisherCostsOnlyItsOwn) {
  const auto name = unique_name();
  const Side side(name);
  const OtherProcess honest(name);
  const OtherProcess hostile(name);
  auto reader = side.reader(with(bytes_on("/t"), &QoSProfile::liveliness_lease_ns, 60'000 * ms));
  ASSERT_EQ(honest.ask("writer /t lease=30000 deadline=30000"), "ok");
  ASSERT_EQ(hostile.ask("writer /t lease=1 deadline=1"), "ok");
  ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 2; }));
  for (unsigned seed = 1; seed <= 3; ++seed) {
    EXPECT_EQ(hostile.ask(fmt::format("scribble {} 100", seed)).rfind("ok", 0), 0U);
    (void)reader->take_events();
    while (reader->take().value()) {
    }
  }
  ASSERT_EQ(honest.ask("publish /t 1 64"), "ok 1");
  EXPECT_TRUE(eventually([&] {
    const auto sample = reader->take().value();
    return sample && number_of(sample->payload()) == 1;
  }));
  EXPECT_GE(reader->take_events().liveliness_changed.alive, 1U) << "the honest one";
  EXPECT_EQ(reader->stats().deadline_missed, 0U) << "the subscription asked for none";
}

TEST(Deadline, APublisherInTimeMissesNothing) {
  Watched topic("deadline=60000", with(bytes_on("/t"), &QoSProfile::deadline_ns, 60'000 * ms));
  ASSERT_EQ(topic.other.ask("publish /t 10 64"), "ok 10");
  EXPECT_EQ(topic.reader->stats().deadline_missed, 0U);
}

TEST(Deadline, WithoutAnyPublisherLeftPeriodsGoOnBeingMissed) {
  Watched topic("deadline=20", with(bytes_on("/t"), &QoSProfile::deadline_ns, 30 * ms));
  ASSERT_EQ(topic.other.ask("publish /t 1 64"), "ok 1");
  ASSERT_TRUE(eventually([&] { return topic.reader->stats().deadline_missed != 0; }));
  topic.other.die();
  ASSERT_TRUE(eventually([&] { return topic.reader->matched_writers() == 0; }));
  const std::uint64_t missed = topic.reader->stats().deadline_missed;
  EXPECT_TRUE(eventually([&] { return topic.reader->stats().deadline_missed >= missed + 3; }));
}

TEST(Deadline, IsNeverDueInThePastNorCountsBackwards) {
  constexpr std::int64_t period = 10;
  DeadlineCount count;
  EXPECT_EQ(count.count(period, 0, 100), 0U) << "nothing has begun";
  EXPECT_EQ(count.count(period, 100, 125), 2U);
  EXPECT_EQ(count.count(period, 0, 145), 2U) << "nobody is left that could publish";
  EXPECT_GT(count.due(period, 145), 145);
  EXPECT_EQ(count.count(period, 200, 160), 0U) << "published after the clock was read";
  EXPECT_EQ(count.count(period, 200, 215), 1U);
  EXPECT_GT(count.due(period, 215), 215);
}

TEST(Deadline, BeginsWithTheFirstSampleThatASubscriptionIsThereFor) {
  Watched topic("deadline=20", bytes_on("/t"));
  ASSERT_EQ(topic.other.ask("publish /t 1 64"), "ok 1");
  const auto late = topic.side.reader(with(bytes_on("/t"), &QoSProfile::deadline_ns, 20 * ms));
  ASSERT_TRUE(eventually([&] { return late->matched_writers() == 1; }));
  EXPECT_TRUE(eventually(
      [&] { return topic.other.ask("events /t").find("deadline 0") == std::string::npos; }));
  wait_until(monotonic_now_ns() + 60 * ms);
  EXPECT_EQ(late->stats().deadline_missed, 0U) << "nothing was published since it came";
  ASSERT_EQ(topic.other.ask("publish /t 1 64"), "ok 2");
  EXPECT_TRUE(eventually([&] { return late->stats().deadline_missed != 0; }));
}

TEST(Deadline, AnyPublisherWillDo) {
  Watched topic("deadline=20", with(bytes_on("/t"), &QoSProfile::deadline_ns, 60'000 * ms));
  ASSERT_EQ(topic.other.ask("publish /t 1 64"), "ok 1");
  EXPECT_TRUE(eventually(
      [&] { return topic.other.ask("events /t").find("deadline 0") == std::string::npos; }));
  EXPECT_EQ(topic.reader->stats().deadline_missed, 0U) << "its own period has not passed";
}

TEST(Liveliness, AKilledPublisherIsLostAndAClosedOneIsNot) {
  Watched topic("", bytes_on("/t"));
  EXPECT_TRUE(topic.becomes(1, 0));
  const OtherProcess second(topic.name);
  ASSERT_EQ(second.ask("writer /t"), "ok");
  EXPECT_TRUE(topic.becomes(2, 0));
  ASSERT_EQ(second.ask("close /t"), "ok");
  EXPECT_TRUE(topic.becomes(1, 0));
  topic.other.die();
  EXPECT_TRUE(topic.becomes(0, 1));
}

TEST(Liveliness, AStoppedProcessOutlivesItsLease) {
  Watched topic("lease=300", with(bytes_on("/t"), &QoSProfile::liveliness_lease_ns, 300 * ms));
  EXPECT_TRUE(topic.becomes(1, 0));
  topic.other.stop();
  EXPECT_TRUE(topic.becomes(0, 1));
  topic.other.resume();
  EXPECT_TRUE(topic.becomes(1, 0));
}

TEST(Liveliness, ARunningProcessThatPublishesNothingStaysAlive) {
  Watched topic("lease=300", with(bytes_on("/t"), &QoSProfile::liveliness_lease_ns, 300 * ms));
  EXPECT_TRUE(topic.becomes(1, 0));
  wait_until(monotonic_now_ns() + 1000 * ms);
  // A machine that is too busy may have let a lease pass; the process has come back then.
  EXPECT_TRUE(topic.becomes(1, 0));
}

TEST(Liveliness, AProcessOnWhichNobodyCountsWritesNoSignOfLife) {
  const std::string name = unique_name();
  const Side side(name);
  const auto writer = side.writer(bytes_on("/t"));
  const auto reader = side.reader(bytes_on("/t"));
  ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 1; }));
  EXPECT_EQ(PeerDirectory::open(::getpid(), name).value()->alive(), 0U);
}

TEST(Liveliness, ManualByTopicLivesByItsPublishesAndAssertions) {
  Watched topic("manual=1 lease=400", [] {
    auto requested = with(bytes_on("/t"), &QoSProfile::liveliness_lease_ns, 400 * ms);
    requested.qos.liveliness = LivelinessPolicy::manual_by_topic;
    return requested;
  }());
  EXPECT_EQ(topic.liveliness().alive, 0U) << "it has not said anything yet";
  EXPECT_TRUE(eventually([&] {
    (void)topic.other.ask("assert /t");
    return topic.liveliness().alive == 1;
  }));
  EXPECT_TRUE(topic.becomes(0, 1));
  EXPECT_TRUE(eventually(
      [&] { return topic.other.ask("events /t").find(" lost 0") == std::string::npos; }));
  const auto told = topic.other.ask("events /t");
  // Its process looks again for each of these.
  const auto partner = topic.side.writer(bytes_on("/partner"));
  const auto other_partner = topic.side.writer(bytes_on("/other_partner"));
  ASSERT_NO_FATAL_FAILURE(subscribe_in(topic.other, "/partner"));
  ASSERT_NO_FATAL_FAILURE(subscribe_in(topic.other, "/other_partner"));
  EXPECT_EQ(topic.other.ask("events /t"), told) << "it is lost once";
  EXPECT_TRUE(eventually([&] {
    (void)topic.other.ask("publish /t 1 64");
    return topic.liveliness().alive == 1;
  }));
  EXPECT_EQ(topic.liveliness().not_alive, 0U);
}

}  // namespace
}  // namespace ligament::pool::test
