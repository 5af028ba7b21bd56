// SPDX-License-Identifier: Apache-2.0
/// \file Sets of messages that do not come together: `joined` takes a text from memory and one that
/// `upper` hands to it on the chip, and reads neither alone (tool/tests/export/upper).
#include "board_case.hpp"

namespace ligament::device {
namespace {

using conformance::Bytes;
using conformance::StandIn;
using conformance::stored;
using conformance::text_in;
using conformance::Texts;
using fpga_uio::Board;
using fpga_uio::RunOutcome;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

/// More than what is between memory and a core holds.
std::string longer(char letter) { return std::string(4000, letter); }

class BoardSets : public conformance::BoardCase {
 protected:
  BoardSets() : BoardCase("joined") {}

  [[nodiscard]] std::size_t first() const { return stream_of("/joined", true); }
  [[nodiscard]] std::size_t second() const { return stream_of("/upper", true); }
  static RunOutcome run(Board& board, const std::vector<std::pair<std::size_t, std::string>>& set,
                        const std::function<bool()>& stop = {}) {
    std::vector<Bytes> messages;
    std::vector<fpga_uio::Input> inputs;
    for (const auto& [stream, text] : set) {
      messages.push_back(stored(text));
    }
    for (std::size_t i = 0; i < set.size(); ++i) {
      EXPECT_TRUE(board.takes(set[i].first)) << "message " << i;
      inputs.push_back({set[i].first, messages[i], 1, 1});
    }
    return board.run(inputs, stop).value();
  }
  /// Nothing came, and nobody did anything wrong.
  static void expect_silence(const RunOutcome& outcome) {
    EXPECT_THAT(outcome.outputs, IsEmpty());
    EXPECT_THAT(outcome.faults, IsEmpty());
    EXPECT_THAT(outcome.unanswered, IsEmpty());
  }
};

TEST_F(BoardSets, AMessageThatACoreDoesNotReadAloneIsNotOwed) {
  const StandIn stand_in("joined");
  Board board = open(stand_in, 1s);
  for (const char letter : {'a', 'b', 'c'}) {
    expect_silence(run(board, {{first(), longer(letter)}}));
    EXPECT_FALSE(board.takes(first())) << "its next one would be written over it";
    EXPECT_TRUE(board.takes(second()));
    const auto whole = run(board, {{second(), "two"}});
    EXPECT_THAT(outputs(whole), ElementsAre(Pair("/joined", longer(letter) + "TWO")));
    EXPECT_THAT(whole.faults, IsEmpty());
    EXPECT_TRUE(board.takes(first()));
  }
  EXPECT_EQ(board.figures().resets, 1U) << "the first one";
  EXPECT_EQ(board.figures().repeated, 0U);
}

TEST_F(BoardSets, AMessageOnTheChipWaitsForOneFromMemory) {
  const StandIn stand_in("joined");
  Board board = open(stand_in, 1s);
  expect_silence(run(board, {{second(), longer('a')}}));
  EXPECT_TRUE(board.takes(second())) << "it has been read";
  const auto whole = run(board, {{first(), longer('x')}});
  EXPECT_THAT(outputs(whole), ElementsAre(Pair("/joined", longer('x') + longer('A'))));
  EXPECT_THAT(whole.faults, IsEmpty());
}

TEST_F(BoardSets, ADoorbellThatWasLostIsFoundWhenItsSetIsWhole) {
  const StandIn stand_in("joined", {"--fault", "lose-first-doorbell"});
  Board board = open(stand_in, 2s);
  expect_silence(run(board, {{first(), "one"}}));
  const auto whole = run(board, {{second(), "two"}});
  EXPECT_THAT(outputs(whole), ElementsAre(Pair("/joined", "oneTWO")));
  EXPECT_THAT(whole.faults, IsEmpty());
  EXPECT_EQ(board.figures().repeated, 1U);
}

TEST_F(BoardSets, WhoIsLostInFrontOfANodeCostsItTheSet) {
  const StandIn stand_in("joined", {"--fault", "lose-doorbells"});
  Board board = open(stand_in, 200ms);
  const auto lost = run(board, {{first(), "one"}, {second(), "two"}});
  EXPECT_THAT(outputs(lost), IsEmpty());
  EXPECT_THAT(texts(lost.faults),
              ElementsAre(Pair("/joined", HasSubstr("a set that was not whole")),
                          Pair("/upper", HasSubstr("input in was not read from memory"))));
  EXPECT_TRUE(board.takes(first())) << "it does not go in again: its partner never comes";
}

TEST_F(BoardSets, TheOthersOfASetThatALossHasCostDoNotGoIn) {
  const StandIn stand_in("joined", {"--fault", "lose-two-doorbells"});
  Board board = open(stand_in, 500ms);
  const auto lost = run(board, {{second(), "one"}});
  EXPECT_THAT(texts(lost.faults), ElementsAre(Pair("/upper", HasSubstr("was not read"))));
  const auto without = run(board, {{first(), "first"}});
  EXPECT_THAT(outputs(without), IsEmpty());
  EXPECT_THAT(texts(without.faults),
              ElementsAre(Pair("/joined", HasSubstr("the others of the set of a message"))));
  const auto whole = run(board, {{first(), "second"}, {second(), "two"}});
  EXPECT_THAT(outputs(whole), ElementsAre(Pair("/joined", "secondTWO")));
  EXPECT_THAT(whole.faults, IsEmpty());
}

TEST_F(BoardSets, WhatWaitsOnTheChipIsToldWhenAResetTakesIt) {
  const StandIn stand_in("joined", {"--fault", "lose-doorbell"});
  Board board = open(stand_in, 500ms);
  expect_silence(run(board, {{second(), "one"}}));
  // Its set is whole, and its doorbell lost: behind the reset its partner is not there any more.
  const auto lost = run(board, {{first(), "first"}});
  EXPECT_THAT(outputs(lost), IsEmpty());
  EXPECT_THAT(texts(lost.faults), ElementsAre(Pair("/joined", HasSubstr("that was not whole"))));
  const auto whole = run(board, {{first(), "second"}, {second(), "two"}});
  EXPECT_THAT(outputs(whole), ElementsAre(Pair("/joined", "secondTWO")));
}

TEST_F(BoardSets, ASetThatIsNotWholeIsCountedAtAStop) {
  const StandIn stand_in("joined", {"--fault", "lose-doorbell"});
  Board board = open(stand_in, 100s);
  expect_silence(run(board, {{first(), longer('a')}}));
  int asked = 0;
  const auto left = run(board, {{second(), "two"}}, [&asked] { return ++asked > 50; });
  EXPECT_TRUE(left.stopped);
  EXPECT_THAT(left.faults, IsEmpty());
  EXPECT_THAT(texts(left.unanswered), ElementsAre(Pair("/joined", HasSubstr("is not whole")),
                                                  Pair("/upper", HasSubstr("was not read"))));
  EXPECT_TRUE(board.takes(first())) << "nobody waits for it any more";
}

TEST_F(BoardSets, BehindARefusedMessageTheOthersKeepTheirPartners) {
  const StandIn stand_in("joined");
  Board board = open(stand_in, 10s);
  const std::string bad[] = {"!refused", std::string(9000, 'a')};
  for (const std::string& text : bad) {
    const auto wrong = run(board, {{first(), "first"}, {second(), text}});
    EXPECT_THAT(outputs(wrong), IsEmpty());
    std::vector<std::string> nodes;
    for (const auto& fault : wrong.faults) {
      nodes.push_back(fault.node);
      EXPECT_EQ(fault.messages, 1U);
    }
    EXPECT_THAT(nodes, ::testing::UnorderedElementsAre("/upper", "/joined"));
    const auto right = run(board, {{first(), "second"}, {second(), "two"}});
    EXPECT_THAT(outputs(right), ElementsAre(Pair("/joined", "secondTWO")));
    EXPECT_THAT(right.faults, IsEmpty());
  }
  // The same where they do not come together.
  expect_silence(run(board, {{first(), longer('a')}}));
  EXPECT_THAT(outputs(run(board, {{second(), "!refused"}})), IsEmpty());
  expect_silence(run(board, {{second(), longer('b')}}));
  EXPECT_THAT(outputs(run(board, {{first(), "third"}})),
              ElementsAre(Pair("/joined", "third" + longer('B'))));
  EXPECT_EQ(board.figures().resets, 1U);
}

// --- nodes of a graph ----------------------------------------------------------------------------

/// The same design as a graph's nodes have it.
class GraphSets : public BoardSets {
 protected:
  enum Node : std::size_t { joined, upper };

  void SetUp() override {
    BoardSets::SetUp();
    if (IsSkipped()) {
      return;
    }
    design_.device = "fpga0";
    design_.nodes.resize(2);
    design_.nodes[joined].name = "/joined";
    design_.nodes[joined].inputs.resize(2);
    design_.nodes[joined].inputs[0].entry = end_of("/joined", true);
    design_.nodes[joined].outputs.resize(1);
    design_.nodes[joined].outputs[0].exit = end_of("/joined", false);
    design_.nodes[upper].name = "/upper";
    design_.nodes[upper].inputs.resize(1);
    design_.nodes[upper].inputs[0].entry = end_of("/upper", true);
    design_.nodes[upper].outputs.resize(1);
  }
  [[nodiscard]] std::vector<fpga::Arrival> arrivals(Node node,
                                                    const std::vector<std::string>& said) const {
    std::vector<fpga::Arrival> all;
    for (const std::string& text : said) {
      auto keep = std::make_shared<Bytes>(stored(text));
      all.push_back({.entry = *design_.nodes[node].inputs[0].entry,
                     .message = *keep,
                     .keep = keep,
                     .number = all.size()});
    }
    return all;
  }
  static std::vector<std::string> said(const fpga::Outcome& outcome) {
    std::vector<std::string> all;
    for (const auto& departure : outcome.departures) {
      all.push_back(text_in(departure.message));
    }
    return all;
  }

  fpga::DesignPlan design_;
};

TEST_F(GraphSets, MessagesWaitInTheirOrderHoweverTheyCome) {
  const StandIn stand_in("joined");
  fpga::OnBoard board(place(stand_in), design_);
  ASSERT_EQ(board.error(), "");
  EXPECT_THAT(said(board.run(arrivals(joined, {longer('a'), "b", longer('c')}), {})), IsEmpty());
  EXPECT_THAT(said(board.run(arrivals(upper, {"one"}), {})), ElementsAre(longer('a') + "ONE"));
  EXPECT_THAT(said(board.run(arrivals(joined, {"d"}), {})), IsEmpty());
  const auto most = board.run(arrivals(upper, {"two", "three", "four", "five"}), {});
  EXPECT_THAT(said(most), ElementsAre("bTWO", longer('c') + "THREE", "dFOUR"));
  for (const auto& departure : most.departures) {
    EXPECT_GT(departure.cause.value_or(SIZE_MAX), 4U) << "it is of an earlier run";
  }
  EXPECT_THAT(said(board.run(arrivals(joined, {"e"}), {})), ElementsAre("eFIVE"));
  EXPECT_THAT(most.troubles, IsEmpty());
}

TEST_F(GraphSets, WhatWaitsIsCountedAtAStop) {
  const StandIn stand_in("joined", {"--fault", "lose-doorbell"});
  fpga::OnBoard board(place(stand_in), design_);
  EXPECT_THAT(said(board.run(arrivals(joined, {longer('a'), "b", "c"}), {})), IsEmpty());
  int asked = 0;
  const auto outcome = board.run(arrivals(upper, {"one", "two"}), [&] { return ++asked > 50; });
  ASSERT_TRUE(outcome.stopped);
  EXPECT_THAT(outcome.left, ElementsAre(3, 2)) << "one of each is in the design";
  EXPECT_THAT(outcome.troubles, IsEmpty());
}

TEST_F(GraphSets, WhatWaitsBetweenTwoRunsIsOpen) {
  const StandIn stand_in("joined");
  fpga::OnBoard board(place(stand_in), design_);
  std::vector<std::uint64_t> waiting(2);
  EXPECT_THAT(said(board.run(arrivals(joined, {longer('a'), "b", "c"}), {})), IsEmpty());
  EXPECT_THAT(board.open(waiting), ElementsAre(3, 0));
  waiting[*design_.nodes[joined].inputs[0].entry] = 2;
  waiting[*design_.nodes[upper].inputs[0].entry] = 1;
  EXPECT_THAT(board.open(waiting), ElementsAre(5, 1));
  EXPECT_THAT(said(board.run(arrivals(upper, {"1", "2", "3", "4"}), {})), SizeIs(3));
  EXPECT_THAT(board.open({}), ElementsAre(1, 0)) << "the fourth one waits on the chip";
}

TEST_F(GraphSets, WhatWaitsIsLostWithItsBoard) {
  const StandIn stand_in("joined", {"--fault", "dies"});  // behind the second doorbell
  fpga::OnBoard board(place(stand_in), design_);
  EXPECT_THAT(said(board.run(arrivals(joined, {longer('a'), "b", "c"}), {})), IsEmpty());
  const auto outcome = board.run(arrivals(upper, {"one", "two"}), {});
  ASSERT_EQ(outcome.troubles.size(), 2U);
  EXPECT_EQ(outcome.troubles[joined].messages, 3U);
  EXPECT_EQ(outcome.troubles[upper].messages, 2U);
  const auto next = board.run(arrivals(joined, {"d"}), {});
  EXPECT_EQ(next.troubles[joined].messages, 1U) << "each is told once";
}

}  // namespace
}  // namespace ligament::device
