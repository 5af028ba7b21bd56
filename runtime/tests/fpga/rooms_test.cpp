// SPDX-License-Identifier: Apache-2.0
/// \file Gateways that have no memory, or little of it: what waits, what goes on, what is lost. And
/// whose memory exits write into.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "model.hpp"

namespace ligament::fpga::testing {
namespace {

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
    model_.gateways = {model_.stream()};
    model_.add_node({s[0]}, {s[1]});
    model_.add_node({s[2]}, {s[3]});
    model_.add_node({s[4]}, {s[5]});
    Network& network = model_.networks.emplace_back();
    network.in = s[1];
    network.outs = {s[2], model_.gateways[0]};
    model_.entries = {s[0], s[4]};
    model_.exits = {s[3], s[5]};
    const auto probe = [this](Stream* stream) { return model_.probe(stream); };
    model_.plan = {
        {{{probe(s[0]), 0, 0, 0}}, {{probe(s[1]), std::nullopt, 0, 0, "raw"}}, {}},
        {{{probe(s[2]), std::nullopt, 0, 0}}, {{probe(s[3]), 0, 0, 1}}, {}},
        {{{probe(s[4]), 1, 0, 0}}, {{probe(s[5]), 1, 0, 2}}, {}, std::nullopt, 1},
    };
    Boundary boundary = model_.boundary();
    boundary.gateways = {{.network = 0, .subscription = 1, .publishers = {first}}};
    simulation_ = std::make_unique<Simulation>(
        model_.wires(), model_.plan, Memory{}, std::move(boundary),
        Delegate{.lend = [this](std::size_t) { return lend(); },
                 .take =
                     [this](std::vector<FilledRoom>&& stored) {
                       taken_ += stored.size();
                       rooms_ += stored.size();
                     },
                 .lend_exit =
                     [this](std::size_t exit) { return exit == 1 ? lend_exit() : std::nullopt; }});
  }

  std::optional<Room> lend() {
    if (rooms_ == 0) {
      return std::nullopt;
    }
    --rooms_;
    return Room{room_, nullptr};
  }

  std::optional<Room> lend_exit() {
    if (lent_.use_count() > 3) {
      return std::nullopt;
    }
    return Room{exit_rooms_.emplace_back(), lent_, true};
  }

  /// Of a message to the node that is apart, and its exit, to which memory is lent.
  Departure apart_departs() {
    Outcome outcome = simulation_->run({message(1)});
    EXPECT_TRUE(outcome.troubles.empty());
    EXPECT_EQ(outcome.departures.size(), 1U);
    return std::move(outcome.departures.front());
  }

  [[nodiscard]] Arrival message(std::size_t entry = 0) const {
    return {.entry = entry, .message = message_, .keep = {}};
  }

  std::size_t rooms_ = 0;  ///< that may be lent
  std::size_t taken_ = 0;  ///< messages that were handed on in mid-run
  alignas(64) std::array<std::byte, 200> message_{};
  alignas(64) std::array<std::byte, 512> room_{};
  struct alignas(64) ExitRoom : std::array<std::byte, 512> {};
  std::deque<ExitRoom> exit_rooms_;
  std::shared_ptr<int> lent_ = std::make_shared<int>(0);
  Model model_;
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

TEST_F(RoomsTest, AMessageOverItsBoundIsNamedWithWhoPublishedIt) {
  constexpr std::uint64_t too_long = 3;
  rooms_ = 2;
  model_.shell.ends[0].store_status = too_long;
  const Outcome outcome = simulation_->run({message()});
  EXPECT_TRUE(outcome.stored.empty());
  ASSERT_EQ(outcome.troubles.size(), 1U);
  EXPECT_EQ(outcome.troubles[0].node, first);
  EXPECT_NE(outcome.troubles[0].text.find("its message on raw is longer than its bound"),
            std::string::npos)
      << outcome.troubles[0].text;
  EXPECT_EQ(simulation_->gateways()[0].failed, 1U);
  EXPECT_EQ(outcome.departures.size(), 1U) << "who is in hardware gets it nevertheless";
}

TEST_F(RoomsTest, AGatewayThatWasNotToldOfAMessageIsSeenAndCounted) {
  rooms_ = 2;
  model_.shell.ends[0].loses_sends = true;
  const Outcome outcome = simulation_->run({{.gateway = 0, .message = message_, .keep = {}}});
  EXPECT_TRUE(outcome.departures.empty());
  EXPECT_EQ(simulation_->gateways()[0].failed, 1U);
}

TEST_F(RoomsTest, AnExitWritesIntoWhatItIsLent) {
  const Departure first_one = apart_departs();
  EXPECT_TRUE(first_one.lent);
  EXPECT_EQ(first_one.message.data(), exit_rooms_[0].data());
  EXPECT_TRUE(std::equal(message_.begin(), message_.end(), first_one.message.begin(),
                         first_one.message.end()));
  const Departure second_one = apart_departs();
  EXPECT_EQ(second_one.message.data(), exit_rooms_[1].data()) << "what came is not written again";
}

TEST_F(RoomsTest, AnExitThatIsLentNothingHasTheDriversMemoryAndUsesItAgain) {
  const std::array<std::shared_ptr<int>, 3> lent{lent_, lent_, lent_};  // as many as there are
  Departure first_one = apart_departs();
  EXPECT_FALSE(first_one.lent);
  EXPECT_TRUE(exit_rooms_.empty());
  const Departure second_one = apart_departs();
  EXPECT_NE(second_one.message.data(), first_one.message.data());
  const std::byte* const free = first_one.message.data();
  first_one.keep.reset();
  std::vector<Departure> later;
  while (later.size() < 3) {
    later.push_back(apart_departs());
  }
  const auto is_free = [free](const Departure& one) { return one.message.data() == free; };
  EXPECT_EQ(std::count_if(later.begin(), later.end(), is_free), 1);
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
}  // namespace ligament::fpga::testing
