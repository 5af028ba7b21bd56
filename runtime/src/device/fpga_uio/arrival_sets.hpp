// SPDX-License-Identifier: Apache-2.0
/// \file The messages of a run on a board, set by set, and whose messages are still open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <ligament/fpga_design.hpp>
#include <map>
#include <optional>
#include <vector>

namespace ligament::device::fpga_uio {

/// Of a node with entries: the number of its message in a set.
[[nodiscard]] std::optional<std::size_t> cause_in(const std::vector<fpga::Arrival>& set,
                                                  const fpga::NodePlan& node);

class ArrivalSets {
 public:
  ArrivalSets(const std::vector<fpga::NodePlan>& nodes, std::vector<fpga::Arrival>&& arrivals);

  [[nodiscard]] bool empty() const { return waiting_.empty(); }
  /// The first message that waits at each entry: the k-th ones of all entries go in together.
  [[nodiscard]] std::vector<fpga::Arrival> take();
  /// It is known what became of a set.
  void close(const std::vector<fpga::Arrival>& set);
  /// By node: messages of its entries of which that is not known.
  [[nodiscard]] const std::vector<std::uint64_t>& open() const { return open_; }

 private:
  const std::vector<fpga::NodePlan>& nodes_;
  std::map<std::size_t, std::deque<fpga::Arrival>> waiting_;  ///< by entry
  std::vector<std::uint64_t> open_;
};

}  // namespace ligament::device::fpga_uio
