// SPDX-License-Identifier: Apache-2.0
/// \file The driver of a design, with a model in the place of the verilated one.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <ligament/fpga_design.hpp>
#include <map>
#include <utility>
#include <vector>

#include "designs.hpp"

namespace ligament::fpga::testing {
namespace {

TEST_F(DesignTest, GivesTheMessageWhereverItLies) {
  const auto model = single();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  for (const std::size_t pad : {0U, 1U, 8U, 36U, 63U}) {
    for (const std::size_t size : {5U, 8U, 9U, 64U, 1001U}) {
      const Outcome outcome = simulation.run({message(size, pad)});
      ASSERT_EQ(outcome.departures.size(), 1U);
      EXPECT_EQ(bytes_of(outcome.departures[0]), bytes(size, pad)) << pad << ", " << size;
      EXPECT_TRUE(outcome.troubles.empty());
    }
  }
}

TEST_F(DesignTest, TakesTheTimeThatTheMemoryTakes) {
  const auto cycles = [this](const Memory& memory) {
    const auto model = single();
    Simulation simulation(model->wires(), model->plan, memory, model->boundary());
    const Outcome first = simulation.run({message(1024)});
    const Outcome second = simulation.run({message(1024)});
    EXPECT_EQ(first.works.size(), 1U);
    EXPECT_EQ(first.works[0].end - first.works[0].begin,
              second.works[0].end - second.works[0].begin);
    EXPECT_EQ(first.end - first.begin, first.works[0].end - first.works[0].begin);
    return first.end - first.begin;
  };
  // 128 beats and a header of two, in and out, 16 bytes per cycle: a beat each way per cycle. Ahead
  // of it a doorbell's four words, behind it the last burst and the words of its event.
  const auto wide = cycles({.clock_hz = 100e6, .latency_ns = 0, .bytes_per_second = 1.6e9});
  EXPECT_GE(wide, 130U);
  EXPECT_LE(wide, 170U);
  // Half the bandwidth, twice the cycles; the latency counts at both ends.
  const auto narrow = cycles({.clock_hz = 100e6, .latency_ns = 500, .bytes_per_second = 0.8e9});
  EXPECT_GE(narrow, 255U + 2 * 50);
  EXPECT_LE(narrow, 310U + 2 * 50);
  // That bandwidth each way is enough for a beat each way.
  const auto duplex =
      cycles({.clock_hz = 100e6, .latency_ns = 0, .bytes_per_second = 0.8e9, .duplex = true});
  EXPECT_EQ(duplex, wide);
}

TEST_F(DesignTest, EachSubscriptionOfATopicGetsTheMessage) {
  const auto model = fan();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  const Outcome outcome = simulation.run({message(500, 12)});
  ASSERT_EQ(outcome.departures.size(), 2U);
  EXPECT_NE(outcome.departures[0].exit, outcome.departures[1].exit);
  for (const Departure& departure : outcome.departures) {
    EXPECT_EQ(bytes_of(departure), bytes(500, 12));
  }
  // The nodes work at the same time: the phases of a message overlap.
  ASSERT_EQ(outcome.works.size(), 3U);
  EXPECT_LT(outcome.works[1].begin, outcome.works[0].end);
  const auto figures = simulation.networks();
  EXPECT_EQ(figures[0].frames, 1U);
  EXPECT_EQ(figures[0].beats, 2U + (512U + 7) / 8);
  EXPECT_EQ(figures[0].drops, (std::vector<std::uint64_t>{0, 0}));
}

TEST_F(DesignTest, MessagesOverlapAndTheSlowestNodeSetsThePace) {
  constexpr std::uint64_t slow = 4;
  const auto cycles = [this](std::size_t messages) {
    const auto model = fan();
    model->nodes[2].per_beat = slow;
    Simulation simulation(model->wires(), model->plan, {.bytes_per_second = 3.2e9},
                          model->boundary());
    std::vector<Arrival> arrivals(messages, message(1024));
    const Outcome outcome = simulation.run(std::move(arrivals));
    EXPECT_EQ(outcome.departures.size(), 2 * messages);
    return outcome.end - outcome.begin;
  };
  const std::uint64_t more = cycles(11) - cycles(1);
  const std::uint64_t beats = 10 * 130;
  EXPECT_GE(more, beats * slow);
  EXPECT_LE(more, beats * slow * 11 / 10);
}

TEST_F(DesignTest, CountsWhoKeepsTheOthersWaiting) {
  const auto model = fan();
  model->nodes[2].per_beat = 4;
  Simulation simulation(model->wires(), model->plan, {.bytes_per_second = 3.2e9},
                        model->boundary());
  const Outcome outcome = simulation.run({message(1024), message(1024), message(1024)});
  const std::uint64_t cycles = outcome.end - outcome.begin;
  const auto& paces = simulation.paces();
  // The slow one is the reason: three cycles in four a beat waits for it. Who is in front of it is
  // not, though its input is as full; its output is.
  EXPECT_GE(paces[2].full, cycles / 2);
  EXPECT_LE(paces[0].full + paces[1].full, cycles / 10);
  EXPECT_GE(paces[0].held, cycles / 2);
  const StreamFigures in = simulation.stream(model->plan[2].inputs[0].probe);
  EXPECT_EQ(in.beats, 3 * (2 + 1024 / 8));
  EXPECT_GE(in.stalls, paces[2].full);
  EXPECT_GE(simulation.stream(model->plan[0].inputs[0].probe).stalls, cycles / 2);
  EXPECT_EQ(simulation.stream(model->plan[0].outputs[0].probe).stalls,
            simulation.networks()[0].stalls);
}

TEST_F(DesignTest, CountsWhoWaitsForMemory) {
  const auto model = single();
  Simulation simulation(model->wires(), model->plan, {.bytes_per_second = 0.2e9},
                        model->boundary());
  const Outcome outcome = simulation.run({message(1024)});
  const std::uint64_t cycles = outcome.end - outcome.begin;
  EXPECT_GE(simulation.stream(model->plan[0].inputs[0].probe).gaps, cycles / 3);
  EXPECT_GE(simulation.paces()[0].starved, cycles / 3);
  EXPECT_LE(simulation.paces()[0].full, cycles / 10);
}

TEST_F(DesignTest, ASetWaitsForItsOtherMessage) {
  const auto model = pair();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  EXPECT_TRUE(simulation.run({message(100, 0, 0)}).departures.empty());
  const Outcome outcome = simulation.run({message(100, 3, 1)});
  ASSERT_EQ(outcome.departures.size(), 1U);
  EXPECT_EQ(bytes_of(outcome.departures[0]), bytes(100));
  EXPECT_TRUE(outcome.troubles.empty());
}

/// Messages of either input enter alone; an answer that is none is owed, and told to nobody.
TEST_F(DesignTest, AnswersEachMessageByItselfAndSomeWithNothing) {
  const auto model = pair();
  model->plan[0].each = true;
  model->nodes[0].each = true;
  model->nodes[0].fault = Fault::short_spoken;
  model->nodes[0].code = 9;
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  for (int i = 0; i < 3; ++i) {
    const Outcome outcome = simulation.run({message(100, 0, 1)});
    EXPECT_TRUE(outcome.departures.empty());
    EXPECT_TRUE(outcome.troubles.empty());
    ASSERT_EQ(outcome.works.size(), 1U);  // it is done with the message
  }
  const Outcome both = simulation.run({numbered(7, message(72, 3, 1)), numbered(4, message(200))});
  ASSERT_EQ(both.departures.size(), 1U);
  EXPECT_EQ(bytes_of(both.departures[0]), bytes(200));
  EXPECT_EQ(both.departures[0].cause, 4U);
  ASSERT_EQ(both.works.size(), 2U);
  EXPECT_EQ(both.works[0].cause, 4U) << "it took first what was sent second";
  EXPECT_EQ(both.works[1].cause, 7U);
  // The frame is the answer to one of them, whose work ends when it is in memory.
  EXPECT_NE(both.works[0].end == both.end, both.works[1].end == both.end);
  EXPECT_TRUE(both.troubles.empty());
  // Another code is a refusal, and told.
  model->nodes[0].code = 16;
  EXPECT_EQ(simulation.run({message(100, 0, 1)}).troubles.size(), 1U);
}

/// Several messages may be the answer to one: all leave, and the next one's end is its own.
TEST_F(DesignTest, AnswersAMessageWithSeveral) {
  const auto model = pair();
  model->plan[0].each = true;
  model->nodes[0].each = true;
  model->nodes[0].times = 3;
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  for (int i = 0; i < 3; ++i) {
    const Outcome outcome =
        simulation.run({numbered(0, message(200)), numbered(1, message(72, 3, 1))});
    ASSERT_EQ(outcome.departures.size(), 6U);
    std::map<std::size_t, int> sizes;
    for (const auto& departure : outcome.departures) {
      ++sizes[departure.message.size()];
      EXPECT_EQ(departure.cause, departure.message.size() == 72 ? 1U : 0U);
    }
    EXPECT_EQ(sizes, (std::map<std::size_t, int>{{72, 3}, {200, 3}}));
    ASSERT_EQ(outcome.works.size(), 2U);
    EXPECT_NE(outcome.works[0].end, 0U);
    EXPECT_EQ(outcome.works[1].end, outcome.end);
    EXPECT_TRUE(outcome.troubles.empty());
  }
}

TEST_F(DesignTest, ADroppedMessageIsOwedByNobody) {
  const auto model = fan();
  model->networks[0].dropping = true;
  model->networks[0].depth = 40;
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  const Outcome outcome = simulation.run({message(1024), message(64)});
  ASSERT_EQ(outcome.departures.size(), 2U);
  EXPECT_EQ(outcome.departures[0].message.size(), 64U);
  EXPECT_EQ(bytes_of(outcome.departures[0]), bytes(64));
  EXPECT_TRUE(outcome.troubles.empty());
  EXPECT_EQ(simulation.networks()[0].drops, (std::vector<std::uint64_t>{1, 1}));
}

TEST_F(DesignTest, FindsMessagesInScatteredPages) {
  const auto model = single();
  model->shell.paged = true;
  Simulation simulation(model->wires(), model->plan, {.seed = 5, .pages = {.count = 256}},
                        model->boundary());
  const auto cycles = [](const Outcome& outcome) { return outcome.end - outcome.begin; };
  for (const std::size_t pad : {0U, 36U, 1000U}) {
    const Outcome outcome = simulation.run({message(3000, pad)});
    ASSERT_EQ(outcome.departures.size(), 1U);
    EXPECT_EQ(bytes_of(outcome.departures[0]), bytes(3000, pad)) << pad;
    EXPECT_TRUE(outcome.troubles.empty());
    const std::size_t entries = model->shell.pages.size();
    EXPECT_EQ(cycles(simulation.run({message(3000, pad)})), cycles(outcome))
        << "the table is written before the doorbell";
    EXPECT_EQ(model->shell.pages.size(), entries) << "what comes again has its entries";
  }
  EXPECT_EQ(simulation.port().refused, 0U);
}

TEST_F(DesignTest, CountsWhatItsPortDoes) {
  const auto model = single();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  model->shell.counts = {7, 3, 4};
  model->shell.refused = 2;
  const PortFigures figures = simulation.port();
  EXPECT_EQ(figures.busy, 7U);
  EXPECT_EQ(figures.reads, 3U);
  EXPECT_EQ(figures.writes, 4U);
  EXPECT_EQ(figures.refused, 2U);
}

TEST_F(DesignTest, StrangersWaitForEachOtherAtThePort) {
  const Memory memory{.clock_hz = 100e6, .latency_ns = 100, .bytes_per_second = 1.6e9};
  const auto cycles = [&](const std::vector<std::size_t>& entries) {
    const auto model = strangers();
    Simulation simulation(model->wires(), model->plan, memory, model->boundary());
    std::vector<Arrival> arrivals;
    for (const std::size_t entry : entries) {
      arrivals.push_back(message(2048, 64 * entry, entry));
    }
    const Outcome outcome = simulation.run(std::move(arrivals));
    EXPECT_EQ(outcome.departures.size(), entries.size());
    for (const Departure& departure : outcome.departures) {
      EXPECT_EQ(bytes_of(departure), bytes(2048, 64 * departure.exit));
    }
    return outcome.end - outcome.begin;
  };
  // Alone each has a beat in and a beat out per cycle; both have half of that.
  const auto alone = cycles({0});
  const auto together = cycles({0, 1});
  EXPECT_GE(together, alone + 2048 / 8 * 3 / 4);
  EXPECT_EQ(together, cycles({0, 1}));
}

TEST_F(DesignTest, LeavesWhatIsOwedWhenItIsAskedTo) {
  const auto model = single();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  model->nodes[0].fault = Fault::silent;
  int asked = 0;
  const Outcome left = simulation.run({message(200)}, [&asked] { return ++asked == 3; });
  EXPECT_EQ(asked, 3);
  EXPECT_TRUE(left.stopped);
  EXPECT_TRUE(left.departures.empty());
  EXPECT_TRUE(left.troubles.empty());
  EXPECT_EQ(left.left, std::vector<std::uint64_t>{1});
  // The next message goes in alone, into a design that has been reset.
  model->nodes[0].fault = Fault::none;
  const Outcome outcome = simulation.run({message(100)}, [] { return false; });
  EXPECT_FALSE(outcome.stopped);
  ASSERT_EQ(outcome.departures.size(), 1U);
  EXPECT_EQ(bytes_of(outcome.departures[0]), bytes(100));
}

TEST_F(DesignTest, CountsSetsThatAreNotWholeWhenItLeaves) {
  const auto model = pair();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  const Outcome first = simulation.run({message(100), message(100)}, [] { return false; });
  EXPECT_FALSE(first.stopped);
  EXPECT_TRUE(first.departures.empty());
  using Counts = std::vector<std::uint64_t>;
  EXPECT_EQ(simulation.open({}), Counts{2});
  EXPECT_EQ(simulation.open({1, 4}), Counts{4}) << "of one set each";
  // More than an entry is told of at once, and one set that is whole.
  model->nodes[0].fault = Fault::silent;
  std::vector<Arrival> more(5, message(100));
  more.push_back(message(100, 0, 1));
  int asked = 0;
  const Outcome left = simulation.run(std::move(more), [&asked] { return ++asked == 3; });
  EXPECT_TRUE(left.stopped);
  EXPECT_EQ(left.left, Counts{7});
  EXPECT_EQ(simulation.open({}), Counts{0}) << "they are counted";
  EXPECT_EQ(simulation.open({1, 0}), Counts{1});
}

TEST_F(DesignTest, CountsEachMessageOfANodeThatAnswersEachWhenItLeaves) {
  const auto model = pair();
  model->plan[0].each = model->nodes[0].each = true;
  model->nodes[0].fault = Fault::silent;
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  int asked = 0;
  const Outcome left = simulation.run({message(100), message(100), message(100, 0, 1)},
                                      [&asked] { return ++asked == 3; });
  EXPECT_EQ(left.left, std::vector<std::uint64_t>{3});
}

TEST_F(DesignTest, CountsWhatWaitsOnTheChipWhenItLeaves) {
  const auto model = joined();
  model->networks[0].depth = 64;
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  const std::vector<Arrival> three(3, message(100));
  EXPECT_TRUE(simulation.run(three).departures.empty());
  model->nodes[1].fault = Fault::silent;
  int asked = 0;
  const Outcome left = simulation.run({message(100, 0, 1)}, [&asked] { return ++asked == 3; });
  EXPECT_EQ(left.left, (std::vector<std::uint64_t>{0, 3})) << "of each set one message is there";
}

/// Its inputs are discarded, and it was told when it was isolated.
TEST_F(DesignTest, CountsNothingOfWhoIsIsolatedWhenItLeaves) {
  const auto model = joined();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  model->nodes[1].fault = Fault::silent;
  for (int time = 1; time <= 3; ++time) {
    ASSERT_EQ(simulation.run({message(40), message(40, 0, 1)}).troubles.size(), 1U);
  }
  model->nodes[0].fault = Fault::silent;
  int asked = 0;
  const Outcome left = simulation.run({message(40), message(40, 0, 1), message(40, 0, 1)},
                                      [&asked] { return ++asked == 3; });
  EXPECT_EQ(left.left, (std::vector<std::uint64_t>{1, 0}));
}

}  // namespace
}  // namespace ligament::fpga::testing
