// SPDX-License-Identifier: Apache-2.0
/// Sets of messages in a design on a board, and what becomes of those that are not whole at a reset
/// (spec/device/uio.md, section 2): the k-th messages of all inputs of a node are to stay together.
#include <fmt/format.h>

#include <algorithm>

#include "device/fpga_uio/board.hpp"

namespace ligament::device::fpga_uio {

/// Messages that an input has got, or will get.
Result<std::uint64_t> Board::given(std::size_t number) {
  const Stream& stream = plan_.streams[number];
  if (!stream.end) {
    const auto frames = count(plan_.places.at(stream.topic + ".frames"), 0);
    const auto drops = frames ? count(stream.drops, 0) : frames;
    if (!drops) {
      return drops;
    }
  }
  return last_given(number);
}

/// As its counters were read last since the reset.
std::uint64_t Board::last_given(std::size_t number) const {
  const Stream& stream = plan_.streams[number];
  if (stream.end) {
    return ways_[number].sent;
  }
  const std::uint64_t frames = last_count(plan_.places.at(stream.topic + ".frames"), 0);
  return frames - std::min(frames, last_count(stream.drops, 0));
}

Result<std::uint64_t> Board::sets_given(const NodeStreams& node) {
  std::uint64_t sets = UINT64_MAX;
  for (const std::size_t input : node.inputs) {
    const auto messages = given(input);
    if (!messages) {
      return messages;
    }
    sets = std::min(sets, *messages);
  }
  return sets;
}

const NodeStreams& Board::node_of(std::size_t stream) const {
  return *std::find_if(plan_.nodes.begin(), plan_.nodes.end(), [&](const NodeStreams& node) {
    return node.name == plan_.streams[stream].node;
  });
}

/// Whether each input of its node has as many messages: else its last one waits for the others of
/// its set, and a core need not read it.
bool Board::takes(std::size_t stream) const {
  const auto& inputs = node_of(stream).inputs;
  return !ways_[stream].parted.again && std::all_of(inputs.begin(), inputs.end(), [&](auto input) {
    return last_given(input) >= ways_[stream].sent;
  });
}

/// A message of a whole set that is still in memory.
bool Board::is_unread(std::size_t stream) const { return ways_[stream].out && takes(stream); }

/// Nothing of what went in has left the design, and some of it was not read.
bool Board::may_repeat() const {
  bool unread = false;
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    unread = unread || (plan_.streams[i].input && is_unread(i));
  }
  return unread && came_.empty();
}

// --- in front of a reset -------------------------------------------------------------------------

/// Of the nodes that say its topic on the chip: the sum.
std::uint64_t Board::in_front(std::size_t stream, const Given& of_nodes) const {
  const Stream& input = plan_.streams[stream];
  std::uint64_t messages = 0;
  for (std::size_t i = 0; i < plan_.nodes.size() && !input.end; ++i) {
    const auto& outputs = plan_.nodes[i].outputs;
    const bool feeds = std::any_of(outputs.begin(), outputs.end(), [&](std::size_t output) {
      return !plan_.streams[output].end && plan_.streams[output].topic == input.topic;
    });
    messages += feeds ? of_nodes[i] : 0;
  }
  return messages;
}

/// By node: its sets, had each node in front answered all of its own.
Board::Given Board::most_sets(const Given& given) const {
  Given sets(plan_.nodes.size());
  for (std::size_t pass = 0; pass < sets.size(); ++pass) {  // as far as a chain can be
    for (std::size_t i = 0; i < sets.size(); ++i) {
      sets[i] = UINT64_MAX;
      for (const std::size_t input : plan_.nodes[i].inputs) {
        const bool is_sent = plan_.streams[input].end.has_value();
        sets[i] = std::min(sets[i], is_sent ? given[input] : in_front(input, sets));
      }
    }
  }
  return sets;
}

/// With `repeats` as it was before this run, whose messages go in once more. A topic's counter is
/// the board's: of a broken one no more is believed than the nodes in front of it can have said, so
/// that it does not cost messages that are still to come.
Board::Given Board::given_now(bool repeats) const {
  Given given(ways_.size());
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    if (plan_.streams[i].input) {
      given[i] = repeats ? ways_[i].given_before : last_given(i);
    }
  }
  const Given sets = most_sets(given);
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    if (!plan_.streams[i].end) {
      given[i] = std::min(given[i], in_front(i, sets));
    }
  }
  return given;
}

/// By node: answers that it will never give, as it owes them, or as what they answer is lost.
Board::Given Board::lost_answers(const Given& given, const std::vector<Fault>& owed) const {
  Given lost(plan_.nodes.size());
  for (std::size_t pass = 0; pass < lost.size(); ++pass) {  // as far as a chain can be
    for (std::size_t i = 0; i < lost.size(); ++i) {
      std::uint64_t whole = UINT64_MAX;
      std::uint64_t possible = UINT64_MAX;
      for (const std::size_t input : plan_.nodes[i].inputs) {
        whole = std::min(whole, given[input]);
        possible = std::min(possible, given[input] + in_front(input, lost));
      }
      lost[i] = possible - whole;
      for (const Fault& fault : owed) {
        lost[i] += fault.node == plan_.nodes[i].name ? fault.messages : 0;
      }
    }
  }
  return lost;
}

/// A message from memory whose set lacks others that are still to come goes in once more. A set
/// that has lost one is lost: its node is told of it, and what comes for it later does not go in.
void Board::part_sets(bool repeats, const std::vector<Fault>& owed, RunOutcome& outcome) {
  const Given given = given_now(repeats);
  const Given lost = lost_answers(given, repeats ? std::vector<Fault>() : owed);
  for (const NodeStreams& node : plan_.nodes) {
    std::uint64_t whole = UINT64_MAX;
    std::uint64_t possible = UINT64_MAX;
    std::uint64_t over = 0;  // sets up to this one are over
    for (const std::size_t input : node.inputs) {
      const std::uint64_t messages = given[input] + in_front(input, lost);
      whole = std::min(whole, given[input]);
      possible = std::min(possible, messages);
      over = plan_.streams[input].end ? over : std::max(over, messages);
    }
    over = std::max(over, possible);
    std::uint64_t told = whole;  // sets up to this one have had a message
    for (const std::size_t input : node.inputs) {
      told = std::max(told, std::min(given[input], over));
    }
    for (const std::size_t input : node.inputs) {
      Parted& parted = ways_[input].parted;
      if (plan_.streams[input].end) {
        parted.again = given[input] > over;
        parted.skips += over - std::min(over, given[input]);
        parted.told += told - std::min(told, given[input]);
      }
    }
    if (told != whole) {
      outcome.faults.push_back({node.name,
                                "a reset has cost it a message of a set that was not whole", 0,
                                told - whole, true});
    }
  }
}

std::uint64_t Board::open(const NodeStreams& node,
                          const std::vector<std::uint64_t>& waiting) const {
  const Given given = given_now(false);
  std::uint64_t least = UINT64_MAX;
  std::uint64_t most = 0;
  for (const std::size_t input : node.inputs) {
    const bool again = ways_[input].parted.again;  // behind a reset it has not gone in yet
    least = std::min(least, given[input]);
    most = std::max(most, given[input] + waiting[input] + std::uint64_t{again});
  }
  return most - least;
}

/// Nobody waits for them any more.
void Board::leave_sets(std::vector<Fault>& owed) {
  const Given none(ways_.size());
  for (Way& way : ways_) {
    way.parted = {};
  }
  for (const NodeStreams& node : plan_.nodes) {
    if (const std::uint64_t messages = open(node, none); messages != 0) {
      owed.push_back({node.name, "a set of its messages is not whole", 0, messages});
    }
  }
}

/// Those that may go in: whose sets a reset has not cost another message. Tells what is wrong with
/// them.
std::vector<Input> Board::check(const std::vector<Input>& inputs, RunOutcome& outcome) {
  std::vector<Input> entering;
  for (const Input& input : inputs) {
    const Stream& stream = plan_.streams.at(input.stream);
    Parted& parted = ways_[input.stream].parted;
    if (parted.skips == 0) {
      entering.push_back(input);
      if (input.message.size() > stream.bytes) {  // it is lost when its set is, which may be later
        const bool is_alone = node_of(input.stream).inputs.size() == 1;
        outcome.blame({stream.node,
                       fmt::format("a message for its input {} has {} bytes, its bound is {}",
                                   stream.port, input.message.size(), stream.bytes),
                       0, std::uint64_t{is_alone}});
      }
      continue;
    }
    --parted.skips;
    if (parted.told != 0) {
      --parted.told;
      continue;
    }
    outcome.faults.push_back({stream.node,
                              fmt::format("a reset has cost it the others of the set of a message "
                                          "for its input {}",
                                          stream.port),
                              0, 1, true});
  }
  return entering;
}

}  // namespace ligament::device::fpga_uio
