// SPDX-License-Identifier: Apache-2.0
/// \file The driver of a design, with a model in C++ in the place of the verilated one: cores that
/// hand frames on, joined by queues, some of which do what broken cores would.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <ligament/fpga_design.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ligament::fpga {
namespace {

enum class Fault : std::uint8_t { none, silent, deaf, runt, oversize, problem, refuses, babbles };

struct Beat {
  std::uint64_t data = 0;
  std::uint8_t keep = 0;
  std::uint8_t last = 0;
};

/// A stream: who offers a beat, and who takes it.
struct Stream {
  Beat beat;
  std::uint8_t valid = 0;
  std::uint8_t ready = 0;
  [[nodiscard]] bool moves() const { return valid != 0 && ready != 0; }
};

/// A core: `per_beat` cycles for each beat. Inputs are taken one beat of each at a time, and the
/// first one is handed on. It is empty between messages.
struct Node {
  std::vector<Stream*> inputs;
  std::vector<Stream*> outputs;
  std::size_t per_beat = 1;
  Fault fault = Fault::none;
  std::uint8_t isolate = 0;
  std::uint8_t problem = 0;
  std::uint8_t refusal = 0;
  std::uint8_t code = 0;  ///< with which it refuses

  std::vector<std::deque<Beat>> queues;  ///< one per output
  std::size_t taken = 0;
  std::size_t wait = 0;

  void settle() {
    queues.resize(outputs.size());
    const bool free = std::all_of(queues.begin(), queues.end(),
                                  [](const auto& queue) { return queue.size() < 2; });
    const bool all = std::all_of(inputs.begin(), inputs.end(),
                                 [](const Stream* input) { return input->valid != 0; });
    for (Stream* input : inputs) {
      const bool takes = free && all && wait == 0 && fault != Fault::deaf;
      input->ready = static_cast<std::uint8_t>(isolate != 0 || takes);
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      outputs[i]->valid = static_cast<std::uint8_t>(isolate == 0 && !queues[i].empty());
      outputs[i]->beat = queues[i].empty() ? Beat{} : queues[i].front();
    }
  }

  void edge() {
    problem = 0;
    refusal = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i]->moves()) {
        queues[i].pop_front();
      }
    }
    wait = wait == 0 ? 0 : wait - 1;
    if (isolate == 0 && !inputs.empty() && inputs[0]->moves()) {
      accept(inputs[0]->beat);
    }
  }

  void accept(Beat beat) {
    ++taken;
    wait = per_beat - 1;
    const bool cut = fault == Fault::runt && taken == 4;
    problem = static_cast<std::uint8_t>(fault == Fault::problem && taken == 4 ? 7 : 0);
    refusal = static_cast<std::uint8_t>(fault == Fault::refuses && taken == 4 ? code : 0);
    const bool over = beat.last != 0;
    if (fault != Fault::silent && !(fault == Fault::runt && taken > 4)) {
      if (fault == Fault::babbles) {
        beat.last = 0;
      }
      for (auto& queue : queues) {
        const bool longer = fault == Fault::oversize && beat.last != 0;
        queue.push_back(
            {beat.data, beat.keep, static_cast<std::uint8_t>(cut || (beat.last != 0 && !longer))});
        if (longer) {
          queue.push_back({0, 1, 1});
        }
      }
    }
    taken = over ? 0 : taken;
  }

  void reset() {
    queues.assign(outputs.size(), {});
    taken = 0;
    wait = 0;
    problem = 0;
    refusal = 0;
  }
};

/// A topic of one publisher: a queue of `depth` beats per subscription. A dropping one takes whole
/// messages only.
struct Network {
  Stream* in = nullptr;
  std::vector<Stream*> outs;
  std::size_t depth = 8;
  bool dropping = false;

  std::vector<std::deque<Beat>> queues;
  std::vector<std::deque<Beat>> coming;
  std::uint32_t frames = 0;
  std::uint32_t beats = 0;
  std::uint32_t stalls = 0;
  std::uint32_t gaps = 0;
  std::vector<std::uint32_t> drops;
  std::vector<std::uint32_t> peaks;

  void settle() {
    const bool room = std::all_of(queues.begin(), queues.end(),
                                  [this](const auto& queue) { return queue.size() < depth; });
    in->ready = static_cast<std::uint8_t>(room || dropping);
    for (std::size_t i = 0; i < outs.size(); ++i) {
      outs[i]->valid = static_cast<std::uint8_t>(!queues[i].empty());
      outs[i]->beat = queues[i].empty() ? Beat{} : queues[i].front();
    }
  }

  void edge() {
    for (std::size_t i = 0; i < outs.size(); ++i) {
      if (outs[i]->moves()) {
        queues[i].pop_front();
      }
    }
    stalls += static_cast<std::uint32_t>(in->valid != 0 && in->ready == 0);
    if (!in->moves()) {
      return;
    }
    ++beats;
    frames += in->beat.last;
    for (std::size_t i = 0; i < outs.size(); ++i) {
      store(i);
    }
  }

  void store(std::size_t i) {
    coming[i].push_back(in->beat);
    if (dropping && in->beat.last == 0) {
      return;
    }
    if (dropping && queues[i].size() + coming[i].size() > depth) {
      ++drops[i];
    } else {
      queues[i].insert(queues[i].end(), coming[i].begin(), coming[i].end());
    }
    coming[i].clear();
    peaks[i] = std::max(peaks[i], static_cast<std::uint32_t>(queues[i].size()));
  }

  void reset() {
    queues.assign(outs.size(), {});
    coming.assign(outs.size(), {});
    drops.assign(outs.size(), 0);
    peaks.assign(outs.size(), 0);
    frames = beats = stalls = gaps = 0;
  }
};

/// Nodes and networks on one clock, with the ports that a generated top has. The probes are at the
/// frames: fields are none of the driver's business.
struct Model {
  std::deque<Stream> streams;
  std::deque<Node> nodes;
  std::deque<Network> networks;
  std::vector<Stream*> entries;
  std::vector<Stream*> exits;
  std::vector<Stream*> probes;
  std::uint8_t clock = 0;
  std::uint8_t before = 0;
  std::uint8_t reset = 0;
  std::uint64_t valid = 0;
  std::uint64_t ready = 0;
  std::uint64_t last = 0;
  std::vector<NodePlan> plan;

  Stream* stream() { return &streams.emplace_back(); }

  void add_node(std::vector<Stream*> inputs, std::vector<Stream*> outputs) {
    Node& node = nodes.emplace_back();
    node.inputs = std::move(inputs);
    node.outputs = std::move(outputs);
  }

  void evaluate() {
    if (clock != 0 && before == 0) {
      edge();
    }
    before = clock;
    // Twice: what a node may take depends on what is offered to it.
    for (int pass = 0; pass < 2; ++pass) {
      for (Node& node : nodes) {
        node.settle();
      }
      for (Network& network : networks) {
        network.settle();
      }
    }
    valid = ready = last = 0;
    for (std::size_t i = 0; i < probes.size(); ++i) {
      valid |= std::uint64_t{probes[i]->valid} << i;
      ready |= std::uint64_t{probes[i]->ready} << i;
      last |= std::uint64_t{probes[i]->beat.last} << i;
    }
  }

  void edge() {
    for (Node& node : nodes) {
      reset != 0 ? node.reset() : node.edge();
    }
    for (Network& network : networks) {
      reset != 0 ? network.reset() : network.edge();
    }
  }

  std::size_t probe(Stream* stream) {
    probes.push_back(stream);
    return probes.size() - 1;
  }

  Wires wires() {
    Wires wires;
    wires.clock = &clock;
    wires.reset = &reset;
    wires.valid = {&valid};
    wires.ready = {&ready};
    wires.last = {&last};
    for (Node& node : nodes) {
      wires.isolate.push_back(&node.isolate);
      for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        wires.problem.push_back(&node.problem);
        wires.refusal.push_back(&node.refusal);
      }
    }
    for (Stream* s : entries) {
      wires.entries.push_back({&s->valid, &s->ready, &s->beat.data, &s->beat.keep, &s->beat.last});
    }
    for (Stream* s : exits) {
      wires.exits.push_back({&s->valid, &s->ready, &s->beat.data, &s->beat.keep, &s->beat.last});
    }
    for (Network& n : networks) {
      n.reset();
      NetworkWires& made = wires.networks.emplace_back();
      made.frames = &n.frames;
      made.beats = &n.beats;
      made.stalls = &n.stalls;
      made.gaps = &n.gaps;
      for (std::size_t i = 0; i < n.outs.size(); ++i) {
        made.drops.push_back(&n.drops[i]);
        made.peaks.push_back(&n.peaks[i]);
      }
    }
    wires.evaluate = [this] { evaluate(); };
    return wires;
  }
};

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
      {{{probe(parts[1]), std::nullopt, 0, 1}}, {{probe(outs[1]), 1, 0, 2}}, {}},
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

class DesignTest : public testing::Test {
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

  alignas(64) std::array<std::byte, 4096> memory_{};
};

TEST_F(DesignTest, GivesTheMessageWhereverItLies) {
  const auto model = single();
  Simulation simulation(model->wires(), model->plan, {});
  for (const std::size_t pad : {0U, 1U, 8U, 36U, 63U}) {
    for (const std::size_t size : {5U, 8U, 9U, 64U, 1001U}) {
      const Outcome outcome = simulation.run({message(size, pad)});
      ASSERT_EQ(outcome.departures.size(), 1U);
      EXPECT_EQ(outcome.departures[0].message, bytes(size, pad)) << pad << ", " << size;
      EXPECT_TRUE(outcome.troubles.empty());
    }
  }
}

TEST_F(DesignTest, TakesTheTimeThatTheMemoryTakes) {
  const auto cycles = [this](const Memory& memory) {
    const auto model = single();
    Simulation simulation(model->wires(), model->plan, memory);
    const Outcome first = simulation.run({message(1024)});
    const Outcome second = simulation.run({message(1024)});
    EXPECT_EQ(first.works.size(), 1U);
    EXPECT_EQ(first.works[0].end - first.works[0].begin,
              second.works[0].end - second.works[0].begin);
    EXPECT_EQ(first.end - first.begin, first.works[0].end - first.works[0].begin);
    return first.end - first.begin;
  };
  // 128 beats and a header of two, in and out, 16 bytes per cycle: a beat each way per cycle.
  const auto wide = cycles({.clock_hz = 100e6, .latency_ns = 0, .bytes_per_second = 1.6e9});
  EXPECT_GE(wide, 130U);
  EXPECT_LE(wide, 136U);
  // Half the bandwidth, twice the cycles; the latency counts at both ends.
  const auto narrow = cycles({.clock_hz = 100e6, .latency_ns = 500, .bytes_per_second = 0.8e9});
  EXPECT_GE(narrow, 255U + 2 * 50);
  EXPECT_LE(narrow, 270U + 2 * 50);
}

TEST_F(DesignTest, EachSubscriptionOfATopicGetsTheMessage) {
  const auto model = fan();
  Simulation simulation(model->wires(), model->plan, {});
  const Outcome outcome = simulation.run({message(500, 12)});
  ASSERT_EQ(outcome.departures.size(), 2U);
  EXPECT_NE(outcome.departures[0].exit, outcome.departures[1].exit);
  for (const Departure& departure : outcome.departures) {
    EXPECT_EQ(departure.message, bytes(500, 12));
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
    Simulation simulation(model->wires(), model->plan, {.bytes_per_second = 3.2e9});
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

TEST_F(DesignTest, ASetWaitsForItsOtherMessage) {
  const auto model = pair();
  Simulation simulation(model->wires(), model->plan, {});
  EXPECT_TRUE(simulation.run({message(100, 0, 0)}).departures.empty());
  const Outcome outcome = simulation.run({message(100, 3, 1)});
  ASSERT_EQ(outcome.departures.size(), 1U);
  EXPECT_EQ(outcome.departures[0].message, bytes(100));
  EXPECT_TRUE(outcome.troubles.empty());
}

TEST_F(DesignTest, ADroppedMessageIsOwedByNobody) {
  const auto model = fan();
  model->networks[0].dropping = true;
  model->networks[0].depth = 40;
  Simulation simulation(model->wires(), model->plan, {});
  const Outcome outcome = simulation.run({message(1024), message(64)});
  ASSERT_EQ(outcome.departures.size(), 2U);
  EXPECT_EQ(outcome.departures[0].message, bytes(64));
  EXPECT_TRUE(outcome.troubles.empty());
  EXPECT_EQ(simulation.networks()[0].drops, (std::vector<std::uint64_t>{1, 1}));
}

TEST_F(DesignTest, NamesWhatABrokenCoreDoesAndGoesOn) {
  struct Case {
    Fault fault;
    const char* text;
  };
  const auto model = single();
  Simulation simulation(model->wires(), model->plan, {});
  for (const Case& broken : {Case{Fault::runt, "shorter than its header says"},
                             Case{Fault::oversize, "longer than its header says"},
                             Case{Fault::problem, "a field comes where"}}) {
    model->nodes[0].fault = broken.fault;
    const Outcome failed = simulation.run({message(200)});
    ASSERT_EQ(failed.troubles.size(), 1U) << broken.text;
    EXPECT_NE(failed.troubles[0].text.find(broken.text), std::string::npos)
        << failed.troubles[0].text;
    model->nodes[0].fault = Fault::none;
    const Outcome outcome = simulation.run({message(200)});
    ASSERT_EQ(outcome.departures.size(), 1U);
    EXPECT_EQ(outcome.departures[0].message, bytes(200));
  }
}

TEST_F(DesignTest, SaysWhyACoreRefuses) {
  const auto model = single();
  model->plan[0].refusals = {{16, "the image is too small"}};
  Simulation simulation(model->wires(), model->plan, {});
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
    Simulation simulation(model->wires(), model->plan, {});
    model->nodes[2].fault = fault;
    const Outcome hung = simulation.run({message(200)});
    ASSERT_EQ(hung.troubles.size(), 1U);
    EXPECT_EQ(hung.troubles[0].node, 2U);
    EXPECT_NE(hung.troubles[0].text.find("no whole message within"), std::string::npos);
    EXPECT_FALSE(hung.troubles[0].isolated);
    ASSERT_EQ(hung.departures.size(), 1U);
    EXPECT_EQ(hung.departures[0].exit, 0U);
    EXPECT_EQ(hung.departures[0].message, bytes(200));
    // It has another chance.
    model->nodes[2].fault = Fault::none;
    const Outcome outcome = simulation.run({message(100)});
    EXPECT_EQ(outcome.departures.size(), 2U);
    EXPECT_TRUE(outcome.troubles.empty());
  }
}

TEST_F(DesignTest, LeavesWhatIsOwedWhenItIsAskedTo) {
  const auto model = single();
  Simulation simulation(model->wires(), model->plan, {});
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
  EXPECT_EQ(outcome.departures[0].message, bytes(100));
}

TEST_F(DesignTest, WhoHangsTooOftenIsIsolated) {
  const auto model = fan();
  Simulation simulation(model->wires(), model->plan, {});
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
}  // namespace ligament::fpga
