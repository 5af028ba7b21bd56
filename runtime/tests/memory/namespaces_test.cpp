// SPDX-License-Identifier: Apache-2.0
/// Processes of one user in different pid namespaces share the pool: nested, side by side, in user
/// namespaces; they die, stop, join late, and lie.
#include <gmock/gmock.h>

#include "memory/layout.hpp"
#include "support.hpp"

namespace ligament::pool::test {
namespace {

#define NEEDS_NAMESPACES(...)                                                                     \
  if (!has_namespaces(__VA_ARGS__)) {                                                             \
    GTEST_SKIP() << "this machine has no such thing: the leave to make pid namespaces, or Linux " \
                    "6.9";                                                                        \
  }

[[nodiscard]] bool meets(const OtherProcess& process, std::size_t others) {
  return eventually([&] { return process.ask("foreign") == fmt::format("ok {}", others); });
}

/// Five samples from there to here, and five back, of sizes that need new memory.
void expect_exchange(const Side& side, const OtherProcess& other, const std::string& name) {
  const std::string up = "/up_" + name;
  const std::string down = "/down_" + name;
  const auto reader = side.reader(bytes_on(up));
  const auto writer = side.writer(bytes_on(down));
  ASSERT_NO_FATAL_FAILURE(publish_in(other, up, *reader));
  ASSERT_NO_FATAL_FAILURE(subscribe_in(other, down));
  std::uint64_t number = 0;
  for (const std::size_t size : {100U, 10'000U, 1'000'000U, 50U, 2'000'000U}) {
    ASSERT_EQ(other.ask(fmt::format("publish {} 1 {}", up, size)), fmt::format("ok {}", ++number));
    const auto sample = reader->take().value();
    ASSERT_TRUE(sample) << size;
    EXPECT_EQ(number_of(sample->payload()), number);
    EXPECT_EQ(sample->payload().size(), size);
    publish_stamped(*writer, number, size);
    EXPECT_EQ(other.ask(fmt::format("take {} 1", down)), "ok 1 lost 0") << size;
  }
  EXPECT_EQ(reader->stats().lost, 0U);
}

TEST(Namespaces, AProcessInAContainerSharesThePool) {
  NEEDS_NAMESPACES()
  const auto name = unique_name();
  const Side side(name);
  const OtherProcess inside(name, "run", Namespaces{});
  ASSERT_TRUE(eventually([&] { return side.domain->foreign_peers() == 1; }));
  ASSERT_TRUE(meets(inside, 1));
  EXPECT_TRUE(side.domain->peers().empty());
  expect_exchange(side, inside, "a");
  EXPECT_THAT(side.domain->problems(), testing::IsEmpty());
  EXPECT_EQ(inside.ask("problems"), "ok");
}

TEST(Namespaces, AnOuterProcessThatComesLaterSharesThePool) {
  NEEDS_NAMESPACES()
  const auto name = unique_name();
  const OtherProcess inside(name, "run", Namespaces{});
  ASSERT_EQ(inside.ask("writer /t latched=1 depth=5"), "ok");
  ASSERT_EQ(inside.ask("publish /t 9 64"), "ok 9");
  const Side side(name);
  const auto reader = side.reader(bytes_on("/t", QoS(3).transient_local()));
  ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 1; }));
  for (std::uint64_t expected = 7; expected <= 9; ++expected) {
    const auto sample = reader->take().value();
    ASSERT_TRUE(sample);
    EXPECT_EQ(number_of(sample->payload()), expected);
  }
  const auto endpoints = side.domain->endpoints();
  EXPECT_TRUE(std::any_of(endpoints.begin(), endpoints.end(), [&](const EndpointInfo& one) {
    return one.foreign && one.description.topic == "/t" && one.pid == inside.pid();
  })) << "its number is that which it has here";
}

TEST(Namespaces, NestedAndSideBySideAllShareOnePool) {
  NEEDS_NAMESPACES()
  const auto name = unique_name();
  const Side side(name);
  const OtherProcess one(name, "run", Namespaces{});
  const OtherProcess other(name, "run", Namespaces{});
  const OtherProcess nested(name, "run", Namespaces{.depth = 2});
  const OtherProcess beside(name);
  ASSERT_TRUE(eventually([&] { return side.domain->foreign_peers() == 3; }));
  for (const OtherProcess* process : {&one, &other, &nested}) {
    ASSERT_TRUE(meets(*process, 4));
  }
  ASSERT_TRUE(meets(beside, 3));
  expect_exchange(side, one, "one");
  expect_exchange(side, other, "other");
  expect_exchange(side, nested, "nested");
  // Neither of these two sees the other in its /proc.
  ASSERT_NO_FATAL_FAILURE([&] {
    ASSERT_EQ(one.ask("writer /between"), "ok");
    ASSERT_NO_FATAL_FAILURE(subscribe_in(nested, "/between"));
    ASSERT_EQ(one.ask("publish /between 5 100000"), "ok 5");
    ASSERT_EQ(nested.ask("take /between 5"), "ok 5 lost 0");
  }());
}

TEST(Namespaces, ManyThatJoinAtOnceAllMeet) {
  NEEDS_NAMESPACES()
  const auto name = unique_name();
  constexpr std::size_t count = 6;
  std::vector<std::unique_ptr<OtherProcess>> all;
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(std::make_unique<OtherProcess>(Namespaces{}));
  }
  for (const auto& process : all) {
    process->send("join " + name + " run");
  }
  for (const auto& process : all) {
    ASSERT_EQ(process->answer(), "ok");
  }
  for (const auto& process : all) {
    EXPECT_TRUE(meets(*process, count - 1));
    EXPECT_EQ(process->ask("problems"), "ok");
  }
  ASSERT_EQ(all.front()->ask("writer /t depth=100"), "ok");
  for (std::size_t i = 1; i < count; ++i) {
    ASSERT_NO_FATAL_FAILURE(subscribe_in(*all[i], "/t", " depth=100"));
  }
  ASSERT_EQ(all.front()->ask("publish /t 50 3000"), "ok 50");
  for (std::size_t i = 1; i < count; ++i) {
    EXPECT_EQ(all[i]->ask("take /t 50"), "ok 50 lost 0");
  }
}

/// Where neither may look at the other's descriptors: they are passed, not looked up.
TEST(Namespaces, UserNamespacesDoNotMatter) {
  NEEDS_NAMESPACES({.in_user = true})
  const auto name = unique_name();
  const Side side(name);
  const OtherProcess inside(name, "run", Namespaces{.in_user = true});
  ASSERT_TRUE(meets(inside, 1));
  expect_exchange(side, inside, "a");
}

TEST(Namespaces, TheDeathOfEitherSideIsSeen) {
  NEEDS_NAMESPACES()
  const auto name = unique_name();
  const Side side(name);
  const auto reader = side.reader(bytes_on("/up"));
  const auto writer = side.writer(bytes_on("/down", QoS(2)));
  for (int round = 0; round < 3; ++round) {
    OtherProcess inside(name, "run", Namespaces{});
    ASSERT_NO_FATAL_FAILURE(publish_in(inside, "/up", *reader));
    ASSERT_NO_FATAL_FAILURE(subscribe_in(inside, "/down", " depth=2 held=2"));
    ASSERT_EQ(inside.ask("publish /up 3 100000"), "ok 3");
    publish_stamped(*writer, 1, 100);
    ASSERT_EQ(inside.ask("hold /down 1").rfind("ok 1", 0), 0U);
    inside.die();
    ASSERT_TRUE(eventually([&] {
      return reader->matched_writers() == 0 && writer->matched_readers() == 0 &&
             side.domain->foreign_peers() == 0;
    }));
    for (std::uint64_t expected = 1; expected <= 3; ++expected) {
      const auto sample = reader->take().value();
      ASSERT_TRUE(sample) << "what a dead publisher left stays readable";
      EXPECT_EQ(number_of(sample->payload()), expected);
    }
    const WriterStats stats = writer->stats();
    EXPECT_EQ(stats.blocks_free + stats.in_ring, stats.blocks) << "what it held came back";
  }
  OtherProcess outside(name);
  const OtherProcess inside(name, "run", Namespaces{});
  ASSERT_EQ(outside.ask("writer /t"), "ok");
  ASSERT_NO_FATAL_FAILURE(subscribe_in(inside, "/t"));
  outside.die();
  EXPECT_TRUE(eventually([&] { return inside.ask("matched /t") == "ok 0"; }));
  EXPECT_TRUE(meets(inside, 1));
}

TEST(Namespaces, WhoLeavesAndComesAgainIsMetAgain) {
  NEEDS_NAMESPACES()
  const auto name = unique_name();
  const Side side(name);
  const OtherProcess inside(name, "run", Namespaces{});
  for (int round = 0; round < 5; ++round) {
    expect_exchange(side, inside, std::to_string(round));
    ASSERT_EQ(inside.ask("quit"), "ok");
    ASSERT_TRUE(eventually([&] { return side.domain->foreign_peers() == 0; }));
    ASSERT_EQ(inside.ask("join " + name + " run"), "ok");
  }
}

/// Its memory was passed before its sample was shown.
TEST(Namespaces, WhatAStoppedPublisherPublishedIsTaken) {
  NEEDS_NAMESPACES()
  const auto name = unique_name();
  const Side side(name);
  const auto reader = side.reader(bytes_on("/t"));
  const OtherProcess inside(name, "run", Namespaces{});
  ASSERT_NO_FATAL_FAILURE(publish_in(inside, "/t", *reader));
  std::uint64_t number = 0;
  for (const std::size_t size : {100U, 5'000U, 50'000U, 500'000U}) {
    ASSERT_EQ(inside.ask(fmt::format("publish /t 1 {}", size)), fmt::format("ok {}", ++number));
    inside.stop();
    const auto sample = reader->take().value();
    ASSERT_TRUE(sample) << size;
    EXPECT_EQ(number_of(sample->payload()), number);
    inside.resume();
  }
}

TEST(Namespaces, AStoppedSubscriberBlocksNobodyAndGoesOn) {
  NEEDS_NAMESPACES()
  const auto name = unique_name();
  const Side side(name);
  const auto writer = side.writer(bytes_on("/t", QoS(4)));
  const OtherProcess inside(name, "run", Namespaces{});
  ASSERT_NO_FATAL_FAILURE(subscribe_in(inside, "/t", " depth=4"));
  inside.stop();
  for (std::uint64_t i = 1; i <= 50; ++i) {
    publish_stamped(*writer, i, i * i * 1000);  // memory that it has not mapped, again and again
  }
  inside.resume();
  EXPECT_EQ(inside.ask("take /t 4").rfind("ok 4 lost", 0), 0U);
}

TEST(Namespaces, WhoIsStoppedIsMetWhenItGoesOn) {
  NEEDS_NAMESPACES()
  const auto name = unique_name();
  const OtherProcess inside(name, "run", Namespaces{});
  inside.stop();
  const Side side(name);
  const OtherProcess beside(name);
  EXPECT_TRUE(eventually([&] { return side.domain->peers().size() == 1; })) << "it delays nobody";
  EXPECT_EQ(side.domain->foreign_peers(), 0U) << "it has not reached us";
  inside.resume();
  EXPECT_TRUE(meets(inside, 2));
  expect_exchange(side, inside, "a");
}

TEST(Namespaces, AnotherRunIsToldOnBothSides) {
  NEEDS_NAMESPACES()
  const auto name = unique_name();
  const Side side(name, "run-1");
  const OtherProcess inside(name, "run-2", Namespaces{});
  EXPECT_TRUE(eventually(
      [&] { return inside.ask("problems").find("does not share domain") != std::string::npos; }));
  ASSERT_TRUE(eventually([&] { return !side.domain->problems().empty(); }));
  EXPECT_THAT(side.domain->problems()[0].text, testing::HasSubstr("as run 'run-2'"));
  EXPECT_EQ(side.domain->foreign_peers(), 0U);
}

}  // namespace
}  // namespace ligament::pool::test
