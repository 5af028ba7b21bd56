// SPDX-License-Identifier: Apache-2.0
/// keep-all: a publish waits for room, and for whom it waits.
#include <memory>
#include <thread>
#include <vector>

#include "support.hpp"

namespace ligament::pool::test {
namespace {

constexpr std::int64_t ms = 1'000'000;
constexpr std::int64_t longer_than_the_watchdog = 120'000 * ms;

/// A keep-all publisher here, keep-all subscriptions in other processes.
struct KeepAll {
  explicit KeepAll(std::uint32_t ring, std::int64_t max_blocking_ns)
      : side(name),
        writer(side.writer(bytes_on("/t", QoS(ring).keep_all()),
                           {.max_blocking_ns = max_blocking_ns})) {}

  [[nodiscard]] std::unique_ptr<OtherProcess> subscribe(std::size_t number) const {
    auto other = std::make_unique<OtherProcess>(name);
    EXPECT_EQ(other->ask("reader /t all=1"), "ok");
    EXPECT_TRUE(eventually([&] { return other->ask("matched /t") == "ok 1"; }));
    EXPECT_TRUE(eventually([&] { return writer->matched_readers() == number; }));
    return other;
  }
  void publish(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      publish_stamped(*writer, ++published, 64);
    }
  }
  const std::string name = unique_name();
  Side side;
  std::unique_ptr<Writer> writer;
  std::uint64_t published = 0;
};

/// One publish in a thread of its own: it waits.
class WaitingPublish {
 public:
  explicit WaitingPublish(Writer& writer)
      : thread_([this, &writer] {
          publish_stamped(writer, 1000, 64);
          done_ = true;
        }) {
    EXPECT_TRUE(eventually([&writer] { return writer.stats().waits == 1; }));
    EXPECT_FALSE(done_);
  }
  ~WaitingPublish() { thread_.join(); }
  WaitingPublish(const WaitingPublish&) = delete;
  WaitingPublish& operator=(const WaitingPublish&) = delete;
  [[nodiscard]] bool is_done() const { return done_; }

 private:
  std::atomic<bool> done_{false};
  std::thread thread_;
};

TEST(KeepAll, DeliversEverySampleOfAFastPublisherToASlowSubscription) {
  KeepAll topic(8, longer_than_the_watchdog);
  const auto slow = topic.subscribe(1);
  slow->send("slow /t 300 200");
  topic.publish(300);
  EXPECT_EQ(slow->answer(), "ok 300 lost 0");
  const WriterStats stats = topic.writer->stats();
  EXPECT_GT(stats.waits, 0U) << "the subscription was not slower: nothing was tested";
  EXPECT_EQ(stats.overrun, 0U);
  EXPECT_EQ(stats.stalled, 0U);
}

TEST(KeepAll, SeveralPublishingThreadsWaitTogether) {
  KeepAll topic(4, longer_than_the_watchdog);
  const auto slow = topic.subscribe(1);
  const auto other = topic.subscribe(2);
  slow->send("slow /t 400 100");
  other->send("take /t 400");
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      for (std::uint64_t number = 1; number <= 200; ++number) {
        publish_stamped(*topic.writer, number, 64);
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(slow->answer(), "ok 400 lost 0");
  EXPECT_EQ(other->answer(), "ok 400 lost 0");
  EXPECT_GT(topic.writer->stats().waits, 0U);
}

TEST(KeepAll, TheRingIsTheCredit) {
  const Side side(unique_name());
  auto writer = side.writer(bytes_on("/t", QoS(2).keep_all()), {.ring = 16});
  auto reader = side.reader(bytes_on("/t", QoS(1).keep_all()));
  ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 1; }));
  for (std::uint64_t i = 1; i <= 16; ++i) {
    publish_stamped(*writer, i, 64);
  }
  EXPECT_EQ(writer->stats().waits, 0U);
  for (std::uint64_t i = 1; i <= 16; ++i) {
    ASSERT_EQ(number_of(reader->take().value()->payload()), i);
  }
  EXPECT_EQ(reader->stats().lost, 0U);
}

TEST(KeepAll, AStoppedSubscriptionIsWaitedForOnceUntilItMoves) {
  KeepAll topic(4, 20 * ms);
  const auto other = topic.subscribe(1);
  other->stop();
  topic.publish(20);
  WriterStats stats = topic.writer->stats();
  EXPECT_EQ(stats.waits, 1U) << "the later publishes waited, too";
  EXPECT_EQ(stats.overrun, 16U);
  EXPECT_EQ(stats.stalled, 1U);
  EXPECT_TRUE(topic.writer->has_events());
  EXPECT_EQ(topic.writer->take_events().stalled.total_change, 1U);
  const auto stalled = [&] { return topic.writer->stalled_readers().at(0); };
  ASSERT_EQ(topic.writer->stalled_readers().size(), 1U);
  EXPECT_EQ(stalled().node, "/peer");
  EXPECT_EQ(stalled().pid, other->pid());
  EXPECT_TRUE(stalled().now);
  other->resume();
  EXPECT_EQ(other->ask("take /t 4"), "ok 4 lost 16");
  topic.publish(1);
  stats = topic.writer->stats();
  EXPECT_EQ(stats.stalled, 0U);
  EXPECT_EQ(stats.overrun, 16U);
  EXPECT_EQ(topic.writer->take_events().stalled.current_change, -1);
  EXPECT_FALSE(stalled().now);
  topic.publish(4);  // three fill the ring, the fourth waits for it again
  stats = topic.writer->stats();
  EXPECT_EQ(stats.waits, 2U);
  EXPECT_EQ(stats.stalled, 1U);
  EXPECT_EQ(topic.writer->take_events().stalled.total, 2U);
  EXPECT_EQ(topic.writer->stalled_readers().size(), 1U);
  EXPECT_EQ(stalled().times, 2U);
}

/// As a process that simulates a device slowly: it takes nothing for longer than publishes wait.
TEST(KeepAll, WhoSaysThatItWorksIsSparedWhereThatCounts) {
  constexpr std::int64_t patience = 2'000 * ms;
  const std::string name = unique_name();
  const Side ours(name);
  const auto reader = ours.reader(bytes_on("/t", QoS(2).keep_all()));
  const auto sparing = ours.writer(bytes_on("/t", QoS(2).keep_all()),
                                   {.max_blocking_ns = patience, .spares_working = true});
  const auto strict = ours.writer(bytes_on("/t", QoS(2).keep_all()), {.max_blocking_ns = 10 * ms});
  ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 2; }));
  for (std::uint64_t i = 1; i <= 2; ++i) {
    publish_stamped(*sparing, i, 64);
    publish_stamped(*strict, i, 64);
  }
  const WaitingPublish waiting(*sparing);
  const std::int64_t began = monotonic_now_ns();
  while (monotonic_now_ns() - began < 5 * patience / 2) {
    ours.domain->say_working();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_FALSE(waiting.is_done());
  EXPECT_EQ(sparing->stats().stalled, 0U);
  publish_stamped(*strict, 3, 64);
  EXPECT_EQ(strict->stats().stalled, 1U);
  std::uint64_t taken = 0;
  while (reader->take().value()) {
    ++taken;
  }
  EXPECT_GE(taken, 4U);
  EXPECT_TRUE(eventually([&] { return waiting.is_done(); }));
  EXPECT_EQ(sparing->stats().overrun, 0U);
}

TEST(KeepAll, WhoIsStalledStaysNamedHoweverManyOthersRecover) {
  const Side side(unique_name());
  auto writer = side.writer(bytes_on("/t", QoS(2).keep_all()), {.max_blocking_ns = ms});
  const auto first = side.reader(bytes_on("/t", QoS(2).keep_all()));
  std::uint64_t number = 0;
  const auto stall = [&](std::uint64_t count) {
    while (writer->stats().stalled < count) {
      publish_stamped(*writer, ++number, 64);
    }
  };
  ASSERT_TRUE(eventually([&] { return writer->matched_readers() == 1; }));
  stall(1);
  for (int i = 0; i < 70; ++i) {  // more than are named
    ASSERT_TRUE(eventually([&] { return writer->matched_readers() == 1; })) << "the last one left";
    const auto other = side.reader(bytes_on("/t", QoS(2).keep_all()));
    ASSERT_TRUE(eventually([&] { return writer->matched_readers() == 2; }));
    stall(2);
  }
  ASSERT_TRUE(eventually([&] { return writer->matched_readers() == 1; }));
  auto named = writer->stalled_readers();
  EXPECT_EQ(named.size(), 64U);
  EXPECT_EQ(named.front().reader, first->id());
  EXPECT_TRUE(named.front().now);
  EXPECT_EQ(std::count_if(named.begin(), named.end(), [](const auto& one) { return one.now; }), 1);
  while (first->take().value()) {
  }
  publish_stamped(*writer, ++number, 64);
  named = writer->stalled_readers();
  EXPECT_EQ(named.front().reader, first->id());
  EXPECT_FALSE(named.front().now);
}

TEST(KeepAll, TheSixtyFifthPublisherOfASubscriptionIsRefusedAndDoesNotWaitForIt) {
  const Side side(unique_name());
  auto reader = side.reader(bytes_on("/t", QoS(2).keep_all()));
  std::vector<std::unique_ptr<Writer>> writers;
  const auto add = [&] {
    writers.push_back(side.writer(bytes_on("/t", QoS(2).keep_all()),
                                  {.max_blocking_ns = longer_than_the_watchdog}));
  };
  for (int i = 0; i < 64; ++i) {
    add();
  }
  ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 64; }));
  add();
  // Both ends see it: "is ignored" says the subscription's, "does not serve it" the publisher's.
  ASSERT_TRUE(eventually([&] {
    const auto problems = side.domain->problems();
    return std::any_of(problems.begin(), problems.end(), [&](const Problem& one) {
      return one.kind == ProblemKind::too_many_ends && one.writer == writers.back()->id() &&
             one.reader == reader->id();
    });
  }));
  for (std::uint64_t i = 1; i <= 10; ++i) {
    publish_stamped(*writers.back(), i, 64);
  }
  EXPECT_EQ(writers.back()->stats().waits, 0U);
  EXPECT_EQ(writers.back()->stats().overrun, 0U) << "nobody was to take them";
  EXPECT_EQ(writers.back()->stats().stalled, 0U);
  writers.erase(writers.begin());
  EXPECT_TRUE(eventually([&] { return writers.back()->matched_readers() == 1; }))
      << "a row is free again";
  publish_stamped(*writers.back(), 11, 64);
  EXPECT_TRUE(eventually([&] {
    const auto sample = reader->take().value();
    return sample && number_of(sample->payload()) == 11;
  }));
}

TEST(KeepAll, WhoRestsIsNotWaitedForUntilItResumes) {
  KeepAll all(4, longer_than_the_watchdog);
  const auto reader = all.side.reader(bytes_on("/t", QoS(4).keep_all()));
  reader->rest();  // before they match, or after: it must not matter
  ASSERT_TRUE(eventually([&] { return all.writer->matched_readers() == 1; }));
  ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 1; }));
  all.publish(100);
  EXPECT_EQ(all.writer->stats().waits, 0U);
  reader->resume();
  EXPECT_FALSE(reader->has_data()) << "it wanted none of those";
  all.publish(4);
  {
    const WaitingPublish waiting(*all.writer);
    reader->rest();
    EXPECT_TRUE(eventually([&] { return waiting.is_done(); }));
  }
  reader->resume();
  all.publish(1);
  const auto taken = reader->take().value();
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->info().sequence, 106U);
  EXPECT_EQ(reader->stats().lost, 0U) << "what it did not want is no loss";
}

TEST(KeepAll, OthersLoseNothingWhileOneIsStopped) {
  KeepAll topic(4, 2000 * ms);
  const auto stopped = topic.subscribe(1);
  const auto other = topic.subscribe(2);
  stopped->stop();
  other->send("take /t 50");
  topic.publish(50);
  EXPECT_EQ(other->answer(), "ok 50 lost 0");
  EXPECT_EQ(topic.writer->stats().stalled, 1U);
  stopped->resume();
  EXPECT_EQ(stopped->ask("take /t 4"), "ok 4 lost 46");
}

TEST(KeepAll, TheDeathOfWhomAPublishWaitsForEndsTheWait) {
  KeepAll topic(4, longer_than_the_watchdog);
  const auto other = topic.subscribe(1);
  topic.publish(4);
  const WaitingPublish publish(*topic.writer);
  other->die();
  EXPECT_TRUE(eventually([&] { return publish.is_done(); }));
  EXPECT_EQ(topic.writer->matched_readers(), 0U);
}

TEST(KeepAll, ASubscriptionThatClosesEndsTheWait) {
  KeepAll topic(4, longer_than_the_watchdog);
  const auto other = topic.subscribe(1);
  topic.publish(4);
  const WaitingPublish publish(*topic.writer);
  EXPECT_EQ(other->ask("close /t"), "ok");
  EXPECT_TRUE(eventually([&] { return publish.is_done(); }));
}

TEST(KeepAll, ASubscriptionThatHoldsAllItMayHoldsThePublisherBack) {
  KeepAll topic(4, longer_than_the_watchdog);
  const auto other = topic.subscribe(1);
  topic.publish(2);
  ASSERT_EQ(other->ask("hold /t 2"), "ok 2 lost 0");
  topic.publish(4);
  const WaitingPublish publish(*topic.writer);
  EXPECT_EQ(other->ask("once /t").substr(0, 5), "error");
  ASSERT_EQ(other->ask("release"), "ok");
  EXPECT_EQ(other->ask("take /t 5"), "ok 5 lost 0");
  EXPECT_TRUE(eventually([&] { return publish.is_done(); }));
}

TEST(KeepAll, NobodyWaitsForTheExecutorThatPublishes) {
  const Side side(unique_name());
  auto reader = side.reader(bytes_on("/t", QoS(4).keep_all()));
  auto writer =
      side.writer(bytes_on("/t", QoS(4).keep_all()),
                  {.max_blocking_ns = longer_than_the_watchdog, .waiter = side.waiter.get()});
  ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 1; }));
  for (std::uint64_t i = 1; i <= 10; ++i) {
    publish_stamped(*writer, i, 64);
  }
  EXPECT_EQ(writer->stats().waits, 0U);
  EXPECT_EQ(writer->stats().overrun, 6U);
  EXPECT_EQ(number_of(reader->take().value()->payload()), 7U);
  EXPECT_EQ(reader->stats().lost, 6U);
}

TEST(KeepAll, NobodyWaitsForKeepLastOrBestEffort) {
  const Side side(unique_name());
  auto writer =
      side.writer(bytes_on("/t", QoS(4).keep_all()), {.max_blocking_ns = longer_than_the_watchdog});
  auto last = side.reader(bytes_on("/t", QoS(2)));
  auto effort = side.reader(bytes_on("/t", QoS(4).keep_all().best_effort()));
  ASSERT_TRUE(
      eventually([&] { return last->matched_writers() == 1 && effort->matched_writers() == 1; }));
  for (std::uint64_t i = 1; i <= 100; ++i) {
    publish_stamped(*writer, i, 64);
  }
  EXPECT_EQ(writer->stats().waits, 0U);
  EXPECT_EQ(writer->stats().overrun, 0U);
  EXPECT_EQ(number_of(effort->take().value()->payload()), 97U);
  EXPECT_EQ(number_of(last->take().value()->payload()), 99U);
}

TEST(KeepAll, ALateJoinerGetsTheWholeRing) {
  const Side side(unique_name());
  const QoS qos = QoS(8).keep_all().transient_local();
  auto writer = side.writer(bytes_on("/t", qos), {.max_blocking_ns = longer_than_the_watchdog});
  for (std::uint64_t i = 1; i <= 20; ++i) {
    publish_stamped(*writer, i, 64);
  }
  auto late = side.reader(bytes_on("/t", qos));
  ASSERT_TRUE(eventually([&] { return late->matched_writers() == 1; }));
  EXPECT_EQ(late->stats().history_granted, 8U);
  EXPECT_EQ(number_of(late->take().value()->payload()), 13U);
}

}  // namespace
}  // namespace ligament::pool::test
