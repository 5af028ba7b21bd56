// SPDX-License-Identifier: Apache-2.0
#include "device/fpga_uio/arrival_sets.hpp"

#include <algorithm>
#include <utility>

namespace ligament::device::fpga_uio {

std::optional<std::size_t> cause_in(const std::vector<fpga::Arrival>& set,
                                    const fpga::NodePlan& node) {
  for (const fpga::InputPlan& input : node.inputs) {
    const auto found = std::find_if(set.begin(), set.end(), [&](const fpga::Arrival& arrival) {
      return input.entry == arrival.entry;
    });
    if (input.entry && found != set.end()) {
      return found->number;
    }
  }
  return std::nullopt;
}

/// A set of a node has a message of each of its entries, so its fullest entry has as many as it has
/// sets.
ArrivalSets::ArrivalSets(const std::vector<fpga::NodePlan>& nodes,
                         std::vector<fpga::Arrival>&& arrivals)
    : nodes_(nodes), open_(nodes.size()) {
  for (fpga::Arrival& arrival : arrivals) {
    waiting_[arrival.entry].push_back(std::move(arrival));
  }
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    for (const fpga::InputPlan& input : nodes[node].inputs) {
      const auto queue = input.entry ? waiting_.find(*input.entry) : waiting_.end();
      if (queue != waiting_.end()) {
        open_[node] = std::max<std::uint64_t>(open_[node], queue->second.size());
      }
    }
  }
}

std::vector<fpga::Arrival> ArrivalSets::take() {
  std::vector<fpga::Arrival> set;
  for (auto& [entry, queue] : waiting_) {
    set.push_back(std::move(queue.front()));
    queue.pop_front();
  }
  std::erase_if(waiting_, [](const auto& one) { return one.second.empty(); });
  return set;
}

void ArrivalSets::close(const std::vector<fpga::Arrival>& set) {
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    open_[node] -= static_cast<std::uint64_t>(open_[node] != 0 && cause_in(set, nodes_[node]));
  }
}

}  // namespace ligament::device::fpga_uio
