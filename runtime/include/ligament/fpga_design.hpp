// SPDX-License-Identifier: Apache-2.0
/// \file A design of one or several hardware nodes, simulated cycle by cycle (spec/device/fpga.md).
///
/// `Simulation` turns the clock of a verilated model. It feeds messages in at *entries*, takes what
/// comes out at *exits*, both over one memory port, and watches each node's streams through
/// *probes*: so it knows what the design owes, how long each node worked, and who hangs. It knows
/// no Verilator: generated code gives it the addresses of the model's ports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ligament::fpga {

/// How the design runs and what its memory gives, as platform.yaml declares it.
struct Memory {
  double clock_hz = 100e6;
  double latency_ns = 0;            ///< from a request to its first byte, and of the last write
  double bytes_per_second = 800e6;  ///< reads and writes of all ports together
};

/// Cycles after which a design that completes nothing is given up.
inline constexpr std::uint64_t patience_cycles = 1'000'000;

/// A stream into the design, 64 bits wide.
struct EntryWires {
  std::uint8_t* valid = nullptr;
  const std::uint8_t* ready = nullptr;
  std::uint64_t* data = nullptr;
  std::uint8_t* keep = nullptr;
  std::uint8_t* last = nullptr;
};

/// A stream out of the design, 64 bits wide.
struct ExitWires {
  const std::uint8_t* valid = nullptr;
  std::uint8_t* ready = nullptr;
  const std::uint64_t* data = nullptr;
  const std::uint8_t* keep = nullptr;
  const std::uint8_t* last = nullptr;
};

/// Counters of a topic's network (hdl/rtl/lig_topic.sv).
struct NetworkWires {
  const std::uint32_t* frames = nullptr;
  const std::uint32_t* beats = nullptr;
  const std::uint32_t* stalls = nullptr;
  const std::uint32_t* gaps = nullptr;
  std::vector<const std::uint32_t*> drops;  ///< one per subscription
  std::vector<const std::uint32_t*> peaks;
};

/// Ports of a generated top. A probe is a bit of the probe words, 64 per word.
struct Wires {
  std::uint8_t* clock = nullptr;
  std::uint8_t* reset = nullptr;
  std::vector<std::uint8_t*> isolate;  ///< one per node
  std::vector<const std::uint64_t*> valid;
  std::vector<const std::uint64_t*> ready;
  std::vector<const std::uint64_t*> last;
  std::vector<const std::uint8_t*> problem;  ///< one per output, lig_fields_pkg::problem_e
  std::vector<EntryWires> entries;
  std::vector<ExitWires> exits;
  std::vector<NetworkWires> networks;
  std::function<void()> evaluate;
  std::function<void(std::uint64_t)> wave;  ///< of half a cycle; empty: none is written
};

/// Where a node's input comes from: from an entry, or from a subscription of a network.
struct InputPlan {
  std::size_t probe = 0;
  std::optional<std::size_t> entry;
  std::size_t network = 0;
  std::size_t subscription = 0;
};

/// Where a node's output goes to: out of the design, or into a network.
struct OutputPlan {
  std::size_t probe = 0;
  std::optional<std::size_t> exit;
  std::size_t network = 0;
  std::size_t problem = 0;  ///< place in Wires::problem
};

struct NodePlan {
  std::vector<InputPlan> inputs;
  std::vector<OutputPlan> outputs;
};

/// A message for an entry. `keep` holds its memory until it has been read.
struct Arrival {
  std::size_t entry = 0;
  std::span<const std::byte> message;
  std::uint64_t sequence = 0;
  std::int64_t time_ns = 0;
  std::shared_ptr<const void> keep;
};

/// A whole message that left the design, in the order of leaving.
struct Departure {
  std::size_t exit = 0;
  std::vector<std::byte> message;
};

/// A node's work on one message, in cycles of the design. From the doorbell (first input from
/// memory) or the first beat in, to the last byte in memory or the last beat out.
struct Work {
  std::size_t node = 0;
  std::size_t message = 0;  ///< counted per node and run, from 0
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// What a node did wrong.
struct Trouble {
  std::size_t node = 0;
  std::string text;  ///< of a sentence that begins with the node
  bool isolated = false;
};

/// What became of the messages of one run.
struct Outcome {
  std::vector<Departure> departures;
  std::vector<Work> works;
  std::vector<Trouble> troubles;
  std::uint64_t begin = 0;  ///< cycle of the doorbell
  std::uint64_t end = 0;    ///< cycle in which nothing was owed any more
};

/// Counts of a network since the start.
struct NetworkFigures {
  std::uint64_t frames = 0;
  std::uint64_t beats = 0;
  std::uint64_t stalls = 0;  ///< cycles in which a beat waited
  std::uint64_t gaps = 0;    ///< cycles within a message without a beat
  std::vector<std::uint64_t> drops;
  std::vector<std::uint64_t> peaks;  ///< most beats in a queue
};

namespace detail {
class Engine;
}

class Simulation {
 public:
  Simulation(Wires wires, std::vector<NodePlan> nodes, const Memory& memory);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Rings the doorbell for all of them at once, and turns the clock until nothing is owed.
  [[nodiscard]] Outcome run(std::vector<Arrival> arrivals);
  [[nodiscard]] std::vector<NetworkFigures> networks() const;

 private:
  std::unique_ptr<detail::Engine> engine_;
};

}  // namespace ligament::fpga
