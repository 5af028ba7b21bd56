// SPDX-License-Identifier: Apache-2.0
/// \file Services of a design's nodes, as its driver sees them: they owe apart from topics, and
/// are one core with the node that offers them.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model.hpp"

namespace ligament::fpga::testing {
namespace {

constexpr std::size_t topics = 0;
constexpr std::size_t other = 1;
constexpr std::size_t service = 2;

/// entry -> core -> topic -> other -> exit; the core has requests and responses besides.
std::unique_ptr<Model> serving() {
  auto model = std::make_unique<Model>();
  std::array<Stream*, 5> s{model->stream(), model->stream(), model->stream(), model->stream(),
                           model->stream()};
  Stream* response = model->stream();
  model->add_node({s[0]}, {s[1]});
  model->add_node({s[2]}, {s[3]});
  model->add_node({s[4]}, {response});
  model->nodes[service].core = &model->nodes[topics];
  Network& network = model->networks.emplace_back();
  network.in = s[1];
  network.outs = {s[2]};
  model->entries = {s[0], s[4]};
  model->exits = {s[3], response};
  const auto probe = [&](Stream* stream) { return model->probe(stream); };
  model->plan = {
      {{{probe(s[0]), 0, 0, 0}}, {{probe(s[1]), std::nullopt, 0, 0}}, {}},
      {{{probe(s[2]), std::nullopt, 0, 0}}, {{probe(s[3]), 0, 0, 1}}, {}},
      {{{probe(s[4]), 1, 0, 0}}, {{probe(response), 1, 0, 2}}, {{16, "a stranger's"}}, topics},
  };
  model->plan[topics].refusals = {{16, "nothing is left"}};
  return model;
}

class ServiceTest : public ::testing::Test {
 protected:
  [[nodiscard]] Arrival message() const { return {.entry = 0, .message = memory_, .keep = {}}; }
  [[nodiscard]] Arrival request(std::uint8_t client, std::uint64_t sequence) const {
    return {.entry = 1,
            .publisher = client,
            .kind = FrameKind::request,
            .message = std::span(memory_).first(24),
            .sequence = sequence,
            .keep = {}};
  }

  alignas(64) std::array<std::byte, 400> memory_{};
};

TEST_F(ServiceTest, AResponseSaysWhoseRequestItAnswers) {
  const auto model = serving();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  const Outcome outcome = simulation.run({request(64, 0x1'0007), request(65, 0xFFFF)});
  ASSERT_EQ(outcome.departures.size(), 2U);
  EXPECT_EQ(outcome.departures[0].publisher, 64);
  EXPECT_EQ(outcome.departures[0].sequence, 7);
  EXPECT_EQ(outcome.departures[1].publisher, 65);
  EXPECT_EQ(outcome.departures[1].sequence, 0xFFFF);
  EXPECT_TRUE(outcome.troubles.empty());
}

TEST_F(ServiceTest, RequestsAndMessagesAreToldApart) {
  const auto model = serving();
  std::array<std::uint64_t, 2> kinds{9, 9};
  const auto look = [&](std::size_t entry) {
    const Stream& stream = *model->entries[entry];
    if (stream.valid != 0 && kinds[entry] == 9) {
      kinds[entry] = stream.beat.data >> 62U;
    }
  };
  Wires wires = model->wires();
  wires.evaluate = [&] {
    model->evaluate();
    look(0);
    look(1);
  };
  Simulation simulation(std::move(wires), model->plan, {}, model->boundary());
  EXPECT_EQ(simulation.run({message(), request(64, 1)}).departures.size(), 2U);
  EXPECT_EQ(kinds, (std::array<std::uint64_t, 2>{0, 1}));
}

TEST_F(ServiceTest, ARequestIsAnsweredWithoutAMessage) {
  const auto model = serving();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  const Outcome asked = simulation.run({request(64, 1)});
  ASSERT_EQ(asked.departures.size(), 1U);
  EXPECT_EQ(asked.departures[0].exit, 1U);
  const Outcome said = simulation.run({message()});
  ASSERT_EQ(said.departures.size(), 1U);
  EXPECT_EQ(said.departures[0].exit, 0U);
}

TEST_F(ServiceTest, WhoDoesNotAnswerARequestIsIsolatedWhole) {
  const auto model = serving();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  model->nodes[service].fault = Fault::silent;
  for (int time = 1; time <= 3; ++time) {
    const Outcome hung = simulation.run({message(), request(64, 1)});
    ASSERT_EQ(hung.troubles.size(), 1U);
    EXPECT_EQ(hung.troubles[0].node, service);
    EXPECT_EQ(hung.troubles[0].isolated, time == 3);
    EXPECT_TRUE(hung.departures.empty()) << "what it said before it hung came twice";
  }
  // Its topics are swallowed with it, and nobody waits for either.
  const Outcome outcome = simulation.run({message(), request(64, 2)});
  EXPECT_TRUE(outcome.troubles.empty());
  EXPECT_TRUE(outcome.departures.empty());
}

TEST_F(ServiceTest, ACoreThatANeighbourHoldsUpIsNotToBlame) {
  const auto model = serving();
  model->nodes[service].behind = &model->nodes[topics];
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  model->nodes[other].fault = Fault::deaf;
  const Outcome hung = simulation.run({message(), request(64, 1)});
  ASSERT_EQ(hung.troubles.size(), 1U);
  EXPECT_EQ(hung.troubles[0].node, other) << hung.troubles[0].text;
  ASSERT_EQ(hung.departures.size(), 1U);
  EXPECT_EQ(hung.departures[0].exit, 1U);
}

TEST_F(ServiceTest, ARefusedRequestIsExplainedByTheCoresManifest) {
  const auto model = serving();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  model->nodes[service].fault = Fault::refuses;
  model->nodes[service].code = 16;
  const Outcome outcome = simulation.run({request(64, 1)});
  ASSERT_EQ(outcome.troubles.size(), 1U);
  EXPECT_EQ(outcome.troubles[0].node, service);
  EXPECT_EQ(outcome.troubles[0].text, "it refuses the message: nothing is left");
}

}  // namespace
}  // namespace ligament::fpga::testing
