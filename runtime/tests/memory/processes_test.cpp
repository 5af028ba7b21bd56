// SPDX-License-Identifier: Apache-2.0
/// Several processes: fan-out, fan-in, death at any time, stopped peers, rejoining, refusals.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "memory/layout.hpp"
#include "support.hpp"

namespace ligament::pool::test {
namespace {

using Processes = std::vector<std::unique_ptr<OtherProcess>>;

Processes start(int count, const std::string& name, const std::string& command) {
  Processes processes;
  for (int i = 0; i < count; ++i) {
    processes.push_back(std::make_unique<OtherProcess>(name));
    EXPECT_EQ(processes.back()->ask(command), "ok");
  }
  return processes;
}

TEST(Processes, OnePublisherServesManySubscribers) {
  const auto name = unique_name();
  const Side side(name);
  auto writer = side.writer(bytes_on("/t", QoS(100)));
  const auto readers = start(5, name, "reader /t depth=100");
  ASSERT_TRUE(eventually([&] { return writer->matched_readers() == 5; }));
  for (const auto& reader : readers) {
    ASSERT_TRUE(eventually([&] { return reader->ask("matched /t") == "ok 1"; }));
    reader->send("take /t 50");
  }
  for (std::uint64_t i = 1; i <= 50; ++i) {
    publish_stamped(*writer, i, 500);
  }
  for (const auto& reader : readers) {
    EXPECT_EQ(reader->answer(), "ok 50 lost 0");
  }
}

TEST(Processes, ManyPublishersServeOneSubscriber) {
  const auto name = unique_name();
  const Side side(name);
  auto reader = side.reader(bytes_on("/t", QoS(100)));
  const auto writers = start(4, name, "writer /t depth=100");
  ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 4; }));
  for (const auto& writer : writers) {
    EXPECT_EQ(writer->ask("publish /t 50 256"), "ok 50");
  }
  std::map<std::uint64_t, std::uint64_t> taken;
  while (auto sample = reader->take().value()) {
    EXPECT_EQ(number_of(sample->payload()), sample->info().sequence);
    EXPECT_EQ(sample->info().sequence, ++taken[sample->info().publisher]);
  }
  EXPECT_EQ(taken.size(), 4U);
  EXPECT_EQ(reader->stats().taken, 200U);
  EXPECT_EQ(reader->stats().lost, 0U);
}

TEST(Processes, LateJoinerGetsHistoryFromAStoppedPublishersMemoryOnceItRuns) {
  const auto name = unique_name();
  const OtherProcess publisher(name);
  ASSERT_EQ(publisher.ask("writer /t depth=5 latched=1"), "ok");
  ASSERT_EQ(publisher.ask("publish /t 9 64"), "ok 9");
  publisher.stop();
  const Side side(name);  // joining must not need the stopped process
  auto reader = side.reader(bytes_on("/t", QoS(3).transient_local()));
  EXPECT_EQ(side.domain->peers(), (std::vector<std::int32_t>{publisher.pid()}));
  EXPECT_FALSE(reader->take().value());
  publisher.resume();
  ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 1; }));
  for (std::uint64_t expected = 7; expected <= 9; ++expected) {
    auto sample = reader->take().value();
    ASSERT_TRUE(sample);
    EXPECT_EQ(number_of(sample->payload()), expected);
  }
}

TEST(Processes, KilledPublisherLeavesItsSamplesReadable) {
  const auto name = unique_name();
  const Side side(name);
  auto reader = side.reader(bytes_on("/t"));
  OtherProcess publisher(name);
  ASSERT_NO_FATAL_FAILURE(publish_in(publisher, "/t", *reader));
  ASSERT_EQ(publisher.ask("publish /t 6 100000"), "ok 6");
  auto held = reader->take().value();
  publisher.die();
  ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 0; }));
  EXPECT_EQ(number_of(held->payload()), 1U);
  held.reset();
  for (std::uint64_t expected = 2; expected <= 6; ++expected) {
    auto sample = reader->take().value();
    ASSERT_TRUE(sample);
    EXPECT_EQ(number_of(sample->payload()), expected);
  }
  EXPECT_FALSE(reader->take().value());
  EXPECT_TRUE(eventually([&] { return side.domain->peers().empty(); }));
}

TEST(Processes, BlocksHeldByAKilledSubscriberComeBack) {
  const auto name = unique_name();
  const Side side(name);
  auto writer = side.writer(bytes_on("/t", QoS(2)));
  publish_stamped(*writer, 1, 100);
  for (int round = 0; round < 5; ++round) {
    OtherProcess subscriber(name);
    ASSERT_EQ(subscriber.ask("reader /t depth=2 held=30"), "ok");
    ASSERT_TRUE(eventually([&] { return subscriber.ask("matched /t") == "ok 1"; }));
    for (std::uint64_t i = 1; i <= 30; ++i) {
      publish_stamped(*writer, i, 100);
      ASSERT_EQ(subscriber.ask("hold /t 1").rfind("ok 1", 0), 0U);
    }
    subscriber.die();
    ASSERT_TRUE(eventually([&] { return writer->matched_readers() == 0; }));
    const WriterStats stats = writer->stats();
    EXPECT_EQ(stats.blocks_free, stats.blocks) << "there is nobody to keep a sample for";
  }
  EXPECT_EQ(writer->stats().grown, 2U) << "five subscribers with equal needs, one growth";
}

TEST(Processes, KilledWithALoanOutHarmsNobody) {
  const auto name = unique_name();
  const Side side(name);
  auto reader = side.reader(bytes_on("/t"));
  OtherProcess publisher(name);
  ASSERT_EQ(publisher.ask("writer /t"), "ok");
  ASSERT_EQ(publisher.ask("loan /t 1000"), "ok");
  ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 1; }));
  publisher.die();
  ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 0; }));
  EXPECT_FALSE(reader->take().value());
}

TEST(Processes, RandomKillsUnderLoadTearNothing) {
  const auto name = unique_name();
  const Side side(name);
  auto reader = side.reader(bytes_on("/up", QoS(4)));
  auto writer = side.writer(bytes_on("/down", QoS(4)));
  std::mt19937 random(7);
  std::uint64_t number = 0;
  std::uint64_t taken = 0;
  for (int kill = 0; kill < 25; ++kill) {
    OtherProcess publisher(name);
    ASSERT_EQ(publisher.ask("writer /up depth=4"), "ok");
    publisher.send("flood /up 0 2048");
    OtherProcess subscriber(name);
    ASSERT_EQ(subscriber.ask("reader /down depth=4"), "ok");
    subscriber.send("drain /down 0");
    const auto end =
        monotonic_now_ns() + 10'000'000 + static_cast<std::int64_t>(random() % 20'000'000);
    std::map<std::uint64_t, std::uint64_t> last;
    while (monotonic_now_ns() < end) {
      publish_stamped(*writer, ++number, 2048);
      if (auto sample = reader->take().value()) {
        ASSERT_NE(number_of(sample->payload()), 0U) << "torn";
        ASSERT_GT(sample->info().sequence, last[sample->info().publisher]) << "twice";
        last[sample->info().publisher] = sample->info().sequence;
        ++taken;
      }
    }
    publisher.die();
    EXPECT_TRUE(WIFSIGNALED(subscriber.die())) << "the subscriber saw a torn or double sample";
  }
  EXPECT_GT(taken, 0U);
  EXPECT_EQ(reader->stats().corrupt, 0U);
  // Drain what the dead left, then everything must return to its idle fill.
  ASSERT_TRUE(eventually([&] {
    while (reader->take().value()) {
    }
    return reader->matched_writers() == 0 && writer->matched_readers() == 0;
  }));
  for (int i = 0; i < 200; ++i) {
    publish_stamped(*writer, 1, 2048);
  }
  const WriterStats stats = writer->stats();
  EXPECT_EQ(stats.blocks_free + stats.in_ring, stats.blocks)
      << "the pool must return to its idle fill";
  EXPECT_LE(stats.grown, 2U);
}

TEST(Processes, ASampleThatOutlivesItsDomainIsNeverOverwritten) {
  const auto name = unique_name();
  const Side side(name);
  auto writer = side.writer(bytes_on("/t", QoS(2)));
  OtherProcess holder(name);
  ASSERT_NO_FATAL_FAILURE(subscribe_in(holder, "/t", " depth=2 held=2"));
  publish_stamped(*writer, 77, 4096);
  ASSERT_EQ(holder.ask("hold /t 1").rfind("ok 1", 0), 0U);
  ASSERT_EQ(holder.ask("quit"), "ok");
  // Somebody who came later is served: our housekeeping has heard of everything before.
  const OtherProcess later(name);
  ASSERT_NO_FATAL_FAILURE(subscribe_in(later, "/t"));
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    publish_stamped(*writer, i, 4096);
  }
  EXPECT_EQ(holder.ask("held"), "ok 77");
  EXPECT_EQ(writer->matched_readers(), 1U);
  // It may join again, and its death gives back what it held all the time.
  ASSERT_EQ(holder.ask("join " + name + " run"), "ok");
  ASSERT_NO_FATAL_FAILURE(subscribe_in(holder, "/t"));
  holder.die();
  ASSERT_TRUE(eventually([&] { return side.domain->peers().size() == 1; }));
  ASSERT_TRUE(eventually([&] {
    const WriterStats stats = writer->stats();
    return stats.blocks_free + stats.in_ring == stats.blocks;
  }));
}

TEST(Processes, ASubscriberShortOfDescriptorsLosesSamplesAndRecovers) {
  const auto name = unique_name();
  const Side side(name);
  auto writer = side.writer(bytes_on("/t"));
  const OtherProcess poor(name);
  ASSERT_NO_FATAL_FAILURE(subscribe_in(poor, "/t"));
  publish_stamped(*writer, 1, 64);
  ASSERT_EQ(poor.ask("once /t"), "ok 1 lost 0 corrupt 0");
  ASSERT_EQ(poor.ask("descriptors none"), "ok");
  publish_stamped(*writer, 2, 100'000);  // lies in a chunk that it cannot map
  EXPECT_EQ(poor.ask("once /t"), "ok 0 lost 1 corrupt 0");
  ASSERT_EQ(poor.ask("descriptors many"), "ok");
  publish_stamped(*writer, 3, 100'000);
  EXPECT_EQ(poor.ask("once /t"), "ok 3 lost 1 corrupt 0") << "its own shortage is no lie of ours";
}

TEST(Processes, ASlotThatAChildOfADeadProcessKeepsIsPassedOver) {
  const auto name = unique_name();
  OtherProcess first(name);
  ASSERT_EQ(first.ask("child"), "ok");
  first.die();
  const OtherProcess second(name);
  const Side side(name);
  auto reader = side.reader(bytes_on("/t"));
  ASSERT_EQ(second.ask("writer /t"), "ok");
  EXPECT_TRUE(eventually([&] { return reader->matched_writers() == 1; }));
  EXPECT_EQ(side.domain->peers(), (std::vector<std::int32_t>{second.pid()}));
}

TEST(Processes, AStoppedSubscriberBlocksNobody) {
  const auto name = unique_name();
  const Side side(name);
  auto writer = side.writer(bytes_on("/t", QoS(4)));
  const OtherProcess stopped(name);
  const OtherProcess running(name);
  ASSERT_EQ(stopped.ask("reader /t depth=4 held=2"), "ok");
  ASSERT_EQ(running.ask("reader /t depth=4"), "ok");
  ASSERT_TRUE(eventually([&] { return writer->matched_readers() == 2; }));
  for (const auto* process : {&stopped, &running}) {
    ASSERT_TRUE(eventually([&] { return process->ask("matched /t") == "ok 1"; }));
  }
  publish_stamped(*writer, 1, 100);
  ASSERT_EQ(stopped.ask("hold /t 1").rfind("ok 1", 0), 0U);
  stopped.stop();
  for (std::uint64_t i = 2; i <= 2000; ++i) {
    publish_stamped(*writer, i, 100);
  }
  EXPECT_EQ(running.ask("take /t 4").rfind("ok 4 lost", 0), 0U);
  // A newcomer joins and is served although one process of the graph does not run.
  const OtherProcess newcomer(name);
  ASSERT_NO_FATAL_FAILURE(subscribe_in(newcomer, "/t"));
  publish_stamped(*writer, 2001, 100);
  EXPECT_EQ(newcomer.ask("take /t 1"), "ok 1 lost 0");
  stopped.resume();
  EXPECT_EQ(stopped.ask("take /t 4").rfind("ok 4 lost", 0), 0U);
}

TEST(Processes, RejoiningAfterDeathWorks) {
  const auto name = unique_name();
  const Side side(name);
  auto reader = side.reader(bytes_on("/t"));
  for (int round = 0; round < 5; ++round) {
    OtherProcess publisher(name);
    ASSERT_EQ(publisher.ask("writer /t"), "ok");
    ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 1; }));
    ASSERT_EQ(publisher.ask("publish /t 1 64"), "ok 1");
    ASSERT_EQ(number_of(reader->take().value()->payload()), 1U);
    if (round % 2 == 0) {
      publisher.die();
    } else {
      EXPECT_EQ(publisher.leave(), 0);
    }
    ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 0; }));
  }
}

TEST(Processes, ChunksAddedLaterReachOtherProcesses) {
  const auto name = unique_name();
  const OtherProcess publisher(name);
  const Side side(name);
  auto reader = side.reader(bytes_on("/t"));
  ASSERT_NO_FATAL_FAILURE(publish_in(publisher, "/t", *reader));
  std::uint64_t number = 0;
  for (const std::size_t size : {100U, 10'000U, 1'000'000U, 50U}) {
    publisher.ask(fmt::format("publish /t 1 {}", size));
    auto sample = reader->take().value();
    ASSERT_TRUE(sample);
    EXPECT_EQ(number_of(sample->payload()), ++number);
    EXPECT_EQ(sample->payload().size(), size);
  }
}

TEST(Refusal, OfAnotherRunNamesTheFirst) {
  const auto name = unique_name();
  const Side side(name, "run-1");
  const OtherProcess other;
  const auto answer = other.ask("join " + name + " run-2");
  EXPECT_NE(answer.find(fmt::format("process {}", ::getpid())), std::string::npos) << answer;
  EXPECT_NE(answer.find("run-1"), std::string::npos) << answer;
  // Who is refused leaves at once: on a busy machine it may be gone before we have looked at it.
  const auto is_told = [&] {
    const auto problems = side.domain->problems();
    return std::any_of(problems.begin(), problems.end(), [](const auto& problem) {
      return problem.text.find("wanted to join graph") != std::string::npos;
    });
  };
  EXPECT_TRUE(eventually([&] {
    (void)other.ask("join " + name + " run-2");
    return is_told();
  }));
  EXPECT_TRUE(side.domain->peers().empty());
  const OtherProcess same(name, "run-1");
  EXPECT_TRUE(eventually([&] { return side.domain->peers().size() == 1; }));
}

TEST(Refusal, OfTwoRunsThatStartTogetherExactlyOneWins) {
  for (int round = 0; round < 5; ++round) {
    const auto name = unique_name();
    const OtherProcess first;
    const OtherProcess second;
    first.send("join " + name + " run-1");
    second.send("join " + name + " run-2");
    const int winners = (first.answer() == "ok" ? 1 : 0) + (second.answer() == "ok" ? 1 : 0);
    EXPECT_EQ(winners, 1);
  }
}

TEST(Refusal, OfAWrongTypeIsReportedOnBothSides) {
  const auto name = unique_name();
  const Side side(name);
  auto writer = side.writer(bytes_on("/t"));
  const OtherProcess other(name);
  ASSERT_EQ(other.ask("reader /t type=test/msg/Else"), "ok");
  ASSERT_TRUE(eventually([&] { return side.domain->problems().size() == 1; }));
  EXPECT_EQ(side.domain->problems()[0].kind, ProblemKind::type_mismatch);
  EXPECT_TRUE(eventually(
      [&] { return other.ask("problems").find("wants test/msg/Else") != std::string::npos; }));
  const OtherProcess third(name);
  ASSERT_EQ(third.ask("reader /t hash=1"), "ok");
  EXPECT_TRUE(eventually(
      [&] { return third.ask("problems").find("definitions differ") != std::string::npos; }));
  EXPECT_EQ(writer->matched_readers(), 0U);
}

/// Somebody else's user listens on one of our slots.
TEST(Refusal, OfAnotherUser) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root to become another user";
  }
  const auto name = unique_name();
  const OtherProcess impostor;
  ASSERT_EQ(impostor.ask(fmt::format("impostor ligament/0/{}/v{}/0", name, layout::version)), "ok");
  const Side side(name);
  ASSERT_EQ(side.domain->problems().size(), 1U);
  EXPECT_NE(side.domain->problems()[0].text.find("(65534), `"), std::string::npos)
      << side.domain->problems()[0].text;
  const OtherProcess friendly(name);
  EXPECT_TRUE(eventually([&] { return side.domain->peers().size() == 1; }));
}

/// All names are somebody's who is not of the graph, and who never says anything.
class AllNamesAreTaken : public ::testing::TestWithParam<const char*> {
 protected:
  /// Those that the domain's processes of `user` would have; returns what they begin with.
  [[nodiscard]] std::string take_names_of(unsigned user, unsigned holder) const {
    const std::string prefix = fmt::format("ligament/{}/{}/v{}", user, name_, layout::version);
    EXPECT_EQ(squatter_.ask(
                  fmt::format("squat {} {} {} {}", prefix, holder, GetParam(), layout::max_slots)),
              "ok");
    return prefix;
  }

  const std::string name_ = unique_name();
  const OtherProcess squatter_;
};

std::string error_of_joining(const std::string& name) {
  const auto joined = Domain::join({.name = name, .run_id = "run"});
  EXPECT_FALSE(joined);
  return joined ? "" : joined.error().text;
}

void expect_holder(const std::string& text, const OtherProcess& squatter, unsigned uid) {
  EXPECT_NE(text.find(fmt::format("512 by process {} of user ", squatter.pid())), std::string::npos)
      << text;
  EXPECT_NE(text.find(fmt::format("({}), `", uid)), std::string::npos) << text;
  EXPECT_NE(text.find("pool_peer`"), std::string::npos) << text;
  EXPECT_NE(text.find("another name"), std::string::npos) << text;
}

TEST_P(AllNamesAreTaken, ByThisUser) {
  (void)take_names_of(::geteuid(), ::geteuid());
  expect_holder(error_of_joining(name_), squatter_, ::geteuid());
}

TEST_P(AllNamesAreTaken, ByAnotherUser) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root to become another user";
  }
  (void)take_names_of(0, 65534);
  expect_holder(error_of_joining(name_), squatter_, 65534);
}

/// As a user sees it who may not look at others' descriptors.
TEST_P(AllNamesAreTaken, SeenByAUserWithoutRights) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root to become another user";
  }
  const std::string prefix = take_names_of(65534, 0);
  const OtherProcess user;
  ASSERT_EQ(user.ask("user 65534"), "ok");
  const std::string text = user.ask("join " + name_ + " run");
  if (std::string(GetParam()) == "listen") {
    expect_holder(text, squatter_, 0);
  } else {
    EXPECT_NE(text.find("512 by processes that cannot be seen from here"), std::string::npos)
        << text;
    EXPECT_NE(text.find("ss -xap | grep " + prefix), std::string::npos) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(How, AllNamesAreTaken, ::testing::Values("bind", "listen"),
                         [](const auto& how) { return std::string(how.param); });

/// Only some: those of the graph meet in the others.
TEST(NamesThatAreTaken, CostTheirSlotsAndAreReported) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root to become another user";
  }
  const auto name = unique_name();
  const std::string slots = fmt::format("ligament/0/{}/v{}/", name, layout::version);
  const OtherProcess first;
  const OtherProcess second;
  ASSERT_EQ(first.ask("impostor " + slots + "0"), "ok");
  ASSERT_EQ(second.ask("impostor " + slots + "1"), "ok");
  const Side side(name);
  const OtherProcess friendly(name);
  EXPECT_TRUE(eventually([&] { return side.domain->peers().size() == 1; }));
  ASSERT_EQ(side.domain->problems().size(), 2U);
  for (const Problem& problem : side.domain->problems()) {
    EXPECT_NE(problem.text.find("end it, or give the graph another name"), std::string::npos)
        << problem.text;
  }
}

TEST(Processes, LeaveNothingBehind) {
  const auto entries = [] {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
      count += entry.path().string().find("ligament") != std::string::npos ? 1 : 0;
    }
    return count;
  };
  const auto name = unique_name();
  {
    const Side side(name);
    auto reader = side.reader(bytes_on("/t"));
    OtherProcess publisher(name);
    ASSERT_EQ(publisher.ask("writer /t"), "ok");
    ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 1; }));
    ASSERT_EQ(publisher.ask("publish /t 3 64"), "ok 3");
    publisher.die();
  }
  std::ifstream sockets("/proc/net/unix");
  const std::string all((std::istreambuf_iterator<char>(sockets)), {});
  EXPECT_EQ(all.find(name), std::string::npos) << "a socket name outlived its processes";
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    EXPECT_EQ(line.find(name), std::string::npos) << line;
  }
  EXPECT_EQ(entries(), 0U);
}

}  // namespace
}  // namespace ligament::pool::test
