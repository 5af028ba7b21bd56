// SPDX-License-Identifier: Apache-2.0
/// The firmware's client and the agent, over wires of every kind: what is reliable arrives, all, in
/// order, once.
#include <gtest/gtest.h>

#include <cstring>

#include "fake_wire.hpp"

namespace ligament::xrce::test {
namespace {

constexpr const char* string_type = "std_msgs::msg::dds_::String_";

std::vector<std::uint8_t> body_of(unsigned number, std::size_t size) {
  std::vector<std::uint8_t> body(size);
  for (std::size_t i = 0; i < size; ++i) {
    body[i] = static_cast<std::uint8_t>(number * 31 + i * 7);
  }
  std::memcpy(body.data(), &number, sizeof number);
  return body;
}

/// Sizes around those at which something changes: one message, one fragment, several.
std::size_t size_of(unsigned number) {
  constexpr std::array<std::size_t, 8> sizes{4, 100, 243, 244, 245, 500, 3000, 20'001};
  return sizes[number % sizes.size()];
}

FakeSample stored(const std::vector<std::uint8_t>& body) {
  FakeSample sample;
  sample.stored = {std::byte{0}, std::byte{1}, std::byte{0}, std::byte{0}};
  for (const std::uint8_t byte : body) {
    sample.stored.push_back(static_cast<std::byte>(byte));
  }
  return sample;
}

struct Received {
  std::vector<std::vector<std::uint8_t>> bodies;
  static void take(void* context, ligament_cdr_t* body) {
    static_cast<Received*>(context)->bodies.emplace_back(body->bytes, body->bytes + body->size);
  }
};

class Wires : public testing::TestWithParam<Harm> {};

INSTANTIATE_TEST_SUITE_P(Kinds, Wires,
                         testing::Values(Harm{}, Harm{0.1, 0, 0, 2}, Harm{0, 0.3, 0, 3},
                                         Harm{0, 0, 0.3, 4}, Harm{0.1, 0.1, 0.3, 5},
                                         Harm{0.3, 0.1, 0.1, 6}));

TEST_P(Wires, WhatAClientPublishesArrivesInOrderAndOnce) {
  FakeWire wire(GetParam());
  Board board(wire);
  ASSERT_EQ(board.open(), 0);
  ligament_publisher_t publisher;
  ASSERT_EQ(ligament_publisher_create(&publisher, &board.node, "/chatter", string_type,
                                      ligament_qos_reliable(10)),
            0);
  constexpr unsigned count = 60;
  for (unsigned i = 0; i < count; ++i) {
    const auto body = body_of(i, size_of(i));
    ASSERT_EQ(ligament_publish(&publisher, body.data(), body.size()), 0) << i;
  }
  ASSERT_EQ(ligament_session_flush(&board.session, 60'000), 0);
  const auto& published = wire.bus.published["/chatter"];
  ASSERT_EQ(published.size(), count);
  for (unsigned i = 0; i < count; ++i) {
    EXPECT_EQ(published[i].stored, stored(body_of(i, size_of(i))).stored) << i;
  }
  // Of 8 sizes, 4 are longer than a message: their pieces were copied once, to where they stay.
  EXPECT_EQ(wire.bus.long_loans, 60 / 8 * 4);
}

TEST(BothEnds, ASampleIsCopiedOnce) {
  FakeWire wire;
  Board board(wire);
  ASSERT_EQ(board.open(), 0);
  ligament_publisher_t publisher;
  ASSERT_EQ(ligament_publisher_create(&publisher, &board.node, "/chatter", string_type,
                                      ligament_qos_reliable(10)),
            0);
  const std::uint64_t before = wire.agent->clients().at(0).session.copied;
  std::uint64_t sent = 0;
  for (unsigned i = 0; i < 16; ++i) {
    const auto body = body_of(i, size_of(i));
    ASSERT_EQ(ligament_publish(&publisher, body.data(), body.size()), 0) << i;
    sent += body.size();
  }
  ASSERT_EQ(ligament_session_flush(&board.session, 60'000), 0);
  EXPECT_EQ(wire.agent->clients().at(0).session.copied - before, sent);
}

/// 16 bits do not say how long it is: memory is taken for one as long as those before.
TEST(BothEnds, ASampleOver64kIsCopiedOnceUnlessItIsLongerThanItsLike) {
  FakeWire wire;
  Board board(wire);
  ASSERT_EQ(board.open(), 0);
  ligament_publisher_t publisher;
  ASSERT_EQ(ligament_publisher_create(&publisher, &board.node, "/chatter", string_type,
                                      ligament_qos_reliable(10)),
            0);
  const auto copied_of = [&](unsigned number, std::size_t size) {
    const std::uint64_t before = wire.agent->clients().at(0).session.copied;
    const auto body = body_of(number, size);
    EXPECT_EQ(ligament_publish(&publisher, body.data(), body.size()), 0);
    EXPECT_EQ(ligament_session_flush(&board.session, 60'000), 0);
    EXPECT_EQ(wire.bus.published["/chatter"].back().stored, stored(body).stored);
    return wire.agent->clients().at(0).session.copied - before;
  };
  EXPECT_EQ(copied_of(1, 70'000), 70'000U);
  EXPECT_GT(copied_of(2, 200'000), 2 * 200'000U);
  EXPECT_EQ(copied_of(3, 200'000), 200'000U);
  EXPECT_EQ(copied_of(4, 66'000), 66'000U);
  wire.bus.can_shorten = false;
  EXPECT_GE(copied_of(5, 70'000), 2 * 70'000U);
  EXPECT_EQ(wire.bus.published["/chatter"].size(), 5U);
}

TEST_P(Wires, WhatIsPublishedArrivesAtTheClientInOrderAndOnce) {
  FakeWire wire(GetParam());
  Board board(wire);
  ASSERT_EQ(board.open(), 0);
  Received received;
  ligament_subscription_t subscription;
  ASSERT_EQ(ligament_subscription_create(&subscription, &board.node, "/chatter", string_type,
                                         ligament_qos_reliable(10), {&Received::take, &received}),
            0);
  ASSERT_EQ(ligament_session_flush(&board.session, 20'000), 0);
  constexpr unsigned count = 60;
  for (unsigned i = 0; i < count; ++i) {
    wire.bus.publish("/chatter", stored(body_of(i, size_of(i))));
  }
  for (int i = 0; i < 60'000 && received.bodies.size() < count; ++i) {
    ASSERT_EQ(ligament_session_run(&board.session, 5), 0);
  }
  ASSERT_EQ(received.bodies.size(), count);
  for (unsigned i = 0; i < count; ++i) {
    EXPECT_EQ(received.bodies[i], body_of(i, size_of(i))) << i;
  }
}

TEST(BothEnds, TheNumbersOfMessagesRunRound) {
  FakeWire wire({0.02, 0.02, 0.02, 7});
  Board board(wire);
  ASSERT_EQ(board.open(), 0);
  ligament_publisher_t publisher;
  ASSERT_EQ(ligament_publisher_create(&publisher, &board.node, "/chatter", string_type,
                                      ligament_qos_reliable(10)),
            0);
  constexpr unsigned count = 66'000;
  for (unsigned i = 0; i < count; ++i) {
    ASSERT_EQ(ligament_publish(&publisher, &i, sizeof i), 0) << i;
  }
  ASSERT_EQ(ligament_session_flush(&board.session, 60'000), 0);
  const auto& published = wire.bus.published["/chatter"];
  ASSERT_EQ(published.size(), count);
  for (unsigned i = 0; i < count; ++i) {
    unsigned value = 0;
    std::memcpy(&value, published[i].stored.data() + 4, sizeof value);
    ASSERT_EQ(value, i);
  }
}

TEST_P(Wires, BestEffortIsNeverTwiceAndNeverBackwards) {
  FakeWire wire(GetParam());
  Board board(wire);
  ASSERT_EQ(board.open(), 0);
  ligament_publisher_t publisher;
  ASSERT_EQ(ligament_publisher_create(&publisher, &board.node, "/imu", string_type,
                                      ligament_qos_best_effort(5)),
            0);
  constexpr unsigned count = 500;
  for (unsigned i = 0; i < count; ++i) {
    ASSERT_EQ(ligament_publish(&publisher, &i, sizeof i), 0);
    ASSERT_EQ(ligament_session_run(&board.session, 1), 0);
  }
  wire.wait(10'000);
  std::int64_t newest = -1;
  for (const FakeSample& sample : wire.bus.published["/imu"]) {
    unsigned value = 0;
    std::memcpy(&value, sample.stored.data() + 4, sizeof value);
    EXPECT_GT(static_cast<std::int64_t>(value), newest);
    newest = value;
  }
  const auto clients = wire.agent->clients();
  ASSERT_EQ(clients.size(), 1U);
  // What is between the first and the last is here, or counted.
  EXPECT_EQ(wire.bus.published["/imu"].size() + clients[0].session.lost,
            static_cast<std::size_t>(newest + 1));
}

struct Server {
  ligament_server_t server{};
  int requests = 0;
  static void take(void* context, const ligament_request_id_t* id, ligament_cdr_t* request) {
    auto& self = *static_cast<Server*>(context);
    ++self.requests;
    const std::uint32_t twice = 2 * ligament_cdr_get_u32(request);
    EXPECT_EQ(ligament_server_reply(&self.server, id, &twice, sizeof twice), 0);
  }
};
struct Replies {
  std::map<std::uint16_t, std::uint32_t> by_call;
  static void take(void* context, std::uint16_t call, ligament_cdr_t* reply) {
    auto& self = *static_cast<Replies*>(context);
    EXPECT_FALSE(self.by_call.contains(call)) << "a reply came twice";
    self.by_call[call] = ligament_cdr_get_u32(reply);
  }
};

TEST_P(Wires, EachCallHasItsReplyOnce) {
  FakeWire wire(GetParam());
  Board serving(wire, 1);
  Board calling(wire, 2);
  ASSERT_EQ(serving.open(), 0);
  ASSERT_EQ(calling.open(), 0);
  const ligament_service_types_t types{"a::srv::dds_::Twice_Request_",
                                       "a::srv::dds_::Twice_Response_"};
  Server server;
  Replies replies;
  ligament_client_t client;
  ASSERT_EQ(ligament_server_create(&server.server, &serving.node, "/twice", types,
                                   {&Server::take, &server}),
            0);
  ASSERT_EQ(
      ligament_client_create(&client, &calling.node, "/twice", types, {&Replies::take, &replies}),
      0);
  std::map<std::uint16_t, std::uint32_t> wanted;
  for (std::uint32_t i = 0; i < 50; ++i) {
    const int call = ligament_client_call(&client, &i, sizeof i);
    ASSERT_GT(call, 0);
    wanted[static_cast<std::uint16_t>(call)] = 2 * i;
    (void)ligament_session_run(&serving.session, 1);
    (void)ligament_session_run(&calling.session, 1);
  }
  for (int i = 0; i < 20'000 && replies.by_call.size() < wanted.size(); ++i) {
    ASSERT_EQ(ligament_session_run(&serving.session, 1), 0);
    ASSERT_EQ(ligament_session_run(&calling.session, 1), 0);
  }
  EXPECT_EQ(replies.by_call, wanted);
  EXPECT_EQ(server.requests, 50);
  EXPECT_EQ(wire.bus.writers.back().topic, "rq/twiceRequest");
}

/// Both count their requests from 1, and both see all replies.
TEST(BothEnds, EachOfTwoClientsHasItsOwnReplies) {
  FakeWire wire;
  Board serving(wire, 1);
  Board boards[]{Board(wire, 2), Board(wire, 3)};
  ASSERT_EQ(serving.open(), 0);
  const ligament_service_types_t types{"a::srv::dds_::Twice_Request_",
                                       "a::srv::dds_::Twice_Response_"};
  Server server;
  ASSERT_EQ(ligament_server_create(&server.server, &serving.node, "/twice", types,
                                   {&Server::take, &server}),
            0);
  Replies replies[2];
  ligament_client_t clients[2];
  for (std::size_t i = 0; i < 2; ++i) {
    ASSERT_EQ(boards[i].open(), 0);
    ASSERT_EQ(ligament_client_create(&clients[i], &boards[i].node, "/twice", types,
                                     {&Replies::take, &replies[i]}),
              0);
  }
  std::map<std::uint16_t, std::uint32_t> wanted[2];
  for (std::uint32_t call = 0; call < 5; ++call) {
    for (std::size_t i = 0; i < 2; ++i) {
      const std::uint32_t value = 1000 * static_cast<std::uint32_t>(i) + call;
      const int number = ligament_client_call(&clients[i], &value, sizeof value);
      ASSERT_GT(number, 0);
      wanted[i][static_cast<std::uint16_t>(number)] = 2 * value;
    }
    for (Board* board : {&boards[0], &boards[1], &serving, &boards[0], &boards[1]}) {
      ASSERT_EQ(ligament_session_run(&board->session, 5), 0);
    }
  }
  for (int turn = 0; turn < 100; ++turn) {
    for (Board* board : {&serving, &boards[0], &boards[1]}) {
      ASSERT_EQ(ligament_session_run(&board->session, 1), 0);
    }
  }
  EXPECT_EQ(replies[0].by_call, wanted[0]);
  EXPECT_EQ(replies[1].by_call, wanted[1]);
}

TEST(BothEnds, TheTimeOfDayIsTheAgents) {
  FakeWire wire;
  Board board(wire);
  ASSERT_EQ(board.open(), 0);
  ASSERT_EQ(ligament_time_sync(&board.session, 1000), 0);
  // The agent's time of day is its clock and 5 ms.
  const std::int64_t difference =
      ligament_time_now_ns(&board.session) - (wire.now_us * 1000 + 5'000'000);
  EXPECT_LE(std::abs(difference), board.session.time_error_ns + 10'000);
  EXPECT_LE(board.session.time_error_ns, 200'000);
}

TEST(BothEnds, AnAgentThatIsLostIsNoticedAndAllIsMadeAgain) {
  FakeWire wire;
  Board board(wire);
  ASSERT_EQ(board.open(), 0);
  Received received;
  ligament_publisher_t publisher;
  ligament_subscription_t subscription;
  ASSERT_EQ(ligament_publisher_create(&publisher, &board.node, "/out", string_type,
                                      ligament_qos_reliable(10)),
            0);
  ASSERT_EQ(ligament_subscription_create(&subscription, &board.node, "/in", string_type,
                                         ligament_qos_reliable(10), {&Received::take, &received}),
            0);
  wire.restart_agent();
  EXPECT_TRUE(wire.bus.nodes.empty());
  int result = 0;
  for (int i = 0; i < 10'000 && result == 0; ++i) {
    result = ligament_session_run(&board.session, 10);
  }
  ASSERT_EQ(result, LIGAMENT_ERROR_LOST);
  ASSERT_EQ(ligament_session_restore(&board.session), 0);
  EXPECT_EQ(wire.bus.nodes, std::set<std::string>{"/board"});
  const auto body = body_of(1, 100);
  ASSERT_EQ(ligament_publish(&publisher, body.data(), body.size()), 0);
  ASSERT_EQ(ligament_session_flush(&board.session, 1000), 0);
  EXPECT_EQ(wire.bus.published["/out"].size(), 1U);
  wire.bus.publish("/in", stored(body));
  for (int i = 0; i < 100 && received.bodies.empty(); ++i) {
    ASSERT_EQ(ligament_session_run(&board.session, 5), 0);
  }
  EXPECT_EQ(received.bodies.size(), 1U);
}

TEST(BothEnds, ABoardThatBeginsAgainLeavesNothingBehind) {
  FakeWire wire;
  {
    Board board(wire);
    ASSERT_EQ(board.open(), 0);
    ligament_publisher_t publisher;
    ASSERT_EQ(ligament_publisher_create(&publisher, &board.node, "/old", string_type,
                                        ligament_qos_reliable(10)),
              0);
    EXPECT_EQ(wire.bus.open_writers.size(), 1U);
  }
  Board board(wire);
  ASSERT_EQ(board.open(), 0);
  EXPECT_TRUE(wire.bus.open_writers.empty());
  EXPECT_EQ(wire.agent->clients().size(), 1U);
}

TEST(BothEnds, AClientThatSaysNothingIsRemovedAndOneThatLivesIsNot) {
  FakeWire wire;
  Board dead(wire, 1);
  Board quiet(wire, 2);
  ASSERT_EQ(dead.open(), 0);
  ASSERT_EQ(quiet.open(), 0);
  for (int i = 0; i < 4000; ++i) {
    ASSERT_EQ(ligament_session_run(&quiet.session, 10), 0);  // it publishes nothing
  }
  const auto clients = wire.agent->clients();
  ASSERT_EQ(clients.size(), 1U);
  EXPECT_EQ(key_text(clients[0].key), "c0ffee02");
}

TEST(BothEnds, TheEndOfASessionRemovesAll) {
  FakeWire wire;
  Board board(wire);
  ASSERT_EQ(board.open(), 0);
  ASSERT_EQ(ligament_session_close(&board.session), 0);
  EXPECT_TRUE(wire.bus.nodes.empty());
  EXPECT_TRUE(wire.agent->clients().empty());
}

TEST_P(Wires, TheEndIsSaidUntilItIsAnswered) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Harm harm = GetParam();
    harm.seed += 100 * seed;
    FakeWire wire(harm);
    Board board(wire);
    ASSERT_EQ(board.open(), 0);
    ASSERT_EQ(ligament_session_close(&board.session), 0);
    EXPECT_TRUE(wire.agent->clients().empty());
  }
}

TEST(BothEnds, WhoWasAwayForLongHasNotLostTheAgent) {
  FakeWire wire;
  Board board(wire);
  ASSERT_EQ(board.open(), 0);
  wire.now_us += 20'000'000;  // it did something else, longer than `lost_after_ms`
  ASSERT_EQ(ligament_session_run(&board.session, 10), 0);
  wire.is_cut = true;
  int result = 0;
  for (int i = 0; i < 10'000 && result == 0; ++i) {
    result = ligament_session_run(&board.session, 10);
  }
  EXPECT_EQ(result, LIGAMENT_ERROR_LOST);
}

TEST(BothEnds, EntitiesAreMadeThroughAWindowOfOne) {
  FakeWire wire;
  Board board(wire);
  auto options = board.options();
  options.out_slots = 1;
  options.block_ms = 0;
  ASSERT_EQ(ligament_session_open(&board.session, &options), 0);
  ASSERT_EQ(ligament_node_create(&board.node, &board.session, "/board"), 0);
  Received received;
  ligament_subscription_t subscription;
  ASSERT_EQ(ligament_subscription_create(&subscription, &board.node, "/in", string_type,
                                         ligament_qos_reliable(10), {&Received::take, &received}),
            0);
  ligament_publisher_t refused;
  wire.bus.unknown_types.insert("a/msg/B");
  EXPECT_EQ(ligament_publisher_create(&refused, &board.node, "/out", "a::msg::dds_::B_",
                                      ligament_qos_reliable(10)),
            LIGAMENT_ERROR_REFUSED);
}

TEST(BothEnds, WhatComesWhileOthersAreMadeAgainIsNotLost) {
  FakeWire wire;
  Board board(wire);
  ASSERT_EQ(board.open(), 0);
  Received received;
  ligament_subscription_t first;
  ligament_publisher_t others[3];
  ASSERT_EQ(ligament_subscription_create(&first, &board.node, "/in", string_type,
                                         ligament_qos_reliable(10), {&Received::take, &received}),
            0);
  for (auto& other : others) {
    ASSERT_EQ(ligament_publisher_create(&other, &board.node, "/out", string_type,
                                        ligament_qos_reliable(10)),
              0);
  }
  wire.restart_agent();
  wire.bus.on_reader = [&] { wire.bus.publish("/in", stored(body_of(1, 50))); };
  ASSERT_EQ(ligament_session_restore(&board.session), 0);
  for (int i = 0; i < 100 && received.bodies.empty(); ++i) {
    ASSERT_EQ(ligament_session_run(&board.session, 5), 0);
  }
  EXPECT_EQ(received.bodies.size(), 1U);
  EXPECT_EQ(board.session.figures.dropped, 0U);
}

TEST(BothEnds, ARequestWaitsForItsServer) {
  FakeWire wire;
  Board board(wire);
  ASSERT_EQ(board.open(), 0);
  wire.bus.is_met = false;
  Replies replies;
  ligament_client_t client;
  const ligament_service_types_t types{"a::srv::dds_::Twice_Request_",
                                       "a::srv::dds_::Twice_Response_"};
  ASSERT_EQ(
      ligament_client_create(&client, &board.node, "/twice", types, {&Replies::take, &replies}), 0);
  const auto call = [&](std::uint32_t value) {
    EXPECT_GT(ligament_client_call(&client, &value, sizeof value), 0);
    EXPECT_EQ(ligament_session_flush(&board.session, 1000), 0);
  };
  for (std::uint32_t i = 0; i < 20; ++i) {
    call(i);  // 16 are kept
  }
  EXPECT_TRUE(wire.bus.published["rq/twiceRequest"].empty());
  wire.bus.is_met = true;
  call(20);
  const auto& published = wire.bus.published["rq/twiceRequest"];
  ASSERT_EQ(published.size(), 17U);
  for (std::uint32_t i = 0; i < 17; ++i) {
    std::uint32_t value = 0;
    std::memcpy(&value, published[i].stored.data() + 4, sizeof value);
    EXPECT_EQ(value, i == 16 ? 20 : i);
    EXPECT_EQ(published[i].request.sequence, i + 1);
  }
  wire.bus.is_met = false;
  call(30);
  wire.wait(11'000'000);
  wire.bus.is_met = true;
  wire.wait(1000);
  EXPECT_EQ(published.size(), 17U) << "it has waited too long";
  EXPECT_EQ(wire.agent->clients().at(0).session.dropped, 5U);
}

TEST(BothEnds, WhatIsRefusedSaysWhy) {
  FakeWire wire;
  wire.bus.unknown_types.insert("std_msgs/msg/String");
  Board board(wire);
  ASSERT_EQ(board.open(), 0);
  ligament_publisher_t publisher;
  EXPECT_EQ(ligament_publisher_create(&publisher, &board.node, "/a", string_type,
                                      ligament_qos_reliable(10)),
            LIGAMENT_ERROR_REFUSED);
  EXPECT_EQ(board.session.last_status, static_cast<int>(Status::unknown_reference));
  EXPECT_NE(wire.said.back().find("std_msgs/msg/String"), std::string::npos) << wire.said.back();
}

TEST(BothEnds, AMessageThatWouldNeverFitIsRefusedAtOnce) {
  FakeWire wire;
  Board board(wire);
  ASSERT_EQ(board.open(), 0);
  board.session.options.block_ms = 0;
  ligament_publisher_t publisher;
  ASSERT_EQ(ligament_publisher_create(&publisher, &board.node, "/a", string_type,
                                      ligament_qos_reliable(10)),
            0);
  const auto large = body_of(1, 10'000);
  EXPECT_EQ(ligament_publish(&publisher, large.data(), large.size()), LIGAMENT_ERROR_TOO_LARGE);
  ASSERT_EQ(ligament_session_flush(&board.session, 1000), 0);
  const auto body = body_of(1, 100);
  int sent = 0;
  while (ligament_publish(&publisher, body.data(), body.size()) == 0) {
    ++sent;
  }
  EXPECT_EQ(sent, 8);
  EXPECT_EQ(ligament_publish(&publisher, body.data(), body.size()), LIGAMENT_ERROR_FULL);
  ASSERT_EQ(ligament_session_flush(&board.session, 1000), 0);
  EXPECT_EQ(wire.bus.published["/a"].size(), 8U);
}

TEST(BothEnds, WhatIsWrittenInPlaceIsTheSame) {
  FakeWire wire;
  Board board(wire);
  ASSERT_EQ(board.open(), 0);
  ligament_publisher_t publisher;
  ASSERT_EQ(ligament_publisher_create(&publisher, &board.node, "/a", string_type,
                                      ligament_qos_reliable(10)),
            0);
  ligament_cdr_t body;
  ASSERT_EQ(ligament_publish_begin(&publisher, &body), 0);
  ligament_cdr_put_text(&body, "here");
  ASSERT_EQ(ligament_publish_end(&publisher, &body), 0);
  ASSERT_EQ(ligament_session_flush(&board.session, 1000), 0);
  EXPECT_EQ(wire.bus.published["/a"].at(0).stored,
            stored({5, 0, 0, 0, 'h', 'e', 'r', 'e', 0}).stored);
}

TEST(BothEnds, AMessageThatWasGivenUpDoesNotSpoilTheNext) {
  FakeWire wire;
  Board board(wire);
  ASSERT_EQ(board.open(), 0);
  board.session.options.block_ms = 50;
  ligament_publisher_t publisher;
  ASSERT_EQ(ligament_publisher_create(&publisher, &board.node, "/a", string_type,
                                      ligament_qos_reliable(10)),
            0);
  wire.is_cut = true;
  const auto large = body_of(1, 10'000);
  EXPECT_EQ(ligament_publish(&publisher, large.data(), large.size()), LIGAMENT_ERROR_FULL);
  wire.is_cut = false;
  ASSERT_EQ(ligament_session_flush(&board.session, 2000), 0);
  board.session.options.block_ms = 20'000;
  const auto body = body_of(2, 100);
  const auto longer = body_of(3, 5000);
  ASSERT_EQ(ligament_publish(&publisher, body.data(), body.size()), 0);
  ASSERT_EQ(ligament_publish(&publisher, longer.data(), longer.size()), 0);
  ASSERT_EQ(ligament_session_flush(&board.session, 2000), 0);
  const auto& published = wire.bus.published["/a"];
  ASSERT_EQ(published.size(), 2U);
  EXPECT_EQ(published[0].stored, stored(body).stored);
  EXPECT_EQ(published[1].stored, stored(longer).stored);
}

}  // namespace
}  // namespace ligament::xrce::test
