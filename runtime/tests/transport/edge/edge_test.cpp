// SPDX-License-Identifier: Apache-2.0
/// A graph in the pool, its edge, and another participant that knows DDS only.
#include "transport/edge/edge.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <thread>

#include "dds_domain.hpp"
#include "heap_inbox.hpp"
#include "transport/dds/names.hpp"

namespace ligament::edge {
namespace {

constexpr std::int64_t patience_ns = 120'000'000'000;  // a watchdog

bool wait_until(const std::function<bool()>& is_so) {
  const std::int64_t end = pool::monotonic_now_ns() + patience_ns;
  while (!is_so()) {
    if (pool::monotonic_now_ns() > end) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

/// A payload that is a message of no particular type: encapsulation, then `text`.
std::vector<std::byte> payload_of(const std::string& text, unsigned char form = 1) {
  std::vector<std::byte> bytes{std::byte{0}, std::byte{form}, std::byte{0}, std::byte{0}};
  for (const char c : text) {
    bytes.push_back(static_cast<std::byte>(c));
  }
  return bytes;
}

std::string text_of(std::span<const std::byte> payload) {
  return {reinterpret_cast<const char*>(payload.data()) + 4, payload.size() - 4};
}

/// The graph, its edge, and the other participant; each test has a domain of its own.
class EdgeTest : public testing::Test {
 protected:
  void SetUp() override {
    static unsigned next = 0;
    domain_id_ = take_dds_domain();
    graph_ = fmt::format("edge-test-{}-{}", ::getpid(), ++next);
    domain_ = *pool::Domain::join({graph_, "run"});
    waiter_ = *domain_->create_waiter();
    auto participant = dds::Participant::create({.domain = domain_id_}, [] {});
    ASSERT_TRUE(participant) << participant.error().text;
    other_ = std::move(*participant);
    auto edge =
        Edge::start({.graph = graph_, .run_id = "run", .participant = {.domain = domain_id_}});
    ASSERT_TRUE(edge) << edge.error();
    edge_ = std::move(*edge);
  }

  pool::EndpointDescription describe(const std::string& topic, const QoS& qos) const {
    pool::EndpointDescription description;
    description.topic = topic;
    description.type_name = "test_msgs/msg/Bytes";
    description.node = "/tests/node";
    description.type_hash[0] = 0xab;
    description.qos = qos.profile();
    return description;
  }
  dds::EndpointSpec spec(const std::string& topic, const QoS& qos) const {
    return {dds::topic_to_dds(topic), "test_msgs::msg::dds_::Bytes_", qos.profile(),
            dds::endpoint_user_data({}), true};
  }
  std::unique_ptr<pool::Writer> publisher(const std::string& topic, const QoS& qos = 10) {
    return std::move(*domain_->create_writer(describe(topic, qos)));
  }
  std::unique_ptr<pool::Reader> subscription(const std::string& topic, const QoS& qos = 10) {
    return std::move(*domain_->create_reader(describe(topic, qos), *waiter_));
  }
  /// A reader outside that keeps the texts it receives.
  std::unique_ptr<dds::Reader> listener(const std::string& topic, const QoS& qos = 10) {
    auto reader = other_->create_reader(spec(topic, qos), std::make_shared<HeapInbox>(),
                                        [this](dds::Received&& sample) {
                                          const std::lock_guard guard(mutex_);
                                          heard_.push_back(text_of(sample.incoming->bytes()));
                                          stamps_.push_back(sample.source_timestamp_ns);
                                        });
    return std::move(*reader);
  }
  std::unique_ptr<dds::Writer> talker(const std::string& topic, const QoS& qos = 10) {
    return std::move(*other_->create_writer(spec(topic, qos)));
  }
  /// Of what comes from outside: each end finds the other for itself, and what one says before the
  /// other listens is lost.
  static bool are_matched(const dds::Writer& outside, const pool::Reader& here,
                          std::size_t writers = 1) {
    return wait_until([&] { return outside.matched() == 1 && here.matched_writers() == writers; });
  }
  static void say(dds::Writer& writer, const std::string& text, unsigned char form = 1) {
    static std::int64_t stamp = 1'700'000'000'000'000'000;
    auto bytes = std::make_shared<std::vector<std::byte>>(payload_of(text, form));
    const std::size_t size = bytes->size();
    bytes->resize(size + 3);
    EXPECT_EQ(writer.write({bytes->data(), size}, bytes, ++stamp), dds::WriteResult::sent);
  }
  static void say(pool::Writer& writer, const std::string& text) {
    const auto bytes = payload_of(text);
    auto loan = writer.loan(bytes.size());
    ASSERT_TRUE(loan);
    std::memcpy(loan->payload().data(), bytes.data(), bytes.size());
    ASSERT_TRUE(writer.publish(std::move(*loan)));
  }
  std::vector<std::string> heard() {
    const std::lock_guard guard(mutex_);
    return heard_;
  }
  TopicFigures figures(const std::string& topic) {
    for (const auto& one : edge_->figures()) {
      if (one.topic == topic) {
        return one;
      }
    }
    return {};
  }
  /// What has come and was not taken.
  static std::vector<std::string> all_of(pool::Reader& reader) {
    std::vector<std::string> texts;
    for (auto sample = reader.take(); sample && *sample; sample = reader.take()) {
      texts.push_back(text_of((*sample)->payload()));
    }
    return texts;
  }
  /// The next sample here, or nothing after a while.
  std::string next(pool::Reader& reader) {
    std::string text;
    (void)wait_until([&] {
      auto sample = reader.take();
      if (!sample || !*sample) {
        return false;
      }
      text = text_of((*sample)->payload());
      return true;
    });
    return text;
  }

  unsigned domain_id_ = 0;
  std::string graph_;
  std::shared_ptr<pool::Domain> domain_;
  std::unique_ptr<pool::Waiter> waiter_;
  std::unique_ptr<dds::Participant> other_;
  std::unique_ptr<Edge> edge_;
  std::mutex mutex_;
  std::vector<std::string> heard_;
  std::vector<std::int64_t> stamps_;
};

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
  const auto held_by_routes = [this] {
    std::vector<std::uint32_t> held;
    for (const auto& endpoint : domain_->endpoints()) {
      if (endpoint.description.node == edge_node) {
        held.push_back(endpoint.description.qos.max_held);
      }
    }
    return held;
  };
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
    return stats.blocks_free == stats.blocks - 4;  // all but the ring
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
