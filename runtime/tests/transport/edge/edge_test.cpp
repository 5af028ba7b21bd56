// SPDX-License-Identifier: Apache-2.0
/// Who is heard and seen by whom across an edge.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "edge_fixture.hpp"

namespace ligament::edge {
namespace {

TEST_F(EdgeTest, PublisherIsHeardOutside) {
  const auto writer = publisher("/out");
  const auto reader = listener("/out");
  ASSERT_TRUE(wait_until([&] { return writer->matched_readers() == 1; }));
  for (int i = 0; i < 5; ++i) {
    say(*writer, fmt::format("message {}", i));
  }
  ASSERT_TRUE(wait_until([&] { return heard().size() == 5; }));
  EXPECT_EQ(heard().front(), "message 0");
  EXPECT_EQ(heard().back(), "message 4");
  EXPECT_EQ(figures("/out").out.sent, 5U);
}

TEST_F(EdgeTest, SubscriptionHearsOutside) {
  const auto reader = subscription("/in");
  const auto writer = talker("/in");
  ASSERT_TRUE(are_matched(*writer, *reader));
  say(*writer, "hello");
  EXPECT_EQ(next(*reader), "hello");
  EXPECT_EQ(figures("/in").in.received, 1U);
}

TEST_F(EdgeTest, TheFirstSampleAfterAMatchIsNotLost) {
  const auto writer = talker("/first");
  const auto reader = subscription("/first");
  ASSERT_TRUE(wait_until([&] { return writer->matched() == 1; }));
  say(*writer, "first");
  say(*writer, "second");
  EXPECT_EQ(next(*reader), "first");
  EXPECT_EQ(next(*reader), "second");
}

TEST_F(EdgeTest, IdentityOfARemotePublisherIsKept) {
  const auto reader = subscription("/whose");
  const auto writer = talker("/whose");
  ASSERT_TRUE(are_matched(*writer, *reader));
  say(*writer, "mine");
  pool::SampleInfo info;
  ASSERT_TRUE(wait_until([&] {
    auto sample = reader->take();
    if (!sample || !*sample) {
      return false;
    }
    info = (*sample)->info();
    return true;
  }));
  EXPECT_EQ(info.gid, writer->gid());
  EXPECT_EQ(info.source_timestamp_ns / 1'000'000'000, 1'700'000'000);
}

TEST_F(EdgeTest, TopicWithNobodyOutsideCostsNothing) {
  const auto writer = publisher("/quiet");
  const auto reader = subscription("/other");
  ASSERT_TRUE(wait_until([&] { return edge_->figures().size() == 2; }));
  EXPECT_EQ(writer->matched_readers(), 0U);
  EXPECT_EQ(reader->matched_writers(), 0U);
}

TEST_F(EdgeTest, WhatGoesOutDoesNotComeBack) {
  const auto writer = publisher("/both");
  const auto reader = subscription("/both");
  const auto outside = listener("/both");
  const auto talking = talker("/both");
  ASSERT_TRUE(are_matched(*talking, *reader, 2));
  ASSERT_TRUE(wait_until([&] { return writer->matched_readers() == 2; }));
  say(*writer, "from here");
  EXPECT_EQ(next(*reader), "from here");
  ASSERT_TRUE(wait_until([&] { return heard().size() == 1; }));
  say(*talking, "from there");
  EXPECT_EQ(next(*reader), "from there");
  say(*writer, "last");
  EXPECT_EQ(next(*reader), "last");
  ASSERT_TRUE(wait_until([&] { return heard().size() == 2; }));
  EXPECT_EQ(heard(), (std::vector<std::string>{"from here", "last"}));
}

TEST_F(EdgeTest, SeveralSubscriptionsOfATopicGetOneCopyEach) {
  const auto first = subscription("/many");
  const auto second = subscription("/many");
  const auto writer = talker("/many");
  ASSERT_TRUE(
      wait_until([&] { return first->matched_writers() == 1 && second->matched_writers() == 1; }));
  ASSERT_TRUE(wait_until([&] { return writer->matched() == 2; }));
  say(*writer, "once");
  say(*writer, "twice");
  for (const auto* reader : {&first, &second}) {
    EXPECT_EQ(next(**reader), "once");
    EXPECT_EQ(next(**reader), "twice");
  }
  EXPECT_EQ(figures("/many").in.received, 2U);
}

TEST_F(EdgeTest, SubscriptionThatAsksForADeadlineHearsOutside) {
  const auto strict = QoS(10).deadline(std::chrono::seconds(5));
  const auto reader = subscription("/often", strict);
  const auto writer = talker("/often", strict);
  ASSERT_TRUE(are_matched(*writer, *reader));
  say(*writer, "in time");
  EXPECT_EQ(next(*reader), "in time");
}

TEST_F(EdgeTest, EndsOfOtherThingsHaveNoProxy) {
  const auto other = publisher("neither/topic_nor_service");
  auto on_device = describe("/on_device", 10);
  on_device.type_name += "@device";  // as a subscription within a device's memory has it
  const auto device = std::move(*domain_->create_reader(on_device, *waiter_));
  const auto topic = publisher("/topic");
  ASSERT_TRUE(wait_until([&] { return edge_->figures().size() == 1; }));
  EXPECT_EQ(edge_->figures().front().topic, "/topic");
}

TEST_F(EdgeTest, ForeignFormsAreCountedAndNotDelivered) {
  const auto reader = subscription("/forms");
  const auto writer = talker("/forms");
  ASSERT_TRUE(are_matched(*writer, *reader));
  say(*writer, "big-endian", 0);
  say(*writer, "xcdr2", 7);
  say(*writer, "plain");
  EXPECT_EQ(next(*reader), "plain");
  const InboundFigures in = figures("/forms").in;
  EXPECT_EQ(in.big_endian, 1U);
  EXPECT_EQ(in.unknown_form, 1U);
  EXPECT_EQ(in.received, 1U);
}

TEST_F(EdgeTest, TenMegabytesArriveWhole) {
  const auto writer = publisher("/large");
  const auto reader = listener("/large");
  ASSERT_TRUE(wait_until([&] { return writer->matched_readers() == 1; }));
  std::string text(10'000'001, 'x');
  text.back() = 'y';
  say(*writer, text);
  ASSERT_TRUE(wait_until([&] { return heard().size() == 1; }));
  EXPECT_EQ(heard().front(), text);
  EXPECT_EQ(figures("/large").out.copied, 0U);
}

TEST_F(EdgeTest, NodesAreSeenByName) {
  std::mutex mutex;
  GraphInfo seen;
  dds::EndpointSpec wanted{graph_info_topic, graph_info_type, {}, "x", true};
  wanted.qos.durability = DurabilityPolicy::transient_local;
  auto reader =
      other_->create_reader(wanted, std::make_shared<HeapInbox>(), [&](dds::Received&& sample) {
        const std::lock_guard guard(mutex);
        if (auto info = decode(sample.incoming->bytes())) {
          seen = *info;
        }
      });
  const auto writer = publisher("/named");
  ASSERT_TRUE(wait_until([&] {
    const std::lock_guard guard(mutex);
    return seen.nodes.size() == 1;
  }));
  const std::lock_guard guard(mutex);
  EXPECT_EQ(seen.nodes[0].name_space, "/tests");
  EXPECT_EQ(seen.nodes[0].name, "node");
  EXPECT_EQ(seen.nodes[0].writers.size(), 1U);
}

TEST_F(EdgeTest, EndpointsVanishWithTheirNode) {
  auto writer = publisher("/short");
  const auto is_seen = [&] {
    for (const auto& remote : other_->remote_endpoints("rt/short")) {
      if (remote.topic == "rt/short") {
        return true;
      }
    }
    return false;
  };
  ASSERT_TRUE(wait_until(is_seen));
  writer.reset();
  EXPECT_TRUE(wait_until([&] { return !is_seen(); }));
}

TEST_F(EdgeTest, PairsThatCannotMatchAreNamed) {
  const auto reader = subscription("/strict", QoS(10).reliable());
  const auto writer = talker("/strict", QoS(10).best_effort());
  ASSERT_TRUE(wait_until([&] { return !edge_->problems().empty(); }));
  EXPECT_NE(edge_->problems().front().find("best-effort"), std::string::npos);
  EXPECT_NE(edge_->problems().front().find("/strict"), std::string::npos);
}

/// As after a change of a message on one computer alone: ROS 2 passes such messages, and says
/// nothing.
TEST_F(EdgeTest, AnotherDefinitionOfTheSameTypeIsNamedAndPasses) {
  const auto reader = subscription("/changed");
  auto theirs = spec("/changed", 10);
  dds::TypeHash hash{};
  hash[0] = 0xcd;
  theirs.user_data = dds::endpoint_user_data(hash);
  const auto writer = std::move(*other_->create_writer(theirs));
  ASSERT_TRUE(wait_until([&] { return !edge_->problems().empty(); }));
  EXPECT_NE(edge_->problems().front().find("definitions differ"), std::string::npos);
  EXPECT_NE(edge_->problems().front().find("/changed"), std::string::npos);
  EXPECT_NE(edge_->problems().front().find("test_msgs/msg/Bytes"), std::string::npos);
  ASSERT_TRUE(are_matched(*writer, *reader));
  say(*writer, "as it is");
  EXPECT_EQ(next(*reader), "as it is");
}

/// Nobody who hears it now has heard it before.
TEST_F(EdgeTest, WhoSpeaksOnceAndLeavesAtOnceIsHeard) {
  const auto reader = subscription("/once");
  for (int i = 0; i < 20; ++i) {
    auto talking = talker("/once");
    ASSERT_TRUE(wait_until([&] { return talking->matched() == 1; }));
    say(*talking, fmt::format("{}", i));
    talking.reset();
    EXPECT_EQ(next(*reader), fmt::format("{}", i));
    ASSERT_TRUE(
        wait_until([&] { return reader->matched_writers() == 0; }));  // the route has closed
  }
  EXPECT_EQ(figures("/once").in.unwanted, 0U);
}

TEST_F(EdgeTest, HeldBlocksComeBackWhenTheListenerGoes) {
  const auto writer = publisher("/held", QoS(4));
  auto reader = listener("/held", QoS(4));
  ASSERT_TRUE(wait_until([&] { return writer->matched_readers() == 1; }));
  for (int i = 0; i < 20; ++i) {
    say(*writer, fmt::format("{}", i));
  }
  ASSERT_TRUE(wait_until([&] { return !heard().empty(); }));
  reader.reset();
  ASSERT_TRUE(wait_until([&] { return writer->matched_readers() == 0; }));
  EXPECT_TRUE(wait_until([&] {
    const auto stats = writer->stats();
    return stats.blocks_free + stats.in_ring == stats.blocks;
  }));
  EXPECT_GE(figures("/held").out.sent, heard().size());  // counts outlive the listener
}

TEST_F(EdgeTest, PublishersOfThisProcessSendWhatTheyPublish) {
  const auto writer = publisher("/here", QoS(10).best_effort());
  const auto reader = listener("/here", QoS(10).best_effort());
  ASSERT_TRUE(wait_until([&] { return writer->matched_readers() == 1; }));
  for (std::uint64_t sent = 1; sent <= 200; ++sent) {
    say(*writer, "here");
    ASSERT_TRUE(wait_until([&] { return figures("/here").out.sent == sent; }));
  }
  EXPECT_EQ(writer->stats().wakes, 0U);  // the edge's thread slept all the while
}

TEST_F(EdgeTest, PublishersOfSeveralThreadsLeaveNothingBehind) {
  constexpr std::uint64_t each = 2000;
  const auto deep = QoS(3 * each).best_effort();
  std::vector<std::unique_ptr<pool::Writer>> writers;
  for (int i = 0; i < 3; ++i) {
    writers.push_back(publisher("/crowd", deep));
  }
  const auto reader = listener("/crowd", QoS(10).best_effort());
  ASSERT_TRUE(wait_until([&] {
    return figures("/crowd").publishers == 3 &&  // all have their proxies
           std::all_of(writers.begin(), writers.end(),
                       [](const auto& writer) { return writer->matched_readers() == 1; });
  }));
  std::vector<std::thread> threads;
  for (const auto& writer : writers) {
    threads.emplace_back([&writer] {
      for (std::uint64_t i = 0; i < each; ++i) {
        say(*writer, "one of many");
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_TRUE(wait_until([&] { return figures("/crowd").out.sent == 3 * each; }));
  EXPECT_EQ(figures("/crowd").out.lost, 0U);
}

TEST_F(EdgeTest, FiguresOutliveTheNodesAndGoOnWithTheNext) {
  const auto reader = listener("/left");
  for (std::uint64_t life = 1; life <= 2; ++life) {
    auto writer = publisher("/left");
    ASSERT_TRUE(wait_until([&] { return writer->matched_readers() == 1; }));
    say(*writer, "bye");
    ASSERT_TRUE(wait_until([&] { return figures("/left").out.sent == life; }));
    writer.reset();
    ASSERT_TRUE(wait_until([&] { return figures("/left").publishers == 0; }));
    EXPECT_EQ(figures("/left").out.sent, life);
  }
  const auto topics = edge_->figures();
  EXPECT_EQ(topics.size(), 1U);
}

}  // namespace
}  // namespace ligament::edge
