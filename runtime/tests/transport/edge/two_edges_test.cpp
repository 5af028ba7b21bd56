// SPDX-License-Identifier: Apache-2.0
/// Two graphs, each with its edge, in two processes: what passes between them passes the network.
#include <ligament/rcl_interfaces/srv/get_parameters.hpp>
#include <ligament/std_msgs/msg/string.hpp>

#include "two_graphs.hpp"

#ifdef LIGAMENT_EDGE

namespace ligament::edge {
namespace {

using StringMessage = std_msgs::msg::String;

class TwoEdges : public TwoGraphs {
 protected:
  void SetUp() override {
    GraphAndEdge::SetUp();
    // Its receive buffer is what a system allows by itself (net.core.rmem_max), also where more
    // is allowed: most of a burst is lost, and repaired. Nobody takes it for dead while it stands
    // still.
    start_other_graph(
        "<Internal><SocketReceiveBufferSize max='212992B'/></Internal>"
        "<Discovery><LeaseDuration>1 hr</LeaseDuration></Discovery>");
  }
  /// Keeps the first character of what it hears there, of which the rest is much.
  void listen_there(Publisher<StringMessage>& publisher, std::size_t depth) {
    subscription_ = there_->create_subscription<StringMessage>(
        "images", QoS(depth), [this](const StringMessage& message) {
          (message.data == "met" ? met_ : heard_).push_back(message.data.front());
        });
    StringMessage met;
    met.data = "met";
    std::int64_t next_ns = 0;
    spin_there_until([&] {  // what is sent while they match may be history to the other
      say_every(100'000'000, next_ns, [&] { (void)publisher.publish(met); });
      return !met_.empty();
    });
  }
  static void say_every(std::int64_t period_ns, std::int64_t& next_ns,
                        const std::function<void()>& say) {
    if (pool::monotonic_now_ns() > next_ns) {
      say();
      next_ns = pool::monotonic_now_ns() + period_ns;
    }
  }
  void spin_there_until(const std::function<bool()>& done) {
    executors::SingleThreadedExecutor executor({.context = other_context_});
    ASSERT_TRUE(executor.add_node(there_));
    while (!done()) {  // the test runner has its own limit
      ASSERT_TRUE(executor.spin_once(std::chrono::milliseconds(1)));
    }
  }
  static StringMessage much(char first, std::size_t size) {
    StringMessage message;
    message.data = std::string(size, 'x');
    message.data.front() = first;
    return message;
  }

  Subscription<StringMessage>::SharedPtr subscription_;
  std::string met_;
  std::string heard_;
};

/// As many as the histories hold, at once: however slowly they pass, none is lost.
TEST_F(TwoEdges, LoseNoLargeImageUnderDefaultLimits) {
  constexpr std::size_t count = 6;
  auto publisher = node_->create_publisher<StringMessage>("images", count);
  listen_there(*publisher, count);
  const OutboundFigures before = figures("/images").out;
  for (std::size_t i = 0; i < count; ++i) {
    (void)publisher->publish(much(static_cast<char>('a' + i), 10'000'000));
  }
  spin_there_until([&] { return heard_.size() == count; });
  EXPECT_EQ(heard_, "abcdef");
  const OutboundFigures out = figures("/images").out;
  EXPECT_EQ(out.lost + out.refused + out.unconfirmed,
            before.lost + before.refused + before.unconfirmed);
}

/// What the engine still has, arrived or not, is older than what waits: it takes nothing of the
/// history from that.
TEST_F(TwoEdges, KeepAHistoryBesideWhatIsNotAcknowledged) {
  auto publisher = node_->create_publisher<StringMessage>("images", 2);
  listen_there(*publisher, 2);
  const std::uint64_t before = figures("/images").out.lost;
  other_edge_->stop();
  for (const char first : {'a', 'b', 'c', 'd'}) {
    (void)publisher->publish(much(first, 1'000'000));
  }
  EXPECT_EQ(figures("/images").out.lost, before);
  (void)publisher->publish(much('e', 1'000'000));
  spin_until([&] { return figures("/images").out.lost == before + 1; });
  other_edge_->go_on();
  spin_there_until([&] { return !heard_.empty() && heard_.back() == 'e'; });
  EXPECT_EQ(heard_.find('c'), std::string::npos);
}

/// For a reader that stands still nobody waits longer than seconds; what is overwritten then is
/// counted on both sides.
TEST_F(TwoEdges, CountWhatOneOverwroteAndTheOtherMissed) {
  auto publisher = node_->create_publisher<StringMessage>("images", 2);
  listen_there(*publisher, 2);
  other_edge_->stop();
  std::int64_t next_ns = 0;
  spin_until([&] {
    say_every(20'000'000, next_ns, [&] { (void)publisher->publish(much('b', 1'000'000)); });
    return figures("/images").out.unconfirmed > 2;
  });
  other_edge_->go_on();
  (void)publisher->publish(much('c', 1'000'000));
  spin_there_until([&] { return !heard_.empty() && heard_.back() == 'c'; });
  ::kill(other_edge_->pid(), SIGTERM);
  std::string told = other_edge_->line();
  while (told.rfind("/images", 0) != 0) {
    ASSERT_FALSE(told.empty()) << "it ended without its summary";
    told = other_edge_->line();
  }
  const std::string word = "missing ";
  EXPECT_GT(std::stoul(told.substr(told.find(word) + word.size())), 0U) << told;
}

/// Of a client whose replies are not heard yet, a request waits, however large.
TEST_F(TwoEdges, CarryLargeRequests) {
  using GetParameters = rcl_interfaces::srv::GetParameters;
  constexpr std::size_t size = std::size_t{17} << 20;
  const auto service = there_->create_service<GetParameters>(
      "much", [](const std::shared_ptr<GetParameters::Request> request,
                 const std::shared_ptr<GetParameters::Response> response) {
        response->values.resize(1);
        response->values[0].integer_value = static_cast<std::int64_t>(request->names.at(0).size());
      });
  auto client = node_->create_client<GetParameters>("much");
  ASSERT_TRUE(client->wait_for_service());
  GetParameters::Request request;
  request.names = {std::string(size, 'x')};
  std::int64_t answered = 0;
  std::int64_t next_ns = 0;
  executors::SingleThreadedExecutor here({.context = context_});
  executors::SingleThreadedExecutor there({.context = other_context_});
  ASSERT_TRUE(here.add_node(node_));
  ASSERT_TRUE(there.add_node(there_));
  while (answered == 0) {  // the first may begin before the writer's first heartbeat, and be lost
    say_every(10'000'000'000, next_ns, [&] {
      (void)client->async_send_request(
          request, [&](const Client<GetParameters>::SharedFuture& future) {
            const auto response = future.get();
            answered = response == nullptr ? 0 : response->values.at(0).integer_value;
          });
    });
    ASSERT_TRUE(here.spin_once(std::chrono::milliseconds(1)));
    ASSERT_TRUE(there.spin_once(std::chrono::milliseconds(1)));
  }
  EXPECT_EQ(static_cast<std::size_t>(answered), size);
}

/// It is counted for what it is, and not as a gap of its writer: known by what the datagram says of
/// that one.
TEST_F(TwoEdges, CountWhatIsTooLargeOnce) {
  constexpr std::size_t depth = 2000;  // of the topic's memory each sample may have a megabyte
  std::string heard;
  const auto subscription = node_->create_subscription<StringMessage>(
      "images", QoS(depth), [&heard](const StringMessage& message) { heard += message.data[0]; });
  const auto publisher = there_->create_publisher<StringMessage>("images", 10);
  std::int64_t next_ns = 0;
  const auto say_until = [&](char first) {
    spin_until([&] {
      say_every(100'000'000, next_ns, [&] { (void)publisher->publish(much(first, 100)); });
      return heard.ends_with(first);
    });
  };
  say_until('a');
  const std::uint64_t missing = figures("/images").in.missing;
  (void)publisher->publish(much('x', 2'000'000));
  spin_until([&] { return figures("/images").in.too_large != 0; });
  say_until('b');
  const InboundFigures in = figures("/images").in;
  EXPECT_EQ(heard.find('x'), std::string::npos);
  EXPECT_EQ(in.too_large, 1U);
  EXPECT_EQ(in.missing, missing);
}

TEST_F(TwoEdges, CarryLargeSamples) {
  auto publisher = node_->create_publisher<StringMessage>("images", 1);
  listen_there(*publisher, 1);
  (void)publisher->publish(much('a', std::size_t{17} << 20));
  spin_there_until([&] { return !heard_.empty(); });
  EXPECT_EQ(heard_, "a");
}

}  // namespace
}  // namespace ligament::edge
#endif
