// SPDX-License-Identifier: Apache-2.0
/// \file What a design does with messages of the pool: which go in together, and who gets what
/// comes out. A model in C++ takes the place of the verilated one.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <ligament/fpga_member.hpp>
#include <ligament/ligament.hpp>
#include <ligament/std_msgs/msg/string.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "model.hpp"

namespace ligament::fpga::testing {
namespace {

template <typename Condition>
bool waits_for(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

class Tested : public Member {
 public:
  Tested(const NodeOptions& options, std::shared_ptr<Design> design)
      : Member("tested", options, std::move(design), 0) {}
  void publish_texts() { add_output<std_msgs::msg::String>("out", 0); }
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

TEST_F(MemberTest, WholeSetsThatWaitForMoreAreCountedAsLittleAsAQueueAtAStop) {
  open(4);
  take(100);
  take(40);
  context_->shutdown();
  EXPECT_EQ(design_->figures(0).left, 0U);
}

TEST_F(MemberTest, WhatWaitsForOthersOfItsSetIsCountedAtAStop) {
  Stream* const one = model_.stream();
  Stream* const two = model_.stream();
  Stream* const out = model_.stream();
  model_.entries = {one, two};
  model_.exits = {out};
  model_.add_node({one, two}, {out});
  model_.plan = {{{{model_.probe(one), 0, 0, 0}, {model_.probe(two), 1, 0, 0}},
                  {{model_.probe(out), 0, 0, 0}},
                  {}}};
  DesignPlan plan;
  plan.rooms = {8192};
  start(std::move(plan));
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

/// A topic of texts with its ends, and one text as hardware would store it.
class TextTopic {
 public:
  using Text = std_msgs::msg::String;

  TextTopic(std::shared_ptr<Context> context, std::size_t bound)
      : context_(std::move(context)),
        options_(NodeOptions().context(context_).topic("/out", with_bound(bound))),
        listener_(std::make_shared<ligament::Node>("listener", options_)),
        heard_by_(listener_->create_subscription<Text>("/out", QoS(5), [this](Sample<Text> sample) {
          heard.emplace_back(sample.view().data());
        })) {
    const Text hello{.data = "hello"};
    stored.resize(MessageTraits<Text>::layout_of(hello)->size);
    (void)MessageTraits<Text>::serialize(hello, stored);
  }

  [[nodiscard]] const NodeOptions& options() const { return options_; }
  void listen() {
    executors::SingleThreadedExecutor executor({.context = context_});
    executor.add_node(listener_);
    for (int i = 0; i < 10; ++i) {
      (void)executor.spin_some();
    }
  }

  std::vector<std::byte> stored;
  std::vector<std::string> heard;

 private:
  static TopicOptions with_bound(std::size_t bytes) {
    TopicOptions options;
    options.bound_bytes = bytes;
    return options;
  }

  std::shared_ptr<Context> context_;
  NodeOptions options_;
  std::shared_ptr<ligament::Node> listener_;
  std::shared_ptr<Subscription<Text>> heard_by_;
};

class BoundTest : public MemberTest, public ::testing::WithParamInterface<std::size_t> {};

TEST_P(BoundTest, MessagesArriveWhetherTheyAreWrittenInPlaceOrCopied) {
  open(1);
  TextTopic topic(context_, GetParam());
  member_.reset();
  member_ = std::make_unique<Tested>(topic.options(), design_);
  member_->publish_texts();
  std::copy(topic.stored.begin(), topic.stored.end(), memory_.begin());
  const bool came = waits_for([&] {
    take(topic.stored.size());
    topic.listen();
    return topic.heard.size() >= 5;
  });
  EXPECT_TRUE(came);
  EXPECT_EQ(topic.heard, std::vector<std::string>(topic.heard.size(), "hello"));
  EXPECT_TRUE(member_->errors().empty());
}

INSTANTIATE_TEST_SUITE_P(Bounds, BoundTest,
                         ::testing::Values(detail::least_in_place, std::size_t{256},
                                           std::size_t{0}));

TEST_F(MemberTest, RoomsAreLoansAndGoOutWhereTheyLie) {
  open(1);
  TextTopic topic(context_, 256);
  ligament::Node talker("talker", topic.options());
  PublisherOptions options;
  options.max_loans = 2;
  options.front_bytes = detail::boundary_bytes;
  const auto publisher = talker.create_publisher<TextTopic::Text>("/out", QoS(5), options);
  ASSERT_TRUE(waits_for([&] { return publisher->get_subscription_count() == 1; }));
  detail::DeviceRooms<TextTopic::Text> rooms(publisher, 2, 256 + detail::boundary_bytes);
  const auto room = rooms.lend();
  ASSERT_TRUE(room && room->lent);
  {
    const auto other = rooms.lend();
    EXPECT_TRUE(other);
    EXPECT_FALSE(rooms.lend()) << "both are lent";
  }
  const auto other = rooms.lend();
  ASSERT_TRUE(other) << "one came back";
  const auto place = room->memory.subspan(8, topic.stored.size());
  std::copy(topic.stored.begin(), topic.stored.end(), place.begin());
  EXPECT_TRUE(rooms.publish(room->keep, place));
  detail::DeviceRooms<TextTopic::Text> others(talker.create_publisher<TextTopic::Text>("/out", 5),
                                              2, 256);
  EXPECT_FALSE(others.publish(other->keep, other->memory)) << "another publisher lent it";
  EXPECT_TRUE(waits_for([&] {
    topic.listen();
    return !topic.heard.empty();
  }));
  EXPECT_EQ(topic.heard, std::vector<std::string>{"hello"});
  EXPECT_EQ(publisher->statistics().loans_failed, 0U);
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
