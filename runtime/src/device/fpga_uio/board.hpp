// SPDX-License-Identifier: Apache-2.0
/// \file A design on a board, driven by its registers (spec/device/uio.md): one set of messages
/// goes in, and what each output makes of it comes out. One thread calls.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <ligament/device.hpp>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "device/fpga_uio/attachment.hpp"
#include "device/fpga_uio/plan.hpp"

namespace ligament::device::fpga_uio {

/// A message for an input from memory.
struct Input {
  std::size_t stream = 0;  ///< place in Plan::streams
  std::span<const std::byte> message;
  std::uint64_t sequence = 0;
  std::int64_t time_ns = 0;
};

/// A message that came to memory; its bytes are the board's until the next run.
struct Output {
  std::size_t stream = 0;
  std::span<const std::byte> message;
  std::int64_t at_ns = 0;  ///< when software learnt of it (CLOCK_MONOTONIC)
};

/// What a node did wrong: a sentence without its beginning, the node.
struct Fault {
  std::string node;
  std::string text;
  std::uint8_t refusal = 0;    ///< the code with which it refused, if that is all
  std::uint64_t messages = 1;  ///< of its that gave no output because of it
  bool of_others = false;      ///< these are of other sets than the one that went in
};

/// What became of a set, node by node.
struct RunOutcome {
  std::vector<Output> outputs;
  std::vector<Fault> faults;  ///< of a node that lost a message of a set, the first one only
  std::vector<std::string> answered;  ///< nodes whose streams say so; a Broken beat is an answer
  std::vector<Fault> unanswered;      ///< who owes an answer, and which
  bool stopped = false;  ///< it was asked to stop: nothing of the set is in the design any more

  /// Adds a fault, unless the node's message of this set is told as lost already.
  void blame(Fault fault);
};

struct BoardFigures {
  std::uint64_t interrupts = 0;
  std::uint64_t missed = 0;    ///< events that no interrupt told of
  std::uint64_t repeated = 0;  ///< sets that went in again behind a reset
  std::uint64_t resets = 0;    ///< of the design, the first included
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
};

/// Of lig_transfer_pkg::status_e.
enum class Status : std::uint8_t { done, recalled, loop, too_long, malformed, bus_error, late };

class Board {
 public:
  using Duration = std::chrono::steady_clock::duration;

  /// Patience: how long a design may complete nothing.
  Board(Attachment attachment, Duration patience)
      : at_(std::move(attachment)), patience_(patience) {}

  /// Versions and identity, before anything is written; then a reset, the table of pages, and
  /// memory for each port. The plan stays the driver's.
  [[nodiscard]] Result<void> take(const Plan& plan);
  [[nodiscard]] Result<void> set(const std::string& setting, std::uint64_t value);
  [[nodiscard]] Result<std::uint64_t> value(const std::string& name);

  /// Whether a message may go in there. Not while the one before waits in the design for the others
  /// of its set: topics on the chip bring them.
  [[nodiscard]] bool takes(std::size_t stream) const;
  /// Sends the set, to streams that take one each, and waits until nothing is owed. A node that
  /// does not answer is a fault; an error is the end of the board (ErrorCode::device_lost). A
  /// message over its stream's bound is one, too: a broken one goes in, so that the k-th messages
  /// of all its inputs stay together. `stop` is asked every few milliseconds whether to leave what
  /// is owed; what has come is told.
  [[nodiscard]] Result<RunOutcome> run(std::span<const Input> inputs,
                                       const std::function<bool()>& stop = {});
  /// Of a node: its messages whose sets are not whole. `waiting`, by stream: those that have not
  /// gone in.
  [[nodiscard]] std::uint64_t open(const NodeStreams& node,
                                   const std::vector<std::uint64_t>& waiting) const;
  /// Busy cycles, beats read and beats written of its memory port since the reset.
  [[nodiscard]] Result<std::array<std::uint64_t, 3>> port_counts();
  [[nodiscard]] const BoardFigures& figures() const { return figures_; }
  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] const std::string& path() const { return at_.path; }
  [[nodiscard]] bool is_stand_in() const { return at_.stand_in; }

 private:
  static constexpr std::uint32_t board_version_at = 0x10000;
  static constexpr std::uint64_t board_version = 0x1'4C49'4742;
  /// A read may take that much behind a message (gateway.md, 1).
  static constexpr std::size_t overrun = 64;

  /// A piece of the memory, for one message.
  struct Piece {
    std::size_t offset = 0;
    std::size_t bytes = 0;
  };
  struct Event {
    std::array<std::uint64_t, 2> header{};
    std::uint16_t tag = 0;
    Status status = Status::done;
  };
  /// Of an input, behind a reset: messages whose sets were not whole.
  struct Parted {
    bool again = false;       ///< the one in its piece goes in once more
    std::uint64_t skips = 0;  ///< those to come whose sets have lost another one
    std::uint64_t told = 0;   ///< of these the first ones, as losses of their node
  };
  /// A stream's piece of memory, and what is in flight in it.
  struct Way {
    Piece piece;
    std::array<std::uint64_t, 2> header{};  ///< of an input: of the message in its piece
    Parted parted;
    bool out = false;  ///< sent, or lent, and no event yet
    std::uint16_t tag = 0;
    std::uint64_t sent = 0;             ///< messages since the reset
    std::uint64_t messages_before = 0;  ///< counts when this run began
    std::uint64_t given_before = 0;     ///< the same, of an input
    // Of an output, in this run:
    std::uint64_t stored = 0;  ///< rooms that came back as answers
    std::uint64_t broken = 0;  ///< rooms that came back with what is no message
    std::uint64_t problems_before = 0;
    std::uint64_t bad_before = 0;  ///< problems and refusals
    std::string fault;
  };

  [[nodiscard]] Result<std::uint64_t> read(std::uint32_t place);
  [[nodiscard]] Result<void> write(std::uint32_t place, std::uint64_t value);
  [[nodiscard]] Result<void> check_identity();
  [[nodiscard]] Result<void> place_memory();
  [[nodiscard]] Result<void> write_table();
  [[nodiscard]] Result<void> reset();
  [[nodiscard]] Result<void> wait_for_quiet_port();
  [[nodiscard]] Result<void> drop_surplus(RunOutcome& outcome);
  [[nodiscard]] Result<void> begin(std::span<const Input> inputs);
  [[nodiscard]] Result<void> lend(std::size_t stream);
  [[nodiscard]] Result<void> send(const Input& input);
  [[nodiscard]] Result<void> ring(std::size_t stream);
  [[nodiscard]] std::vector<Input> check(const std::vector<Input>& inputs, RunOutcome& outcome);
  /// What nodes still owe when patience is over, or when it is stopped; empty: all is answered.
  [[nodiscard]] Result<std::vector<Fault>> wait_for_answers(const std::function<bool()>& stop);
  [[nodiscard]] Result<bool> look();
  [[nodiscard]] Result<bool> wait_for_interrupt();
  [[nodiscard]] Result<void> enable_interrupt();
  [[nodiscard]] unexpected<Error> interrupt_lost(const char* what) const;
  [[nodiscard]] Result<bool> collect(bool stored);
  [[nodiscard]] Result<Event> take_event(std::uint32_t end, bool stored);
  [[nodiscard]] Result<void> finish_send(std::uint32_t end, const Event& event);
  [[nodiscard]] Result<void> finish_room(std::uint32_t end, const Event& event);
  [[nodiscard]] Result<std::vector<Fault>> who_owes(bool all);
  [[nodiscard]] Result<Fault> owed_by(const NodeStreams& node);
  [[nodiscard]] Result<Fault> owed_at(std::size_t stream, std::uint64_t sets);
  [[nodiscard]] Result<std::uint64_t> count(std::uint32_t place, unsigned shift);
  [[nodiscard]] std::uint64_t last_count(std::uint32_t place, unsigned shift) const;
  [[nodiscard]] bool has_answered(const NodeStreams& node) const;
  [[nodiscard]] Result<std::uint64_t> bad(const Stream& stream);
  [[nodiscard]] Result<std::uint64_t> given(std::size_t stream);
  [[nodiscard]] std::uint64_t last_given(std::size_t stream) const;
  [[nodiscard]] Result<std::uint64_t> sets_given(const NodeStreams& node);
  [[nodiscard]] const NodeStreams& node_of(std::size_t stream) const;
  [[nodiscard]] bool is_unread(std::size_t stream) const;
  [[nodiscard]] bool may_repeat() const;
  /// How many messages each input has got; or of each node.
  using Given = std::vector<std::uint64_t>;
  [[nodiscard]] std::uint64_t in_front(std::size_t stream, const Given& of_nodes) const;
  [[nodiscard]] Given most_sets(const Given& given) const;
  [[nodiscard]] Given given_now(bool repeats) const;
  [[nodiscard]] Given lost_answers(const Given& given, const std::vector<Fault>& owed) const;
  void part_sets(bool repeats, const std::vector<Fault>& owed, RunOutcome& outcome);
  void leave_sets(std::vector<Fault>& owed);
  [[nodiscard]] Result<void> tell(RunOutcome& outcome);
  [[nodiscard]] Result<void> finish(RunOutcome& outcome, std::vector<Fault> owed);
  [[nodiscard]] unexpected<Error> lies(const std::string& what);
  [[nodiscard]] std::uint64_t address_of(const Piece& piece) const;
  [[nodiscard]] std::optional<std::size_t> stream_at(std::uint32_t end, bool input) const;

  Attachment at_;
  Duration patience_;
  Plan plan_;
  std::vector<Way> ways_;  ///< by stream
  std::vector<Output> came_;
  /// Counters since the reset, longer than the hardware's 32 bits: by place and shift.
  std::map<std::pair<std::uint32_t, unsigned>, std::uint64_t> counts_;
  BoardFigures figures_;
  std::uint16_t next_tag_ = 1;
  bool moved_ = false;            ///< a counter has gone on since it was last asked
  bool stopped_ = false;          ///< this run
  std::optional<Fault> babbler_;  ///< of this run: who says what nobody asked for, without end
};

}  // namespace ligament::device::fpga_uio
