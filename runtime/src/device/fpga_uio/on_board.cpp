// SPDX-License-Identifier: Apache-2.0
/// Nodes of a graph on a board: what `Design` asks of a simulation, asked of registers and memory.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ligament/detail/pool.hpp>
#include <ligament/fpga_board.hpp>
#include <ligament/fpga_member.hpp>
#include <map>
#include <optional>
#include <utility>

#include "device/fpga_uio/arrival_sets.hpp"
#include "device/fpga_uio/board.hpp"
#include "device/fpga_uio/board_counts.hpp"
#include "fpga/refusals.hpp"

namespace ligament::fpga {
namespace {

using device::fpga_uio::ArrivalSets;
using device::fpga_uio::Board;
using device::fpga_uio::BoardCounts;
using device::fpga_uio::cause_in;
using device::fpga_uio::RunOutcome;
using device::fpga_uio::Stream;

/// How long a design may complete nothing. A stand-in simulates, on whatever computer.
constexpr std::chrono::seconds patience{10};
constexpr std::chrono::seconds patience_of_stand_in{120};

std::uint64_t now_ns() { return static_cast<std::uint64_t>(pool::monotonic_now_ns()); }

}  // namespace

class OnBoard::Implementation {
 public:
  Implementation(const BoardPlace& place, const DesignPlan& plan)
      : nodes_(plan.nodes), waiting_(nodes_) {
    open(place);
    counts_.prepare(plan.networks,
                    board_ ? board_->plan().places : std::map<std::string, std::uint32_t>{});
  }

  /// Of one run.
  Outcome run(std::vector<Arrival>&& arrivals, const Stop& stop) {
    Outcome outcome;
    outcome.begin = now_ns();
    sets_ = 0;
    waiting_.add(std::move(arrivals));
    const auto before = figures();
    const auto takes = [this](std::size_t entry) {
      const auto stream = stream_of(entry, true);
      return !stream || board_->takes(*stream);
    };
    while (error_.empty() && !outcome.stopped) {
      const std::vector<Arrival> set = waiting_.take(takes);
      if (set.empty()) {
        break;  // the others of their sets are still to come
      }
      if (run_set(set, stop, outcome)) {
        waiting_.close(takes);
      }
    }
    if (!error_.empty()) {
      tell_lost(waiting_.open(), outcome);
      waiting_.clear();
    } else if (outcome.stopped) {
      add_left(waiting_.open(), outcome);
      waiting_.clear();
    }
    outcome.end = now_ns();
    const auto now = figures();
    outcome.counts = {{"interrupts", now.interrupts - before.interrupts},
                      {"interrupts lost", now.missed - before.missed},
                      {"sets repeated", now.repeated - before.repeated},
                      {"bytes in", now.bytes_in - before.bytes_in},
                      {"bytes out", now.bytes_out - before.bytes_out}};
    return outcome;
  }

  /// Of a lost board none: they were told as lost.
  std::vector<std::uint64_t> open(const std::vector<std::uint64_t>& waiting) const {
    std::vector<std::uint64_t> all(nodes_.size());
    if (!error_.empty()) {
      return all;
    }
    const auto& plan = board_->plan();
    std::vector<std::uint64_t> before(plan.streams.size());  // the board
    for (std::size_t stream = 0; stream < before.size(); ++stream) {
      if (plan.streams[stream].input && plan.streams[stream].end) {
        const std::size_t entry = *plan.streams[stream].end;
        before[stream] = waiting_.waiting(entry) + (entry < waiting.size() ? waiting[entry] : 0);
      }
    }
    for (const auto& node : plan.nodes) {
      if (const auto number = node_of(node.name)) {
        all[*number] = board_->open(node, before);
      }
    }
    return all;
  }

  std::uint64_t& setting(const std::string& name) {
    if (error_.empty() && board_ && !board_->plan().places.contains(name)) {
      error_ = fmt::format("{} has no register '{}': `ligament build` makes both anew",
                           board_->plan().name, name);
    }
    return settings_[name].wanted;
  }

  std::string error_;  ///< what the board's end was; empty: it works
  [[nodiscard]] const BoardCounts& counts() const { return counts_; }

 private:
  /// A register of the design: what it is, and what it shall be.
  struct Setting {
    std::uint64_t wanted = 0;
    std::optional<std::uint64_t> written;
  };

  void open(const BoardPlace& place) {
    const std::string variable = "LIGAMENT_BOARD_" + place.device;
    const char* const named = std::getenv(variable.c_str());
    std::string path = named != nullptr && *named != '\0' ? named : place.path;
    if (path.empty() && place.emulated) {
      error_ = fmt::format(
          "the board '{}' is emulated, and nobody has started its stand-in: `ligament run` does, "
          "or name a board with {}=/dev/uioN",
          place.device, variable);
      return;
    }
    path = path.empty() ? device::fpga_uio::first_uio() : path;
    if (path.empty()) {
      error_ =
          fmt::format("there is no board for '{}': no /dev/uioN (`ligament doctor`)", place.device);
      return;
    }
    const char* const memory = std::getenv((variable + "_MEMORY").c_str());
    auto attached = device::fpga_uio::attach(path, memory != nullptr ? memory : place.memory);
    const auto plan = attached ? device::fpga_uio::read_plan(place.design.string())
                               : unexpected<device::Error>(attached.error());
    if (!plan) {
      error_ = plan.error().text;
      return;
    }
    const bool is_simulated = attached->stand_in;
    board_.emplace(std::move(*attached), is_simulated ? patience_of_stand_in : patience);
    if (const auto taken = board_->take(*plan); !taken) {
      error_ = taken.error().text;
    }
  }

  void lose(const device::Error& error) { error_ = error.text; }

  /// False: what became of it is not known, as the board is lost.
  bool run_set(const std::vector<Arrival>& set, const Stop& stop, Outcome& outcome) {
    std::vector<device::fpga_uio::Input> inputs;
    for (const Arrival& arrival : set) {
      if (const auto stream = stream_of(arrival.entry, true)) {
        inputs.push_back({*stream, arrival.message, arrival.sequence, arrival.time_ns});
      }
    }
    if (const auto written = write_settings(); !written) {
      lose(written.error());
      return false;
    }
    const std::uint64_t begin = now_ns();
    const auto done = board_->run(inputs, stop);
    if (!done) {
      lose(done.error());
      return false;
    }
    outcome.stopped = done->stopped;
    hand_on(set, *done, begin, outcome);
    ++sets_;
    if (const auto counted = counts_.read(*board_); !counted) {
      lose(counted.error());
    }
    return true;
  }

  /// Only what has changed.
  device::Result<void> write_settings() {
    for (auto& [name, setting] : settings_) {
      if (setting.written == setting.wanted) {
        continue;
      }
      if (auto done = board_->set(name, setting.wanted); !done) {
        return done;
      }
      setting.written = setting.wanted;
    }
    return {};
  }

  /// What came is copied first: nobody writes it while it is checked.
  void hand_on(const std::vector<Arrival>& set, const RunOutcome& done, std::uint64_t begin,
               Outcome& outcome) {
    std::vector<std::uint64_t> ends(nodes_.size(), begin);
    for (const auto& output : done.outputs) {
      const Stream& stream = board_->plan().streams[output.stream];
      const auto node = node_of(stream.node);
      if (!node) {
        continue;
      }
      ends[*node] = std::max(ends[*node], static_cast<std::uint64_t>(output.at_ns));
      auto keep =
          std::make_shared<std::vector<std::byte>>(output.message.begin(), output.message.end());
      Departure departure{.exit = *stream.end, .message = *keep, .keep = keep};
      departure.cause = cause_in(set, nodes_[*node]);
      outcome.departures.push_back(std::move(departure));
    }
    for (const auto& fault : done.faults) {
      tell(fault, outcome);
    }
    const std::uint64_t end = now_ns();
    for (const std::string& name : done.answered) {
      if (const auto node = node_of(name)) {
        const bool is_sink = nodes_[*node].outputs.empty();
        outcome.works.push_back(
            {*node, sets_, begin, is_sink ? end : ends[*node], cause_in(set, nodes_[*node])});
      }
    }
    if (done.stopped) {
      outcome.left.resize(nodes_.size());
      for (const auto& owed : done.unanswered) {
        if (const auto node = node_of(owed.node)) {
          outcome.left[*node] += owed.messages;
        }
      }
    }
  }

  void tell(const device::fpga_uio::Fault& fault, Outcome& outcome) const {
    if (const auto node = node_of(fault.node)) {
      outcome.troubles.push_back({*node,
                                  fault.refusal != 0
                                      ? detail::refusal_text(nodes_[*node].refusals, fault.refusal)
                                      : fault.text,
                                  false, fault.messages});
    }
  }

  /// The board's end is that of all its nodes; each has lost what of its own was still open.
  void tell_lost(const std::vector<std::uint64_t>& open, Outcome& outcome) const {
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      outcome.troubles.push_back({node, error_, true, open[node]});
    }
  }

  /// What did not go in any more.
  static void add_left(const std::vector<std::uint64_t>& open, Outcome& outcome) {
    for (std::size_t node = 0; node < open.size(); ++node) {
      outcome.left[node] += open[node];
    }
  }

  /// An entry and an exit have the number of their end: a board's designs have no gateways.
  std::optional<std::size_t> stream_of(std::size_t end, bool input) const {
    const auto& streams = board_->plan().streams;
    const auto found = std::find_if(streams.begin(), streams.end(), [&](const Stream& stream) {
      return stream.end == end && stream.input == input;
    });
    return found == streams.end()
               ? std::nullopt
               : std::optional{static_cast<std::size_t>(found - streams.begin())};
  }

  std::optional<std::size_t> node_of(const std::string& name) const {
    const auto found = std::find_if(nodes_.begin(), nodes_.end(),
                                    [&](const NodePlan& node) { return node.name == name; });
    return found == nodes_.end() ? std::nullopt
                                 : std::optional{static_cast<std::size_t>(found - nodes_.begin())};
  }

  device::fpga_uio::BoardFigures figures() const {
    return board_ ? board_->figures() : device::fpga_uio::BoardFigures{};
  }

  std::vector<NodePlan> nodes_;
  ArrivalSets waiting_;  ///< what has not gone in, or waits there for the others of its set
  std::optional<Board> board_;
  std::map<std::string, Setting> settings_;
  BoardCounts counts_;
  std::size_t sets_ = 0;  ///< of this run, that went in
};

OnBoard::OnBoard(const BoardPlace& place, const DesignPlan& plan)
    : implementation_(std::make_unique<Implementation>(place, plan)) {}
OnBoard::~OnBoard() = default;

const std::string& OnBoard::error() const { return implementation_->error_; }
std::uint64_t& OnBoard::setting(const std::string& name) { return implementation_->setting(name); }
Outcome OnBoard::run(std::vector<Arrival> arrivals, const Stop& stop) {
  return implementation_->run(std::move(arrivals), stop);
}
std::vector<NetworkFigures> OnBoard::networks() const {
  return implementation_->counts().networks();
}
PortFigures OnBoard::port() const { return implementation_->counts().port(); }
std::vector<std::uint64_t> OnBoard::open(const std::vector<std::uint64_t>& waiting) const {
  return implementation_->open(waiting);
}

}  // namespace ligament::fpga
