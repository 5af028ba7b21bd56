// SPDX-License-Identifier: Apache-2.0
/// A reader outside that stands still, and acknowledges nothing: publishers that leave meanwhile,
/// whose writers the engine keeps, here for an hour; and one that comes.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <ligament/std_msgs/msg/string.hpp>

#include "messages.hpp"
#include "transport/dds/names.hpp"
#include "two_graphs.hpp"

#ifdef LIGAMENT_EDGE

namespace ligament::edge {
namespace {

using StringMessage = std_msgs::msg::String;

/// Another graph listens, by an edge that will stand still.
class Lingering : public TwoGraphs {
 protected:
  void SetUp() override {
    // Nobody takes the one that stands still for dead, either.
    const MoreSettings hour(
        "<Internal><WriterLingerDuration>1 hr</WriterLingerDuration></Internal>"
        "<Discovery><LeaseDuration>1 hr</LeaseDuration></Discovery>");
    GraphAndEdge::SetUp();
    start_other_graph("");
  }

  static pool::EndpointDescription describe(const std::string& topic, std::size_t depth) {
    using Traits = MessageTraits<StringMessage>;
    return {topic, std::string(Traits::name), "/tests/node", Traits::type_hash,
            QoS(depth).profile()};
  }
  static void say(pool::Writer& writer, const std::string& data) {
    using Traits = MessageTraits<StringMessage>;
    const StringMessage message = text(data);
    auto loan = writer.loan(Traits::layout_of(message)->size);
    ASSERT_TRUE(loan);
    ASSERT_TRUE(Traits::serialize(message, loan->payload()));
    ASSERT_TRUE(writer.publish(std::move(*loan)));
  }
};

TEST_F(Lingering, WritersHoldUpNeitherOtherTopicsNorTheEnd) {
  const auto listens =
      there_->create_subscription<StringMessage>("left", 10, [](const StringMessage&) {});
  std::vector<Publisher<StringMessage>::SharedPtr> leaving;
  constexpr std::size_t count = 3;
  leaving.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    leaving.push_back(node_->create_publisher<StringMessage>("left", 10));
  }
  spin_until([&] {
    return std::all_of(leaving.begin(), leaving.end(), [](const auto& publisher) {
      return publisher->get_subscription_count() == 1;
    });
  });
  other_edge_->stop();
  for (const auto& publisher : leaving) {
    (void)publisher->publish(text("bye"));
  }
  spin_until([&] { return figures("/left").out.sent == leaving.size(); });
  leaving.clear();
  spin_until([&] { return figures("/left").publishers == 0; });

  std::atomic<int> heard{0};
  const auto participant = dds::Participant::create({.domain = domain_id_}, [] {});
  ASSERT_TRUE(participant) << participant.error().text;
  const auto reader =
      (*participant)
          ->create_reader({dds::topic_to_dds("/next"), "std_msgs::msg::dds_::String_",
                           QoS(10).profile(), "x", true},
                          nullptr, [&](dds::Received&&) { ++heard; });
  ASSERT_TRUE(reader) << reader.error().text;
  const auto next = node_->create_publisher<StringMessage>("next", 10);
  spin_until([&] { return next->get_subscription_count() == 1; });
  (void)next->publish(text("on"));
  spin_until([&] { return heard == 1; });
  EXPECT_FALSE((*participant)->remote_endpoints("rt/left").empty());  // they are there yet
  edge_.reset();
}

/// The outbound route was opened for one with a history of 1.
TEST_F(Lingering, APublisherThatComesLaterHasItsWholeHistoryInFlight) {
  constexpr std::size_t history = 50;
  std::vector<std::string> heard;
  const auto listens = there_->create_subscription<StringMessage>(
      "grown", 2 * history, [&](const StringMessage& message) { heard.push_back(message.data); });
  const auto domain = *pool::Domain::join({graph_, "run"});
  const auto first = std::move(*domain->create_writer(describe("/grown", 1)));
  spin_until([&] { return first->matched_readers() == 1; });
  const auto later = std::move(*domain->create_writer(describe("/grown", history)));
  { const auto loan = later->loan(64); }  // its memory exists, and is seen to grow with its readers
  spin_until([&] { return later->stats().blocks > 2 * history && later->matched_readers() == 1; });
  other_edge_->stop();
  for (std::size_t i = 0; i < history; ++i) {
    say(*later, std::to_string(i));
  }
  spin_until([&] { return figures("/grown").out.sent == history; });
  EXPECT_EQ(figures("/grown").out.lost, 0U);
  other_edge_->go_on();
  executors::SingleThreadedExecutor executor({.context = other_context_});
  ASSERT_TRUE(executor.add_node(there_));
  while (heard.size() < history) {
    ASSERT_TRUE(executor.spin_once(std::chrono::milliseconds(1)));
  }
  EXPECT_EQ(heard.front(), "0");
  EXPECT_EQ(heard.back(), std::to_string(history - 1));
}

}  // namespace
}  // namespace ligament::edge
#endif
