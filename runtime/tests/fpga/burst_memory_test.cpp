// SPDX-License-Identifier: Apache-2.0
/// \file The memory behind a design's gateways: whose bytes it gives and takes, when, and what it
/// refuses.
#include "fpga/burst_memory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "memory_wires.hpp"

namespace ligament::fpga::detail {
namespace {

using testing::Port;

/// Beats that came, and the cycle of each.
struct Beats {
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint64_t> cycles;
  std::uint8_t response = 0;
};

TEST(MemoryPort, GivesABeatInTheCycleInWhichItIsPaid) {
  MemoryPort port({.clock_hz = 100e6, .latency_ns = 0, .bytes_per_second = 0.4e9});
  port.ring(0, 0);
  port.advance(0);
  EXPECT_TRUE(port.gives(Way::read));  // the first one, however slow the rest
  port.move(Way::read);
  port.advance(1);
  EXPECT_FALSE(port.gives(Way::read));
  port.advance(2);
  EXPECT_TRUE(port.gives(Way::read));
}

/// How many beats each way moves in so many cycles, if it takes what it can.
std::pair<int, int> moved(Memory figures, int cycles) {
  MemoryPort port(figures);
  std::pair<int, int> beats;
  port.ring(0, 7);
  for (int cycle = 0; cycle < cycles; ++cycle) {
    port.advance(static_cast<std::uint64_t>(cycle));
    for (const auto& [way, count] :
         {std::pair{Way::read, &beats.first}, std::pair{Way::write, &beats.second}}) {
      if (port.gives(way)) {
        port.move(way);
        ++*count;
      }
    }
  }
  return beats;
}

TEST(MemoryPort, BothWaysHaveAllOfADuplexOne) {
  Memory figures{.clock_hz = 100e6, .latency_ns = 0, .bytes_per_second = 0.8e9};
  const auto shared = moved(figures, 1000);
  EXPECT_LE(shared.first + shared.second, 1001);
  EXPECT_GE(shared.first + shared.second, 999);
  figures.duplex = true;
  EXPECT_EQ(moved(figures, 1000), std::pair(1000, 1000));
  // What others take is taken of each, at moments of its own.
  figures.contention = 0.25;
  const auto contended = moved(figures, 40'000);
  EXPECT_NEAR(contended.first, 30'000, 1500);
  EXPECT_NEAR(contended.second, 30'000, 1500);
  EXPECT_NE(contended.first, contended.second);
  EXPECT_EQ(moved(figures, 40'000), contended);
}

class BurstMemoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (std::size_t i = 0; i < block_.size(); ++i) {
      block_[i] = static_cast<std::uint8_t>(i * 3);
    }
  }

  [[nodiscard]] std::uint64_t address(std::size_t offset = 0) const {
    return reinterpret_cast<std::uint64_t>(block_.data()) + offset;
  }

  void cycle(BurstMemory& memory, MemoryPort& pace) {
    pace.advance(now_);
    memory.offer(pace, now_);
    memory.observe(pace, now_, now_);
  }

  /// Asks for a burst and takes it.
  Beats read(BurstMemory& memory, MemoryPort& pace, std::uint64_t at, std::uint8_t beats) {
    Beats got;
    port_.ar_address = at;
    port_.ar_length = static_cast<std::uint8_t>(beats - 1);
    port_.ar_valid = 1;
    for (const std::uint64_t end = now_ + 10'000; got.cycles.size() < beats && now_ < end; ++now_) {
      cycle(memory, pace);
      if (port_.r_valid != 0) {
        got.bytes.insert(got.bytes.end(), port_.r_data.begin(), port_.r_data.end());
        got.cycles.push_back(now_);
        got.response |= port_.r_response;
        EXPECT_EQ(port_.r_last != 0, got.cycles.size() == beats);
      }
      memory.settle();
      port_.ar_valid = 0;
    }
    return got;
  }

  /// Writes a beat; what memory answers.
  std::uint8_t write(BurstMemory& memory, MemoryPort& pace, std::uint64_t at, std::uint8_t strobe) {
    port_.aw_address = at;
    port_.aw_valid = 1;
    port_.w_strobe = strobe;
    port_.w_last = 1;
    for (const std::uint64_t end = now_ + 10'000; now_ < end; ++now_) {
      cycle(memory, pace);
      const bool written = port_.w_valid != 0 && port_.w_ready != 0;
      const bool announced = port_.aw_valid != 0;
      const bool answered = port_.b_valid != 0;
      memory.settle();
      port_.aw_valid = 0;
      port_.w_valid = static_cast<std::uint8_t>((port_.w_valid != 0 || announced) && !written);
      if (answered) {
        return port_.b_response;
      }
    }
    return 0xFF;
  }

  Port port_;
  std::uint64_t now_ = 0;
  alignas(64) std::array<std::uint8_t, 256> block_{};
};

TEST_F(BurstMemoryTest, GivesWhatLiesThereALatencyLater) {
  const Memory figures{.clock_hz = 100e6, .latency_ns = 500, .bytes_per_second = 1.6e9};
  MemoryPort pace(figures);
  BurstMemory memory(port_.wires(), pace.latency());
  memory.open(address(), 100, false);
  now_ = 7;
  pace.ring(now_, 1);
  const Beats got = read(memory, pace, address(64), 5);
  ASSERT_EQ(got.cycles.size(), 5U);
  EXPECT_EQ(got.response, 0);
  // A beat per cycle behind the latency of 50 cycles; the last one ends behind the message.
  EXPECT_EQ(got.cycles.front(), 7U + 50);
  EXPECT_EQ(got.cycles.back(), 7U + 50 + 4);
  EXPECT_EQ(got.bytes, std::vector<std::uint8_t>(block_.begin() + 64, block_.begin() + 104));
  EXPECT_TRUE(memory.is_idle());
}

TEST_F(BurstMemoryTest, HalfTheBandwidthTakesTwiceTheTime) {
  const Memory figures{.clock_hz = 100e6, .latency_ns = 0, .bytes_per_second = 0.4e9};
  MemoryPort pace(figures);
  BurstMemory memory(port_.wires(), pace.latency());
  memory.open(address(), 256, false);
  const Beats got = read(memory, pace, address(), 16);
  ASSERT_EQ(got.cycles.size(), 16U);
  // One beat may have been saved up before the first one.
  EXPECT_GE(got.cycles.back() - got.cycles.front(), 2U * 14);
  EXPECT_LE(got.cycles.back() - got.cycles.front(), 2U * 15);
}

TEST_F(BurstMemoryTest, WhatOthersTakeIsTheSameInTwoRuns) {
  const auto cycles = [this](double contention, std::uint64_t seed) {
    MemoryPort pace({.bytes_per_second = 1.6e9, .contention = contention, .seed = seed});
    BurstMemory memory(port_.wires(), pace.latency());
    memory.open(address(), 256, false);
    std::uint64_t spent = 0;
    for (int burst = 0; burst < 40; ++burst) {
      const std::uint64_t begin = now_;
      (void)read(memory, pace, address(), 32);
      spent += now_ - begin;
    }
    return spent;
  };
  const std::uint64_t alone = cycles(0, 1);
  const std::uint64_t shared = cycles(0.6, 1);
  EXPECT_GT(shared, alone * 11 / 10);
  EXPECT_EQ(cycles(0.6, 1), shared);
  EXPECT_NE(cycles(0.6, 2), shared);
}

/// Beats of a burst that is read while something is written in each cycle.
TEST_F(BurstMemoryTest, ReadsAtTheFullRateWhileADuplexOneWrites) {
  for (const bool duplex : {false, true}) {
    const Memory figures{
        .clock_hz = 100e6, .latency_ns = 100, .bytes_per_second = 0.8e9, .duplex = duplex};
    port_ = Port{};
    now_ = 0;
    MemoryPort pace(figures);
    BurstMemory memory(port_.wires(), pace.latency());
    memory.open(address(), 128, false);
    memory.open(address(128), 128, true);
    pace.ring(now_, 1);
    port_.aw_address = address(128);
    port_.aw_valid = port_.w_valid = 1;  // read() leaves them, so there is always one to write
    port_.w_strobe = 0xFF;
    const auto cycles = read(memory, pace, address(), 16).cycles;
    ASSERT_EQ(cycles.size(), 16U);
    const std::uint64_t spent = cycles.back() - cycles.front();
    EXPECT_TRUE(duplex ? spent == 15 : spent >= 28) << duplex << ": " << spent;
  }
}

/// Where memory is slow, reads and writes take turns: whose turn it is counts from the doorbell.
TEST_F(BurstMemoryTest, TakesTurnsTheSameWheneverTheDoorbellRings) {
  const Memory figures{.clock_hz = 100e6, .latency_ns = 100, .bytes_per_second = 0.8e9};
  std::vector<std::vector<std::uint64_t>> cycles;
  for (const std::uint64_t doorbell : {6U, 7U}) {
    port_ = Port{};
    MemoryPort pace(figures);
    BurstMemory memory(port_.wires(), pace.latency());
    memory.open(address(), 128, false);
    memory.open(address(128), 128, true);
    now_ = doorbell;
    pace.ring(now_, 1);
    port_.aw_address = address(128);
    port_.aw_valid = port_.w_valid = 1;  // read() leaves them, so there is always one to write
    port_.w_strobe = 0xFF;
    cycles.push_back(read(memory, pace, address(), 16).cycles);
    for (std::uint64_t& one : cycles.back()) {
      one -= doorbell;
    }
  }
  ASSERT_EQ(cycles[0].size(), 16U);
  EXPECT_GT(cycles[0].back() - cycles[0].front(), 15U) << "they did not take turns";
  EXPECT_EQ(cycles[0], cycles[1]);
}

TEST_F(BurstMemoryTest, WritesWhatTheStrobesName) {
  MemoryPort pace({});
  BurstMemory memory(port_.wires(), pace.latency());
  memory.open(address(), 11, true);
  port_.w_data = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(write(memory, pace, address(8), 0b0000'0101), 0);
  EXPECT_EQ(block_[8], 1);
  EXPECT_EQ(block_[9], 27);
  EXPECT_EQ(block_[10], 3);
  EXPECT_TRUE(memory.first_burst(address()).has_value());
}

TEST_F(BurstMemoryTest, AMessageThatGoesInTwiceIsReadTwice) {
  MemoryPort pace({.latency_ns = 200});
  BurstMemory memory(port_.wires(), pace.latency());
  memory.open(address(), 64, false);
  memory.open(address(), 256, false);
  port_.ar_address = address();
  port_.ar_length = 31;
  port_.ar_valid = 1;
  cycle(memory, pace);
  memory.settle();
  port_.ar_valid = 0;
  memory.close(address());  // the shorter one, while a burst of the longer is on its way
  std::uint8_t responses = 0;
  std::size_t beats = 0;
  for (const std::uint64_t end = now_ + 10'000; beats < 32 && now_ < end; ++now_) {
    cycle(memory, pace);
    beats += port_.r_valid;
    responses |= port_.r_valid != 0 ? port_.r_response : std::uint8_t{0};
    memory.settle();
  }
  EXPECT_EQ(beats, 32U);
  EXPECT_EQ(responses, 0);
}

TEST_F(BurstMemoryTest, TouchesNothingThatWasNotOpened) {
  MemoryPort pace({});
  BurstMemory memory(port_.wires(), pace.latency());
  const auto before = block_;
  memory.open(address(64), 64, false);
  memory.open(address(128), 11, true);
  constexpr std::uint8_t slave_error = 2;
  EXPECT_EQ(read(memory, pace, address(128), 1).response, slave_error) << "a room is not read";
  EXPECT_EQ(read(memory, pace, address(120), 2).response, slave_error) << "behind the message";
  EXPECT_EQ(write(memory, pace, address(64), 0xFF), slave_error) << "a message is not written";
  EXPECT_EQ(write(memory, pace, address(136), 0b0000'1000), slave_error) << "behind the room";
  memory.close(address(128));
  EXPECT_EQ(write(memory, pace, address(128), 0xFF), slave_error) << "given back";
  EXPECT_EQ(block_, before);
}

}  // namespace
}  // namespace ligament::fpga::detail
