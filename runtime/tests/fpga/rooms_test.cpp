// SPDX-License-Identifier: Apache-2.0
/// \file Gateways that have no memory, or little of it: what waits, what goes on, what is lost.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fpga/registers.hpp"
#include "memory_wires.hpp"
#include "model.hpp"

namespace ligament::fpga {
namespace {

using detail::Place;
using testing::Fault;
using testing::Model;
using testing::Network;
using testing::Stream;

/// A gateway's way to software: takes a frame for each room, and says so. It answers each access to
/// its registers in the same cycle, and writes no memory.
struct Gateway {
  Stream* in = nullptr;
  testing::Port port;
  std::uint8_t one = 1;
  std::uint8_t aw_valid = 0, w_valid = 0, ar_valid = 0;
  std::uint16_t aw_address = 0, ar_address = 0;
  std::uint64_t w_data = 0, r_data = 0;
  std::uint8_t interrupt = 0;
  std::uint32_t looped = 0, dropped = 0;
  std::uint64_t busy = 0;
  std::array<std::uint64_t, 2> header{};
  std::size_t beats = 0;
  std::deque<std::uint16_t> rooms;
  struct Event {
    std::array<std::uint64_t, 2> header{};
    std::uint16_t tag = 0;
  };
  std::deque<Event> events;

  void edge(bool reset) {
    if (reset) {
      rooms.clear();
      events.clear();
      beats = 0;
      return;
    }
    if (aw_valid != 0 && aw_address == register_of(0, Place::room_doorbell)) {
      rooms.push_back(static_cast<std::uint16_t>(w_data));
    }
    if (ar_valid != 0 && ar_address == register_of(0, Place::stored_event)) {
      events.pop_front();
    }
    if (!in->moves()) {
      return;
    }
    if (beats < header.size()) {
      header[beats] = in->beat.data;
    }
    ++beats;
    if (in->beat.last != 0) {
      beats = 0;
      events.push_back({header, rooms.front()});
      rooms.pop_front();
    }
  }

  void settle() {
    in->ready = static_cast<std::uint8_t>(!rooms.empty());
    interrupt = static_cast<std::uint8_t>(!events.empty());
    r_data = read();
  }

  [[nodiscard]] std::uint64_t read() const {
    if (ar_address == detail::stored_ends) {
      return interrupt;
    }
    if (events.empty()) {
      return 0;
    }
    if (ar_address == register_of(0, Place::stored_low)) {
      return events.front().header[0];
    }
    return ar_address == register_of(0, Place::stored_event) ? events.front().tag
                                                             : events.front().header[1];
  }

  void connect(Wires& wires) {
    wires.memory = port.wires();
    wires.port = {&busy, &busy, &busy};
    wires.gateways = {{&looped, &dropped}};
    wires.registers = {.aw_valid = &aw_valid,
                       .aw_ready = &one,
                       .aw_address = &aw_address,
                       .w_valid = &w_valid,
                       .w_ready = &one,
                       .w_data = &w_data,
                       .b_valid = &one,
                       .ar_valid = &ar_valid,
                       .ar_ready = &one,
                       .ar_address = &ar_address,
                       .r_valid = &one,
                       .r_data = &r_data,
                       .interrupt = &interrupt};
  }
};

/// entry -> first -> topic -> second -> exit, and the topic's gateway; entry -> apart -> exit.
class RoomsTest : public ::testing::Test {
 protected:
  static constexpr std::size_t first = 0;
  static constexpr std::size_t second = 1;
  static constexpr std::size_t apart = 2;

  void SetUp() override {
    std::array<Stream*, 6> s{};
    for (Stream*& stream : s) {
      stream = model_.stream();
    }
    gateway_.in = model_.stream();
    model_.add_node({s[0]}, {s[1]});
    model_.add_node({s[2]}, {s[3]});
    model_.add_node({s[4]}, {s[5]});
    Network& network = model_.networks.emplace_back();
    network.in = s[1];
    network.outs = {s[2], gateway_.in};
    model_.entries = {s[0], s[4]};
    model_.exits = {s[3], s[5]};
    const auto probe = [this](Stream* stream) { return model_.probe(stream); };
    model_.plan = {
        {{{probe(s[0]), 0, 0, 0}}, {{probe(s[1]), std::nullopt, 0, 0}}, {}},
        {{{probe(s[2]), std::nullopt, 0, 0}}, {{probe(s[3]), 0, 0, 1}}, {}},
        {{{probe(s[4]), 1, 0, 0}}, {{probe(s[5]), 1, 0, 2}}, {}},
    };
    Wires wires = model_.wires();
    gateway_.connect(wires);
    wires.evaluate = [this] { evaluate(); };
    simulation_ = std::make_unique<Simulation>(
        std::move(wires), model_.plan, Memory{},
        std::vector<GatewayPlan>{{.network = 0, .subscription = 1, .publishers = {first}}},
        Delegate{.lend = [this](std::size_t) { return lend(); },
                 .take =
                     [this](std::vector<FilledRoom>&& stored) {
                       taken_ += stored.size();
                       rooms_ += stored.size();
                     }});
  }

  void evaluate() {
    if (model_.clock != 0 && model_.before == 0) {
      gateway_.edge(model_.reset != 0);
    }
    model_.evaluate();
    gateway_.settle();
  }

  std::optional<Room> lend() {
    if (rooms_ == 0) {
      return std::nullopt;
    }
    --rooms_;
    return Room{room_, nullptr};
  }

  [[nodiscard]] Arrival message(std::size_t entry = 0) const {
    return {.entry = entry, .message = message_, .keep = {}};
  }

  std::size_t rooms_ = 0;  ///< that may be lent
  std::size_t taken_ = 0;  ///< messages that were handed on in mid-run
  alignas(64) std::array<std::byte, 200> message_{};
  alignas(64) std::array<std::byte, 512> room_{};
  Model model_;
  Gateway gateway_;
  std::unique_ptr<Simulation> simulation_;
};

TEST_F(RoomsTest, WhatFindsNoMemoryWaitsForTheNextRun) {
  const Outcome starved = simulation_->run({message()});
  EXPECT_TRUE(starved.starved);
  EXPECT_TRUE(starved.departures.empty());
  EXPECT_TRUE(starved.stored.empty());
  EXPECT_TRUE(starved.troubles.empty());
  EXPECT_TRUE(simulation_->run({}).starved) << "there is still none";
  rooms_ = 2;
  const Outcome outcome = simulation_->run({});
  EXPECT_FALSE(outcome.starved);
  EXPECT_EQ(outcome.departures.size(), 1U);
  ASSERT_EQ(outcome.stored.size(), 1U);
  EXPECT_EQ(outcome.stored[0].size, message_.size());
  EXPECT_TRUE(outcome.troubles.empty());
}

TEST_F(RoomsTest, WhoNeedsNoMemoryAnswersHoweverLongItTakes) {
  model_.nodes[apart].per_beat = 500;
  const Outcome starved = simulation_->run({message(), message(1)});
  EXPECT_TRUE(starved.starved);
  ASSERT_EQ(starved.departures.size(), 1U);
  EXPECT_EQ(starved.departures[0].exit, 1U);
}

TEST_F(RoomsTest, WithoutAMessageNobodyLacksMemory) {
  const Outcome outcome = simulation_->run({message(1)});
  EXPECT_FALSE(outcome.starved);
  EXPECT_EQ(outcome.departures.size(), 1U);
}

TEST_F(RoomsTest, WhoHangsIsNamedThoughMemoryIsLackingToo) {
  model_.nodes[apart].fault = Fault::silent;
  const Outcome outcome = simulation_->run({message(), message(1)});
  ASSERT_EQ(outcome.troubles.size(), 1U);
  EXPECT_EQ(outcome.troubles[0].node, apart);
  EXPECT_TRUE(outcome.starved);
}

TEST_F(RoomsTest, StoredMessagesMakeRoomForTheNextOnes) {
  rooms_ = 1;
  const Outcome outcome = simulation_->run({message(), message(), message()});
  EXPECT_EQ(taken_, 3U);
  EXPECT_TRUE(outcome.stored.empty());
  EXPECT_EQ(outcome.departures.size(), 3U);
  EXPECT_FALSE(outcome.starved);
}

TEST_F(RoomsTest, WhatWasHandedOnDoesNotComeAgainWhenACoreHangs) {
  rooms_ = 1;
  model_.nodes[second].fault = Fault::silent;
  const Outcome outcome = simulation_->run({message(), message(), message()});
  EXPECT_EQ(taken_, 3U);
  EXPECT_TRUE(outcome.stored.empty());
  ASSERT_EQ(outcome.troubles.size(), 1U);
  EXPECT_EQ(outcome.troubles[0].node, second);
}

}  // namespace
}  // namespace ligament::fpga
