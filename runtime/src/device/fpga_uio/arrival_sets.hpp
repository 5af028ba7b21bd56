// SPDX-License-Identifier: Apache-2.0
/// \file The messages for a board, set by set, and whose messages are still open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
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
  /// Of an entry.
  using Condition = std::function<bool(std::size_t)>;

  explicit ArrivalSets(const std::vector<fpga::NodePlan>& nodes) : nodes_(nodes) {}

  /// Those of a run, behind those that wait from earlier ones.
  void add(std::vector<fpga::Arrival>&& arrivals);
  /// The first message that waits at each entry that takes one: the k-th ones of all entries go in
  /// together, as far as they are there.
  [[nodiscard]] std::vector<fpga::Arrival> take(const Condition& takes);
  /// It is known what became of a set; what an entry does not take another one behind is still
  /// open.
  void close(const Condition& takes);
  /// By node: messages of its entries of which that is not known. A set of a node has a message of
  /// each of its entries, so it has as many as its fullest entry.
  [[nodiscard]] std::vector<std::uint64_t> open() const;
  /// Those of an entry that have not gone in.
  [[nodiscard]] std::uint64_t waiting(std::size_t entry) const;
  /// All of them are over.
  void clear();

 private:
  const std::vector<fpga::NodePlan>& nodes_;
  std::map<std::size_t, std::deque<fpga::Arrival>> waiting_;  ///< by entry
  std::map<std::size_t, std::uint64_t> inside_;               ///< the same, of the board
};

}  // namespace ligament::device::fpga_uio
