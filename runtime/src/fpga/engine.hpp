// SPDX-License-Identifier: Apache-2.0
/// \file What turns a design's clock: ends in memory, probes on streams, and who owes what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <ligament/fpga_design.hpp>
#include <optional>
#include <string>
#include <vector>

#include "fpga/ends.hpp"
#include "fpga/ports.hpp"
#include "fpga/probe_counts.hpp"
#include "fpga/side_clock.hpp"
#include "fpga/waits.hpp"

namespace ligament::fpga::detail {

class Engine {
 public:
  Engine(Wires wires, std::vector<NodePlan> nodes, const Memory& memory, const Boundary& boundary,
         Delegate delegate);

  [[nodiscard]] Outcome run(std::vector<Arrival>&& arrivals, const Stop& stop);
  void exchange(std::size_t slot, const SlotUse* use);
  [[nodiscard]] bool is_foreign(std::size_t slot) const { return *wires_.foreign.at(slot) != 0; }
  [[nodiscard]] std::vector<NetworkFigures> networks() const;
  [[nodiscard]] std::vector<std::uint64_t> open(const std::vector<std::uint64_t>& waiting) const;
  [[nodiscard]] const Ends& ends() const { return ends_; }
  [[nodiscard]] const ProbeCounts& streams() const { return streams_; }

 private:
  static constexpr std::size_t word_bits = 64;  ///< probes of a word

  /// What has passed a probe since the reset.
  struct Watch {
    std::size_t node = 0;
    const InputPlan* input = nullptr;    ///< of an output's probe: none
    const OutputPlan* output = nullptr;  ///< of an input's probe: none
    std::uint64_t begun = 0;
    std::uint64_t done = 0;
    std::uint64_t answered = 0;      ///< messages that what passed this output answers
    std::uint64_t arrived = 0;       ///< of an output to an exit: that software has learnt of
    std::uint64_t beats_before = 0;  ///< that had passed when the last message began
    std::uint64_t surplus = 0;       ///< messages of an output that answer nothing
    std::deque<std::uint64_t> unasked = {};  ///< their numbers, of those that exits still have
  };
  /// The messages of a node that frames at an exit are: it leaves none for some of its answers.
  struct Answers {
    std::size_t first = 0;               ///< frame that the oldest of these is
    std::deque<std::uint64_t> messages;  ///< of frames that have not been seen in memory yet
  };
  struct State {
    std::deque<Work> works;      ///< that were not told yet
    std::uint64_t messages = 0;  ///< told before, since the reset
    std::size_t hung = 0;        ///< how often
    bool isolated = false;
    bool vacant = false;  ///< a slot without a core: isolated until one comes
    bool faulty = false;  ///< a fault of its message was told already
  };

  /// The messages of a part, as people count them: where they enter, from 1.
  struct Frames {
    std::optional<std::size_t> entry;    ///< where they are counted
    std::optional<std::size_t> gateway;  ///< the same, of a part without entries
    std::optional<std::size_t> service;  ///< of requests: who alone answers them
    std::uint64_t before = 0;            ///< this run
    std::uint64_t now = 0;
    bool wanted = false;                ///< some of this run's are to be in the waveform:
    std::uint64_t first = 0, last = 0;  ///< these, counted from 0 since the reset
  };

  void find_frames(const std::vector<GatewayPlan>& gateways);
  void count_frames(const std::vector<Arrival>& arrivals);
  void choose_wave(std::size_t part);
  [[nodiscard]] bool wave_is_on();
  [[nodiscard]] bool has_entered(const Frames& frames) const;
  [[nodiscard]] bool has_left(std::size_t part) const;
  [[nodiscard]] std::uint64_t answered(std::size_t node) const;
  [[nodiscard]] std::string frames_in(std::size_t part) const;
  void begin_run(std::vector<Arrival>&& arrivals);
  void prepare(const std::vector<Arrival>& arrivals);
  void end_run();
  void leave();
  void tell_works();
  void tell_ends();
  /// Which clocks have an edge.
  struct Edges {
    bool cores = true;
    bool port = true;
    bool registers = true;
  };
  struct SideEdge {
    Edges edges;
    double part = 0;  ///< of the cores' period
  };
  void step() { cycle(true); }
  void cycle(bool paced);
  void turn();
  template <typename Tick>
  void go_to_edge(const Tick& tick);
  [[nodiscard]] std::optional<SideEdge> next_side_edge() const;
  void count_edges(const Edges& edges);
  void align();
  void tick(const Edges& edges, bool paced, double at);
  void lower();
  void raise(const Edges& edges);
  void dump(double at);
  [[nodiscard]] std::uint64_t port_cycle() const {
    return port_clock_ ? port_clock_->cycle() : cycle_;
  }
  [[nodiscard]] bool is_quiet() const;
  [[nodiscard]] Parts all_parts() const { return Parts(stale_.size(), true); }
  [[nodiscard]] Parts part_to_reset(std::size_t node) const;
  void reset(const Parts& parts);
  void reset_parts(const Parts& parts);
  void reset_all();
  void forget(const Parts& parts);
  void observe_ends(const Edges& edges);
  void observe_probes();
  void observe_beat(std::size_t probe, bool last);
  void end_answer(Watch& watch, bool single_beat);
  void observe_problems();
  void finish_answer(Answer&& answer);
  [[nodiscard]] std::uint64_t begun(std::size_t node) const;
  [[nodiscard]] std::uint64_t asked(std::size_t node) const;
  void begin_work(const Watch& watch);
  [[nodiscard]] Work* find_work(std::size_t node, std::uint64_t message);
  [[nodiscard]] std::optional<std::size_t> take_number(const Watch& watch);
  void end_work(std::size_t node, std::uint64_t message, std::uint64_t cycle);
  [[nodiscard]] bool is_over() const;
  [[nodiscard]] bool is_set(const std::vector<const std::uint64_t*>& words,
                            std::size_t probe) const;
  [[nodiscard]] bool is_inside(std::size_t probe) const;
  [[nodiscard]] std::uint64_t given(const InputPlan& input) const;
  /// Messages that a node has not answered.
  [[nodiscard]] std::uint64_t owed(std::size_t node) const;
  /// The same, and those of sets that are not whole, and those that hardware was not told of: of
  /// the last ones, `waiting` has by entry how many have not come here yet.
  [[nodiscard]] std::uint64_t open(std::size_t node,
                                   const std::vector<std::uint64_t>& waiting) const;
  [[nodiscard]] bool owes(std::size_t node) const { return owed(node) != 0; }
  /// What is isolated as one: a node and its services.
  [[nodiscard]] std::size_t core_of(std::size_t node) const {
    return nodes_[node].offered_by.value_or(node);
  }
  [[nodiscard]] bool owes_anything() const;
  [[nodiscard]] bool is_held_up(std::size_t node) const;
  [[nodiscard]] bool is_stuck(std::size_t node) const;
  [[nodiscard]] std::optional<std::size_t> silent_node() const;
  [[nodiscard]] std::string shortcoming(std::size_t node) const;
  [[nodiscard]] StreamState state_of(std::size_t probe) const;
  [[nodiscard]] bool is_surplus(const Watch& watch) const;
  void tell_surplus(std::size_t probe, bool is_first);
  [[nodiscard]] bool floods(std::size_t node) const;
  void tell_cause(const Trouble& trouble);
  void give_up();
  void drop_answers(const Parts& parts);
  [[nodiscard]] std::vector<Arrival> take_retained(const Parts& parts);
  void begin_again(const Parts& parts);
  void tell(std::size_t node, const std::string& text, bool isolated = false);
  void keep_counters(const Parts& parts);

  Wires wires_;
  std::vector<NodePlan> nodes_;
  MemoryPort memory_;
  ProbeCounts streams_;
  std::vector<Watch> watches_;         ///< by probe
  std::vector<std::uint64_t> inside_;  ///< the probes' words: a message has begun and not ended
  std::vector<std::size_t> sources_;   ///< node of each exit
  std::vector<std::size_t> leaving_;   ///< probe of each exit
  std::vector<std::size_t> blamed_;    ///< node of each problem wire
  std::vector<Answers> answers_;       ///< of each exit
  std::vector<State> states_;
  std::vector<std::deque<std::size_t>> numbers_;  ///< by entry: Arrival::number of what is to come
  std::vector<std::size_t> network_parts_;
  std::vector<Frames> frames_;        ///< by part
  std::vector<NetworkFigures> past_;  ///< before the last reset
  Ends ends_;
  std::vector<Arrival> retained_;  ///< what has to go in again after a reset
  Outcome outcome_;
  std::optional<SideClock> port_clock_;       ///< none: the cores'
  std::optional<SideClock> registers_clock_;  ///< the same
  std::uint64_t slowest_ = 1;  ///< cycles of the cores that one of the slowest clock takes
  double dumped_at_ = -1;
  std::uint64_t cycle_ = 0;
  std::uint64_t progress_at_ = 0;  ///< when a message was complete somewhere
  std::uint64_t moved_at_ = 0;     ///< when a beat passed somewhere
  std::uint64_t limit_ = 0;
  Parts stale_;  ///< that are reset before they get a message
};

}  // namespace ligament::fpga::detail
