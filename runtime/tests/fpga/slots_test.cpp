// SPDX-License-Identifier: Apache-2.0
/// \file Cores that come into a shell's slots and go (spec/device/slots.md). A model in C++ takes
/// the place of shell and cores; the regions say only which shell a core is for.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <ligament/fpga_slot.hpp>
#include <ligament/ligament.hpp>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "model.hpp"

namespace ligament::fpga::testing {
namespace {

using Messages = std::vector<std::vector<std::byte>>;
constexpr std::uint64_t ours = 0x1234;

struct Core : SlotCore {
  explicit Core(std::uint64_t identity) : identity_(identity) {}
  void cycle(SlotPins& pins) override { pins.identity = identity_; }

 private:
  std::uint64_t identity_;
};

class Filter : public SlotMember {
 public:
  Filter(const NodeOptions& options, const std::string& name, std::shared_ptr<Design> shell,
         std::size_t slot, std::uint64_t identity = ours)
      : SlotMember(name, options, std::move(shell), slot) {
    enter({.node = {}, .input = "image", .output = "result", .room_bytes = 8192, .refusals = {}},
          std::make_unique<Core>(identity));
  }
  using SlotMember::holds;
};

class SlotsTest : public ::testing::Test {
 protected:
  void SetUp() override { open(1); }

  void open(std::size_t in_flight) {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      memory_[i] = static_cast<std::byte>(i);
    }
    DesignPlan plan;
    plan.in_flight = in_flight;
    plan.device = "fpga0";
    plan.identity = ours;
    for (std::size_t i = 0; i < 2; ++i) {
      Stream* in = model_.stream();
      Stream* out = model_.stream();
      model_.add_node({in}, {out});
      model_.entries.push_back(in);
      model_.exits.push_back(out);
      plan.rooms.push_back(0);
      plan.regions.push_back(&regions_[i]);
      model_.plan.push_back({.inputs = {{.probe = model_.probe(in), .entry = i}},
                             .outputs = {{.probe = model_.probe(out), .exit = i, .problem = i}},
                             .refusals = {},
                             .part = i,
                             .name = "fpga0.slot" + std::to_string(i)});
    }
    plan.nodes = model_.plan;
    Wires wires = model_.wires();
    wires.foreign = {foreign_.data(), &foreign_[1]};
    wires.evaluate = [this] {
      model_.evaluate();
      for (std::size_t i = 0; i < 2; ++i) {
        regions_[i].cycle();
        foreign_[i] = static_cast<std::uint8_t>(regions_[i].pins.identity != ours);
      }
    };
    auto made = Context::create({.domain = "s" + std::to_string(::getpid()), .run_id = "test"});
    ASSERT_TRUE(made) << made.error().text;
    context_ = *made;
    shell_ = std::make_shared<Design>(std::move(plan), std::move(wires));
  }

  std::unique_ptr<Filter> filter(const std::string& name, std::size_t slot,
                                 std::uint64_t identity = ours) {
    auto made =
        std::make_unique<Filter>(NodeOptions().context(context_), name, shell_, slot, identity);
    if (made->holds()) {
      shell_->set_exit(slot, [this, slot](const Departure& departure) {
        published_[slot].emplace_back(departure.message.begin(), departure.message.end());
      });
    }
    return made;
  }
  void take(Filter& member, std::size_t slot, std::size_t size) {
    shell_->take(member, {.entry = slot, .message = std::span(memory_).first(size), .keep = {}},
                 {});
  }
  [[nodiscard]] std::vector<std::byte> bytes(std::size_t size) const {
    return {memory_.begin(), memory_.begin() + static_cast<std::ptrdiff_t>(size)};
  }
  static std::string error_of(const Filter& node) {
    const auto errors = node.errors();
    return errors.empty() ? "" : errors.front().text;
  }

  alignas(64) std::array<std::byte, 512> memory_{};
  Model model_;
  std::array<Region, 2> regions_;
  std::array<std::uint8_t, 2> foreign_{};
  std::array<Messages, 2> published_;
  std::shared_ptr<Context> context_;
  std::shared_ptr<Design> shell_;
};

TEST_F(SlotsTest, ACoreComesAndGoesAndTheOtherSlotIsNotReset) {
  const auto stays = filter("stays", 1);
  auto goes = filter("goes", 0);
  take(*stays, 1, 40);
  take(*goes, 0, 100);
  const std::size_t resets = model_.nodes[1].resets;
  EXPECT_EQ(model_.nodes[0].isolate, 0);
  goes.reset();
  EXPECT_EQ(model_.nodes[0].isolate, 1);
  take(*stays, 1, 60);
  goes = filter("comes", 0);
  EXPECT_EQ(model_.nodes[0].isolate, 0);
  take(*goes, 0, 80);
  take(*stays, 1, 20);
  EXPECT_EQ(published_[0], (Messages{bytes(100), bytes(80)}));
  EXPECT_EQ(published_[1], (Messages{bytes(40), bytes(60), bytes(20)}));
  EXPECT_EQ(model_.nodes[1].resets, resets);
  const auto figures = shell_->figures(0);
  EXPECT_EQ(figures.messages, 1U);
  ASSERT_EQ(figures.streams.size(), 2U);
  EXPECT_EQ(figures.streams[0].port, "image");
  EXPECT_EQ(figures.streams[0].beats, 12U);  // of its own message: a header and 10
}

TEST_F(SlotsTest, ASlotThatIsTakenIsRefusedAndItsNodeGoesOn) {
  const auto first = filter("first", 0);
  {
    const auto second = filter("second", 0);
    EXPECT_FALSE(second->holds());
    EXPECT_NE(error_of(*second).find("fpga0.slot0 holds '/first'"), std::string::npos)
        << error_of(*second);
  }
  take(*first, 0, 100);
  EXPECT_EQ(published_[0], Messages{bytes(100)});
}

TEST_F(SlotsTest, ACoreForAnotherShellIsRefusedAndTheSlotIsFree) {
  const auto stays = filter("stays", 1);
  {
    const auto foreign = filter("foreign", 0, ours + 1);
    EXPECT_FALSE(foreign->holds());
    EXPECT_NE(error_of(*foreign).find("is for the shell 0000000000001235, and fpga0.slot0 is of "
                                      "the shell 0000000000001234"),
              std::string::npos)
        << error_of(*foreign);
  }
  EXPECT_EQ(model_.nodes[0].isolate, 1);
  const auto right = filter("right", 0);
  ASSERT_TRUE(right->holds()) << error_of(*right);
  take(*right, 0, 100);
  take(*stays, 1, 40);
  EXPECT_EQ(published_[0], Messages{bytes(100)});
  EXPECT_EQ(published_[1], Messages{bytes(40)});
}

TEST_F(SlotsTest, ACoreThatHangsIsGivenUpAndTheNextOneStartsAnew) {
  const auto stays = filter("stays", 1);
  auto hangs = filter("hangs", 0);
  take(*stays, 1, 40);
  model_.nodes[0].fault = Fault::silent;
  const std::size_t resets = model_.nodes[1].resets;
  for (int time = 0; time < 4; ++time) {
    take(*hangs, 0, 100);
    take(*stays, 1, 60);
  }
  EXPECT_TRUE(shell_->figures(0).isolated);
  ASSERT_TRUE(hangs->settle());
  hangs.reset();
  model_.nodes[0].fault = Fault::none;
  hangs = filter("comes", 0);
  ASSERT_TRUE(hangs->holds()) << error_of(*hangs);
  take(*hangs, 0, 80);
  EXPECT_EQ(published_[0], Messages{bytes(80)});
  EXPECT_FALSE(shell_->figures(0).isolated);
  EXPECT_EQ(published_[1].size(), 5U);
  EXPECT_EQ(model_.nodes[1].resets, resets);
}

/// Two of them go in together, so one waits.
class DrainedSlotsTest : public SlotsTest {
 protected:
  void SetUp() override { open(2); }
};

TEST_F(DrainedSlotsTest, WhatANodeHasTakenIsAnsweredBeforeItLeaves) {
  const auto stays = filter("stays", 1);
  auto goes = filter("goes", 0);
  take(*goes, 0, 100);
  take(*stays, 1, 40);
  EXPECT_TRUE(published_[0].empty());
  ASSERT_TRUE(goes->settle());
  EXPECT_EQ(published_[0], Messages{bytes(100)});
  goes.reset();
  goes = filter("comes", 0);
  take(*goes, 0, 80);
  take(*goes, 0, 60);
  take(*stays, 1, 20);
  take(*stays, 1, 30);
  EXPECT_EQ(published_[0], (Messages{bytes(100), bytes(80), bytes(60)}));
  EXPECT_EQ(published_[1].size(), 3U);
}

TEST_F(SlotsTest, CoresComeAndGoWhileTheOtherSlotsThreadTurnsTheClock) {
  const auto stays = filter("stays", 1);
  std::atomic<bool> over{false};
  std::atomic<std::size_t> taken{0};
  std::thread working([&] {
    for (; !over; ++taken) {
      take(*stays, 1, 60);
    }
  });
  for (std::size_t time = 0; time < 50; ++time) {
    for (const std::size_t before = taken; taken == before;) {
      std::this_thread::yield();  // it turns between each two of them
    }
    const auto comes = filter("comes", 0);
    EXPECT_TRUE(comes->holds()) << error_of(*comes);
    take(*comes, 0, 100);
    EXPECT_TRUE(comes->settle());
    EXPECT_EQ(published_[0].size(), time + 1);
  }
  over = true;
  working.join();
  EXPECT_EQ(published_[1].size(), taken);
}

}  // namespace
}  // namespace ligament::fpga::testing
