// SPDX-License-Identifier: Apache-2.0
/// \file The memory port and the checks around a core, with a model in C++ in the place of the
/// verilated one: it hands frames through, or does what a broken core would.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <ligament/fpga_node.hpp>
#include <string>
#include <vector>

namespace ligament::fpga {
namespace {

enum class Fault : std::uint8_t { none, silent, runt, oversize, problem };
Fault fault = Fault::none;

/// A frame in, the same frame out, a beat per cycle.
struct Model {
  std::uint8_t clk_i{};
  std::uint8_t rst_i{};
  std::uint8_t s_axis_tvalid{};
  std::uint8_t s_axis_tready{};
  std::uint64_t s_axis_tdata{};
  std::uint8_t s_axis_tkeep{};
  std::uint8_t s_axis_tlast{};
  std::uint8_t m_axis_tvalid{};
  std::uint8_t m_axis_tready{};
  std::uint64_t m_axis_tdata{};
  std::uint8_t m_axis_tkeep{};
  std::uint8_t m_axis_tlast{};
  std::uint8_t problem_o{};

  struct Beat {
    std::uint64_t data;
    std::uint8_t keep;
    std::uint8_t last;
  };
  std::deque<Beat> beats;
  std::size_t taken = 0;
  std::uint8_t clock_before = 0;

  void eval() {
    if (clk_i != 0 && clock_before == 0) {
      edge();
    }
    clock_before = clk_i;
    s_axis_tready = static_cast<std::uint8_t>(beats.size() < 4);
    m_axis_tvalid = static_cast<std::uint8_t>(!beats.empty());
    if (!beats.empty()) {
      m_axis_tdata = beats.front().data;
      m_axis_tkeep = beats.front().keep;
      m_axis_tlast = beats.front().last;
    }
  }

  void edge() {
    if (rst_i != 0) {
      beats.clear();
      taken = 0;
      problem_o = 0;
      return;
    }
    if (m_axis_tvalid != 0 && m_axis_tready != 0) {
      beats.pop_front();
    }
    if (s_axis_tvalid != 0 && s_axis_tready != 0) {
      accept();
    }
  }

  void accept() {
    ++taken;
    const bool cut = fault == Fault::runt && taken == 4;
    problem_o = static_cast<std::uint8_t>(fault == Fault::problem && taken == 4 ? 7 : 0);
    if (fault == Fault::silent || (fault == Fault::runt && taken > 4)) {
      return;
    }
    const bool longer = fault == Fault::oversize && s_axis_tlast != 0;
    beats.push_back(
        {s_axis_tdata, s_axis_tkeep, static_cast<std::uint8_t>(cut || (s_axis_tlast && !longer))});
    if (longer) {
      beats.push_back({0, 1, 1});
    }
    taken = s_axis_tlast != 0 ? 0 : taken;
  }
};

class CoreTest : public testing::Test {
 protected:
  void SetUp() override {
    fault = Fault::none;
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      memory_[i] = static_cast<std::byte>(i * 7);
    }
  }

  /// A message of that many bytes, `pad` behind a boundary.
  [[nodiscard]] std::span<const std::byte> message(std::size_t size, std::size_t pad = 0) const {
    return std::span<const std::byte>(memory_).subspan(pad, size);
  }

  static std::vector<std::byte> bytes_of(std::span<const std::byte> bytes) {
    return {bytes.begin(), bytes.end()};
  }

  alignas(64) std::array<std::byte, 4096> memory_{};
};

TEST_F(CoreTest, GivesTheMessageWhereverItLies) {
  Core<Model> core({});
  for (const std::size_t pad : {0U, 1U, 8U, 36U, 63U}) {
    for (const std::size_t size : {5U, 8U, 9U, 64U, 1001U}) {
      const auto made = core.run(message(size, pad), {}, 0);
      ASSERT_TRUE(made) << made.error();
      EXPECT_EQ(bytes_of(made->message), bytes_of(message(size, pad))) << pad << ", " << size;
    }
  }
}

TEST_F(CoreTest, TakesTheTimeThatTheMemoryTakes) {
  // 128 beats and a header of two, in and out, 16 bytes per cycle: a beat each way per cycle.
  Core<Model> wide({.clock_hz = 100e6, .latency_ns = 0, .bytes_per_second = 1.6e9});
  const auto fast = wide.run(message(1024), {}, 0);
  ASSERT_TRUE(fast);
  EXPECT_GE(fast->cycles, 130U);
  EXPECT_LE(fast->cycles, 135U);
  // Half the bandwidth, twice the cycles; the latency counts at both ends.
  Core<Model> narrow({.clock_hz = 100e6, .latency_ns = 500, .bytes_per_second = 0.8e9});
  const auto slow = narrow.run(message(1024), {}, 0);
  ASSERT_TRUE(slow);
  EXPECT_GE(slow->cycles, 255U + 2 * 50);
  EXPECT_LE(slow->cycles, 270U + 2 * 50);
  const auto again = narrow.run(message(1024), {}, 0);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->cycles, slow->cycles);
}

TEST_F(CoreTest, NamesWhatABrokenCoreDoesAndGoesOn) {
  struct Case {
    Fault fault;
    const char* text;
  };
  Core<Model> core({});
  for (const Case& broken :
       {Case{Fault::silent, "no whole message within"},
        Case{Fault::runt, "shorter than its header says"},
        Case{Fault::oversize, "longer than its header says"}, Case{Fault::problem, "problem 7"}}) {
    fault = broken.fault;
    const auto failed = core.run(message(200), {}, 0);
    ASSERT_FALSE(failed) << broken.text;
    EXPECT_NE(failed.error().find(broken.text), std::string::npos) << failed.error();
    fault = Fault::none;
    const auto made = core.run(message(200), {}, 0);
    ASSERT_TRUE(made) << made.error();
    EXPECT_EQ(bytes_of(made->message), bytes_of(message(200)));
  }
}

TEST_F(CoreTest, KeepsToTheBound) {
  Core<Model> core({});
  EXPECT_TRUE(core.run(message(200), {}, 200));
  const auto failed = core.run(message(201), {}, 200);
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().find("201 bytes is beyond the bound of 200"), std::string::npos);
}

}  // namespace
}  // namespace ligament::fpga
