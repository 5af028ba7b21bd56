// SPDX-License-Identifier: Apache-2.0
/// \file A design of one or several hardware nodes, simulated cycle by cycle (spec/device/fpga.md).
///
/// `Simulation` turns the clock of a verilated model. It tells the design's *entries* by registers
/// where messages lie, lends memory to its *exits*, answers the port over which it reads and writes
/// both, and watches each node's streams through *probes*: so it knows what the design owes, how
/// long each node worked, and who hangs. It knows no Verilator: generated code gives it the
/// addresses of the model's ports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ligament::fpga {

/// The table of pages that a design's port goes through where no IOMMU is; `count` 0: there is
/// none.
struct Pages {
  std::size_t count = 0;
  std::size_t bytes = 4096;  ///< of a page
};

/// How the design runs and what its memory gives, as platform.yaml declares it.
struct Memory {
  double clock_hz = 100e6;          ///< of the cores: all cycles that are told are its
  double port_clock_hz = 0;         ///< of the port on memory; 0: the cores'
  double registers_clock_hz = 0;    ///< of the bus on the registers; 0: the cores'
  double latency_ns = 0;            ///< from a request to its first byte, and of the last write
  double bytes_per_second = 800e6;  ///< reads and writes of all ends together
  bool duplex = false;              ///< it is of reads, and as much again of writes
  double contention = 0;            ///< share of it that others take, at moments drawn by chance
  std::uint64_t seed = 1;           ///< of that chance: two runs give the same cycles
  Pages pages = {};                 ///< scattered by the same seed
};

/// Cycles after which a design that completes nothing is given up.
inline constexpr std::uint64_t patience_cycles = 1'000'000;

/// Counters of a topic's network (hdl/rtl/lig_topic.sv).
struct NetworkWires {
  const std::uint32_t* frames = nullptr;
  const std::uint32_t* beats = nullptr;
  const std::uint32_t* stalls = nullptr;
  const std::uint32_t* gaps = nullptr;
  std::vector<const std::uint32_t*> drops;  ///< one per subscription
  std::vector<const std::uint32_t*> peaks;
};

/// The port of all ends on memory, AXI4 (hdl/rtl/lig_axi_mux.sv). Data and strobes are bytes.
struct MemoryWires {
  std::size_t beat_bytes = 8;
  const std::uint8_t* ar_valid = nullptr;
  std::uint8_t* ar_ready = nullptr;
  const std::uint8_t* ar_id = nullptr;
  const std::uint64_t* ar_address = nullptr;
  const std::uint8_t* ar_length = nullptr;
  std::uint8_t* r_valid = nullptr;
  const std::uint8_t* r_ready = nullptr;
  std::uint8_t* r_id = nullptr;
  std::uint8_t* r_data = nullptr;
  std::uint8_t* r_response = nullptr;
  std::uint8_t* r_last = nullptr;
  const std::uint8_t* aw_valid = nullptr;
  std::uint8_t* aw_ready = nullptr;
  const std::uint8_t* aw_id = nullptr;
  const std::uint64_t* aw_address = nullptr;
  const std::uint8_t* w_valid = nullptr;
  std::uint8_t* w_ready = nullptr;
  const std::uint8_t* w_data = nullptr;
  const std::uint8_t* w_strobe = nullptr;
  const std::uint8_t* w_last = nullptr;
  std::uint8_t* b_valid = nullptr;
  const std::uint8_t* b_ready = nullptr;
  std::uint8_t* b_id = nullptr;
  std::uint8_t* b_response = nullptr;
};

/// The registers of all ends, AXI4-Lite (hdl/rtl/lig_shell.sv), and their interrupt.
struct RegisterWires {
  std::uint8_t* aw_valid = nullptr;
  const std::uint8_t* aw_ready = nullptr;
  std::uint16_t* aw_address = nullptr;
  std::uint8_t* w_valid = nullptr;
  const std::uint8_t* w_ready = nullptr;
  std::uint64_t* w_data = nullptr;
  const std::uint8_t* b_valid = nullptr;
  std::uint8_t* ar_valid = nullptr;
  const std::uint8_t* ar_ready = nullptr;
  std::uint16_t* ar_address = nullptr;
  const std::uint8_t* r_valid = nullptr;
  const std::uint64_t* r_data = nullptr;
  const std::uint8_t* interrupt = nullptr;
};

/// Counters of the port on memory (hdl/rtl/lig_port_stats.sv).
struct PortWires {
  const std::uint64_t* busy = nullptr;
  const std::uint64_t* reads = nullptr;
  const std::uint64_t* writes = nullptr;
  /// Of its table of pages (hdl/rtl/lig_axi_pages.sv), if it has one: bursts that went to no page
  /// that was open to them, and where the last of them did.
  const std::uint32_t* refused = nullptr;
  const std::uint64_t* refused_address = nullptr;
};

/// What an end's way to software has passed over since the reset.
struct EndWires {
  const std::uint32_t* looped = nullptr;
  const std::uint32_t* dropped = nullptr;
};

/// Waveforms of messages, by their numbers: counted per part from 1, where they enter it at its
/// first entry, or its first gateway if it has no entry. Written from a message's doorbell, or its
/// first burst where others were before it, until the last node's answer to it is in memory.
struct Wave {
  std::function<void(double)> dump;  ///< at a time in half cycles; empty: none is written
  std::vector<std::size_t> parts;    ///< whose messages are meant
  std::uint64_t first = 1;
  std::uint64_t last = 0;
};

/// What `ligament run --wave` asks for.
struct WaveRequest {
  std::uint64_t first = 1;
  std::uint64_t last = 0;
  std::vector<std::string> nodes;  ///< whose signals are written; empty: all
};

/// As this process was told by LIGAMENT_WAVE (`3-5`) and LIGAMENT_WAVE_NODES (`/a /b`); nothing if
/// it was not, or not so.
[[nodiscard]] std::optional<WaveRequest> wave_request();

/// Ports of a generated top. A probe is a bit of the probe words, 64 per word.
struct Wires {
  std::uint8_t* clock = nullptr;
  std::uint8_t* port_clock = nullptr;       ///< null: the memory port has the cores'
  std::uint8_t* registers_clock = nullptr;  ///< null: the registers have it
  std::uint8_t* reset = nullptr;
  std::vector<std::uint8_t*> parts;    ///< resets of the parts alone (NodePlan::part)
  std::vector<std::uint8_t*> isolate;  ///< one per node
  std::vector<const std::uint64_t*> valid;
  std::vector<const std::uint64_t*> ready;
  std::vector<const std::uint64_t*> last;
  std::vector<const std::uint8_t*> problem;  ///< one per output, lig_fields_pkg::problem_e
  std::vector<const std::uint8_t*> refusal;  ///< one per output: the code of a Broken beat
  std::vector<NetworkWires> networks;
  MemoryWires memory;
  PortWires port;
  RegisterWires registers;
  std::vector<EndWires> ends;  ///< those of gateways, then an entry and an exit on each
  /// Of a shell, one per slot: the core in it is one for another shell (hdl/rtl/lig_slot.sv).
  std::vector<const std::uint8_t*> foreign;
  std::function<void()> evaluate;
  Wave wave;
};

/// Where a node's input comes from: from an entry, or from a subscription of a network.
struct InputPlan {
  std::size_t probe = 0;
  std::optional<std::size_t> entry;
  std::size_t network = 0;
  std::size_t subscription = 0;
  std::string port = {};  ///< as the node calls it
};

/// Where a node's output goes to: out of the design, or into a network.
struct OutputPlan {
  std::size_t probe = 0;
  std::optional<std::size_t> exit;
  std::size_t network = 0;
  std::size_t problem = 0;  ///< place in Wires::problem and Wires::refusal
  std::string port = {};    ///< as the node calls it
};

struct NodePlan {
  std::vector<InputPlan> inputs;
  std::vector<OutputPlan> outputs;
  std::map<std::uint8_t, std::string> refusals;  ///< why, by the core's code
  /// Of a service: the node that offers it. Its input is the requests', its output the responses',
  /// and it owes apart from the node's topics. Services come behind all nodes.
  std::optional<std::size_t> offered_by = std::nullopt;
  /// Nodes that topics on the chip join, directly or through others. Parts do not wait for each
  /// other's messages, and are reset each by itself.
  std::size_t part = 0;
  std::string name = {};  ///< as the graph calls it; of a service: its node's
  /// It answers each message of any input by itself, in the order in which it takes them: with any
  /// number of messages, and a Broken one of one beat behind them. Else sets of one message of each
  /// input, with one message.
  bool each = false;
};

/// What a core in a slot is (spec/device/slots.md).
struct SlotUse {
  std::string node;  ///< as the graph calls it
  std::string input;
  std::string output;
  std::size_t room_bytes = 0;                    ///< of the memory lent for a message of its output
  std::map<std::uint8_t, std::string> refusals;  ///< as NodePlan has them
  std::vector<std::uint64_t> registers = {};     ///< what they are at first
};

/// Where a network's gateway is: behind its other subscriptions.
struct GatewayPlan {
  std::size_t network = 0;
  std::size_t subscription = 0;
  std::vector<std::size_t> publishers;  ///< nodes, by number among the network's publishers
};

/// What of a design is in memory.
struct Boundary {
  std::vector<GatewayPlan> gateways;
  std::vector<std::size_t> rooms;  ///< per exit: bytes of the memory lent to it for a message
};

/// What a frame is (spec/wire/stream.md).
enum class FrameKind : std::uint8_t { message, request, response, no_response };

/// A message for an entry, or for a gateway. `keep` holds its memory until it has been read.
struct Arrival {
  std::size_t entry = 0;
  std::optional<std::size_t> gateway = std::nullopt;
  std::uint8_t publisher = 64;  ///< its number: 64 is the first one in software; or the client's
  FrameKind kind = FrameKind::message;
  std::span<const std::byte> message;
  std::uint64_t sequence = 0;
  std::int64_t time_ns = 0;
  std::shared_ptr<const void> keep;
  /// Of a node that answers each message: its number among the node's messages of this run.
  std::size_t number = 0;
};

/// A whole message that left the design, in the order of leaving.
struct Departure {
  std::size_t exit = 0;
  std::span<const std::byte> message;
  std::uint8_t publisher = 0;  ///< of a response: whose request it answers,
  std::uint16_t sequence = 0;  ///< and which; of a request: the core's own number
  std::shared_ptr<void> keep;  ///< holds its memory
  bool lent = false;           ///< by who publishes it (Delegate::lend_exit)
  /// Of a node that answers each message: the Arrival::number that it answers, of one from memory.
  std::optional<std::size_t> cause = std::nullopt;
};

/// Memory lent to hardware for one message: what begins it lies on a multiple of 64. `keep` holds
/// it.
struct Room {
  std::span<std::byte> memory;
  std::shared_ptr<void> keep;
  bool lent = false;  ///< by who publishes what is in it, so it stays there; else it is copied
};

/// A message that a gateway has written into its room.
struct FilledRoom {
  std::size_t gateway = 0;
  std::size_t node = 0;  ///< that published it
  Room room;
  std::size_t front = 0;
  std::size_t size = 0;
};

/// A message's way through a gateway, in cycles: from the doorbell, or the first burst that asks
/// for memory, to the event.
struct Crossing {
  std::size_t gateway = 0;
  bool to_hardware = false;
  std::size_t node = 0;     ///< that published it; of software: nothing
  std::size_t message = 0;  ///< counted per gateway, or node, and run, from 0
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// A node's work on one message, in cycles of the design. From the doorbell (first input from
/// memory) or the first beat in, to the last byte in memory or the last beat out.
struct Work {
  std::size_t node = 0;
  std::size_t message = 0;  ///< counted per node and run, from 0
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::optional<std::size_t> cause = std::nullopt;  ///< as a departure's
};

/// What a node did wrong.
struct Trouble {
  std::size_t node = 0;
  std::string text;  ///< of a sentence that begins with the node
  bool isolated = false;
  std::uint64_t messages = 1;  ///< of its that gave no output because of it
};

/// What became of the messages of one run. Times are cycles of a simulation; of a board:
/// nanoseconds of CLOCK_MONOTONIC.
struct Outcome {
  std::vector<Departure> departures;
  std::vector<FilledRoom> stored;
  std::vector<Work> works;
  std::vector<Crossing> crossings;
  std::vector<Trouble> troubles;
  std::uint64_t begin = 0;  ///< cycle of the doorbell
  std::uint64_t end = 0;    ///< cycle in which nothing was owed any more
  bool stopped = false;     ///< it was asked to stop, and something is still owed
  /// Then, by node: messages that it was given, and has not answered; those of its entries that did
  /// not go in any more, too.
  std::vector<std::uint64_t> left;
  bool starved = false;  ///< something is still owed for lack of memory: the next run goes on
  /// What else was counted, for the span of the run in a trace.
  std::vector<std::pair<const char*, std::uint64_t>> counts;
};

/// Asked every few milliseconds while the clock turns: whether to leave what is owed.
using Stop = std::function<bool()>;

/// Counts of a network since the start.
struct NetworkFigures {
  std::uint64_t frames = 0;
  std::uint64_t beats = 0;
  std::uint64_t stalls = 0;  ///< cycles in which a beat waited
  std::uint64_t gaps = 0;    ///< cycles within a message without a beat
  std::vector<std::uint64_t> drops;
  std::vector<std::uint64_t> peaks;  ///< most beats in a queue
};

/// Counts of a core's stream since the start, in cycles of the design.
struct StreamFigures {
  std::uint64_t beats = 0;
  std::uint64_t stalls = 0;  ///< valid, not ready: of an input, it is full
  std::uint64_t gaps = 0;    ///< not valid, amidst a message
};

/// What kept a core from going on, in cycles; of each cycle the first that holds.
struct PaceFigures {
  std::uint64_t held = 0;     ///< nobody took what it says
  std::uint64_t starved = 0;  ///< it would take what did not come, amidst a message or a set
  std::uint64_t full = 0;     ///< itself: an input waited for it
};

/// Counts of a gateway since the start.
struct GatewayFigures {
  std::uint64_t sent = 0;
  std::uint64_t stored = 0;
  std::uint64_t filtered = 0;  ///< frames of software that came round
  std::uint64_t failed = 0;
};

/// Counts of the memory port since the start.
struct PortFigures {
  std::uint64_t busy = 0;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t refused = 0;  ///< bursts to pages that were not open
};

/// What software does for gateways while the clock turns.
struct Delegate {
  /// Memory for one message of a gateway; nothing while there is none.
  std::function<std::optional<Room>(std::size_t)> lend;
  /// Takes what was stored so far, so that there is memory again.
  std::function<void(std::vector<FilledRoom>&&)> take;
  /// Memory for one message of an exit; nothing: it is the driver's own, and copied from there.
  std::function<std::optional<Room>(std::size_t)> lend_exit = {};
};

namespace detail {
class Engine;
}

/// What does a design's work: the simulator in this process, or a board (fpga_board.hpp). One
/// thread calls.
class Hardware {
 public:
  Hardware() = default;
  virtual ~Hardware() = default;
  Hardware(const Hardware&) = delete;
  Hardware& operator=(const Hardware&) = delete;

  /// All of them go in; returns when nothing is owed.
  [[nodiscard]] virtual Outcome run(std::vector<Arrival> arrivals, const Stop& stop) = 0;
  /// What its runs are called in a trace.
  [[nodiscard]] virtual const char* name() const = 0;
  /// Whether an outcome's times are cycles.
  [[nodiscard]] virtual bool counts_cycles() const = 0;
  [[nodiscard]] virtual std::vector<NetworkFigures> networks() const = 0;
  [[nodiscard]] virtual PortFigures port() const = 0;
  /// Between two runs, by node: messages that it was given, and has not answered. `waiting`, by
  /// entry: those that have not come here yet.
  [[nodiscard]] virtual std::vector<std::uint64_t> open(
      const std::vector<std::uint64_t>& waiting) const = 0;

  // What only a simulator has.
  /// By probe; of a probe that no node has, nothing.
  [[nodiscard]] virtual StreamFigures stream(std::size_t /*probe*/) const { return {}; }
  /// By node.
  [[nodiscard]] virtual std::vector<PaceFigures> paces() const { return {}; }
  [[nodiscard]] virtual std::vector<GatewayFigures> gateways() const { return {}; }
  /// Of a shell, which owes nothing: another core is in the slot, or none, and the slot's part is
  /// reset. Messages of before are forgotten.
  virtual void exchange(std::size_t /*slot*/, const SlotUse* /*use*/) {}
  [[nodiscard]] virtual bool is_foreign(std::size_t /*slot*/) const { return false; }
};

class Simulation final : public Hardware {
 public:
  Simulation(Wires wires, std::vector<NodePlan> nodes, const Memory& memory,
             const Boundary& boundary, Delegate delegate = {});
  ~Simulation() override;

  /// Rings the doorbell for all of them at once, and turns the clock until nothing is owed.
  [[nodiscard]] Outcome run(std::vector<Arrival> arrivals, const Stop& stop = {}) override;
  [[nodiscard]] const char* name() const override { return "simulator"; }
  [[nodiscard]] bool counts_cycles() const override { return true; }
  [[nodiscard]] std::vector<NetworkFigures> networks() const override;
  [[nodiscard]] PortFigures port() const override;
  [[nodiscard]] std::vector<std::uint64_t> open(
      const std::vector<std::uint64_t>& waiting) const override;
  [[nodiscard]] StreamFigures stream(std::size_t probe) const override;
  [[nodiscard]] std::vector<PaceFigures> paces() const override;
  [[nodiscard]] std::vector<GatewayFigures> gateways() const override;
  void exchange(std::size_t slot, const SlotUse* use) override;
  [[nodiscard]] bool is_foreign(std::size_t slot) const override;

 private:
  std::unique_ptr<detail::Engine> engine_;
};

}  // namespace ligament::fpga
