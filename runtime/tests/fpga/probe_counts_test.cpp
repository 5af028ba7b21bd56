// SPDX-License-Identifier: Apache-2.0
/// \file Counts of probes beside counts that are made one by one.
#include "fpga/probe_counts.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <vector>

namespace ligament::fpga::detail {
namespace {

TEST(ProbeCounts, CountEachProbeByItself) {
  constexpr std::size_t words = 2;
  constexpr std::size_t bits = 64;
  ProbeCounts counts(words, {});
  std::array<StreamFigures, words * bits> expected{};
  std::mt19937_64 chance(1);
  for (int cycle = 0; cycle < 5000; ++cycle) {
    for (std::size_t word = 0; word < words; ++word) {
      const std::uint64_t valid = chance();
      const std::uint64_t ready = chance() | chance();
      const std::uint64_t inside = chance();
      counts.observe(word, valid, ready, inside);
      for (std::size_t bit = 0; bit < bits; ++bit) {
        StreamFigures& stream = expected.at(word * bits + bit);
        stream.beats += valid >> bit & ready >> bit & 1U;
        stream.stalls += valid >> bit & ~ready >> bit & 1U;
        stream.gaps += inside >> bit & ~valid >> bit & 1U;
      }
    }
    counts.judge();
  }
  for (std::size_t probe = 0; probe < expected.size(); ++probe) {
    const StreamFigures stream = counts.stream(probe);
    EXPECT_EQ(stream.beats, expected.at(probe).beats) << probe;
    EXPECT_EQ(stream.stalls, expected.at(probe).stalls) << probe;
    EXPECT_EQ(stream.gaps, expected.at(probe).gaps) << probe;
  }
}

/// A node with two inputs and an output, of which one input is in another word.
class PaceTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t left = std::uint64_t{1} << 63U;  // of the first word
  static constexpr std::uint64_t right = 1;                       // of the second one
  static constexpr std::uint64_t out = 2;

  /// One cycle.
  PaceFigures after(std::array<std::uint64_t, 2> valid, std::array<std::uint64_t, 2> ready,
                    std::array<std::uint64_t, 2> inside = {}) {
    NodePlan node;
    node.inputs = {{.probe = 63, .entry = 0}, {.probe = 64, .entry = 1}};
    node.outputs = {{.probe = 65, .exit = 0}};
    ProbeCounts counts(2, {NodePlan{}, node});
    counts.observe(0, valid[0], ready[0], inside[0]);
    counts.observe(1, valid[1], ready[1], inside[1]);
    counts.judge();
    const PaceFigures other = counts.paces()[0];
    EXPECT_EQ(other.full + other.starved + other.held, 0U);
    return counts.paces()[1];
  }
};

TEST_F(PaceTest, ACoreIsTheReasonIfItTakesNothingThoughAllIsThere) {
  EXPECT_EQ(after({left, right}, {0, 0}).full, 1U);
  EXPECT_EQ(after({left, 0}, {0, 0}).full, 1U);  // the other one it does not ask for
  EXPECT_EQ(after({left, right}, {left, right}).full, 0U);
}

TEST_F(PaceTest, ItIsStarvedIfTheOtherInputOrTheRestDoesNotCome) {
  const PaceFigures set = after({left, 0}, {0, right});
  EXPECT_EQ(set.starved, 1U);
  EXPECT_EQ(set.full, 0U);
  const PaceFigures rest = after({left, 0}, {0, 0}, {left, right});
  EXPECT_EQ(rest.starved, 1U);
  EXPECT_EQ(rest.full, 0U);
  EXPECT_EQ(after({0, 0}, {left, right}).starved, 0U);  // nothing has begun: it is at rest
}

TEST_F(PaceTest, ItIsHeldIfNobodyTakesWhatItSays) {
  const PaceFigures pace = after({left, right | out}, {0, 0});
  EXPECT_EQ(pace.held, 1U);
  EXPECT_EQ(pace.full + pace.starved, 0U);
}

TEST(ProbeCounts, ACoreIsHeldForOneCycleMoreForItsReadyMayComeFromARegister) {
  NodePlan node;
  node.inputs = {{.probe = 0, .entry = 0}};
  node.outputs = {{.probe = 1, .exit = 0}};
  ProbeCounts counts(1, {node});
  for (const std::uint64_t ready : {0U, 2U, 2U}) {
    counts.observe(0, 3, ready, 0);
    counts.judge();
  }
  EXPECT_EQ(counts.paces()[0].held, 2U);
  EXPECT_EQ(counts.paces()[0].full, 1U);
}

}  // namespace
}  // namespace ligament::fpga::detail
