// SPDX-License-Identifier: Apache-2.0
/// \file Software's side of a design's gateways (spec/device/gateway.md): what was sent and lent,
/// and what came of it. Its words go through the design's registers, in the design's cycles.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <ligament/fpga_design.hpp>
#include <map>
#include <utility>
#include <vector>

#include "fpga/burst_memory.hpp"
#include "fpga/ports.hpp"
#include "fpga/registers.hpp"

namespace ligament::fpga::detail {

/// What gateways did in a run.
struct GatewayNews {
  std::vector<FilledRoom> stored;
  std::vector<Crossing> crossings;
  std::vector<Trouble> troubles;
};

class Gateways {
 public:
  Gateways(const Wires& wires, std::vector<GatewayPlan> plans, Delegate delegate,
           std::uint64_t latency);

  /// A message that goes in; the doorbells of a run are rung when it begins.
  void send(Arrival&& arrival) {
    gateways_.at(*arrival.gateway).waiting.push_back(std::move(arrival));
  }
  /// A run begins: lends memory, and counts its messages from 0.
  void begin();

  /// Before the clock.
  void offer(MemoryPort& memory, std::uint64_t cycle);
  /// When the wires have settled.
  void observe(MemoryPort& memory, std::uint64_t cycle);
  /// Behind the clock.
  void settle();
  /// Nothing is on its way to or from memory or registers.
  [[nodiscard]] bool is_idle() const {
    return gateways_.empty() || (memory_.is_idle() && registers_.is_idle());
  }
  /// Messages have come to it that are not in the pool.
  [[nodiscard]] bool owes() const;
  /// There is no memory to be lent: what comes waits.
  [[nodiscard]] bool is_starved() const;
  /// What was stored has been taken in the middle of this run.
  [[nodiscard]] bool has_handed_over() const { return handed_over_; }

  /// What has not been read whole.
  void add_waiting(std::vector<Arrival>& arrivals) const;
  [[nodiscard]] GatewayNews take_news() { return std::exchange(news_, {}); }
  [[nodiscard]] std::vector<GatewayFigures> figures() const;
  [[nodiscard]] PortFigures port() const;
  /// Before the design's reset: its counters are added up.
  void keep_counters();
  /// With the design's reset. What was lent can be lent again, what was stored is not.
  void reset();

 private:
  struct Sent {
    std::uint16_t tag = 0;
    Arrival arrival;
    std::size_t message = 0;
    std::uint64_t begin = 0;
  };
  struct Gateway {
    GatewayPlan plan;
    const std::uint32_t* frames = nullptr;
    const std::uint32_t* drops = nullptr;
    GatewayWires wires;
    std::deque<Arrival> waiting;
    std::deque<Sent> sent;
    std::map<std::uint16_t, Room> lent;  ///< by tag
    std::vector<Room> spare;             ///< lent before a reset, or given back
    std::uint16_t next_tag = 0;
    std::uint64_t seen = 0;  ///< rooms that were answered since the reset
    std::size_t messages = 0;
    std::map<std::size_t, std::size_t> of_node;  ///< messages of this run
    GatewayFigures figures;                      ///< `filtered`: before the last reset
    bool starved = false;
    std::array<std::uint64_t, 2> header{};  ///< of the event that is being read
  };

  void push(std::size_t number, std::uint64_t cycle);
  void lend(std::size_t number);
  [[nodiscard]] bool lend_one(std::size_t number);
  void learn(const Registers::Answer& answer, std::uint64_t cycle);
  void ask_for_events(std::uint64_t ends, Place low, Place high, Place event);
  void finish_send(std::size_t number, std::uint64_t event, std::uint64_t cycle);
  void finish_room(std::size_t number, std::uint64_t event, std::uint64_t cycle);
  void store(std::size_t number, Room&& room, Crossing crossing);
  [[nodiscard]] std::size_t node_of(const Gateway& gateway) const;
  void fail(std::size_t number, std::size_t node, std::uint8_t status);

  std::vector<Gateway> gateways_;
  Delegate delegate_;
  BurstMemory memory_;
  Registers registers_;
  PortWires port_wires_;
  PortFigures past_port_;
  GatewayNews news_;
  bool handed_over_ = false;
};

}  // namespace ligament::fpga::detail
