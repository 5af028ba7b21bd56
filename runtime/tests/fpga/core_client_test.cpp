// SPDX-License-Identifier: Apache-2.0
/// \file Services that a core calls: each request that leaves the design has one answer that enters
/// it. A model in C++ takes the place of the verilated one, functions that of the server.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ligament/detail/core_client.hpp>
#include <ligament/fpga_member.hpp>
#include <ligament/ligament.hpp>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "model.hpp"

namespace ligament::fpga::testing {
namespace {

using namespace std::chrono_literals;

class Caller : public Member {
 public:
  Caller(const NodeOptions& options, std::shared_ptr<Design> design)
      : Member("caller", options, std::move(design), 0) {}
};

/// What entered at the client's entry.
struct Entered {
  std::uint64_t kind = 0;
  std::uint64_t number = 0;
  bool operator==(const Entered&) const = default;
};

class CoreClientTest : public ::testing::Test {
 protected:
  /// entry 0 -> core -> exit; what enters at 1 is answered with nothing.
  void open(ClientLimits limits) {
    Stream* question = model_.stream();
    Stream* response = model_.stream();
    Stream* request = model_.stream();
    model_.add_node({question, response}, {request});
    model_.nodes.back().each = true;
    model_.nodes.back().fault = Fault::short_spoken;
    model_.nodes.back().code = 9;  // nothing
    model_.entries = {question, response};
    model_.exits = {request};
    model_.plan = {
        {.inputs = {{model_.probe(question), 0, 0, 0}, {model_.probe(response), 1, 0, 0}},
         .outputs = {{model_.probe(request), 0, 0, 0}},
         .refusals = {},
         .each = true}};
    DesignPlan plan;
    plan.rooms = {8192};
    plan.nodes = model_.plan;
    Wires wires = model_.wires();
    wires.evaluate = [this, response] {
      model_.evaluate();
      look(*response);
    };
    auto made = Context::create({.domain = "k" + std::to_string(::getpid()), .run_id = "test"});
    ASSERT_TRUE(made) << made.error().text;
    context_ = *made;
    design_ = std::make_shared<Design>(std::move(plan), std::move(wires));
    member_ = std::make_shared<Caller>(NodeOptions().context(context_), design_);
    calls_ = CoreClient::create(
        *member_, *design_, 1, limits,
        {.is_ready = [this] { return is_ready_; },
         .send =
             [this](std::span<const std::byte> bytes, std::chrono::nanoseconds limit,
                    CoreClient::Answered answered) {
               sent_.emplace_back(bytes.begin(), bytes.end());
               limits_.push_back(limit);
               answers_.push_back(std::move(answered));
               return are_requests_;
             },
         .give_up = [this] { ++given_up_; }});
    design_->set_exit(0, [this](const Departure& departure) {
      calls_->ask(departure.sequence, departure.message);
    });
  }

  /// The first beat of a frame is its header's first half.
  void look(const Stream& stream) {
    if (!inside_ && stream.valid != 0) {
      entered_.push_back({stream.beat.data >> 62U, stream.beat.data >> 32U & 0xFFFFU});
    }
    inside_ = stream.valid != 0;
  }

  void question(std::uint64_t number) {
    design_->take(*member_,
                  {.message = std::span(memory_).first(24), .sequence = number, .keep = {}}, {});
  }
  static CoreClient::Stored stored() {
    return std::make_shared<const std::vector<std::byte>>(24, std::byte{1});
  }
  /// Until the client has looked again.
  template <typename Done>
  void spin_until(const Done& done) {
    for (int tries = 0; tries < 10'000 && !done(); ++tries) {
      (void)spin_some(member_);
      std::this_thread::sleep_for(1ms);
    }
    EXPECT_TRUE(done());
  }
  std::string error() {
    const auto errors = member_->errors();
    return errors.empty() ? "" : errors.front().text;
  }

  static constexpr std::uint64_t response_kind = 2;
  static constexpr std::uint64_t no_response_kind = 3;

  alignas(64) std::array<std::byte, 64> memory_{};
  Model model_;
  std::shared_ptr<Context> context_;
  std::shared_ptr<Design> design_;
  std::shared_ptr<Caller> member_;
  std::shared_ptr<CoreClient> calls_;
  bool is_ready_ = true;
  bool are_requests_ = true;
  bool inside_ = false;
  std::vector<std::vector<std::byte>> sent_;
  std::vector<std::chrono::nanoseconds> limits_;
  std::vector<CoreClient::Answered> answers_;
  std::size_t given_up_ = 0;
  std::vector<Entered> entered_;
};

TEST_F(CoreClientTest, AResponseHasTheNumberOfItsRequest) {
  open({.in_flight = 2, .time_limit = 10s});
  question(7);
  question(0xFFFF);
  ASSERT_EQ(sent_.size(), 2U);
  EXPECT_EQ(sent_[0], std::vector<std::byte>(24));
  EXPECT_GT(limits_[0], 0ns);
  EXPECT_LE(limits_[0], 10s);
  EXPECT_TRUE(calls_->is_waiting());
  answers_[1](stored());
  answers_[0](stored());
  EXPECT_EQ(entered_, (std::vector<Entered>{{response_kind, 0xFFFF}, {response_kind, 7}}));
  EXPECT_FALSE(calls_->is_waiting());
  EXPECT_EQ(error(), "");
}

TEST_F(CoreClientTest, ANumberMayBeUsedAgainOnceItsAnswerIsThere) {
  open({.in_flight = 1, .time_limit = 10s});
  question(3);
  answers_[0](stored());
  question(3);
  ASSERT_EQ(sent_.size(), 2U);
  answers_[1](nullptr);
  EXPECT_EQ(entered_, (std::vector<Entered>{{response_kind, 3}, {no_response_kind, 3}}));
  EXPECT_EQ(error(), "");
}

TEST_F(CoreClientTest, ASecondResponseToOneRequestDoesNotEnter) {
  open({.in_flight = 1, .time_limit = 10s});
  question(3);
  answers_[0](stored());
  answers_[0](stored());
  EXPECT_EQ(entered_.size(), 1U);
}

TEST_F(CoreClientTest, ARequestWaitsForItsServer) {
  is_ready_ = false;
  open({.in_flight = 2, .time_limit = 100s});
  question(1);
  question(2);
  EXPECT_TRUE(sent_.empty());
  is_ready_ = true;
  spin_until([this] { return sent_.size() == 2; });
  answers_[0](stored());
  answers_[1](stored());
  EXPECT_EQ(entered_, (std::vector<Entered>{{response_kind, 1}, {response_kind, 2}}));
  EXPECT_EQ(given_up_, 0U);
}

TEST_F(CoreClientTest, WithoutAServerThereIsNoResponse) {
  is_ready_ = false;
  open({.in_flight = 1, .time_limit = 20ms});
  question(9);
  spin_until([this] { return !entered_.empty(); });
  EXPECT_EQ(entered_, (std::vector<Entered>{{no_response_kind, 9}}));
  EXPECT_EQ(given_up_, 1U);
  EXPECT_TRUE(sent_.empty());
  EXPECT_FALSE(calls_->is_waiting());
}

TEST_F(CoreClientTest, OneRequestTooManyIsAnsweredWithNone) {
  open({.in_flight = 1, .time_limit = 10s});
  question(1);
  question(2);
  EXPECT_EQ(sent_.size(), 1U);
  spin_until([this] { return !entered_.empty(); });
  EXPECT_EQ(entered_, (std::vector<Entered>{{no_response_kind, 2}}));
  EXPECT_NE(error().find("more requests open"), std::string::npos);
  answers_[0](stored());
  EXPECT_EQ(entered_.back(), (Entered{response_kind, 1}));
}

TEST_F(CoreClientTest, ARequestWithTheNumberOfAnOpenOneIsDropped) {
  open({.in_flight = 3, .time_limit = 10s});
  question(1);
  question(1);
  EXPECT_EQ(sent_.size(), 1U);
  EXPECT_NE(error().find("the number of a request"), std::string::npos);
  answers_[0](stored());
  EXPECT_EQ(entered_, (std::vector<Entered>{{response_kind, 1}}));
}

TEST_F(CoreClientTest, BytesThatAreNoRequestAreAnsweredWithNone) {
  are_requests_ = false;
  open({.in_flight = 1, .time_limit = 10s});
  question(5);
  spin_until([this] { return !entered_.empty(); });
  EXPECT_EQ(entered_, (std::vector<Entered>{{no_response_kind, 5}}));
  EXPECT_NE(error().find("its request breaks the layout"), std::string::npos);
}

TEST_F(CoreClientTest, AnAnswerWithinTheCallEntersAfterIt) {
  open({.in_flight = 1, .time_limit = 10s});
  // As a client whose request cannot be sent.
  auto calls = CoreClient::create(*member_, *design_, 1, {.in_flight = 1, .time_limit = 10s},
                                  {.is_ready = [] { return true; },
                                   .send =
                                       [](std::span<const std::byte>, std::chrono::nanoseconds,
                                          const CoreClient::Answered& answered) {
                                         answered(nullptr);
                                         return true;
                                       },
                                   .give_up = [] {}});
  design_->set_exit(0, [calls](const Departure& departure) {
    calls->ask(departure.sequence, departure.message);
  });
  question(4);
  spin_until([this] { return !entered_.empty(); });
  EXPECT_EQ(entered_, (std::vector<Entered>{{no_response_kind, 4}}));
}

}  // namespace
}  // namespace ligament::fpga::testing
