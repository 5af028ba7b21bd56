// SPDX-License-Identifier: Apache-2.0
/// \file Software's side of a design's ends in memory (spec/device/gateway.md): what was sent and
/// lent, and what came of it. Its words go through the design's registers, in the design's cycles.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <ligament/fpga_design.hpp>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fpga/burst_memory.hpp"
#include "fpga/ports.hpp"
#include "fpga/registers.hpp"

namespace ligament::fpga::detail {

/// By their numbers (NodePlan::part): which of a design's parts are meant.
using Parts = std::vector<bool>;

/// What ends in memory did in a run.
struct EndNews {
  std::vector<FilledRoom> stored;
  std::vector<Crossing> crossings;
  std::vector<Trouble> troubles;
  std::vector<Trouble> causes;  ///< what memory did to messages of inputs
};

/// A frame that an exit has dealt with: a departure, or what is wrong with it.
struct Answer {
  std::size_t exit = 0;
  std::uint64_t frame = 0;  ///< its number since the reset
  std::string fault;        ///< of a sentence that begins with the message
  Departure departure;
};

/// Where what its frame's body is lies.
inline std::uint64_t address_of(const Arrival& arrival) {
  return reinterpret_cast<std::uint64_t>(arrival.message.data()) - pad_of(arrival);
}

/// The driver's own memory, in which pages that nothing is written to cost nothing. Bursts fall the
/// same way in each.
[[nodiscard]] Room private_room(std::size_t bytes);

class Ends {
 public:
  Ends(const Wires& wires, const std::vector<NodePlan>& nodes, Boundary&& boundary,
       Delegate delegate, std::uint64_t latency);

  /// Of an entry and the exit beside it: whose they are now, and what is lent for a message.
  void change(std::size_t entry, const std::string& port, std::size_t room_bytes);
  /// Memory is behind a table of pages, which are scattered by this seed.
  void scatter(const Pages& pages, std::uint64_t seed);
  /// Before a run with these: memory for answers is lent, and the table has the pages of both.
  void prepare(const std::vector<Arrival>& arrivals);
  /// Software's words are on their way.
  [[nodiscard]] bool is_telling() const { return registers_.is_busy(); }

  /// A message that goes in; the doorbells of a run are rung when it begins.
  void send(Arrival&& arrival);
  /// A run of these parts begins: lends memory, and counts its messages from 0.
  void begin(const Parts& parts);

  /// Before the registers' clock, and before the port's: the words, and what memory answers.
  void offer_words(std::uint64_t now);
  void offer_memory(MemoryPort& memory, std::uint64_t cycle);
  /// When the wires have settled. `now` is in the cores' cycles, `cycle` in the port's.
  void observe_memory(MemoryPort& memory, std::uint64_t cycle, std::uint64_t now);
  void observe_words(std::uint64_t now);
  /// Behind the clock.
  void settle_memory();
  void settle_words();
  /// Nothing is on its way to or from memory or registers.
  [[nodiscard]] bool is_idle() const {
    return ends_.empty() || (memory_.is_idle() && registers_.is_idle());
  }
  /// Messages have come to gateways that are not in the pool.
  [[nodiscard]] bool owes() const;
  /// There is no memory to be lent: what comes waits.
  [[nodiscard]] bool is_starved() const;
  /// Of what gateways of these parts stored, some has been taken in the middle of this run.
  [[nodiscard]] bool has_handed_over(const Parts& parts) const;
  /// Of the node or the network that it goes to.
  [[nodiscard]] std::size_t part_of(const Arrival& arrival) const;

  /// Messages that hardware was told of at an entry since the reset.
  [[nodiscard]] std::uint64_t given(std::size_t entry) const;
  /// Those that it was not told of.
  [[nodiscard]] std::uint64_t waiting(std::size_t entry) const;
  /// As given(), of a gateway.
  [[nodiscard]] std::uint64_t sent(std::size_t gateway) const { return ends_.at(gateway).given; }
  /// The cycle in which the entry turned to one of them, if that was not long ago: that of its
  /// doorbell, or of its first burst where others were before it.
  [[nodiscard]] std::optional<std::uint64_t> began(std::size_t entry, std::uint64_t message) const;
  /// Whether it has turned to that message.
  [[nodiscard]] bool has_begun(std::size_t entry, std::uint64_t message) const;
  /// What exits have dealt with since this was asked last.
  [[nodiscard]] std::vector<Answer> take_answers() { return std::exchange(answers_, {}); }
  [[nodiscard]] bool has_answers() const { return !answers_.empty(); }

  /// Of a message that this entry was told of nothing was ever asked of memory.
  [[nodiscard]] bool is_unread(std::size_t entry) const;
  /// When everything rests: messages that gateways were told of and did not turn to have failed.
  void drop_unread();

  /// What has not been read whole.
  void add_waiting(std::vector<Arrival>& arrivals) const;
  [[nodiscard]] EndNews take_news() { return std::exchange(news_, {}); }
  [[nodiscard]] std::vector<GatewayFigures> figures() const;
  [[nodiscard]] PortFigures port() const;
  /// Before a reset of these parts: their counters are added up.
  void keep_counters(const Parts& parts);
  /// Before the reset of the whole design: the same of the port's.
  void keep_port() { past_port_ = port(); }
  /// With the reset of these parts. What was lent can be lent again, what was stored is not.
  void reset(const Parts& parts);
  /// With the whole design's, whose port and registers forget everything.
  void reset();

 private:
  struct Sent {
    std::uint16_t tag = 0;
    Arrival arrival;
    std::size_t message = 0;
    std::uint64_t begin = 0;
    bool behind = false;  ///< others were before it
  };
  struct Gateway {
    GatewayPlan plan;
    const std::uint32_t* frames = nullptr;
    const std::uint32_t* drops = nullptr;
    std::map<std::size_t, std::string> ports;    ///< of nodes that publish there
    GatewayFigures figures;                      ///< `filtered`: before the last reset
    std::map<std::size_t, std::size_t> of_node;  ///< messages of this run
    bool handed_over = false;                    ///< some of these, before its end
  };
  struct End {
    std::optional<Gateway> gateway;  ///< none: an entry, an exit, or both
    std::size_t reader = 0;          ///< node of an entry,
    std::string port;                ///< and its input
    std::size_t reads_for = 0;       ///< part of the gateway, or of the entry
    std::size_t writes_for = 0;      ///< the same, or of the exit
    std::size_t room_bytes = 0;      ///< of an exit
    EndWires wires;
    std::deque<Arrival> waiting;
    std::deque<Sent> sent;
    std::map<std::uint16_t, Room> lent;  ///< by tag
    std::vector<Room> spare;             ///< lent before a reset, or given back
    std::vector<Room> handed;            ///< of an exit: holds what came, as long as that is held
    std::uint16_t next_tag = 0;
    std::uint64_t seen = 0;           ///< rooms that were answered since the reset
    std::size_t messages = 0;         ///< sent in this run
    std::uint64_t given = 0;          ///< sent since the reset
    std::deque<std::uint64_t> began;  ///< of the last ones of these that are over
    bool starved = false;
    std::array<std::uint64_t, 2> header{};  ///< of the event that is being read
  };

  void find_parts(const std::vector<NodePlan>& nodes);
  void forget_news(const Parts& parts);
  void forget_sends(End& end);
  void forget_rooms(End& end);
  [[nodiscard]] End& entry(std::size_t number) { return ends_.at(gateways_ + number); }
  [[nodiscard]] const End& entry(std::size_t number) const { return ends_.at(gateways_ + number); }
  void push(std::size_t number, std::uint64_t cycle);
  void lend(std::size_t number);
  [[nodiscard]] bool lend_one(std::size_t number);
  [[nodiscard]] std::optional<Room> new_room(std::size_t number);
  /// Behind a table of pages, an exit's rooms are the same ones, and so are their entries.
  [[nodiscard]] bool lends_exits() const { return delegate_.lend_exit && !pages_; }
  void learn(const Registers::Answer& answer, std::uint64_t cycle);
  void ask_for_events(std::uint64_t ends, Place low, Place high, Place event);
  void finish_send(std::size_t number, std::uint64_t event, std::uint64_t cycle);
  void finish_entry(End& end, const Sent& sent, std::uint8_t status);
  [[nodiscard]] bool is_unread(const Sent& sent) const;
  void finish_room(std::size_t number, std::uint64_t event, std::uint64_t cycle);
  void finish_frame(std::size_t number, std::uint8_t status, Room&& room, Crossing crossing);
  void finish_exit(std::size_t number, std::uint8_t status, Room&& room);
  [[nodiscard]] std::uint64_t began_at(const Sent& sent) const;
  [[nodiscard]] std::size_t node_of(const End& end) const;
  [[nodiscard]] std::string fault_of(std::uint8_t status);
  [[nodiscard]] std::uint64_t refusals() const;

  std::vector<End> ends_;
  std::size_t gateways_;     ///< the first ones
  std::size_t waiting_ = 0;  ///< messages that no end has been told of
  Delegate delegate_;
  BurstMemory memory_;
  Registers registers_;
  std::optional<PageTable> pages_;
  bool preparing_ = false;
  std::uint64_t refused_ = 0;  ///< bursts to pages that were not open: those that were told
  PortWires port_wires_;
  PortFigures past_port_;
  EndNews news_;
  std::vector<Answer> answers_;
};

}  // namespace ligament::fpga::detail
