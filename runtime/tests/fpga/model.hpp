// SPDX-License-Identifier: Apache-2.0
/// \file A model in C++ in the place of a verilated one: cores that hand frames on, joined by
/// queues, some of which do what broken cores would.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <ligament/fpga_design.hpp>
#include <utility>
#include <vector>

#include "shell.hpp"

namespace ligament::fpga::testing {

enum class Fault : std::uint8_t {
  none,
  silent,
  deaf,
  runt,
  oversize,
  problem,
  refuses,
  babbles,  ///< hands all beats on, and none is the last
  floods,   ///< says beats without end once it has begun
  twice,    ///< gives each message twice
  repeats,  ///< gives it again and again
  boasts,
  short_spoken
};

/// A core: `per_beat` cycles for each beat. Inputs are taken one beat of each at a time, and the
/// first one is handed on; with `each` one message of any of them after the other, the last input
/// first, and one beat behind the answer. It is empty between messages. Short-spoken, it has an
/// answer to its first input only: to others that beat alone, with a code.
struct Node {
  std::vector<Stream*> inputs;
  std::vector<Stream*> outputs;
  std::size_t per_beat = 1;
  Fault fault = Fault::none;
  bool each = false;
  std::size_t times = 1;  ///< with `each`: an answer is the message so often
  std::vector<Beat> said;
  std::size_t turn = 0;  ///< with `each`: the input that is taken
  std::uint8_t isolate = 0;
  std::uint8_t problem = 0;
  std::uint8_t refusal = 0;
  std::uint8_t code = 0;         ///< with which it refuses
  const Node* core = nullptr;    ///< of a service: whose isolation is its own too
  const Node* behind = nullptr;  ///< takes nothing while this one has something to say

  std::vector<std::deque<Beat>> queues;  ///< one per output
  std::vector<Beat> whole;               ///< the message so far
  std::size_t taken = 0;
  std::size_t wait = 0;
  std::size_t resets = 0;  ///< cycles of them

  [[nodiscard]] bool is_isolated() const { return (core == nullptr ? this : core)->isolate != 0; }
  [[nodiscard]] bool is_empty() const {
    return std::all_of(queues.begin(), queues.end(),
                       [](const auto& queue) { return queue.empty(); });
  }

  void settle() {
    queues.resize(outputs.size());
    const bool free = std::all_of(queues.begin(), queues.end(),
                                  [](const auto& queue) { return queue.size() < 2; });
    const bool all = std::all_of(inputs.begin(), inputs.end(),
                                 [](const Stream* input) { return input->valid != 0; });
    for (std::size_t i = 0; each && taken == 0 && is_empty() && i < inputs.size(); ++i) {
      turn = inputs[i]->valid != 0 ? i : turn;
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const bool waits = fault == Fault::deaf || (behind != nullptr && !behind->is_empty());
      const bool takes = free && (each ? i == turn : all) && wait == 0 && !waits;
      inputs[i]->ready = static_cast<std::uint8_t>(is_isolated() || takes);
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      outputs[i]->valid = static_cast<std::uint8_t>(!is_isolated() && !queues[i].empty());
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
    say_more();
    if (!is_isolated() && !inputs.empty() && inputs[turn]->moves()) {
      accept(inputs[turn]->beat);
    }
  }

  void say_more() {
    for (auto& queue : queues) {
      if (fault == Fault::floods && !whole.empty() && queue.empty()) {
        queue.push_back({0, 0xFF, 0});
      }
      if (fault == Fault::repeats && taken == 0 && queue.empty()) {
        queue.insert(queue.end(), whole.begin(), whole.end());
      }
    }
  }

  void accept(Beat beat) {
    ++taken;
    wait = per_beat - 1;
    const bool cut = fault == Fault::runt && taken == 4;
    problem = static_cast<std::uint8_t>(fault == Fault::problem && taken == 4 ? 7 : 0);
    refusal = static_cast<std::uint8_t>(fault == Fault::refuses && taken == 4 ? code : 0);
    const bool over = beat.last != 0;
    if (fault == Fault::boasts && taken == 1) {
      beat.data |= 1U << 20U;  // of the length: a megabyte more than there is
    }
    if (fault == Fault::short_spoken && turn != 0) {
      refusal = over ? code : std::uint8_t{0};
      for (auto& queue : queues) {
        if (over) {
          queue.push_back({0, 1, 1});
        }
      }
    } else if (fault != Fault::silent && !(fault == Fault::runt && taken > 4)) {
      if (fault == Fault::babbles || fault == Fault::floods) {
        beat.last = 0;
      }
      for (auto& queue : queues) {
        const bool longer = fault == Fault::oversize && beat.last != 0;
        queue.push_back(
            {beat.data, beat.keep, static_cast<std::uint8_t>(cut || (beat.last != 0 && !longer))});
        if (longer) {
          queue.push_back({0, 1, 1});
        }
        say_again(beat, queue);
      }
    }
    if (taken == 1) {
      whole.clear();
    }
    whole.push_back(beat);
    for (auto& queue : queues) {
      if (over && fault == Fault::twice) {
        queue.insert(queue.end(), whole.begin(), whole.end());
      }
    }
    said.resize(over ? 0 : said.size());
    taken = over ? 0 : taken;
  }

  /// Behind a whole message of a node with `each`: further ones, and the end of the answer.
  void say_again(const Beat& beat, std::deque<Beat>& queue) {
    if (!each) {
      return;
    }
    said.push_back(beat);
    for (std::size_t i = 1; beat.last != 0 && i < times; ++i) {
      queue.insert(queue.end(), said.begin(), said.end());
    }
    if (beat.last != 0) {
      queue.push_back({0, 1, 1});
    }
  }

  void reset() {
    ++resets;
    queues.assign(outputs.size(), {});
    whole.clear();
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
  std::size_t part = 0;

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
  Shell shell;
  std::vector<Stream*> gateways;  ///< their ways to software
  std::vector<Stream*> entries;
  std::vector<Stream*> exits;
  std::vector<Stream*> probes;
  std::uint8_t clock = 0;
  std::uint8_t before = 0;
  std::uint8_t reset = 0;
  std::deque<std::uint8_t> part_resets;
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
      shell.settle();
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
    shell.edge(reset != 0);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      is_reset(plan[i].part) ? nodes[i].reset() : nodes[i].edge();
    }
    for (Network& network : networks) {
      is_reset(network.part) ? network.reset() : network.edge();
    }
    for (ShellEnd& end : shell.ends) {
      if (is_reset(end.reads_for)) {
        end.reset_entry();
      }
      if (is_reset(end.writes_for)) {
        end.reset_exit();
      }
    }
  }

  [[nodiscard]] bool is_reset(std::size_t part) const {
    return reset != 0 || part_resets[part] != 0;
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
    for (const NodePlan& node : plan) {
      part_resets.resize(std::max(part_resets.size(), node.part + 1));
    }
    for (std::uint8_t& line : part_resets) {
      wires.parts.push_back(&line);
    }
    for (Stream* gateway : gateways) {
      shell.ends.emplace_back().exit = gateway;
    }
    for (std::size_t i = 0; i < std::max(entries.size(), exits.size()); ++i) {
      ShellEnd& end = shell.ends.emplace_back();
      end.entry = i < entries.size() ? entries[i] : nullptr;
      end.exit = i < exits.size() ? exits[i] : nullptr;
    }
    assign_ends();
    shell.connect(wires);
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

  /// Each entry and exit to the part of its node.
  void assign_ends() {
    for (const NodePlan& node : plan) {
      for (const InputPlan& input : node.inputs) {
        if (input.entry) {
          shell.ends[gateways.size() + *input.entry].reads_for = node.part;
        }
      }
      for (const OutputPlan& output : node.outputs) {
        if (output.exit) {
          shell.ends[gateways.size() + *output.exit].writes_for = node.part;
        }
      }
    }
  }

  [[nodiscard]] Boundary boundary() const {
    constexpr std::size_t room_bytes = 8192;
    return {{}, std::vector<std::size_t>(exits.size(), room_bytes)};
  }
};

}  // namespace ligament::fpga::testing
