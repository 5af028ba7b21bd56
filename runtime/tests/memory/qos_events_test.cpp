// SPDX-License-Identifier: Apache-2.0
/// Events of endpoints; device topics and their quarantine.
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "memory/events.hpp"
#include "support.hpp"

namespace ligament::pool::test {
namespace {

TEST(Events, QosThatDoesNotMatchIsOneEventAtEachEnd) {
  const auto name = unique_name();
  const Side side(name);
  auto reader = side.reader(bytes_on("/t", QoS(1).reliable()));
  const OtherProcess other(name);
  ASSERT_EQ(other.ask("writer /t reliable=0"), "ok");
  ASSERT_TRUE(eventually([&] { return reader->has_events(); }));
  EXPECT_EQ(side.waiter->wait(WaitStrategy::sleep()), WaitResult::woken);
  const ReaderEvents events = reader->take_events();
  EXPECT_EQ(events.incompatible_qos.total, 1U);
  EXPECT_EQ(events.incompatible_qos.change, 1U);
  EXPECT_EQ(events.incompatible_qos.last_policy, QosPolicyKind::reliability);
  EXPECT_FALSE(reader->has_events());
  EXPECT_TRUE(eventually(
      [&] { return other.ask("events /t").find("qos 1 type 0 matched 0") != std::string::npos; }));
  // More matching is no more events.
  auto another = side.reader(bytes_on("/t", QoS(1).best_effort()));
  ASSERT_TRUE(eventually([&] { return another->matched_writers() == 1; }));
  EXPECT_EQ(reader->take_events().incompatible_qos.total, 1U);
  EXPECT_NE(other.ask("events /t").find("qos 1 type 0 matched 1"), std::string::npos);
}

TEST(Events, EveryPolicyThatStandsBetweenTwoEndsHasItsName) {
  const Side side(unique_name());
  struct Case {
    std::string topic;
    QoSProfile strict;
    QosPolicyKind policy;
    std::unique_ptr<Reader> reader{};
    std::unique_ptr<Writer> writer{};
  };
  const QoSProfile lax = QoS(1).profile();
  std::array<Case, 4> cases{
      Case{"/durability", QoS(1).transient_local().profile(), QosPolicyKind::durability},
      Case{"/deadline", lax, QosPolicyKind::deadline},
      Case{"/liveliness", lax, QosPolicyKind::liveliness},
      Case{"/lease", lax, QosPolicyKind::liveliness_lease}};
  cases[1].strict.deadline_ns = 5;
  cases[2].strict.liveliness = LivelinessPolicy::manual_by_topic;
  cases[3].strict.liveliness_lease_ns = 5;
  for (Case& one : cases) {
    one.reader = side.reader({one.topic, "t", "/n", {}, one.strict});
    one.writer = side.writer({one.topic, "t", "/n", {}, lax});
  }
  for (const Case& one : cases) {
    EXPECT_TRUE(eventually([&] { return one.writer->has_events(); }));
    EXPECT_EQ(one.writer->take_events().incompatible_qos.last_policy, one.policy) << one.topic;
  }
}

TEST(Events, AnotherTypeIsOneEventAndAProblemThatNamesBothEnds) {
  const auto name = unique_name();
  const Side side(name);
  auto reader = side.reader(bytes_on("/t"));
  const OtherProcess other(name);
  ASSERT_EQ(other.ask("writer /t hash=7"), "ok");
  ASSERT_TRUE(eventually([&] { return reader->has_events(); }));
  EXPECT_EQ(reader->take_events().incompatible_type.total, 1U);
  const auto problems = side.domain->problems();
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].kind, ProblemKind::type_mismatch);
  EXPECT_EQ(problems[0].reader, reader->id());
  EXPECT_NE(problems[0].writer, 0U);
  EXPECT_TRUE(
      eventually([&] { return other.ask("events /t").find("qos 0 type 1") != std::string::npos; }));
}

TEST(Events, ALossIsOneEventUntilItIsTaken) {
  const Side side(unique_name());
  auto reader = side.reader(bytes_on("/t", QoS(4)));
  auto writer = side.writer(bytes_on("/t", QoS(4)));
  // The events of the match come after it: else they might be taken for one of a loss.
  ASSERT_TRUE(eventually([&] {
    const ReaderEvents now = reader->take_events();
    return now.matched.total == 1 && now.liveliness_changed.alive == 1;
  }));
  for (std::uint64_t i = 1; i <= 10; ++i) {
    publish_stamped(*writer, i, 64);
  }
  EXPECT_FALSE(reader->has_events()) << "a reader learns of a loss when it takes";
  ASSERT_TRUE(reader->take().value());
  EXPECT_TRUE(reader->has_events());
  CountStatus lost = reader->take_events().message_lost;
  EXPECT_EQ(lost.total, 6U);
  EXPECT_EQ(lost.change, 6U);
  EXPECT_FALSE(reader->has_events());
  lost = reader->take_events().message_lost;
  EXPECT_EQ(lost.total, 6U);
  EXPECT_EQ(lost.change, 0U);
}

TEST(Events, WhatWasTakenCallsNobodyAgain) {
  constexpr int rounds = 200;
  EventLog<ReaderEvents> log;
  std::atomic<int> noted{0};
  std::atomic<int> taken{0};
  std::thread housekeeping([&] {
    for (int round = 1; round <= rounds; ++round) {
      log.note([](ReaderEvents& events) { add(events.message_lost, 1); });
      noted = round;
      while (taken != round) {
        std::this_thread::yield();
      }
    }
  });
  int called_again = 0;
  for (int round = 1; round <= rounds; ++round) {
    while (log.take().message_lost.change == 0) {
    }
    while (noted != round) {
      std::this_thread::yield();
    }
    called_again += log.flag.is_raised() ? 1 : 0;
    taken = round;
  }
  housekeeping.join();
  EXPECT_EQ(called_again, 0);
}

TEST(Events, MatchedGoesUpAndDown) {
  const auto name = unique_name();
  const Side side(name);
  auto writer = side.writer(bytes_on("/t"), {.waiter = side.waiter.get()});
  EXPECT_FALSE(writer->has_events());
  OtherProcess first(name);
  OtherProcess second(name);
  ASSERT_EQ(first.ask("reader /t"), "ok");
  ASSERT_EQ(second.ask("reader /t"), "ok");
  EXPECT_EQ(side.waiter->wait(WaitStrategy::sleep()), WaitResult::woken);
  ASSERT_TRUE(eventually([&] { return writer->matched_readers() == 2; }));
  MatchedStatus matched = writer->take_events().matched;
  EXPECT_EQ(matched.total, 2U);
  EXPECT_EQ(matched.current, 2U);
  ASSERT_EQ(first.ask("close /t"), "ok");
  second.die();
  ASSERT_TRUE(eventually([&] { return writer->matched_readers() == 0; }));
  matched = writer->take_events().matched;
  EXPECT_EQ(matched.total, 2U);
  EXPECT_EQ(matched.total_change, 0U);
  EXPECT_EQ(matched.current, 0U);
  EXPECT_EQ(matched.current_change, -2);
}

TEST(Events, MatchedGoesUpAndDownForSubscriptionsToo) {
  const Side side(unique_name());
  const auto reader = side.reader(bytes_on("/t"));
  auto writer = side.writer(bytes_on("/t"));
  ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 1; }));
  MatchedStatus matched = reader->take_events().matched;
  EXPECT_EQ(matched.total_change, 1U);
  EXPECT_EQ(matched.current_change, 1);
  matched = reader->take_events().matched;
  EXPECT_EQ(matched.total, 1U);
  EXPECT_EQ(matched.total_change, 0U);
  EXPECT_EQ(matched.current, 1U);
  EXPECT_EQ(matched.current_change, 0);
  writer.reset();
  ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 0; }));
  matched = reader->take_events().matched;
  EXPECT_EQ(matched.total, 1U);
  EXPECT_EQ(matched.current, 0U);
  EXPECT_EQ(matched.current_change, -1);
}

TEST(Events, TheSixtyFifthEndIsAProblemThatNamesBoth) {
  const Side side(unique_name());
  auto writer = side.writer(bytes_on("/t"));
  const auto readers = side.readers(65, bytes_on("/t"));
  ASSERT_TRUE(eventually([&] { return !side.domain->problems().empty(); }));
  EXPECT_EQ(writer->matched_readers(), 64U);
  const Problem problem = side.domain->problems().front();
  EXPECT_EQ(problem.kind, ProblemKind::too_many_ends);
  EXPECT_EQ(problem.writer, writer->id());
  EXPECT_TRUE(std::any_of(readers.begin(), readers.end(), [&](const auto& reader) {
    return reader->id() == problem.reader && reader->matched_writers() == 0;
  }));
}

TEST(Device, ATopicHasABoundAndDoesNotGrow) {
  const Side side(unique_name());
  const auto unbounded = side.domain->create_writer(bytes_on("/t"), {.device = true});
  ASSERT_FALSE(unbounded);
  EXPECT_EQ(unbounded.error().code, EndpointErrorCode::bad_description);
  auto writer = side.writer(bytes_on("/t", QoS(2)), {.max_bytes = 1000, .device = true});
  const auto grown = writer->stats().grown;
  EXPECT_EQ(grown, 1U) << "its blocks exist before the first loan";
  for (std::uint64_t i = 1; i <= 10; ++i) {
    auto loan = writer->loan(1000);
    ASSERT_TRUE(loan);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(loan->payload().data()) % 4096, 0U);
    ASSERT_TRUE(writer->publish(std::move(*loan)));
  }
  const auto larger = writer->loan(1001);
  ASSERT_FALSE(larger);
  EXPECT_EQ(larger.error(), LoanError::exceeds_bound);
  EXPECT_EQ(writer->stats().grown, grown);
}

/// A subscription in another process holds a sample that has left the ring.
struct Holding {
  explicit Holding(const std::string& options) {
    EXPECT_EQ(other.ask("reader /t held=1 " + options), "ok");
    EXPECT_TRUE(eventually([this] { return other.ask("matched /t") == "ok 1"; }));
    publish_stamped(*writer, 1, 64);
    EXPECT_EQ(other.ask("hold /t 1"), "ok 1 lost 0");
    for (std::uint64_t i = 2; i <= 10; ++i) {
      publish_stamped(*writer, i, 64);
    }
  }
  /// Blocks that are neither free nor in the ring.
  [[nodiscard]] std::uint64_t held() const {
    const WriterStats stats = writer->stats();
    return stats.blocks - stats.blocks_free - stats.in_ring;
  }
  const std::string name = unique_name();
  Side side{name};
  std::unique_ptr<Writer> writer = side.writer(bytes_on("/t", QoS(2)), {.max_bytes = 64});
  OtherProcess other{name};
};

TEST(Quarantine, WhatADeviceReadsComesBackWhenItIsIdle) {
  Holding topic("device=1");
  std::mutex mutex;
  std::int32_t asked_about = 0;
  std::atomic<bool> idle{false};
  std::atomic<int> asked{0};
  topic.side.domain->set_quarantine([&](std::uint64_t reader, std::int32_t pid) {
    const std::lock_guard guard(mutex);
    EXPECT_NE(reader, 0U);
    asked_about = pid;
    ++asked;
    return idle.load();
  });
  const pid_t pid = topic.other.pid();
  topic.other.die();
  ASSERT_TRUE(eventually([&] { return asked >= 3; }));
  EXPECT_EQ(topic.writer->stats().quarantined, 1U);
  EXPECT_EQ(topic.writer->matched_readers(), 0U);
  for (std::uint64_t i = 11; i <= 60; ++i) {
    publish_stamped(*topic.writer, i, 64);
  }
  EXPECT_EQ(topic.held(), 1U) << "the block was used again while the device might read it";
  idle = true;
  EXPECT_TRUE(eventually([&] { return topic.writer->stats().quarantined == 0; }));
  EXPECT_EQ(topic.held(), 0U);
  const std::lock_guard guard(mutex);
  EXPECT_EQ(asked_about, pid);
}

TEST(Quarantine, OthersComeBackAtOnce) {
  Holding topic("");
  topic.side.domain->set_quarantine([](std::uint64_t, std::int32_t) { return false; });
  EXPECT_EQ(topic.held(), 1U);
  topic.other.die();
  EXPECT_TRUE(eventually([&] { return topic.held() == 0; }));
  EXPECT_EQ(topic.writer->stats().quarantined, 0U);
}

TEST(Quarantine, WithoutACheckDeathIsEnough) {
  Holding topic("device=1");
  topic.other.die();
  EXPECT_TRUE(eventually([&] { return topic.held() == 0; }));
}

}  // namespace
}  // namespace ligament::pool::test
