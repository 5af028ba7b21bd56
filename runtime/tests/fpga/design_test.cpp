// SPDX-License-Identifier: Apache-2.0
/// \file The driver of a design, with a model in the place of the verilated one.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ligament/fpga_design.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model.hpp"

namespace ligament::fpga::testing {
namespace {

/// entry -> a -> topic -> b and c -> exits.
std::unique_ptr<Model> fan() {
  auto model = std::make_unique<Model>();
  Stream* in = model->stream();
  Stream* middle = model->stream();
  std::array<Stream*, 2> parts{model->stream(), model->stream()};
  std::array<Stream*, 2> outs{model->stream(), model->stream()};
  model->add_node({in}, {middle});
  model->add_node({parts[0]}, {outs[0]});
  model->add_node({parts[1]}, {outs[1]});
  Network& network = model->networks.emplace_back();
  network.in = middle;
  network.outs = {parts[0], parts[1]};
  model->entries = {in};
  model->exits = {outs[0], outs[1]};
  const auto probe = [&](Stream* stream) { return model->probe(stream); };
  model->plan = {
      {{{probe(in), 0, 0, 0}}, {{probe(middle), std::nullopt, 0, 0}}, {}},
      {{{probe(parts[0]), std::nullopt, 0, 0}}, {{probe(outs[0]), 0, 0, 1}}, {}},
      {{{probe(parts[1]), std::nullopt, 0, 1}}, {{probe(outs[1]), 1, 0, 2, "result"}}, {}},
  };
  return model;
}

/// Two entries -> one node -> exit.
std::unique_ptr<Model> pair() {
  auto model = std::make_unique<Model>();
  Stream* left = model->stream();
  Stream* right = model->stream();
  Stream* out = model->stream();
  model->add_node({left, right}, {out});
  model->entries = {left, right};
  model->exits = {out};
  model->plan = {{{{model->probe(left), 0, 0, 0}, {model->probe(right), 1, 0, 0}},
                  {{model->probe(out), 0, 0, 0}},
                  {}}};
  return model;
}

/// entry -> node -> exit.
std::unique_ptr<Model> single() {
  auto model = std::make_unique<Model>();
  Stream* in = model->stream();
  Stream* out = model->stream();
  model->add_node({in}, {out});
  model->entries = {in};
  model->exits = {out};
  model->plan = {{{{model->probe(in), 0, 0, 0}}, {{model->probe(out), 0, 0, 0}}, {}}};
  return model;
}

/// Two of them that nothing joins, on one port: each is a part.
std::unique_ptr<Model> strangers() {
  auto model = std::make_unique<Model>();
  for (std::size_t i = 0; i < 2; ++i) {
    Stream* in = model->stream();
    Stream* out = model->stream();
    model->add_node({in}, {out});
    model->entries.push_back(in);
    model->exits.push_back(out);
    model->plan.push_back(
        {{{model->probe(in), i, 0, 0}}, {{model->probe(out), i, 0, i}}, {}, std::nullopt, i});
  }
  return model;
}

class DesignTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      memory_[i] = static_cast<std::byte>(i * 7);
    }
  }

  /// A message of that many bytes, `pad` behind a boundary.
  [[nodiscard]] Arrival message(std::size_t size, std::size_t pad = 0,
                                std::size_t entry = 0) const {
    return {.entry = entry, .message = std::span(memory_).subspan(pad, size), .keep = {}};
  }
  [[nodiscard]] std::vector<std::byte> bytes(std::size_t size, std::size_t pad = 0) const {
    const auto part = std::span(memory_).subspan(pad, size);
    return {part.begin(), part.end()};
  }

  [[nodiscard]] static std::vector<std::byte> bytes_of(const Departure& departure) {
    return {departure.message.begin(), departure.message.end()};
  }

  alignas(128) std::array<std::byte, 4096> memory_{};  // a burst
};

TEST_F(DesignTest, GivesTheMessageWhereverItLies) {
  const auto model = single();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  for (const std::size_t pad : {0U, 1U, 8U, 36U, 63U}) {
    for (const std::size_t size : {5U, 8U, 9U, 64U, 1001U}) {
      const Outcome outcome = simulation.run({message(size, pad)});
      ASSERT_EQ(outcome.departures.size(), 1U);
      EXPECT_EQ(bytes_of(outcome.departures[0]), bytes(size, pad)) << pad << ", " << size;
      EXPECT_TRUE(outcome.troubles.empty());
    }
  }
}

TEST_F(DesignTest, TakesTheTimeThatTheMemoryTakes) {
  const auto cycles = [this](const Memory& memory) {
    const auto model = single();
    Simulation simulation(model->wires(), model->plan, memory, model->boundary());
    const Outcome first = simulation.run({message(1024)});
    const Outcome second = simulation.run({message(1024)});
    EXPECT_EQ(first.works.size(), 1U);
    EXPECT_EQ(first.works[0].end - first.works[0].begin,
              second.works[0].end - second.works[0].begin);
    EXPECT_EQ(first.end - first.begin, first.works[0].end - first.works[0].begin);
    return first.end - first.begin;
  };
  // 128 beats and a header of two, in and out, 16 bytes per cycle: a beat each way per cycle. Ahead
  // of it a doorbell's four words, behind it the last burst and the words of its event.
  const auto wide = cycles({.clock_hz = 100e6, .latency_ns = 0, .bytes_per_second = 1.6e9});
  EXPECT_GE(wide, 130U);
  EXPECT_LE(wide, 170U);
  // Half the bandwidth, twice the cycles; the latency counts at both ends.
  const auto narrow = cycles({.clock_hz = 100e6, .latency_ns = 500, .bytes_per_second = 0.8e9});
  EXPECT_GE(narrow, 255U + 2 * 50);
  EXPECT_LE(narrow, 310U + 2 * 50);
}

TEST_F(DesignTest, EachSubscriptionOfATopicGetsTheMessage) {
  const auto model = fan();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  const Outcome outcome = simulation.run({message(500, 12)});
  ASSERT_EQ(outcome.departures.size(), 2U);
  EXPECT_NE(outcome.departures[0].exit, outcome.departures[1].exit);
  for (const Departure& departure : outcome.departures) {
    EXPECT_EQ(bytes_of(departure), bytes(500, 12));
  }
  // The nodes work at the same time: the phases of a message overlap.
  ASSERT_EQ(outcome.works.size(), 3U);
  EXPECT_LT(outcome.works[1].begin, outcome.works[0].end);
  const auto figures = simulation.networks();
  EXPECT_EQ(figures[0].frames, 1U);
  EXPECT_EQ(figures[0].beats, 2U + (512U + 7) / 8);
  EXPECT_EQ(figures[0].drops, (std::vector<std::uint64_t>{0, 0}));
}

TEST_F(DesignTest, MessagesOverlapAndTheSlowestNodeSetsThePace) {
  constexpr std::uint64_t slow = 4;
  const auto cycles = [this](std::size_t messages) {
    const auto model = fan();
    model->nodes[2].per_beat = slow;
    Simulation simulation(model->wires(), model->plan, {.bytes_per_second = 3.2e9},
                          model->boundary());
    std::vector<Arrival> arrivals(messages, message(1024));
    const Outcome outcome = simulation.run(std::move(arrivals));
    EXPECT_EQ(outcome.departures.size(), 2 * messages);
    return outcome.end - outcome.begin;
  };
  const std::uint64_t more = cycles(11) - cycles(1);
  const std::uint64_t beats = 10 * 130;
  EXPECT_GE(more, beats * slow);
  EXPECT_LE(more, beats * slow * 11 / 10);
}

TEST_F(DesignTest, CountsWhoKeepsTheOthersWaiting) {
  const auto model = fan();
  model->nodes[2].per_beat = 4;
  Simulation simulation(model->wires(), model->plan, {.bytes_per_second = 3.2e9},
                        model->boundary());
  const Outcome outcome = simulation.run({message(1024), message(1024), message(1024)});
  const std::uint64_t cycles = outcome.end - outcome.begin;
  const auto& paces = simulation.paces();
  // The slow one is the reason: three cycles in four a beat waits for it. Who is in front of it is
  // not, though its input is as full; its output is.
  EXPECT_GE(paces[2].full, cycles / 2);
  EXPECT_LE(paces[0].full + paces[1].full, cycles / 10);
  EXPECT_GE(paces[0].held, cycles / 2);
  const StreamFigures in = simulation.stream(model->plan[2].inputs[0].probe);
  EXPECT_EQ(in.beats, 3 * (2 + 1024 / 8));
  EXPECT_GE(in.stalls, paces[2].full);
  EXPECT_GE(simulation.stream(model->plan[0].inputs[0].probe).stalls, cycles / 2);
  EXPECT_EQ(simulation.stream(model->plan[0].outputs[0].probe).stalls,
            simulation.networks()[0].stalls);
}

TEST_F(DesignTest, CountsWhoWaitsForMemory) {
  const auto model = single();
  Simulation simulation(model->wires(), model->plan, {.bytes_per_second = 0.2e9},
                        model->boundary());
  const Outcome outcome = simulation.run({message(1024)});
  const std::uint64_t cycles = outcome.end - outcome.begin;
  EXPECT_GE(simulation.stream(model->plan[0].inputs[0].probe).gaps, cycles / 3);
  EXPECT_GE(simulation.paces()[0].starved, cycles / 3);
  EXPECT_LE(simulation.paces()[0].full, cycles / 10);
}

TEST_F(DesignTest, ASetWaitsForItsOtherMessage) {
  const auto model = pair();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  EXPECT_TRUE(simulation.run({message(100, 0, 0)}).departures.empty());
  const Outcome outcome = simulation.run({message(100, 3, 1)});
  ASSERT_EQ(outcome.departures.size(), 1U);
  EXPECT_EQ(bytes_of(outcome.departures[0]), bytes(100));
  EXPECT_TRUE(outcome.troubles.empty());
}

/// Messages of either input enter alone; an answer that is none is owed, and told to nobody.
TEST_F(DesignTest, AnswersEachMessageByItselfAndSomeWithNothing) {
  const auto model = pair();
  model->plan[0].each = true;
  model->nodes[0].each = true;
  model->nodes[0].fault = Fault::short_spoken;
  model->nodes[0].code = 9;
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  for (int i = 0; i < 3; ++i) {
    const Outcome outcome = simulation.run({message(100, 0, 1)});
    EXPECT_TRUE(outcome.departures.empty());
    EXPECT_TRUE(outcome.troubles.empty());
    ASSERT_EQ(outcome.works.size(), 1U);  // it is done with the message
  }
  const Outcome both = simulation.run({message(200, 0, 0), message(72, 3, 1)});
  ASSERT_EQ(both.departures.size(), 1U);
  EXPECT_EQ(bytes_of(both.departures[0]), bytes(200));
  ASSERT_EQ(both.works.size(), 2U);
  // The frame is the answer to one of them, whose work ends when it is in memory.
  EXPECT_NE(both.works[0].end == both.end, both.works[1].end == both.end);
  EXPECT_TRUE(both.troubles.empty());
  // Another code is a refusal, and told.
  model->nodes[0].code = 16;
  EXPECT_EQ(simulation.run({message(100, 0, 1)}).troubles.size(), 1U);
}

/// Several messages may be the answer to one: all leave, and the next one's end is its own.
TEST_F(DesignTest, AnswersAMessageWithSeveral) {
  const auto model = pair();
  model->plan[0].each = true;
  model->nodes[0].each = true;
  model->nodes[0].times = 3;
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  for (int i = 0; i < 3; ++i) {
    const Outcome outcome = simulation.run({message(200, 0, 0), message(72, 3, 1)});
    ASSERT_EQ(outcome.departures.size(), 6U);
    std::map<std::size_t, int> sizes;
    for (const auto& departure : outcome.departures) {
      ++sizes[departure.message.size()];
    }
    EXPECT_EQ(sizes, (std::map<std::size_t, int>{{72, 3}, {200, 3}}));
    ASSERT_EQ(outcome.works.size(), 2U);
    EXPECT_NE(outcome.works[0].end, 0U);
    EXPECT_EQ(outcome.works[1].end, outcome.end);
    EXPECT_TRUE(outcome.troubles.empty());
  }
}

TEST_F(DesignTest, ADroppedMessageIsOwedByNobody) {
  const auto model = fan();
  model->networks[0].dropping = true;
  model->networks[0].depth = 40;
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  const Outcome outcome = simulation.run({message(1024), message(64)});
  ASSERT_EQ(outcome.departures.size(), 2U);
  EXPECT_EQ(outcome.departures[0].message.size(), 64U);
  EXPECT_EQ(bytes_of(outcome.departures[0]), bytes(64));
  EXPECT_TRUE(outcome.troubles.empty());
  EXPECT_EQ(simulation.networks()[0].drops, (std::vector<std::uint64_t>{1, 1}));
}

TEST_F(DesignTest, NamesWhatABrokenCoreDoesAndGoesOn) {
  struct Case {
    Fault fault;
    const char* text;
  };
  const auto model = single();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  for (const Case& broken : {Case{Fault::runt, "breaks its header's announcement"},
                             Case{Fault::oversize, "breaks its header's announcement"},
                             Case{Fault::problem, "a field comes where"}}) {
    model->nodes[0].fault = broken.fault;
    const Outcome failed = simulation.run({message(200)});
    ASSERT_EQ(failed.troubles.size(), 1U) << broken.text;
    EXPECT_NE(failed.troubles[0].text.find(broken.text), std::string::npos)
        << failed.troubles[0].text;
    model->nodes[0].fault = Fault::none;
    const Outcome outcome = simulation.run({message(200)});
    ASSERT_EQ(outcome.departures.size(), 1U);
    EXPECT_EQ(bytes_of(outcome.departures[0]), bytes(200));
  }
}

TEST_F(DesignTest, FindsMessagesInScatteredPages) {
  const auto model = single();
  model->shell.paged = true;
  Simulation simulation(model->wires(), model->plan, {.seed = 5, .pages = {.count = 256}},
                        model->boundary());
  const auto cycles = [](const Outcome& outcome) { return outcome.end - outcome.begin; };
  for (const std::size_t pad : {0U, 36U, 1000U}) {
    const Outcome outcome = simulation.run({message(3000, pad)});
    ASSERT_EQ(outcome.departures.size(), 1U);
    EXPECT_EQ(bytes_of(outcome.departures[0]), bytes(3000, pad)) << pad;
    EXPECT_TRUE(outcome.troubles.empty());
    const std::size_t entries = model->shell.pages.size();
    EXPECT_EQ(cycles(simulation.run({message(3000, pad)})), cycles(outcome))
        << "the table is written before the doorbell";
    EXPECT_EQ(model->shell.pages.size(), entries) << "what comes again has its entries";
  }
  EXPECT_EQ(simulation.port().refused, 0U);
}

TEST_F(DesignTest, NamesWhereNoPageIsOpen) {
  const auto model = single();
  model->shell.paged = true;
  Simulation simulation(model->wires(), model->plan, {.pages = {.count = 256}}, model->boundary());
  ASSERT_EQ(simulation.run({message(200)}).departures.size(), 1U);
  constexpr std::uint64_t writable = 2;
  for (std::uint64_t& entry : model->shell.pages) {
    entry &= ~writable;
  }
  const auto before = memory_;
  const Outcome outcome = simulation.run({message(200)});
  EXPECT_TRUE(outcome.departures.empty());
  ASSERT_EQ(outcome.troubles.size(), 1U);
  EXPECT_NE(outcome.troubles[0].text.find("where no page is open to it"), std::string::npos)
      << outcome.troubles[0].text;
  EXPECT_EQ(simulation.port().refused, 2U) << "200 bytes are two bursts";
  EXPECT_EQ(memory_, before);
}

TEST_F(DesignTest, CountsWhatItsPortDoes) {
  const auto model = single();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  model->shell.counts = {7, 3, 4};
  model->shell.refused = 2;
  const PortFigures figures = simulation.port();
  EXPECT_EQ(figures.busy, 7U);
  EXPECT_EQ(figures.reads, 3U);
  EXPECT_EQ(figures.writes, 4U);
  EXPECT_EQ(figures.refused, 2U);
}

TEST_F(DesignTest, BelievesNoMessageThatIsLargerThanItsRoom) {
  const auto model = single();
  model->nodes[0].fault = Fault::boasts;
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  model->shell.ends[0].trusts = true;
  const Outcome outcome = simulation.run({message(200)});
  EXPECT_TRUE(outcome.departures.empty());
  ASSERT_EQ(outcome.troubles.size(), 1U);
  EXPECT_NE(outcome.troubles[0].text.find("is longer than its bound"), std::string::npos)
      << outcome.troubles[0].text;
}

TEST_F(DesignTest, SaysWhyACoreRefuses) {
  const auto model = single();
  model->plan[0].refusals = {{16, "the image is too small"}};
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  model->nodes[0].fault = Fault::refuses;
  for (const auto& [code, text] : {std::pair{16, "it refuses the message: the image is too small"},
                                   std::pair{17, "code 17, which its manifest does not explain"},
                                   std::pair{3, "is broken: its frame ends before it does"},
                                   std::pair{15, "the core gives no reason"}}) {
    model->nodes[0].code = static_cast<std::uint8_t>(code);
    const Outcome outcome = simulation.run({message(200)});
    ASSERT_EQ(outcome.troubles.size(), 1U) << text;
    EXPECT_NE(outcome.troubles[0].text.find(text), std::string::npos) << outcome.troubles[0].text;
  }
}

TEST_F(DesignTest, NamesWhoHangsAndTheOthersGetTheirMessages) {
  for (const Fault fault : {Fault::silent, Fault::deaf, Fault::babbles}) {
    const auto model = fan();
    Simulation simulation(model->wires(), model->plan, {}, model->boundary());
    model->nodes[2].fault = fault;
    const Outcome hung = simulation.run({message(200)});
    ASSERT_EQ(hung.troubles.size(), 1U);
    EXPECT_EQ(hung.troubles[0].node, 2U);
    EXPECT_NE(hung.troubles[0].text.find("no whole message on result within"), std::string::npos)
        << hung.troubles[0].text;
    EXPECT_NE(hung.troubles[0].text.find("`ligament run --wave 1` shows what it does"),
              std::string::npos);
    EXPECT_FALSE(hung.troubles[0].isolated);
    ASSERT_EQ(hung.departures.size(), 1U);
    EXPECT_EQ(hung.departures[0].exit, 0U);
    EXPECT_EQ(bytes_of(hung.departures[0]), bytes(200));
    // It has another chance.
    model->nodes[2].fault = Fault::none;
    const Outcome outcome = simulation.run({message(100)});
    EXPECT_EQ(outcome.departures.size(), 2U);
    EXPECT_TRUE(outcome.troubles.empty());
  }
}

/// entry -> a -> topic -> b -> exit, with names.
std::unique_ptr<Model> chain() {
  auto model = std::make_unique<Model>();
  std::array<Stream*, 4> s{};
  for (Stream*& stream : s) {
    stream = model->stream();
  }
  model->add_node({s[0]}, {s[1]});
  model->add_node({s[2]}, {s[3]});
  Network& network = model->networks.emplace_back();
  network.in = s[1];
  network.outs = {s[2]};
  model->entries = {s[0]};
  model->exits = {s[3]};
  const auto probe = [&](std::size_t stream) { return model->probe(s.at(stream)); };
  model->plan = {
      {.inputs = {{.probe = probe(0), .entry = 0, .port = "image"}},
       .outputs = {{.probe = probe(1), .exit = std::nullopt, .port = "middle"}},
       .refusals = {},
       .name = "/a"},
      {.inputs = {{.probe = probe(2), .entry = std::nullopt, .port = "in"}},
       .outputs = {{.probe = probe(3), .exit = 0, .problem = 1, .port = "out"}},
       .refusals = {},
       .name = "/b"},
  };
  return model;
}

TEST_F(DesignTest, SaysWhichStreamWaitsForWhom) {
  struct Case {
    std::size_t node;
    Fault fault;
    std::vector<const char*> words;
  };
  const std::vector<Case> cases{
      {1,
       Fault::deaf,
       {"no whole message on out", "its input in has a beat that it does not take;",
        "/a waits for it"}},
      {0,
       Fault::deaf,
       {"no whole message on middle", "its input image has a beat that it does not take;"}},
      {1, Fault::silent, {"no whole message on out", "cycles: nothing waits on its streams"}},
      {1, Fault::babbles, {"its output out has said 130 beats of a message, and no last one"}},
      {0,
       Fault::babbles,
       {"its output middle has said 130 beats of a message, and no last one", "/b waits for it"}},
      {1, Fault::floods, {"its output out has said ", " beats of a message, and no last one"}},
  };
  for (const Case& one : cases) {
    const auto model = chain();
    Simulation simulation(model->wires(), model->plan, {}, model->boundary());
    model->nodes[one.node].fault = one.fault;
    const Outcome hung = simulation.run({message(1024)});
    ASSERT_EQ(hung.troubles.size(), 1U);
    EXPECT_EQ(hung.troubles[0].node, one.node);
    for (const char* const words : one.words) {
      EXPECT_NE(hung.troubles[0].text.find(words), std::string::npos)
          << words << " in: " << hung.troubles[0].text;
    }
  }
}

TEST_F(DesignTest, AMessageThatNobodyAskedForIsDroppedAndNamed) {
  const auto model = chain();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  model->nodes[1].fault = Fault::twice;
  const Outcome twice = simulation.run({message(200), message(100, 8)});
  ASSERT_EQ(twice.departures.size(), 2U);
  ASSERT_EQ(twice.troubles.size(), 1U);
  EXPECT_EQ(twice.troubles[0].node, 1U);
  EXPECT_NE(twice.troubles[0].text.find("it gave a message on out that answers none"),
            std::string::npos)
      << twice.troubles[0].text;
  // Who follows is answered with its own.
  model->nodes[1].fault = Fault::none;
  const Outcome outcome = simulation.run({message(64, 16)});
  ASSERT_EQ(outcome.departures.size(), 1U);
  EXPECT_EQ(bytes_of(outcome.departures[0]), bytes(64, 16));
  ASSERT_EQ(outcome.works.size(), 2U);
  EXPECT_TRUE(outcome.troubles.empty());
}

TEST_F(DesignTest, WhoGivesMessagesWithoutEndIsGivenUp) {
  const auto model = fan();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  model->nodes[2].fault = Fault::repeats;
  const Outcome hung = simulation.run({message(200)});
  ASSERT_EQ(hung.troubles.size(), 2U);
  EXPECT_EQ(hung.troubles[1].node, 2U);
  EXPECT_NE(hung.troubles[1].text.find("message after message that answers none"),
            std::string::npos)
      << hung.troubles[1].text;
  ASSERT_EQ(hung.departures.size(), 1U);
  EXPECT_EQ(hung.departures[0].exit, 0U);
}

TEST_F(DesignTest, NamesALostDoorbell) {
  const auto model = chain();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  model->shell.ends[0].loses_sends = true;
  const Outcome hung = simulation.run({message(200)});
  ASSERT_EQ(hung.troubles.size(), 1U);
  EXPECT_NE(hung.troubles[0].text.find(
                "its input image has a message of which nothing was read from memory"),
            std::string::npos)
      << hung.troubles[0].text;
  model->shell.ends[0].loses_sends = false;
  EXPECT_EQ(simulation.run({message(100)}).departures.size(), 2U) << "the lost one goes in again";
}

TEST_F(DesignTest, NamesErrorsOfMemory) {
  constexpr std::uint64_t bus_error = 5;
  const auto model = chain();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  model->shell.ends[0].store_status = bus_error;
  const Outcome written = simulation.run({message(200)});
  EXPECT_TRUE(written.departures.empty());
  ASSERT_EQ(written.troubles.size(), 1U);
  EXPECT_EQ(written.troubles[0].node, 1U);
  EXPECT_NE(written.troubles[0].text.find("its message met an error of memory"), std::string::npos)
      << written.troubles[0].text;
  model->shell.ends[0].store_status = 0;
  // Of a message that was not read whole the core says that it is broken: the reason is told first.
  model->shell.ends[0].send_status = bus_error;
  model->nodes[0].fault = Fault::refuses;
  model->nodes[0].code = 3;
  const Outcome read = simulation.run({message(200)});
  ASSERT_EQ(read.troubles.size(), 1U);
  EXPECT_EQ(read.troubles[0].node, 0U);
  EXPECT_EQ(read.troubles[0].text.find("a message for its input image met an error of memory; it "
                                       "passes on that the message is broken"),
            0U)
      << read.troubles[0].text;
}

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

TEST_F(DesignTest, StrangersWaitForEachOtherAtThePort) {
  const Memory memory{.clock_hz = 100e6, .latency_ns = 100, .bytes_per_second = 1.6e9};
  const auto cycles = [&](const std::vector<std::size_t>& entries) {
    const auto model = strangers();
    Simulation simulation(model->wires(), model->plan, memory, model->boundary());
    std::vector<Arrival> arrivals;
    for (const std::size_t entry : entries) {
      arrivals.push_back(message(2048, 64 * entry, entry));
    }
    const Outcome outcome = simulation.run(std::move(arrivals));
    EXPECT_EQ(outcome.departures.size(), entries.size());
    for (const Departure& departure : outcome.departures) {
      EXPECT_EQ(bytes_of(departure), bytes(2048, 64 * departure.exit));
    }
    return outcome.end - outcome.begin;
  };
  // Alone each has a beat in and a beat out per cycle; both have half of that.
  const auto alone = cycles({0});
  const auto together = cycles({0, 1});
  EXPECT_GE(together, alone + 2048 / 8 * 3 / 4);
  EXPECT_EQ(together, cycles({0, 1}));
}

TEST_F(DesignTest, WhoHangsCostsStrangersNothing) {
  for (const Fault fault : {Fault::silent, Fault::deaf, Fault::babbles}) {
    const auto model = strangers();
    Simulation simulation(model->wires(), model->plan, {}, model->boundary());
    ASSERT_EQ(simulation.run({message(40), message(50, 0, 1)}).departures.size(), 2U);
    const std::size_t resets = model->nodes[1].resets;
    model->nodes[0].fault = fault;
    for (int time = 1; time <= 4; ++time) {
      const Outcome hung = simulation.run({message(200), message(100, 8, 1)});
      // After the third time it gets no further message.
      ASSERT_EQ(hung.troubles.size(), time < 4 ? 1U : 0U);
      if (time < 4) {
        EXPECT_EQ(hung.troubles[0].node, 0U);
        EXPECT_EQ(hung.troubles[0].isolated, time == 3);
      }
      ASSERT_EQ(hung.departures.size(), 1U);
      EXPECT_EQ(hung.departures[0].exit, 1U);
      EXPECT_EQ(bytes_of(hung.departures[0]), bytes(100, 8));
    }
    // It has worked through all of this without a reset: what it keeps is still there.
    EXPECT_EQ(model->nodes[1].resets, resets);
    EXPECT_GT(model->nodes[0].resets, resets);
  }
}

TEST_F(DesignTest, StrangersThatHangAreNamedEach) {
  const auto model = strangers();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  model->nodes[0].fault = Fault::silent;
  model->nodes[1].fault = Fault::deaf;
  const Outcome hung = simulation.run({message(200), message(100, 8, 1)});
  ASSERT_EQ(hung.troubles.size(), 2U);
  EXPECT_EQ(hung.troubles[0].node, 0U);
  EXPECT_EQ(hung.troubles[1].node, 1U);
  EXPECT_TRUE(hung.departures.empty());
  model->nodes[0].fault = model->nodes[1].fault = Fault::none;
  const Outcome outcome = simulation.run({message(200), message(100, 8, 1)});
  EXPECT_TRUE(outcome.troubles.empty());
  EXPECT_EQ(outcome.departures.size(), 2U);
}

TEST_F(DesignTest, NamesTheInputOfACoreThatOnlyTakes) {
  const auto model = std::make_unique<Model>();
  Stream* in = model->stream();
  model->add_node({in}, {});
  model->entries = {in};
  model->plan = {{{{model->probe(in), 0, 0, 0, "image"}}, {}, {}}};
  model->nodes[0].fault = Fault::deaf;
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  const Outcome hung = simulation.run({message(200)});
  ASSERT_EQ(hung.troubles.size(), 1U);
  EXPECT_NE(hung.troubles[0].text.find("it took no whole message on image within"),
            std::string::npos)
      << hung.troubles[0].text;
}

TEST_F(DesignTest, LeavesWhatIsOwedWhenItIsAskedTo) {
  const auto model = single();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  model->nodes[0].fault = Fault::silent;
  int asked = 0;
  const Outcome left = simulation.run({message(200)}, [&asked] { return ++asked == 3; });
  EXPECT_EQ(asked, 3);
  EXPECT_TRUE(left.stopped);
  EXPECT_TRUE(left.departures.empty());
  EXPECT_TRUE(left.troubles.empty());
  // The next message goes in alone, into a design that has been reset.
  model->nodes[0].fault = Fault::none;
  const Outcome outcome = simulation.run({message(100)}, [] { return false; });
  EXPECT_FALSE(outcome.stopped);
  ASSERT_EQ(outcome.departures.size(), 1U);
  EXPECT_EQ(bytes_of(outcome.departures[0]), bytes(100));
}

TEST_F(DesignTest, WhoHangsTooOftenIsIsolated) {
  const auto model = fan();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  model->nodes[0].fault = Fault::silent;
  for (int time = 1; time <= 3; ++time) {
    const Outcome hung = simulation.run({message(40)});
    ASSERT_EQ(hung.troubles.size(), 1U);
    EXPECT_EQ(hung.troubles[0].node, 0U);
    EXPECT_EQ(hung.troubles[0].isolated, time == 3);
    EXPECT_TRUE(hung.departures.empty());
  }
  const Outcome outcome = simulation.run({message(40)});
  EXPECT_TRUE(outcome.troubles.empty());
  EXPECT_TRUE(outcome.departures.empty());
}

}  // namespace
}  // namespace ligament::fpga::testing
