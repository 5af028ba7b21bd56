// SPDX-License-Identifier: Apache-2.0
#include "fpga/probe_counts.hpp"

#include <algorithm>

namespace ligament::fpga::detail {
namespace {

constexpr std::size_t word_bits = 64;

}  // namespace

ProbeCounts::ProbeCounts(std::size_t words, const std::vector<NodePlan>& nodes)
    : words_(words), paces_(nodes.size()) {
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    const std::size_t first = pieces_.size();
    const auto piece_of = [&](std::size_t probe) -> Piece& {
      const std::size_t word = probe / word_bits;
      const auto begin = pieces_.begin() + static_cast<std::ptrdiff_t>(first);
      const auto found = std::find_if(begin, pieces_.end(),
                                      [&](const Piece& piece) { return piece.word == word; });
      return found != pieces_.end() ? *found : pieces_.emplace_back(Piece{node, word, 0, 0});
    };
    for (const InputPlan& input : nodes[node].inputs) {
      piece_of(input.probe).inputs |= std::uint64_t{1} << input.probe % word_bits;
    }
    for (const OutputPlan& output : nodes[node].outputs) {
      piece_of(output.probe).outputs |= std::uint64_t{1} << output.probe % word_bits;
    }
  }
}

/// A core is held up by who does not take what it says, and one cycle longer: its own ready may
/// come from a register. Else it waits for what does not come to it; else it is the reason why its
/// input waits.
void ProbeCounts::judge() {
  for (std::size_t place = 0; place < pieces_.size();) {
    const std::size_t node = pieces_[place].node;
    std::uint64_t held = 0;
    std::uint64_t full = 0;
    std::uint64_t wanted = 0;
    std::uint64_t begun = 0;
    for (; place < pieces_.size() && pieces_[place].node == node; ++place) {
      const Piece& piece = pieces_[place];
      const Word& word = words_[piece.word];
      held |= (word.stalled | word.stalled_before) & piece.outputs;
      full |= word.stalled & piece.inputs;
      wanted |= word.wanted & piece.inputs;
      begun |= word.inside & piece.inputs;
    }
    PaceFigures& pace = paces_[node];
    if (held != 0) {
      ++pace.held;
    } else if (wanted != 0) {
      pace.starved += static_cast<std::uint64_t>((full | begun) != 0);
    } else {
      pace.full += static_cast<std::uint64_t>(full != 0);
    }
  }
}

StreamFigures ProbeCounts::stream(std::size_t probe) const {
  const Word& word = words_.at(probe / word_bits);
  const std::size_t bit = probe % word_bits;
  return {word.beats.of(bit), word.stalls.of(bit), word.gaps.of(bit)};
}

}  // namespace ligament::fpga::detail
