// SPDX-License-Identifier: Apache-2.0
/// \file Who waits for whom in a design in which nothing goes on, in words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ligament/fpga_design.hpp>
#include <string>
#include <vector>

namespace ligament::fpga::detail {

/// A core's stream at this moment.
struct StreamState {
  bool valid = false;
  bool ready = false;
  bool inside = false;      ///< a message has begun and not ended,
  std::uint64_t beats = 0;  ///< and so many of its beats have passed
  bool unread = false;      ///< of an input from memory: nothing of an announced message was read
};

/// \example
///   its input left has a beat that it does not take, behind 12 of the message; /left waits for it
class Waits {
 public:
  using Look = std::function<StreamState(std::size_t probe)>;

  Waits(const std::vector<NodePlan>& nodes, Look look);

  /// What a node that hangs does on its streams, and which nodes of its part wait for whom.
  [[nodiscard]] std::string around(std::size_t node) const;

 private:
  [[nodiscard]] std::string of_input(std::size_t node, const InputPlan& input) const;
  [[nodiscard]] std::string of_output(std::size_t node, const OutputPlan& output) const;
  [[nodiscard]] std::vector<std::string> waits_of(std::size_t node, std::size_t hung) const;
  [[nodiscard]] std::vector<std::size_t> who_takes_not(std::size_t network) const;
  [[nodiscard]] std::vector<std::size_t> who_says_no_more(std::size_t network) const;
  [[nodiscard]] std::string names(const std::vector<std::size_t>& nodes, std::size_t hung,
                                  const char* nobody) const;

  const std::vector<NodePlan>& nodes_;
  Look look_;
};

}  // namespace ligament::fpga::detail
