// SPDX-License-Identifier: Apache-2.0
/// \file What a design does with messages of the pool: which go in together, and who gets what
/// comes out. A model in C++ takes the place of the verilated one.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <ligament/fpga_member.hpp>
#include <ligament/ligament.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model.hpp"

namespace ligament::fpga::testing {
namespace {

class Tested : public Member {
 public:
  Tested(const NodeOptions& options, std::shared_ptr<Design> design)
      : Member("tested", options, std::move(design), 0) {}
};

class MemberTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      memory_[i] = static_cast<std::byte>(i);
    }
  }

  /// entry -> node -> exit, and with a gateway a topic behind a second output.
  void open(std::size_t in_flight, bool has_gateway = false) {
    Stream* in = model_.stream();
    Stream* out = model_.stream();
    std::vector<OutputPlan> outputs{{model_.probe(out), 0, 0, 0}};
    model_.entries = {in};
    model_.exits = {out};
    DesignPlan plan;
    plan.in_flight = in_flight;
    plan.rooms = {8192};
    if (has_gateway) {
      Stream* topic = model_.stream();
      model_.gateways = {model_.stream()};
      model_.add_node({in}, {out, topic});
      outputs.push_back({model_.probe(topic), std::nullopt, 0, 0});
      Network& network = model_.networks.emplace_back();
      network.in = topic;
      network.outs = {model_.gateways[0]};
      plan.networks = {"chat"};
      plan.gateways = {
          {.topic = "chat", .plan = {.network = 0, .subscription = 0, .publishers = {0}}}};
    } else {
      model_.add_node({in}, {out});
    }
    model_.plan = {{{{model_.probe(in), 0, 0, 0}}, std::move(outputs), {}}};
    start(std::move(plan));
  }

  void start(DesignPlan plan) {
    plan.nodes = model_.plan;
    auto made = Context::create({.domain = "m" + std::to_string(::getpid()), .run_id = "test"});
    ASSERT_TRUE(made) << made.error().text;
    context_ = *made;
    design_ = std::make_shared<Design>(std::move(plan), model_.wires());
    member_ = std::make_unique<Tested>(NodeOptions().context(context_), design_);
    design_->set_exit(0, [this](const Departure& departure) {
      published_.emplace_back(departure.message.begin(), departure.message.end());
    });
  }

  [[nodiscard]] std::vector<std::byte> bytes(std::size_t size) const {
    return {memory_.begin(), memory_.begin() + static_cast<std::ptrdiff_t>(size)};
  }
  void take(std::size_t size) {
    design_->take(*member_, {.message = std::span(memory_).first(size), .keep = {}}, {});
  }

  alignas(64) std::array<std::byte, 512> memory_{};
  alignas(64) std::array<std::byte, 512> room_{};
  Model model_;
  std::shared_ptr<Context> context_;
  std::shared_ptr<Design> design_;
  std::unique_ptr<Tested> member_;
  std::vector<std::vector<std::byte>> published_;
};

TEST_F(MemberTest, AMessageAloneGoesInAtOnce) {
  open(1);
  take(100);
  take(40);
  EXPECT_EQ(published_, (std::vector{bytes(100), bytes(40)}));
  const auto figures = design_->figures(0);
  EXPECT_EQ(figures.messages, 2U);
  EXPECT_EQ(figures.refused, 0U);
  EXPECT_FALSE(figures.isolated);
}

TEST_F(MemberTest, AsManyAsMayBeInFlightGoInTogether) {
  open(2);
  take(100);
  EXPECT_TRUE(published_.empty());
  take(40);
  EXPECT_EQ(published_, (std::vector{bytes(100), bytes(40)}));
  take(8);
  EXPECT_EQ(published_.size(), 2U);
}

TEST_F(MemberTest, WhatWaitsBetweenTwoRunsIsCountedAtAStop) {
  open(4);
  take(100);
  take(40);
  EXPECT_EQ(design_->figures(0).left, 0U) << "others may still come";
  context_->shutdown();
  EXPECT_EQ(design_->figures(0).left, 2U);
  ::testing::internal::CaptureStderr();
  member_.reset();
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("2 of its messages have no answer"),
            std::string::npos);
}

TEST_F(MemberTest, EntriesWaitForTheGatewaysOfTheirPart) {
  open(2, true);
  design_->set_gateway_output(0, {.lend =
                                      [this] {
                                        return Room{room_, nullptr};
                                      },
                                  .publish = [](FilledRoom&&) {}});
  take(100);
  take(40);
  EXPECT_TRUE(published_.empty()) << "nothing has come to the gateway";
}

TEST_F(MemberTest, AMessageThatComesOutBrokenIsAnErrorOfTheNodeAndNotPublished) {
  open(1);
  model_.nodes[0].fault = Fault::oversize;
  take(100);
  EXPECT_TRUE(published_.empty());
  ASSERT_EQ(member_->errors().size(), 1U);
  EXPECT_NE(member_->errors()[0].text.find("breaks its header's announcement"), std::string::npos)
      << member_->errors()[0].text;
  EXPECT_EQ(design_->figures(0).refused, 1U);
}

}  // namespace
}  // namespace ligament::fpga::testing
