// SPDX-License-Identifier: Apache-2.0
/// \file Which cycles are written as a waveform.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ligament/fpga_design.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "designs.hpp"

namespace ligament::fpga::testing {
namespace {

class WaveTest : public DesignTest {
 protected:
  /// Of a chain, of these messages.
  void ask_for(std::uint64_t first, std::uint64_t last) {
    Wires wires = model_->wires();
    wires.wave = {[this](std::uint64_t half) { halves_.push_back(half); }, {0}, first, last};
    simulation_.emplace(std::move(wires), model_->plan, Memory{}, model_->boundary());
  }
  [[nodiscard]] Outcome run(std::size_t messages) {
    halves_.clear();
    std::vector<Arrival> arrivals;
    for (std::size_t i = 0; i < messages; ++i) {
      arrivals.push_back(message(1024, 64 * i));
    }
    return simulation_->run(std::move(arrivals));
  }

  std::unique_ptr<Model> model_ = chain();
  std::optional<Simulation> simulation_;
  std::vector<std::uint64_t> halves_;  ///< that were written
};

TEST_F(WaveTest, IsOfTheMessageThatIsAskedForFromItsDoorbellToItsLastAnswer) {
  ask_for(2, 2);
  (void)run(1);
  EXPECT_TRUE(halves_.empty());
  const Outcome outcome = run(1);
  ASSERT_FALSE(halves_.empty());
  EXPECT_EQ(halves_.front(), 2 * outcome.begin);
  EXPECT_EQ(halves_.back() + 1, 2 * outcome.end);
  EXPECT_EQ(halves_.size(), 2 * (outcome.end - outcome.begin));
  (void)run(1);
  EXPECT_TRUE(halves_.empty());
}

TEST_F(WaveTest, LeavesOutWhatEnteredBeforeAndBehind) {
  ask_for(2, 3);
  const Outcome outcome = run(5);
  ASSERT_EQ(outcome.works.size(), 10U);
  ASSERT_FALSE(halves_.empty());
  const std::uint64_t length = outcome.end - outcome.begin;
  EXPECT_GT(halves_.front(), 2 * outcome.begin + length / 5);
  EXPECT_LT(halves_.back(), 2 * outcome.end - length / 5);
  EXPECT_GT(halves_.size(), 2 * length / 5);
  EXPECT_EQ(halves_.back() - halves_.front() + 1, halves_.size()) << "without a gap";
}

TEST_F(WaveTest, EndsWhenNothingMovesAnyMore) {
  ask_for(1, 1);
  model_->nodes[1].fault = Fault::silent;
  const Outcome outcome = run(1);
  EXPECT_EQ(outcome.troubles.size(), 1U);
  EXPECT_GT(halves_.size(), 2U * 4096);
  EXPECT_LT(halves_.size(), 2U * 6000);
}

TEST_F(WaveTest, IsAskedForByTheEnvironment) {
  const auto told = [](const char* frames) {
    ::setenv("LIGAMENT_WAVE", frames, 1);
    ::setenv("LIGAMENT_WAVE_NODES", "/a /b", 1);
    auto request = wave_request();
    ::unsetenv("LIGAMENT_WAVE");
    ::unsetenv("LIGAMENT_WAVE_NODES");
    return request;
  };
  const auto request = told("3-5");
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->first, 3U);
  EXPECT_EQ(request->last, 5U);
  EXPECT_EQ(request->nodes, (std::vector<std::string>{"/a", "/b"}));
  for (const char* const wrong : {"", "3", "0-1", "5-3", "3-5x", "-", "3-99999999999999999999"}) {
    EXPECT_FALSE(told(wrong).has_value()) << wrong;
  }
  EXPECT_FALSE(wave_request().has_value());
}

}  // namespace
}  // namespace ligament::fpga::testing
