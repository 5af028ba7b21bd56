// SPDX-License-Identifier: Apache-2.0
/// What middlewares need beside topics: domains that all runs share, news of every change in them,
/// waiting for some readers only, and the number of samples that have come.
#include "support.hpp"

namespace ligament::pool::test {
namespace {

/// Makes this process one that is told of all changes.
struct Watching {
  explicit Watching(Side& side)
      : marker(side.reader(bytes_on(std::string(graph_topic)))),
        handle(side.domain->watch([this] { ++calls; })) {}
  std::atomic<int> calls{0};
  std::unique_ptr<Reader> marker;
  std::shared_ptr<void> handle;
};

/// No change for a moment: what comes then has a cause of its own.
void settle(const std::atomic<int>& calls) {
  int before = -1;
  while (before != calls.load()) {
    before = calls.load();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

TEST(Watch, IsToldOfChangesOnTopicsThatItDoesNotUse) {
  const std::string name = unique_name();
  Side side(name);
  Watching watching(side);
  OtherProcess other(name);
  settle(watching.calls);
  // A minute for all: the look that repairs lost notices comes every 5 s only.
  int patience = 60'000;
  for (int i = 0; i < 20; ++i) {
    const int before = watching.calls;
    EXPECT_EQ(other.ask(fmt::format("writer /elsewhere/{}", i)), "ok");
    while (watching.calls == before && --patience > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  ASSERT_GT(patience, 0);
  settle(watching.calls);
  const int alive = watching.calls;
  other.die();
  ASSERT_TRUE(eventually([&] { return watching.calls > alive; }));
}

/// The first change of a burst is told at once, the others together. Were the last one not told,
/// each burst would wait for the look that repairs lost notices.
TEST(Watch, IsToldOfTheLastOfChangesThatFollowEachOther) {
  const std::string name = unique_name();
  Side side(name);
  const auto marker = side.reader(bytes_on(std::string(graph_topic)));
  std::atomic<std::size_t> seen{0};
  const auto handle =
      side.domain->watch([&side, &seen] { seen = side.domain->endpoints().size(); });
  OtherProcess other(name);
  ASSERT_TRUE(eventually([&] { return !side.domain->peers().empty(); }));
  constexpr std::size_t bursts = 20;
  constexpr std::size_t changes = 4;
  int patience = 60'000;
  for (std::size_t i = 0; i < bursts; ++i) {
    const std::size_t all = 1 + (i + 1) * changes;
    for (std::size_t k = 0; k < changes; ++k) {
      ASSERT_EQ(other.ask(fmt::format("writer /burst/{}/{}", i, k)), "ok");
    }
    while (seen != all && --patience > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  ASSERT_GT(patience, 0) << seen.load();
}

TEST(Show, OthersSeeAnEndpointThatIsElsewhere) {
  const std::string name = unique_name();
  Side side(name);
  Watching watching(side);
  const auto reader = side.reader(bytes_on("~/far"));  // nobody's should be called so, but may
  OtherProcess other(name);
  const auto seen = [&side] {
    const auto all = side.domain->endpoints();
    return std::count_if(all.begin(), all.end(), [](const EndpointInfo& one) {
      return one.description.topic == "~/far" && one.kind == EndpointKind::writer && !one.own;
    });
  };
  EXPECT_TRUE(other.ask("show /near").starts_with("error topic /near: what is shown"));
  for (int round = 0; round < 3; ++round) {
    const int calls = watching.calls;
    EXPECT_EQ(other.ask("show ~/far"), "ok");
    EXPECT_TRUE(eventually([&] { return seen() == 1 && watching.calls > calls; }));
    EXPECT_EQ(reader->matched_writers(), 0U) << "it has no memory to read from";
    EXPECT_EQ(other.ask("hide ~/far"), "ok");
    EXPECT_TRUE(eventually([&] { return seen() == 0; }));
  }
  EXPECT_EQ(other.ask("show ~/far"), "ok");
  EXPECT_TRUE(eventually([&] { return seen() == 1; }));
  other.die();
  EXPECT_TRUE(eventually([&] { return seen() == 0; }));
}

TEST(MatchNow, EndsOfOneProcessHaveMetWhenItReturns) {
  Side side(unique_name());
  for (int round = 0; round < 100; ++round) {
    const auto reader = side.reader(bytes_on("/t"));
    const auto writer = side.writer(bytes_on("/t"));
    side.domain->match_now();
    EXPECT_EQ(writer->matched_readers(), 1U) << round;
    EXPECT_EQ(reader->matched_writers(), 1U) << round;
  }
}

/// A publisher can publish to readers of others at once; they look when they are told.
TEST(MatchNow, AWriterKnowsTheReadersThatAreThere) {
  const std::string name = unique_name();
  Side side(name);
  const OtherProcess other(name);
  ASSERT_EQ(other.ask("reader /t"), "ok");
  ASSERT_TRUE(eventually([&] { return side.domain->endpoints().size() == 1; }));
  const auto writer = side.writer(bytes_on("/t"));
  side.domain->match_now();
  EXPECT_EQ(writer->matched_readers(), 1U);
}

TEST(Watch, IsToldWhenAnOwnEndpointIsMatched) {
  const std::string name = unique_name();
  Side side(name);
  Watching watching(side);
  const OtherProcess other(name);
  EXPECT_EQ(other.ask("writer /t"), "ok");
  settle(watching.calls);
  // Asked only when told, as who waits for the graph's guard condition does. No endpoint changes
  // any more when the publisher's process has answered.
  std::atomic<bool> seen{false};
  const auto handle = side.domain->watch([&] {
    for (const EndpointInfo& end : side.domain->endpoints()) {
      seen = seen || (end.own && end.description.topic == "/t" && end.matched == 1);
    }
  });
  const auto reader = side.reader(bytes_on("/t"));
  ASSERT_TRUE(eventually([&] { return seen.load(); }));
}

TEST(Watch, EndsWithItsHandle) {
  Side side(unique_name());
  Watching watching(side);
  settle(watching.calls);
  watching.handle.reset();
  settle(watching.calls);
  const int before = watching.calls;
  const auto reader = side.reader(bytes_on("/more"));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(watching.calls, before);
}

TEST(SharedDomains, AreJoinedByAllRuns) {
  const std::string name = "ros." + unique_name();
  const OtherProcess one(name, "one");
  const OtherProcess two(name, "two");
  EXPECT_EQ(one.ask("writer /t"), "ok");
  EXPECT_EQ(two.ask("reader /t"), "ok");
  EXPECT_TRUE(eventually([&] { return two.ask("matched /t") == "ok 1"; }));
}

TEST(SharedDomains, AreThoseOfRosAlone) {
  const std::string name = unique_name();
  const OtherProcess one(name, "one");
  const OtherProcess two;
  EXPECT_NE(two.ask("join " + name + " two").find("already running"), std::string::npos);
}

TEST(WaitFor, SleepsUntilItsReadersHaveData) {
  Side side(unique_name());
  const auto wanted = side.reader(bytes_on("/wanted"));
  const auto other = side.reader(bytes_on("/other"));
  const auto to_wanted = side.writer(bytes_on("/wanted"));
  const auto to_other = side.writer(bytes_on("/other"));
  ASSERT_TRUE(eventually(
      [&] { return to_wanted->matched_readers() == 1 && to_other->matched_readers() == 1; }));
  publish_stamped(*to_other, 1, 32);
  const auto is_ready = [&] { return wanted->is_ready(); };
  // The other one's data, which stays there, does not end it.
  EXPECT_FALSE(side.waiter->wait_for(is_ready, monotonic_now_ns() + 20'000'000));
  std::thread publisher([&] { publish_stamped(*to_wanted, 1, 32); });
  EXPECT_TRUE(side.waiter->wait_for(is_ready));
  publisher.join();
}

TEST(WaitFor, AsksAgainWhenWoken) {
  Side side(unique_name());
  std::atomic<bool> flag{false};
  std::thread waker([&] {
    flag = true;
    side.waiter->wake();
  });
  EXPECT_TRUE(side.waiter->wait_for([&] { return flag.load(); }));
  waker.join();
}

TEST(Arrived, CountsWhatCameTakenOrNot) {
  Side side(unique_name());
  const auto reader = side.reader(bytes_on("/t", QoS(4)));
  const auto writer = side.writer(bytes_on("/t", QoS(4)));
  ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 1; }));
  EXPECT_EQ(reader->arrived(), 0U);
  for (std::uint64_t number = 1; number <= 3; ++number) {
    publish_stamped(*writer, number, 32);
  }
  EXPECT_EQ(reader->arrived(), 3U);
  ASSERT_TRUE(reader->take().value());
  EXPECT_EQ(reader->arrived(), 3U);
  publish_stamped(*writer, 4, 32);
  EXPECT_EQ(reader->arrived(), 4U);
}

TEST(Arrived, CountsWhatWasLostAndNeverGoesBack) {
  Side side(unique_name());
  const auto reader = side.reader(bytes_on("/t", QoS(4)));
  const auto writer = side.writer(bytes_on("/t", QoS(4)));
  const auto all = side.reader(bytes_on("/all", QoS(4).keep_all()));
  const auto to_all = side.writer(bytes_on("/all", QoS(4).keep_all()));
  ASSERT_TRUE(
      eventually([&] { return reader->matched_writers() == 1 && all->matched_writers() == 1; }));
  for (std::uint64_t number = 1; number <= 10; ++number) {
    publish_stamped(*writer, number, 32);
  }
  ASSERT_TRUE(reader->take().value());
  EXPECT_EQ(reader->arrived(), 10U) << "six of them were lost";
  all->rest();
  for (std::uint64_t number = 1; number <= 3; ++number) {
    publish_stamped(*to_all, number, 32);
  }
  EXPECT_EQ(all->arrived(), 3U);
  all->resume();
  EXPECT_EQ(all->arrived(), 3U) << "passed over, and come all the same";
}

}  // namespace
}  // namespace ligament::pool::test
