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

/// Numbers are places among the messages of one run: those that wait have none any more.
void ArrivalSets::add(std::vector<fpga::Arrival>&& arrivals) {
  for (auto& [entry, queue] : waiting_) {
    for (fpga::Arrival& arrival : queue) {
      arrival.number = SIZE_MAX;
    }
  }
  for (fpga::Arrival& arrival : arrivals) {
    waiting_[arrival.entry].push_back(std::move(arrival));
  }
}

std::vector<fpga::Arrival> ArrivalSets::take(const Condition& takes) {
  std::vector<fpga::Arrival> set;
  for (auto& [entry, queue] : waiting_) {
    if (!queue.empty() && takes(entry)) {
      set.push_back(std::move(queue.front()));
      queue.pop_front();
      ++inside_[entry];
    }
  }
  return set;
}

void ArrivalSets::close(const Condition& takes) {
  for (auto& [entry, messages] : inside_) {
    messages = takes(entry) ? 0 : 1;
  }
}

std::uint64_t ArrivalSets::waiting(std::size_t entry) const {
  const auto found = waiting_.find(entry);
  return found == waiting_.end() ? 0 : found->second.size();
}

std::vector<std::uint64_t> ArrivalSets::open() const {
  std::vector<std::uint64_t> open(nodes_.size());
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    for (const fpga::InputPlan& input : nodes_[node].inputs) {
      if (!input.entry) {
        continue;
      }
      const auto inside = inside_.find(*input.entry);
      const std::uint64_t messages =
          waiting(*input.entry) + (inside == inside_.end() ? 0 : inside->second);
      open[node] = std::max(open[node], messages);
    }
  }
  return open;
}

void ArrivalSets::clear() {
  waiting_.clear();
  inside_.clear();
}

}  // namespace ligament::device::fpga_uio
