// SPDX-License-Identifier: Apache-2.0
/// \file A node moves between processes while messages pass through it at full rate: none is lost,
/// none comes twice, the order stays, and what fails leaves it where it was.
#include <ligament/rcl_interfaces/srv/set_parameters.hpp>

#include "moving_fixture.hpp"

namespace ligament {
namespace {

using container::MoveChannel;
using testing::Home;
using testing::Json;
using testing::Neighbours;
using testing::SocketPair;
using testing::TemporaryFolder;

constexpr std::int64_t a_minute = 60'000'000'000;
/// What the manifest of a relay would list as its state.
const Json counted = Json::array({"count"});

class Moving : public ::testing::TestWithParam<int> {
 protected:
  [[nodiscard]] Json configuration(const Json& parameters = Json::object(),
                                   const std::string& class_name = "Relay", int threads = 1) const {
    Json relay = testing::node("relay", class_name, parameters);
    relay["remap"]["relayed"] = "/relayed";
    Json file = testing::config(domain_, Json::array({relay}));
    // However busy the machine is: nobody is stalled.
    file["topics"] = {{"/relayed", {{"message", "std_msgs/msg/String"}, {"patience_ms", 60000}}}};
    file["executor_threads"] = threads;
    return file;
  }
  /// From here to a container of its own; what that says at the end.
  [[nodiscard]] std::pair<std::unique_ptr<Home>, Json> move(
      const Home& from, const Json& to, const std::vector<std::string>& more = {}) const {
    auto pair = std::make_unique<SocketPair>(SOCK_STREAM);
    auto home = std::make_unique<Home>(folder_, to, pair->theirs, more);
    const int ours = pair->take_ours();
    from.ask("/relay", ours, counted);
    ::close(ours);
    pair.reset();  // else the other's end would not be seen
    Json last = home->process->next("moved");
    return {std::move(home), std::move(last)};
  }
  /// What came back are the numbers in order, each counted by the one node that it seems to be.
  static void expect_whole(const Neighbours& neighbours) {
    const auto all = neighbours.all();
    ASSERT_EQ(all.size(), neighbours.fed());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string number = std::to_string(i);
      ASSERT_EQ(all[i].substr(0, all[i].rfind(' ')), number + " " + number);
    }
    EXPECT_EQ(neighbours.sent().overrun, 0U);
    EXPECT_EQ(neighbours.sent().stalled, 0U);
    EXPECT_EQ(neighbours.taken().lost, 0U);
  }

  TemporaryFolder folder_;
  const std::string domain_ = testing::unique_name();
};

TEST_P(Moving, LosesNothingDoublesNothingAndKeepsTheOrderAtFullRate) {
  Neighbours neighbours(domain_);
  std::vector<std::unique_ptr<Home>> homes;
  const Json there = configuration(Json::object(), "Relay", GetParam());
  homes.push_back(std::make_unique<Home>(folder_, there));
  ASSERT_FALSE(homes.back()->process->next("ready").is_null());
  neighbours.wait_until_met();
  neighbours.start_feeding();
  for (int i = 0; i < 5; ++i) {
    neighbours.wait_for_more(1000);
    auto [home, moved] = move(*homes.back(), there);
    ASSERT_FALSE(moved.is_null());
    EXPECT_EQ(moved["node"], "/relay");
    EXPECT_GT(moved["gap_ns"].get<std::int64_t>(), 0);
    homes.push_back(std::move(home));
  }
  neighbours.wait_for_more(1000);
  neighbours.stop_feeding();
  expect_whole(neighbours);
  for (const auto& home : homes) {
    home->process->signal(SIGTERM);
    EXPECT_EQ(home->process->wait(), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, Moving, ::testing::Values(1, 3));

TEST_F(Moving, ParametersThatWereSetGoWithIt) {
  Neighbours neighbours(domain_);
  Home first(folder_, configuration(), -1, {"--ros-tools"});
  ASSERT_FALSE(first.process->next("ready").is_null());
  neighbours.wait_until_met();
  const auto asker = std::make_shared<Node>(
      "asker", NodeOptions().context(Context::create({domain_, "r"}).value()));
  using Set = rcl_interfaces::srv::SetParameters;
  auto client = asker->create_client<Set>("/relay/set_parameters");
  ASSERT_TRUE(client->wait_for_service());
  Set::Request request;
  request.parameters.resize(1);
  request.parameters[0].name = "mark";
  request.parameters[0].value.type = static_cast<std::uint8_t>(ParameterType::string);
  request.parameters[0].value.string_value = "b";
  auto sent = client->async_send_request(request);
  ASSERT_EQ(spin_until_future_complete(asker, sent), FutureReturnCode::success);
  neighbours.start_feeding();
  const auto [home, moved] = move(first, configuration(), {"--ros-tools"});
  ASSERT_FALSE(moved.is_null());
  const std::size_t before = neighbours.came();
  neighbours.wait_for_more(100);
  neighbours.stop_feeding();
  expect_whole(neighbours);
  EXPECT_EQ(neighbours.all().at(before).back(), 'b');
  EXPECT_EQ(neighbours.all().back().back(), 'b');
}

TEST_F(Moving, ANodeThatCannotGoStaysAndSaysWhy) {
  struct Case {
    Json from;
    Json to;
    std::string why;
  };
  const Json keeps_none = configuration({{"keeps", false}});
  for (const Case& one :
       {Case{keeps_none, configuration(), "save_state"},
        Case{configuration(), configuration(Json::object(), "Latched"), "no subscription"},
        Case{configuration(Json::object(), "Latched"), configuration(), "transient_local"}}) {
    Home first(folder_, one.from);
    ASSERT_FALSE(first.process->next("ready").is_null());
    SocketPair pair(SOCK_STREAM);
    Home second(folder_, one.to, pair.theirs);
    const int ours = pair.take_ours();
    first.ask("/relay", ours, counted);
    ::close(ours);
    const Json stays = second.process->next("stays");
    ASSERT_FALSE(stays.is_null());
    EXPECT_NE(stays["text"].get<std::string>().find(one.why), std::string::npos) << stays;
    EXPECT_EQ(second.process->wait(), 1);
    EXPECT_FALSE(first.process->next("status").is_null());
    first.process->signal(SIGTERM);
    EXPECT_EQ(first.process->wait(), 0);
  }
}

/// The new container as far as the test goes, which then goes away as one that dies.
class MovingInPart : public Moving {
 protected:
  /// Plays the new side against a running node up to a step, then goes away.
  void play_up_to(const std::string& step, const Json& here) {
    Neighbours neighbours(domain_);
    Home home(folder_, configuration());
    ASSERT_FALSE(home.process->next("ready").is_null());
    neighbours.wait_until_met();
    neighbours.start_feeding();
    neighbours.wait_for_more(200);
    {
      SocketPair pair(SOCK_STREAM);
      home.ask("/relay", pair.theirs);
      MoveChannel channel(pair.take_ours(), [] { return false; });
      ASSERT_TRUE(channel.send({{"step", "hello"}}));
      const auto places = channel.receive("places", a_minute);
      ASSERT_TRUE(places) << places.error();
      if (step != "hello") {
        const Json& at = here.is_null() ? (*places)["places"] : here;
        ASSERT_TRUE(channel.send({{"step", "here"}, {"places", at}}));
        const auto wake = channel.receive("wake", a_minute);
        ASSERT_EQ(wake.has_value(), here.is_null());
        if (wake) {
          ASSERT_TRUE(channel.send({{"step", "awake"}}));
          EXPECT_TRUE(channel.receive("stopped", a_minute));
        }
      }
    }
    neighbours.wait_for_more(200);
    neighbours.stop_feeding();
    expect_whole(neighbours);
    home.process->signal(SIGTERM);
    EXPECT_EQ(home.process->wait(), 0);
  }
};

TEST_F(MovingInPart, WhoDiesBeforeTheNodeStoppedTakesNothing) { play_up_to("hello", nullptr); }
TEST_F(MovingInPart, WhoDiesAfterTheNodeStoppedTakesNothing) { play_up_to("here", nullptr); }
TEST_F(MovingInPart, WhoSpeaksNonsenseTakesNothing) { play_up_to("here", {{"a", 1}, {"b", 2}}); }

}  // namespace
}  // namespace ligament
