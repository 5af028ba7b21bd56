// SPDX-License-Identifier: Apache-2.0
/// Samples that are kept for who comes later, and routes that are made anew for a deeper history.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "edge_fixture.hpp"

namespace ligament::edge {
namespace {

TEST_F(EdgeTest, LatchedSamplesReachLateComersInBothDirections) {
  const auto latched = QoS(5).transient_local();
  const auto writer = publisher("/latched_out", latched);
  say(*writer, "early");
  const auto outside = listener("/latched_out", latched);
  ASSERT_TRUE(wait_until([&] { return heard().size() == 1; }));
  EXPECT_EQ(heard().front(), "early");
  EXPECT_EQ(figures("/latched_out").out.copied, 1U);

  const auto talking = talker("/latched_in", latched);
  say(*talking, "before you came");
  const auto reader = subscription("/latched_in", latched);
  EXPECT_EQ(next(*reader), "before you came");
}

TEST_F(EdgeTest, LatchedSampleOfASecondPublisherReachesWhoListensAlready) {
  const auto latched = QoS(1).transient_local();
  const auto first = publisher("/tf_static", latched);
  say(*first, "first");
  const auto outside = listener("/tf_static", latched);
  ASSERT_TRUE(wait_until([&] { return heard().size() == 1; }));
  std::vector<std::unique_ptr<pool::Writer>> more;
  for (int i = 0; i < 5; ++i) {
    more.push_back(publisher("/tf_static", latched));
    say(*more.back(), fmt::format("more {}", i));  // once and for all, before its proxy exists
  }
  ASSERT_TRUE(wait_until([&] { return heard().size() == 6; }));
  say(*first, "again");
  ASSERT_TRUE(wait_until([&] { return heard().size() == 7; }));
  EXPECT_EQ(heard().back(), "again");
  EXPECT_EQ(figures("/tf_static").out.held_back, 0U);
}

TEST_F(EdgeTest, LatchedSampleIsHeardOnceByEachWhoComesAndGoes) {
  const auto latched = QoS(5).transient_local();
  const auto writer = publisher("/map", latched);
  say(*writer, "map");
  for (std::size_t visit = 1; visit <= 3; ++visit) {
    auto outside = listener("/map", latched);
    ASSERT_TRUE(wait_until([&] { return heard().size() == visit; }));
    outside.reset();
    ASSERT_TRUE(wait_until([&] { return figures("/map").remote_readers == 0; }));
  }
  say(*writer, "new map");
  const auto last = listener("/map", latched);
  ASSERT_TRUE(wait_until([&] { return heard().size() == 5; }));
  EXPECT_EQ(heard(), (std::vector<std::string>{"map", "map", "map", "map", "new map"}));
  EXPECT_EQ(figures("/map").out.sent, 2U);
}

/// Who comes later and wants a deeper history has one, a moment after it came.
TEST_F(EdgeTest, ADeeperSubscriptionGetsADeeperRoute) {
  const auto shallow = subscription("/deeper", QoS(1));
  const auto writer = talker("/deeper", QoS(100));
  ASSERT_TRUE(are_matched(*writer, *shallow));
  say(*writer, "first");
  EXPECT_EQ(next(*shallow), "first");
  const auto deep = subscription("/deeper", QoS(50));
  std::uint64_t said = 1;
  ASSERT_TRUE(wait_until([&] {
    std::vector<std::string> round;
    for (int i = 0; i < 50; ++i) {
      round.push_back(fmt::format("{}", said++));
      say(*writer, round.back());
    }
    EXPECT_TRUE(wait_until([&] { return figures("/deeper").in.received == said; }));
    return all_of(*deep) == round;
  }));
  const auto others = all_of(*shallow);  // of the route before, perhaps, and of this one
  ASSERT_FALSE(others.empty());
  EXPECT_EQ(others.back(), fmt::format("{}", said - 1));
}

/// And the first of them goes on by it, without a gap and without a repetition.
TEST_F(EdgeTest, ADeeperKeepAllPublisherGetsALargerRoute) {
  const auto paced = [this](std::uint32_t depth) {
    pool::WriterOptions options;
    options.max_blocking_ns = 3 * patience_ns;  // no route is given up, however busy its thread
    return std::move(
        *domain_->create_writer(describe("/paced", QoS(KeepAll(depth)).reliable()), options));
  };
  const auto first = paced(2);
  const auto reader = listener("/paced", QoS(KeepAll(1000)).reliable());
  ASSERT_TRUE(wait_until([&] { return first->matched_readers() == 1; }));
  std::vector<std::string> of_first;
  const auto go_on = [&] {
    of_first.push_back(fmt::format("first {}", of_first.size()));
    say(*first, of_first.back());
  };
  go_on();
  const auto second = paced(50);
  ASSERT_TRUE(wait_until([&] {
    go_on();
    const auto held = held_by_routes();
    return held.size() == 1 && held[0] > 50 && second->matched_readers() == 1;
  }));
  std::vector<std::string> of_second;
  for (int i = 0; i < 50; ++i) {
    go_on();
    of_second.push_back(fmt::format("second {}", i));
    say(*second, of_second.back());
  }
  ASSERT_TRUE(wait_until([&] { return heard().size() >= of_first.size() + of_second.size(); }));
  const auto of = [this](const std::string& whom) {
    std::vector<std::string> texts = heard();
    std::erase_if(texts, [&whom](const std::string& text) { return !text.starts_with(whom); });
    return texts;
  };
  EXPECT_EQ(of("first"), of_first);
  EXPECT_EQ(of("second"), of_second);
  EXPECT_EQ(figures("/paced").out.lost, 0U);
}

TEST_F(EdgeTest, AHistoryComesAgainWhenItsRouteOpensAgain) {
  const auto latched = QoS(5).transient_local();
  const auto keeps_the_topic = publisher("/again");
  const auto talking = talker("/again", latched);
  say(*talking, "kept");
  for (std::uint64_t life = 1; life <= 3; ++life) {
    auto reader = subscription("/again", latched);
    EXPECT_EQ(next(*reader), "kept");
    EXPECT_EQ(figures("/again").in.received, life);
    reader.reset();
    ASSERT_TRUE(wait_until([&] { return figures("/again").subscriptions == 0; }));
  }
  EXPECT_EQ(figures("/again").in.repeated, 0U);
}

/// It is made anew for a subscription that asks for more than it offers; who heard what it kept
/// does not hear it again, and who comes has it not.
TEST_F(EdgeTest, ARouteThatIsMadeAnewHasLostItsHistory) {
  const auto latched = QoS(5).transient_local();
  const auto strict = QoS(5).transient_local().deadline(std::chrono::seconds(60));
  const auto talking = talker("/anew", strict);
  say(*talking, "kept");
  const auto first = subscription("/anew", latched);
  EXPECT_EQ(next(*first), "kept");
  const auto second = subscription("/anew", strict);
  ASSERT_TRUE(wait_until([&] { return figures("/anew").in.repeated == 1; }));
  ASSERT_TRUE(
      wait_until([&] { return talking->matched() == 2 && second->matched_writers() == 1; }));
  say(*talking, "new");
  EXPECT_EQ(next(*first), "new");
  EXPECT_EQ(next(*second), "new");
  EXPECT_EQ(figures("/anew").in.received, 2U);
}

}  // namespace
}  // namespace ligament::edge
