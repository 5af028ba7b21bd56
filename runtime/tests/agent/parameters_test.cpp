// SPDX-License-Identifier: Apache-2.0
/// Parameters of the firmware: many of them through a short window, and requests that make no
/// sense. What real clients see: tool/tests/agent/test_agent_parameters.py.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "fake_wire.hpp"

extern "C" {
#include "ligament/parameters.h"
}

namespace ligament::xrce::test {
namespace {

constexpr std::size_t count = 60;
constexpr std::uint16_t mtu = 512;

struct Node {
  std::array<std::int64_t, count> values{};
  std::vector<std::string> names;
  std::vector<ligament_parameter_t> table;
  std::vector<std::uint8_t> memory;
  ligament_parameters_t parameters{};

  explicit Node(std::size_t memory_size = LIGAMENT_PARAMETERS_MEMORY(count, 30))
      : memory(memory_size) {
    for (std::size_t i = 0; i < count; ++i) {
      names.push_back("group.number_" + std::to_string(i));
    }
    for (std::size_t i = 0; i < count; ++i) {
      ligament_parameter_t row{};
      row.name = names[i].c_str();
      row.type = LIGAMENT_PARAMETER_INTEGER;
      row.value = &values[i];
      row.least.integer = -9;
      row.most.integer = 9;
      table.push_back(row);
    }
    parameters.table = table.data();
    parameters.count = table.size();
    parameters.memory = memory.data();
    parameters.memory_size = memory.size();
  }
};

/// A request as the pool has it, from some client.
struct Request {
  std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(8192);
  ligament_cdr_t body = ligament_cdr_over(memory.data(), memory.size());

  void value(std::int64_t integer) {
    ligament_cdr_put_u8(&body, LIGAMENT_PARAMETER_INTEGER);
    ligament_cdr_put_u8(&body, 0);
    ligament_cdr_put(&body, static_cast<std::uint64_t>(integer), 8);
    ligament_cdr_put(&body, 0, 8);
    ligament_cdr_put_text(&body, "");
    for (int i = 0; i < 5; ++i) {
      ligament_cdr_put_u32(&body, 0);
    }
  }
  void real_value(double real) {
    ligament_cdr_put_u8(&body, LIGAMENT_PARAMETER_DOUBLE);
    ligament_cdr_put_u8(&body, 0);
    ligament_cdr_put(&body, 0, 8);
    ligament_cdr_put(&body, std::bit_cast<std::uint64_t>(real), 8);
    ligament_cdr_put_text(&body, "");
    for (int i = 0; i < 5; ++i) {
      ligament_cdr_put_u32(&body, 0);
    }
  }
  void send(FakeWire& wire, const std::string& service, std::size_t cut = 0) {
    FakeSample sample;
    sample.stored = {std::byte{0}, std::byte{1}, std::byte{0}, std::byte{0}};
    for (std::size_t i = 0; i < body.at - cut; ++i) {
      sample.stored.push_back(static_cast<std::byte>(memory[i]));
    }
    sample.request = {{1}, 1};
    wire.bus.publish("rq/board/" + service + "Request", sample);
  }
};

struct Served {
  FakeWire wire;
  Board board{wire};
  Node node;

  explicit Served(std::size_t memory = LIGAMENT_PARAMETERS_MEMORY(count, 30)) : node(memory) {
    auto options = board.options();
    options.mtu = mtu;  // the names of a service go in one message
    board.memory.resize(LIGAMENT_MEMORY_SIZE(mtu, 8, 8));
    options.memory = board.memory.data();
    options.block_ms = 0;
    EXPECT_EQ(ligament_session_open(&board.session, &options), 0);
    EXPECT_EQ(ligament_node_create(&board.node, &board.session, "/board"), 0);
    EXPECT_EQ(ligament_parameters_create(&node.parameters, &board.node), 0);
  }
  void run() {
    for (int i = 0; i < 300; ++i) {
      ASSERT_EQ(ligament_session_run(&board.session, 5), 0);
      ASSERT_EQ(ligament_parameters_run(&node.parameters), 0);
    }
  }
  std::size_t replies(const std::string& service) {
    return wire.bus.published["rr/board/" + service + "Reply"].size();
  }
};

TEST(Parameters, ALongReplyAndALongEventGoThroughAShortWindow) {
  Served served;
  served.run();
  EXPECT_EQ(served.wire.bus.published["/parameter_events"].size(), 1U);
  Request request;
  ligament_cdr_put_u32(&request.body, count);
  for (const std::string& name : served.node.names) {
    ligament_cdr_put_text(&request.body, name.c_str());
  }
  request.send(served.wire, "describe_parameters");
  served.run();
  ASSERT_EQ(served.replies("describe_parameters"), 1U);
  const auto& stored = served.wire.bus.published["rr/board/describe_parametersReply"][0].stored;
  EXPECT_GT(stored.size(), 8 * mtu) << "longer than the window";
  EXPECT_EQ(std::to_integer<unsigned>(stored[4]), count);
  EXPECT_EQ(served.node.parameters.dropped, 0U);
}

TEST(Parameters, ARequestThatIsCutSetsNothing) {
  Served served;
  for (std::size_t cut = 0; cut <= 40; ++cut) {
    Request request;
    ligament_cdr_put_u32(&request.body, 2);
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      ligament_cdr_put_text(&request.body, served.node.names[i].c_str());
      request.value(5);
    }
    request.send(served.wire, cut % 2 == 0 ? "set_parameters" : "set_parameters_atomically", cut);
    served.run();
    EXPECT_EQ(served.node.values[0], cut == 0 ? 5 : 0) << cut;
    EXPECT_EQ(served.node.parameters.dropped, cut) << "no reply";
    served.node.values = {};
  }
}

/// Limits are possible values themselves.
TEST(Parameters, AValueMayBeAtItsLimitsAndNotBeyond) {
  Served served;
  double real = 0;
  ligament_parameter_t& row = served.node.table[1];
  row.type = LIGAMENT_PARAMETER_DOUBLE;
  row.value = &real;
  row.least.real = -0.5;
  row.most.real = 0.5;
  const auto set = [&](std::size_t number, auto value) {
    Request request;
    ligament_cdr_put_u32(&request.body, 1);
    ligament_cdr_put_text(&request.body, served.node.names[number].c_str());
    if constexpr (std::is_same_v<decltype(value), double>) {
      request.real_value(value);
    } else {
      request.value(value);
    }
    request.send(served.wire, "set_parameters");
    served.run();
  };
  for (const auto& [wanted, becomes] : {std::pair{9, 9}, {10, 9}, {-9, -9}, {-10, -9}}) {
    set(0, wanted);
    EXPECT_EQ(served.node.values[0], becomes) << wanted;
  }
  const double more = std::nextafter(0.5, 1.0);
  for (const auto& [wanted, becomes] :
       {std::pair{0.5, 0.5}, {more, 0.5}, {-0.5, -0.5}, {-more, -0.5}}) {
    set(1, wanted);
    EXPECT_EQ(real, becomes) << wanted;
  }
}

TEST(Parameters, AReplyThatDoesNotFitIsDroppedAndCounted) {
  Served served(200);
  Request request;
  ligament_cdr_put_u32(&request.body, 0);
  ligament_cdr_put(&request.body, 0, 8);
  request.send(served.wire, "list_parameters");
  served.run();
  EXPECT_EQ(served.replies("list_parameters"), 0U);
  EXPECT_EQ(served.node.parameters.dropped, 2U) << "the reply, and the event before it";
}

TEST(Parameters, ATableThatCannotBeIsRefused) {
  FakeWire wire;
  Board board(wire);
  ASSERT_EQ(board.open(), 0);
  Node node;
  node.table[3].value = nullptr;
  EXPECT_EQ(ligament_parameters_create(&node.parameters, &board.node), LIGAMENT_ERROR_OPTIONS);
  node.table[3].value = &node.values[3];
  node.table[4].type = 9;
  EXPECT_EQ(ligament_parameters_create(&node.parameters, &board.node), LIGAMENT_ERROR_OPTIONS);
}

}  // namespace
}  // namespace ligament::xrce::test
