// SPDX-License-Identifier: Apache-2.0
/// A board, or the agent, that dies at each step of the protocol: the next one finds its place, and
/// nothing stays of the one before.
#include <gtest/gtest.h>

#include <cstring>

#include "fake_wire.hpp"

namespace ligament::xrce::test {
namespace {

constexpr const char* string_type = "std_msgs::msg::dds_::String_";
/// As long as no board needs: longer than its last messages travel.
constexpr std::int64_t boot_us = 5000;

/// All that a client does, from login to goodbye.
struct Life {
  Board board;
  ligament_publisher_t publisher{};
  ligament_subscription_t subscription{};
  ligament_server_t server{};
  ligament_client_t client{};

  explicit Life(FakeWire& wire, int lives = -1) : board(wire) { board.port.lives = lives; }
  static void on_message(void*, ligament_cdr_t*) {}
  static void on_request(void*, const ligament_request_id_t*, ligament_cdr_t*) {}
  static void on_reply(void*, std::uint16_t, ligament_cdr_t*) {}

  /// 0, or what went wrong.
  int begin() {
    const ligament_service_types_t types{"a::srv::dds_::B_Request_", "a::srv::dds_::B_Response_"};
    const auto qos = ligament_qos_reliable(10);
    int result = board.open();
    result = result < 0
                 ? result
                 : ligament_publisher_create(&publisher, &board.node, "/out", string_type, qos);
    result = result < 0 ? result
                        : ligament_subscription_create(&subscription, &board.node, "/in",
                                                       string_type, qos, {&on_message, nullptr});
    result = result < 0 ? result
                        : ligament_server_create(&server, &board.node, "/serve", types,
                                                 {&on_request, nullptr});
    return result < 0
               ? result
               : ligament_client_create(&client, &board.node, "/call", types, {&on_reply, nullptr});
  }
  int work() {
    const std::vector<std::uint8_t> body(1000, 7);  // in fragments
    int result = 0;
    for (const std::size_t size : {std::size_t{20}, body.size(), std::size_t{20}}) {
      result = result < 0 ? result : ligament_publish(&publisher, body.data(), size);
    }
    result = result < 0 ? result : ligament_client_call(&client, body.data(), 8);
    result = result < 0 ? result : ligament_session_flush(&board.session, 20'000);
    return result < 0 ? result : ligament_session_close(&board.session);
  }
};

void expect_one_board(const FakeWire& wire, int at) {
  EXPECT_EQ(wire.bus.nodes, std::set<std::string>{"/board"}) << at;
  EXPECT_EQ(wire.bus.open_writers.size(), 3U) << at;
  EXPECT_EQ(wire.bus.open_readers.size(), 3U) << at;
  EXPECT_EQ(wire.agent->clients().size(), 1U) << at;
}

class Deaths : public testing::TestWithParam<Harm> {};
INSTANTIATE_TEST_SUITE_P(Kinds, Deaths,
                         testing::Values(Harm{}, Harm{0.1, 0.1, 0.3, 5}, Harm{0, 0.5, 0, 6}));

TEST_P(Deaths, ABoardThatDiedAtAnyMessageIsBackAndNothingOfItStays) {
  constexpr std::int64_t second_us = 1'000'000;
  for (int lives = 0; lives < 1000; ++lives) {
    FakeWire wire(GetParam());
    Life first(wire, lives);
    const bool is_done = first.begin() == 0 && first.work() == 0;
    wire.wait(boot_us);
    Life second(wire);
    const std::int64_t begun = wire.now_us;
    ASSERT_EQ(second.begin(), 0) << lives;
    // Time is the test's own: messages that were lost are a part of it.
    EXPECT_TRUE(GetParam().lost > 0 || wire.now_us - begun < second_us) << lives;
    expect_one_board(wire, lives);
    wire.bus.published.clear();
    ASSERT_EQ(second.work(), 0) << lives;
    EXPECT_EQ(wire.bus.published["/out"].size(), 3U) << lives;
    EXPECT_TRUE(wire.bus.nodes.empty()) << lives;
    EXPECT_TRUE(wire.bus.open_writers.empty() && wire.bus.open_readers.empty()) << lives;
    if (is_done) {
      EXPECT_GT(lives, 20);
      return;
    }
  }
  FAIL() << "it never came to its end";
}

TEST_P(Deaths, ABoardThatDiedAtAnyMessageIsRemovedWhenItStaysAway) {
  for (int lives = 0; lives < 60; lives += 3) {
    FakeWire wire(GetParam());
    Life life(wire, lives);
    if (life.begin() == 0) {
      (void)life.work();
    }
    wire.wait(boot_us);
    wire.now_us += 30'000'000;
    wire.wait(1000);
    EXPECT_TRUE(wire.agent->clients().empty()) << lives;
    EXPECT_TRUE(wire.bus.nodes.empty()) << lives;
    EXPECT_TRUE(wire.bus.open_writers.empty() && wire.bus.open_readers.empty()) << lives;
  }
}

/// The client does what its error code tells it to do: it restores the session, or tries again.
TEST_P(Deaths, AnAgentThatDiedAtAnyMessageIsFoundAgain) {
  const std::vector<std::uint8_t> body(20, 7);
  for (int at = 1; at < 60; at += 2) {
    FakeWire wire(GetParam());
    Life life(wire);
    wire.dies_after = at;
    int result = life.begin();
    for (int tries = 0; tries < 5 && result != 0; ++tries) {
      result = life.begin();  // a board that cannot set itself up begins again
    }
    ASSERT_EQ(result, 0) << at;
    if (wire.dies_after >= 0) {
      wire.restart_agent();
    }
    for (int i = 0; i < 10'000 && result == 0; ++i) {
      result = ligament_session_run(&life.board.session, 10);
      if (result == 0 && wire.agent->clients().size() == 1 && wire.bus.nodes.size() == 1) {
        break;
      }
    }
    for (int tries = 0; tries < 5 && result != 0; ++tries) {
      result = ligament_session_restore(&life.board.session);
    }
    ASSERT_EQ(result, 0) << at;
    expect_one_board(wire, at);
    wire.bus.published.clear();
    ASSERT_EQ(ligament_publish(&life.publisher, body.data(), body.size()), 0) << at;
    ASSERT_EQ(ligament_session_flush(&life.board.session, 20'000), 0) << at;
    EXPECT_EQ(wire.bus.published["/out"].size(), 1U) << at;
  }
}

}  // namespace
}  // namespace ligament::xrce::test
