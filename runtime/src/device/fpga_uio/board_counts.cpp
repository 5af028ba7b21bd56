// SPDX-License-Identifier: Apache-2.0
#include "device/fpga_uio/board_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ligament::device::fpga_uio {

constexpr unsigned port_bits = 48;  // spec/device/board.md, section 2

/// Subscriptions of a topic have the names that export.json gives them, from 0 on.
void BoardCounts::prepare(std::vector<std::string> topics,
                          const std::map<std::string, std::uint32_t>& places) {
  networks_.clear();
  for (std::string& topic : topics) {
    std::size_t ends = 0;
    while (places.contains(fmt::format("{}.drops.{}", topic, ends))) {
      ++ends;
    }
    Network& network = networks_.emplace_back();
    network.topic = std::move(topic);
    network.drops.resize(ends);
    network.peaks.resize(ends);
  }
}

Result<void> BoardCounts::read(Board& board) {
  if (std::exchange(resets_, board.figures().resets) != board.figures().resets) {
    begin_anew();
  }
  for (Network& network : networks_) {
    if (auto done = read(board, network); !done) {
      return done;
    }
  }
  const auto port = board.port_counts();
  if (!port) {
    return unexpected<Error>(port.error());
  }
  for (std::size_t i = 0; i < port_.size(); ++i) {
    port_[i].take((*port)[i], port_bits);
  }
  return {};
}

void BoardCounts::begin_anew() {
  for (Network& network : networks_) {
    for (Counter& count : network.counts) {
      count.last = 0;
    }
    for (Counter& drop : network.drops) {
      drop.last = 0;
    }
  }
  for (Counter& count : port_) {
    count.last = 0;
  }
}

/// Two counters are in one value (spec/device/board.md, section 2).
Result<void> BoardCounts::read(Board& board, Network& network) {
  const auto low = [](std::uint64_t value) { return value & 0xFFFF'FFFFU; };
  for (std::size_t k = 0; k < 2; ++k) {
    const auto both = board.value(network.topic + (k == 0 ? ".frames" : ".stalls"));
    if (!both) {
      return unexpected<Error>(both.error());
    }
    network.counts[2 * k].take(low(*both));
    network.counts[2 * k + 1].take(*both >> 32U);
  }
  for (std::size_t end = 0; end < network.drops.size(); ++end) {
    const auto both = board.value(fmt::format("{}.drops.{}", network.topic, end));
    if (!both) {
      return unexpected<Error>(both.error());
    }
    network.drops[end].take(low(*both));
    network.peaks[end] = std::max(network.peaks[end], *both >> 32U);
  }
  return {};
}

std::vector<fpga::NetworkFigures> BoardCounts::networks() const {
  std::vector<fpga::NetworkFigures> all;
  for (const Network& network : networks_) {
    fpga::NetworkFigures& one = all.emplace_back();
    one.frames = network.counts[0].sum;
    one.beats = network.counts[1].sum;
    one.stalls = network.counts[2].sum;
    one.gaps = network.counts[3].sum;
    for (const Counter& drop : network.drops) {
      one.drops.push_back(drop.sum);
    }
    one.peaks = network.peaks;
  }
  return all;
}

}  // namespace ligament::device::fpga_uio
