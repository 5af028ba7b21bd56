// SPDX-License-Identifier: Apache-2.0
/// What a design on a board owes, and what is wrong with what it said: its counters and refusals.
#include <fmt/format.h>

#include <algorithm>

#include "device/fpga_uio/board.hpp"
#include "fpga/refusals.hpp"

namespace ligament::device::fpga_uio {
namespace {

/// What an output may say too much in a run, before it is taken for one that never ends. Counters
/// of one node are read one after the other, so some messages come in between.
constexpr std::uint64_t most_surplus = 64;

}  // namespace

void RunOutcome::blame(Fault fault) {
  const bool is_told = std::any_of(faults.begin(), faults.end(), [&](const Fault& one) {
    return one.node == fault.node && one.messages != 0 && !one.of_others;
  });
  if (!is_told) {
    faults.push_back(std::move(fault));
  }
}

/// A counter of 32 bits, as one that does not come round.
Result<std::uint64_t> Board::count(std::uint32_t place, unsigned shift) {
  auto value = read(place);
  if (!value) {
    return value;
  }
  std::uint64_t& known = counts_[{place, shift}];
  const auto more = static_cast<std::uint32_t>(static_cast<std::uint32_t>(*value >> shift) -
                                               static_cast<std::uint32_t>(known));
  moved_ = moved_ || more != 0;
  known += more;
  return known;
}

/// As it was read last since the reset.
std::uint64_t Board::last_count(std::uint32_t place, unsigned shift) const {
  const auto found = counts_.find({place, shift});
  return found == counts_.end() ? 0 : found->second;
}

/// Messages of an output that were refused or broke off.
Result<std::uint64_t> Board::bad(const Stream& stream) {
  const auto problems = count(stream.problem, 32);
  const auto refusals = problems ? count(stream.refusal, 32) : problems;
  return refusals ? Result<std::uint64_t>(*problems + *refusals) : refusals;
}

/// Without `all` the first one only: each costs reads of its counters.
Result<std::vector<Fault>> Board::who_owes(bool all) {
  std::vector<Fault> found;
  for (const NodeStreams& node : plan_.nodes) {
    auto owed = owed_by(node);
    if (!owed) {
      return unexpected<Error>(owed.error());
    }
    if (owed->messages != 0) {
      found.push_back(std::move(*owed));
      if (!all) {
        break;
      }
    }
  }
  return found;
}

/// What a node owes, and how many messages have no answer; of none: nothing.
Result<Fault> Board::owed_by(const NodeStreams& node) {
  const auto sets = sets_given(node);
  if (!sets) {
    return unexpected<Error>(sets.error());
  }
  for (const std::size_t input : node.inputs) {
    if (is_unread(input)) {
      return Fault{node.name, fmt::format("a message for its input {} was not read from memory",
                                          plan_.streams[input].port)};
    }
  }
  for (const std::size_t stream : node.outputs.empty() ? node.inputs : node.outputs) {
    auto owed = owed_at(stream, *sets);
    if (!owed || owed->messages != 0) {
      return owed;
    }
  }
  return Fault{node.name, {}, 0, 0};
}

/// What its node owes there; of an input: that it takes what it got.
Result<Fault> Board::owed_at(std::size_t number, std::uint64_t sets) {
  const Stream& stream = plan_.streams[number];
  const auto messages = count(stream.messages, 32);
  if (!messages) {
    return unexpected<Error>(messages.error());
  }
  if (*messages < sets) {
    const char* const side = stream.input ? "input" : "output";
    return Fault{stream.node, fmt::format("no answer on its {} {}", side, stream.port), 0,
                 sets - *messages};
  }
  if (!stream.input && *messages > sets + most_surplus) {
    babbler_ = {stream.node, fmt::format("its output {} gives messages that nobody asked for, "
                                         "without end",
                                         stream.port)};
  }
  const Way& way = ways_[number];
  const std::uint64_t passed = *messages - std::min(*messages, way.messages_before);
  if (stream.input || !stream.end || way.stored >= passed) {
    return Fault{stream.node, {}, 0, 0};
  }
  const auto wrong = bad(stream);
  if (!wrong) {
    return unexpected<Error>(wrong.error());
  }
  const std::uint64_t missing = *wrong == way.bad_before ? passed - way.stored : 0;
  return Fault{stream.node,
               fmt::format("the message of its output {} did not come to memory", stream.port), 0,
               missing};
}

/// Whether it has said something at each output since the run began, as its counters were read
/// last; without outputs: whether it has taken something at each input.
bool Board::has_answered(const NodeStreams& node) const {
  const auto& streams = node.outputs.empty() ? node.inputs : node.outputs;
  return std::all_of(streams.begin(), streams.end(), [this](std::size_t stream) {
    return last_count(plan_.streams[stream].messages, 32) > ways_[stream].messages_before;
  });
}

/// What became of the set: after this, the design may be reset.
Result<void> Board::finish(RunOutcome& outcome, std::vector<Fault> owed) {
  auto done = tell(outcome);
  outcome.outputs = came_;
  outcome.stopped = stopped_;
  for (const NodeStreams& node : plan_.nodes) {
    const bool owes = std::any_of(owed.begin(), owed.end(),
                                  [&](const Fault& one) { return one.node == node.name; });
    if (!owes && has_answered(node)) {
      outcome.answered.push_back(node.name);
    }
  }
  if (!stopped_) {
    for (const Fault& fault : owed) {
      outcome.blame(fault);
    }
  }
  outcome.unanswered = std::move(owed);
  return done;
}

/// A core that has answered more often than it was asked: what it says would be taken for the
/// answer to the next message, so its design begins anew.
Result<void> Board::drop_surplus(RunOutcome& outcome) {
  std::size_t faults = 0;
  for (const NodeStreams& node : plan_.nodes) {
    const auto sets = sets_given(node);
    if (!sets) {
      return unexpected<Error>(sets.error());
    }
    for (const std::size_t output : node.outputs) {
      const auto messages = count(plan_.streams[output].messages, 32);
      if (!messages) {
        return unexpected<Error>(messages.error());
      }
      if (*messages > *sets) {
        const auto& port = plan_.streams[output].port;
        outcome.faults.push_back(
            {node.name,
             fmt::format("it has given a message on its output {} that nobody asked for", port), 0,
             0});
        ++faults;
      }
    }
  }
  if (faults == 0) {
    return {};
  }
  part_sets(false, {}, outcome);
  return reset();
}

/// What is wrong with the answers. A core that says more than it was asked for is named; only its
/// first answer counts.
Result<void> Board::tell(RunOutcome& outcome) {
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    const Stream& stream = plan_.streams[i];
    if (!ways_[i].fault.empty()) {
      outcome.blame({stream.node, ways_[i].fault});
    }
    if (stream.input) {
      continue;
    }
    const auto wrong = bad(stream);
    if (!wrong) {
      return unexpected<Error>(wrong.error());
    }
    if (*wrong == ways_[i].bad_before) {
      continue;
    }
    // The last code stays in its register: the counts say which of the two it is now.
    const auto problems = count(stream.problem, 32);
    const bool is_broken = problems && *problems != ways_[i].problems_before;
    const auto last = problems ? read(is_broken ? stream.problem : stream.refusal) : problems;
    if (!last) {
      return unexpected<Error>(last.error());
    }
    const auto code = static_cast<std::uint8_t>(*last);
    if (is_broken) {
      outcome.blame({stream.node, fpga::detail::broken_text(stream.port, code)});
    } else if (code != fpga::detail::nothing_code) {
      outcome.blame({stream.node, fpga::detail::refusal_text({}, code), code});
    }
  }
  return {};
}

}  // namespace ligament::device::fpga_uio
