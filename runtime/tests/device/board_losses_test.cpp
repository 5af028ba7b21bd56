// SPDX-License-Identifier: Apache-2.0
/// \file What becomes of each node's messages on a board where one of them is lost: `left` and
/// `tail` are a chain over a topic on the chip, `right` is alone (tool/tests/export/upper).
#include "board_case.hpp"

namespace ligament::device {
namespace {

using conformance::Bytes;
using conformance::StandIn;
using conformance::stored;
using fpga_uio::Board;
using fpga_uio::RunOutcome;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

class BoardLosses : public conformance::BoardCase {
 protected:
  BoardLosses() : BoardCase("pair") {}

  /// A set for both chains, the left one first.
  RunOutcome run(Board& board, const std::string& left, const std::string& right,
                 const std::function<bool()>& stop = {}) {
    const Bytes messages[] = {stored(left), stored(right)};
    const std::vector<fpga_uio::Input> inputs{{stream_of("/left", true), messages[0], 1, 1},
                                              {stream_of("/right", true), messages[1], 1, 1}};
    return board.run(inputs, stop).value();
  }
};

TEST_F(BoardLosses, AMessageOverItsBoundIsTheLossOfItsNodeAndOfWhoIsBehindIt) {
  const StandIn stand_in("pair");
  Board board = open(stand_in, 10s);
  const auto wrong = run(board, std::string(9000, 'a'), "one");
  EXPECT_THAT(outputs(wrong), ElementsAre(Pair("/right", "ONE")));
  EXPECT_THAT(texts(wrong.faults),
              ElementsAre(Pair("/left",
                               "a message for its input in has 9009 bytes, its bound is "
                               "8265"),
                          Pair("/tail", HasSubstr("the node in front of it has refused it"))));
  EXPECT_THAT(wrong.unanswered, IsEmpty());
  EXPECT_THAT(wrong.answered, UnorderedElementsAre("/left", "/tail", "/right"));
  // The next messages meet no rest of it, and nothing was reset for that.
  const auto right = run(board, "two", "three");
  EXPECT_THAT(outputs(right), ElementsAre(Pair("/right", "THREE"), Pair("/tail", "TWO")));
  EXPECT_THAT(right.faults, IsEmpty());
  EXPECT_THAT(right.answered, UnorderedElementsAre("/left", "/tail", "/right"));
  EXPECT_EQ(board.figures().resets, 1U) << "the first one";
}

TEST_F(BoardLosses, WhatCameBeforeAStopIsHandedOnAndTheRestIsCounted) {
  const StandIn stand_in("pair", {"--fault", "lose-doorbell"});  // the second one
  Board board = open(stand_in, 100s);
  const auto left = run(board, "one", "two", [&board] { return board.figures().bytes_out > 0; });
  EXPECT_TRUE(left.stopped);
  EXPECT_THAT(outputs(left), ElementsAre(Pair("/tail", "ONE")));
  EXPECT_THAT(left.answered, UnorderedElementsAre("/left", "/tail"));
  EXPECT_THAT(texts(left.unanswered),
              ElementsAre(Pair("/right", HasSubstr("input in was not read from memory"))));
  EXPECT_THAT(left.faults, IsEmpty()) << "nobody did anything wrong";
  const auto next = run(board, "three", "four");
  EXPECT_FALSE(next.stopped);
  EXPECT_THAT(outputs(next), ElementsAre(Pair("/right", "FOUR"), Pair("/tail", "THREE")));
}

TEST_F(BoardLosses, EachNodeThatOwesIsNamedNotTheFirstAlone) {
  const StandIn stand_in("pair", {"--fault", "lose-doorbells"});
  Board board = open(stand_in, 200ms);
  const auto outcome = run(board, "one", "two");
  const auto text = HasSubstr("input in was not read from memory");
  EXPECT_THAT(texts(outcome.faults), ElementsAre(Pair("/left", text), Pair("/right", text)));
  EXPECT_THAT(outcome.answered, IsEmpty());
}

TEST_F(BoardLosses, ANodeThatRefusesIsNoOtherNodesLoss) {
  const StandIn stand_in("pair");
  Board board = open(stand_in, 10s);
  const auto outcome = run(board, "one", "!two");
  EXPECT_THAT(outputs(outcome), ElementsAre(Pair("/tail", "ONE")));
  EXPECT_THAT(texts(outcome.faults), ElementsAre(Pair("/right", HasSubstr("code 16"))));
}

// --- nodes of a graph ----------------------------------------------------------------------------

/// The same design as a graph's nodes have it, with two messages for each chain.
class GraphLosses : public BoardLosses {
 protected:
  enum Node : std::size_t { left, tail, right };

  [[nodiscard]] fpga::DesignPlan design() const {
    fpga::DesignPlan plan;
    plan.device = "fpga0";
    plan.nodes.resize(3);
    for (fpga::NodePlan& node : plan.nodes) {
      node.inputs.resize(1);
      node.outputs.resize(1);
    }
    plan.nodes[left].name = "/left";
    plan.nodes[left].inputs[0].entry = end_of("/left", true);
    plan.nodes[tail].name = "/tail";
    plan.nodes[tail].outputs[0].exit = end_of("/tail", false);
    plan.nodes[right].name = "/right";
    plan.nodes[right].inputs[0].entry = end_of("/right", true);
    plan.nodes[right].outputs[0].exit = end_of("/right", false);
    return plan;
  }
  fpga::Outcome run_twice(const StandIn& stand_in, const fpga::Stop& stop) {
    const fpga::DesignPlan plan = design();
    fpga::OnBoard board(place(stand_in), plan);
    EXPECT_EQ(board.error(), "");
    std::vector<fpga::Arrival> arrivals;
    for (const char* const text : {"one", "two"}) {
      for (const Node node : {left, right}) {
        auto keep = std::make_shared<Bytes>(stored(text));
        arrivals.push_back(
            {.entry = *plan.nodes[node].inputs[0].entry, .message = *keep, .keep = keep});
      }
    }
    return board.run(std::move(arrivals), stop);
  }
};

TEST_F(GraphLosses, EachMessageIsHandedOnOrCountedAtItsNodeWhenARunIsStopped) {
  const StandIn stand_in("pair", {"--fault", "lose-doorbell"});
  int asked = 0;
  const auto outcome = run_twice(stand_in, [&asked] { return ++asked > 500; });
  ASSERT_TRUE(outcome.stopped);
  ASSERT_EQ(outcome.left.size(), 3U);
  EXPECT_EQ(outcome.left[right], 2U) << "one was not read, one did not go in";
  EXPECT_EQ(outcome.departures.size() + outcome.left[left] + outcome.left[tail], 2U);
  EXPECT_THAT(outcome.troubles, IsEmpty());
}

TEST_F(GraphLosses, ALostBoardIsTheLossOfTheMessagesThatEachNodeHadTaken) {
  const StandIn stand_in("pair", {"--fault", "dies"});  // behind the second doorbell
  const auto outcome = run_twice(stand_in, {});
  ASSERT_EQ(outcome.troubles.size(), 3U);
  for (const Node node : {left, tail, right}) {
    EXPECT_EQ(outcome.troubles[node].node, node);
    EXPECT_TRUE(outcome.troubles[node].isolated);
    EXPECT_EQ(outcome.troubles[node].messages, node == tail ? 0U : 2U);
  }
  EXPECT_THAT(outcome.departures, IsEmpty());
}

}  // namespace
}  // namespace ligament::device
