// SPDX-License-Identifier: Apache-2.0
/// What goes wrong on a network: readers that stop, floods, bad bytes, clocks that step, edges that
/// die, domains that are full.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <ligament/rosgraph_msgs/msg/clock.hpp>
#include <ligament/std_msgs/msg/string.hpp>
#include <thread>

#include "child.hpp"
#include "garbage.hpp"
#include "graph_and_edge.hpp"
#include "heap_inbox.hpp"
#include "messages.hpp"
#include "transport/dds/names.hpp"

namespace ligament::edge {
namespace {

using Clock_ = rosgraph_msgs::msg::Clock;
using StringMessage = std_msgs::msg::String;

class Faults : public GraphAndOther {
 protected:
  /// Each end finds the other for itself.
  void await_match(const dds::Writer& outside, const SubscriptionBase& here,
                   std::size_t publishers = 1) {
    spin_until([&] { return outside.matched() == 1 && here.get_publisher_count() == publishers; });
  }
  template <typename Message>
  std::unique_ptr<dds::Writer> talker(const std::string& topic) {
    using Traits = MessageTraits<Message>;
    return *other_->create_writer({dds::topic_to_dds(topic), dds::type_to_dds(Traits::name),
                                   QoS(10).profile(), dds::endpoint_user_data(Traits::type_hash)});
  }
  /// What comes is in `heard_`.
  std::shared_ptr<Subscription<StringMessage>> listen(const std::string& topic) {
    return node_->create_subscription<StringMessage>(
        topic, 10, [this](const StringMessage& message) { heard_.push_back(message.data); });
  }
  static bool send(dds::Writer& writer, std::vector<std::byte> bytes, std::int64_t stamp) {
    auto memory = std::make_shared<std::vector<std::byte>>(std::move(bytes));
    const std::size_t size = memory->size();
    memory->resize(size + 3);
    const std::span<const std::byte> payload(memory->data(), size);
    return writer.write(payload, std::move(memory), stamp) == dds::WriteResult::sent;
  }
  bool has_problem(const std::string& words) {
    const auto problems = edge_->problems();
    return std::any_of(problems.begin(), problems.end(), [&](const std::string& problem) {
      return problem.find(words) != std::string::npos;
    });
  }

  std::vector<std::string> heard_;
};

TEST_F(Faults, TimestampsThatGoBackAreDelivered) {
  const auto subscription = listen("stepped");
  const auto writer = talker<StringMessage>("/stepped");
  await_match(*writer, *subscription);
  constexpr std::int64_t now = 1'700'000'000'000'000'000;
  EXPECT_TRUE(send(*writer, stored(text("now")), now));
  EXPECT_TRUE(send(*writer, stored(text("an hour ago")), now - 3'600'000'000'000));
  EXPECT_TRUE(send(*writer, stored(text("in a year")), now + 31'536'000'000'000'000));
  EXPECT_TRUE(send(*writer, stored(text("before 1970")), -1));
  spin_until([&] { return heard_.size() == 4; });
  EXPECT_EQ(heard_, (std::vector<std::string>{"now", "an hour ago", "in a year", "before 1970"}));
}

TEST_F(Faults, BadBytesAreCountedByKindAndTheNextSampleArrives) {
  const auto subscription = listen("bad");
  const auto writer = talker<StringMessage>("/bad");
  await_match(*writer, *subscription);
  auto big_endian = stored(text("big"));
  big_endian[1] = std::byte{0};
  auto xcdr2 = stored(text("xcdr2"));
  xcdr2[1] = std::byte{7};
  auto list = stored(text("list"));
  list[1] = std::byte{3};
  auto cut = stored(text("much longer than it says"));
  cut.resize(12);
  std::int64_t stamp = 1;
  for (const auto& bytes : {big_endian, xcdr2, list, cut}) {
    EXPECT_TRUE(send(*writer, bytes, ++stamp));
  }
  EXPECT_TRUE(send(*writer, {std::byte{0}, std::byte{1}}, ++stamp));
  EXPECT_TRUE(send(*writer, stored(text("good")), ++stamp));
  spin_until([&] { return heard_.size() == 1; });
  EXPECT_EQ(heard_.front(), "good");
  const InboundFigures in = figures("/bad").in;
  EXPECT_EQ(in.big_endian, 1U);
  EXPECT_EQ(in.unknown_form, 3U);
  EXPECT_EQ(in.received, 2U);  // the cut body is the subscription's to judge
}

TEST_F(Faults, AnotherTypeOfTheSameTopicIsNamed) {
  auto subscription =
      node_->create_subscription<StringMessage>("typed", 10, [](const StringMessage&) {});
  const auto writer = talker<Clock_>("/typed");
  spin_until([&] { return has_problem("/typed"); });
  EXPECT_TRUE(has_problem("rosgraph_msgs/msg/Clock"));
  EXPECT_TRUE(has_problem("std_msgs/msg/String"));
  EXPECT_EQ(figures("/typed").remote_writers, 0U);
}

TEST_F(Faults, AFloodOfEndpointsIsBoundedAndTopicsGoOn) {
  edge_.reset();
  auto edge = Edge::start(
      {.graph = graph_, .run_id = "run", .participant = {.domain = domain_id_, .most_remote = 20}});
  ASSERT_TRUE(edge) << edge.error();
  edge_ = std::move(*edge);
  std::vector<std::unique_ptr<dds::Writer>> flood;
  flood.reserve(60);
  for (int i = 0; i < 60; ++i) {
    flood.push_back(talker<StringMessage>(fmt::format("/flood_{}", i)));
  }
  const auto long_name = talker<StringMessage>("/" + std::string(2000, 'x'));
  const auto subscription = listen("wanted");
  const auto writer = talker<StringMessage>("/wanted");
  await_match(*writer, *subscription);
  spin_until([&] { return has_problem("announces more endpoints than the edge keeps (20)"); });
  EXPECT_TRUE(send(*writer, stored(text("through")), 1));
  spin_until([&] { return heard_.size() == 1; });
}

/// Of all of them the first are named, and the rest is not looked at.
TEST_F(Faults, AFloodOfEndpointsOnATopicInUseIsToldInBounds) {
  const auto subscription = listen("used");
  std::vector<std::unique_ptr<dds::Writer>> flood;
  constexpr std::size_t count = 100;
  flood.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    flood.push_back(talker<Clock_>("/used"));
  }
  const auto writer = talker<StringMessage>("/used");
  await_match(*writer, *subscription);
  spin_until([&] { return has_problem("/used: more ends"); });
  EXPECT_LT(edge_->problems().size(), count / 2);
  EXPECT_TRUE(send(*writer, stored(text("through")), 1));
  spin_until([&] { return heard_.size() == 1; });
  flood.clear();
  spin_until([&] { return edge_->problems().empty(); });
}

TEST_F(Faults, AnEdgeThatIsStartedAgainIsMatchedAndNobodyHereNotices) {
  const auto subscription = listen("on");
  auto publisher = node_->create_publisher<StringMessage>("on", 10);
  const auto writer = talker<StringMessage>("/on");
  for (int life = 0; life < 3; ++life) {
    await_match(*writer, *subscription, 2);  // and the publisher here
    heard_.clear();
    EXPECT_TRUE(send(*writer, stored(text("outside")), life + 1));
    spin_until([&] { return heard_.size() == 1; });
    edge_.reset();
    (void)publisher->publish(text("here"));  // with no edge at all
    spin_until([&] { return heard_.size() == 2; });
    EXPECT_EQ(heard_.back(), "here");
    spin_until([&] { return writer->matched() == 0 && subscription->get_publisher_count() == 1; });
    start_edge();
  }
}

TEST_F(Faults, ClockFromOutsideIsTheNodesTime) {
  auto late = std::make_shared<Node>(
      "late", NodeOptions().context(context_).append_parameter_override("use_sim_time", true));
  const auto writer = talker<Clock_>("/clock");
  executors::SingleThreadedExecutor executor({.context = context_});
  ASSERT_TRUE(executor.add_node(late));
  Clock_ message;
  message.clock.sec = 1234;
  message.clock.nanosec = 5;
  std::int64_t stamp = 0;
  while (late->now().nanoseconds() != 1'234'000'000'005) {
    if (writer->matched() != 0) {
      EXPECT_TRUE(send(*writer, stored(message), ++stamp));
    }
    ASSERT_TRUE(executor.spin_once(std::chrono::milliseconds(5)));
  }
}

#ifdef FASTDDS_PEER
TEST_F(Faults, AReaderThatStandsStillDoesNotHoldUpOtherTopics) {
  const Child still({FASTDDS_PEER, std::to_string(domain_id_), "listen", "rt/still",
                     "std_msgs::msg::dds_::String_", "100000"});
  auto stuck = node_->create_publisher<StringMessage>("still", QoS(KeepAll()).reliable());
  auto free = node_->create_publisher<StringMessage>("free", 10);
  Child listener({FASTDDS_PEER, std::to_string(domain_id_), "listen", "rt/free",
                  "std_msgs::msg::dds_::String_", "1"});
  spin_until(
      [&] { return stuck->get_subscription_count() == 1 && free->get_subscription_count() == 1; });
  still.stop();
  const std::string much(400'000, 'x');
  for (int i = 0; i < 30; ++i) {
    (void)stuck->publish(text(much));
  }
  (void)free->publish(text("free"));
  EXPECT_FALSE(listener.line().empty());
  // None of them is given up: they wait for their reader, here and in the pool.
  EXPECT_EQ(figures("/still").out.refused, 0U);
  EXPECT_LT(figures("/still").out.sent, 30U);
}

/// A best-effort publisher of its topic, which waits for nobody, takes nothing of that from it.
TEST_F(Faults, AKeepAllPublisherWaitsForAReaderThatStandsStillWhoeverPublishesBeside) {
  const Child still({FASTDDS_PEER, std::to_string(domain_id_), "listen", "rt/mixed",
                     "std_msgs::msg::dds_::String_", "100000"});
  std::atomic<int> heard{0};
  const auto loose_reader = *other_->create_reader(
      {"rt/mixed", "std_msgs::msg::dds_::String_", QoS(10).best_effort().profile(), "x"},
      std::make_shared<HeapInbox>(), [&heard](dds::Received&& sample) {
        heard += sample.incoming->bytes().size() < 100 ? 1 : 0;  // of the loose one
      });
  auto loose = node_->create_publisher<StringMessage>("mixed", QoS(10).best_effort());
  auto paced = node_->create_publisher<StringMessage>("mixed", QoS(KeepAll(4)).reliable());
  // Of the route of each; and the other's hears the paced one as well.
  spin_until([&] {
    return loose->get_subscription_count() == 1 && paced->get_subscription_count() == 2 &&
           figures("/mixed").remote_readers == 2;
  });
  still.stop();
  const std::string much(400'000, 'x');
  for (int i = 0; i < 30; ++i) {  // more than the engine, the route and the history hold
    (void)paced->publish(text(much));
  }
  EXPECT_EQ(paced->statistics().stalled, 1U);
  EXPECT_EQ(paced->statistics().stalled_by.at(0).node, "/_edge");
  int said = 0;
  spin_until([&] {
    (void)loose->publish(text(fmt::format("{}", ++said)));
    return heard.load() != 0;
  });
}

/// What waits behind a blocked sample is there to be taken all the while.
TEST_F(Faults, AnEdgeWithABlockedTopicSleepsBetweenItsLooks) {
  const Child still({FASTDDS_PEER, std::to_string(domain_id_), "listen", "rt/still",
                     "std_msgs::msg::dds_::String_", "100000"});
  auto stuck = node_->create_publisher<StringMessage>("still", QoS(KeepAll()).reliable());
  spin_until([&] { return stuck->get_subscription_count() == 1; });
  still.stop();
  const std::int64_t from_ns = pool::monotonic_now_ns();
  const std::string much(400'000, 'x');
  constexpr std::uint64_t count = 20;
  for (std::uint64_t i = 0; i < count; ++i) {
    (void)stuck->publish(text(much));
  }
  spin_until([&] { return figures("/still").out.looks >= 10; });
  const std::uint64_t looks = figures("/still").out.looks;
  const auto passed_ns = static_cast<std::uint64_t>(pool::monotonic_now_ns() - from_ns);
  EXPECT_LE(looks, passed_ns / 1'000'000 + 2 * count);  // a sample that goes has a look made
}

/// Keep-last: of what its reader could not take, the newest arrive when it goes on.
TEST_F(Faults, AReaderThatGoesOnGetsTheNewestOfWhatItMissed) {
  Child late({FASTDDS_PEER, std::to_string(domain_id_), "listen", "rt/late",
              "std_msgs::msg::dds_::String_", "100000"});
  auto publisher = node_->create_publisher<StringMessage>("late", 4);
  spin_until([&] { return publisher->get_subscription_count() == 1; });
  late.stop();
  const std::string much(3'000'000, 'x');  // of which not all go at once
  constexpr std::size_t count = 20;
  for (std::size_t i = 1; i <= count; ++i) {
    (void)publisher->publish(text(fmt::format("{:02}{}", i, much)));
  }
  late.go_on();
  const auto number_of = [](const std::string& line) {  // hex digits: encapsulation, length, text
    return line.size() < 20 ? 0 : std::stoul(line.substr(17, 1) + line.substr(19, 1));
  };
  std::vector<std::size_t> heard;
  while (heard.empty() || heard.back() != count) {
    heard.push_back(number_of(late.line()));
    ASSERT_NE(heard.back(), 0U) << "it ended after " << heard.size();
  }
  EXPECT_TRUE(std::is_sorted(heard.begin(), heard.end()));
  const OutboundFigures out = figures("/late").out;
  EXPECT_GT(out.lost, 0U);
  EXPECT_LE(out.lost + heard.size(), count);
  EXPECT_EQ(out.refused, 0U);
}
#endif

#ifdef LIGAMENT_EDGE
/// For as long as it is there, and carries something.
TEST_F(Faults, ASecondEdgeInOnePoolIsNamed) {
  const std::string words = "another edge serves this graph";
  auto publisher = node_->create_publisher<StringMessage>("twice", 10);
  using Traits = MessageTraits<StringMessage>;
  const auto reader =
      other_->create_reader({dds::topic_to_dds("/twice"), dds::type_to_dds(Traits::name),
                             QoS(10).profile(), dds::endpoint_user_data(Traits::type_hash)},
                            nullptr, nullptr);
  ASSERT_TRUE(reader) << reader.error().text;
  spin_until([&] { return publisher->get_subscription_count() == 1; });
  EXPECT_FALSE(has_problem(words));
  {
    const Child twin({LIGAMENT_EDGE, "--graph", graph_, "--run-id", "run", "--domain-id",
                      std::to_string(domain_id_)});
    spin_until([&] { return publisher->get_subscription_count() == 2 && has_problem(words); });
  }
  spin_until([&] { return !has_problem(words); });
}

/// Of those the edge could write a line each, and its log would fill the disk.
TEST(GarbageFlood, IsLoggedInAFewLinesAndCounted) {
  const std::string domain = std::to_string(take_dds_domain());
  Child edge({"/bin/sh", "-c", "exec \"$0\" \"$@\" 2>&1", LIGAMENT_EDGE, "--graph", "garbage-flood",
              "--run-id", "run", "--domain-id", domain});
  std::string line;
  while (line.find("is on DDS domain") == std::string::npos) {
    line = edge.line();
    ASSERT_FALSE(line.empty());
  }
  const GarbageSender sender(edge.pid());
  ASSERT_TRUE(sender.has_found_it()) << "the edge has no UDP port";
  constexpr std::size_t count = 20'000;
  for (std::size_t i = 0; i < count; ++i) {
    sender.send(i);
    if (i % 64 == 0) {  // else the kernel drops most of them
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  ::kill(edge.pid(), SIGTERM);
  std::vector<std::string> said;
  std::uint64_t counted = 0;
  while (!(line = edge.line()).empty()) {
    const auto at = line.find("and ");
    const auto end = line.find(" more in ");
    if (at != std::string::npos && end != std::string::npos) {
      std::string number = line.substr(at + 4, end - at - 4);
      std::erase(number, ',');
      counted += std::stoull(number);
    } else if (line.find("malformed packet") != std::string::npos) {
      said.push_back(line);
    }
  }
  EXPECT_EQ(edge.finish(), 0);
  EXPECT_GE(said.size(), 1U);
  EXPECT_LE(said.size(), 100U) << said.back();
  // The kernel drops what is too fast; each that came was told or counted.
  EXPECT_GT(said.size() + counted, count / 20);
}

/// Each participant of a host takes an index, of which the engine is told how many there are.
TEST(FullDomain, IsToldWithASentence) {
  const char* before = std::getenv("CYCLONEDDS_URI");
  const std::string kept = before == nullptr ? "" : before;
  std::string one = kept;
  const std::string most = "<MaxAutoParticipantIndex>60<";
  const auto at = one.find(most);
  ASSERT_NE(at, std::string::npos) << "run by ctest, or with CYCLONEDDS_URI as extra.cmake has it";
  one.replace(at, most.size(), "<MaxAutoParticipantIndex>1<");
  ::setenv("CYCLONEDDS_URI", one.c_str(), 1);
  const std::string domain = std::to_string(take_dds_domain());
  // Its sentence is on its standard error, among lines of the engine.
  const auto start = [&domain](const std::string& graph) {
    return std::vector<std::string>{"/bin/sh",     "-c",      "exec \"$0\" \"$@\" 2>&1",
                                    LIGAMENT_EDGE, "--graph", graph,
                                    "--run-id",    "run",     "--domain-id",
                                    domain};
  };
  const auto answer = [](Child& edge) {
    std::string line = edge.line();
    while (!line.empty() && line.find("DDS domain") == std::string::npos) {
      line = edge.line();
    }
    return line;
  };
  std::vector<std::unique_ptr<Child>> joined;
  int refused = 0;
  while (refused == 0 && joined.size() < 4) {
    auto next = std::make_unique<Child>(start(fmt::format("full-domain-{}", joined.size())));
    const std::string line = answer(*next);
    if (line.find("is on DDS domain") != std::string::npos) {
      joined.push_back(std::move(next));
      continue;
    }
    EXPECT_NE(line.find("DDS domain " + domain + " cannot be joined: it is full"),
              std::string::npos)
        << line;
    EXPECT_EQ(line.find("interface"), std::string::npos) << line;
    refused += next->finish() == 1 ? 1 : 0;
    break;
  }
  EXPECT_EQ(refused, 1);
  EXPECT_FALSE(joined.empty());
  ::setenv("CYCLONEDDS_URI", kept.c_str(), 1);
}
#endif

}  // namespace
}  // namespace ligament::edge
