// SPDX-License-Identifier: Apache-2.0
/// \file What tests of a design on a board share: its stand-in, texts for it, and what came of
/// them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ligament/fpga_board.hpp>
#include <ligament/fpga_member.hpp>
#include <ligament/std_msgs/msg/string.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "device/fpga_uio/board.hpp"
#include "stand_in.hpp"

namespace ligament::device::conformance {

using Bytes = std::vector<std::byte>;
using Texts = std::map<std::string, std::string>;  ///< by node

inline Bytes stored(const std::string& text) {
  std_msgs::msg::String message;
  message.data = text;
  using Traits = MessageTraits<std_msgs::msg::String>;
  Bytes bytes(Traits::layout_of(message).value().size);
  (void)Traits::serialize(message, bytes).value();
  return bytes;
}

inline std::string text_in(std::span<const std::byte> bytes) {
  std_msgs::msg::String message;
  const auto read = MessageTraits<std_msgs::msg::String>::deserialize(bytes, message);
  return read ? message.data : "no message";
}

/// With the design of one of the graphs in tool/tests/export/upper.
class BoardCase : public ::testing::Test {
 protected:
  explicit BoardCase(std::string board) : board_(std::move(board)) {}

  void SetUp() override {
    if (boards().empty()) {
      GTEST_SKIP() << "no stand-in was built, this machine has no such thing here: "
                      "tool/tests/export/test_fpga_uio.py builds them and runs this";
    }
    plan_ = fpga_uio::read_plan(export_of(board_)).value();
  }
  /// Of a node's port in memory; of any port, where it has one of that direction.
  [[nodiscard]] std::size_t stream_of(const std::string& node, bool input) const {
    const auto found = std::find_if(
        plan_.streams.begin(), plan_.streams.end(), [&](const fpga_uio::Stream& stream) {
          return stream.node == node && stream.input == input && stream.end;
        });
    return static_cast<std::size_t>(found - plan_.streams.begin());
  }
  [[nodiscard]] std::size_t end_of(const std::string& node, bool input) const {
    return *plan_.streams[stream_of(node, input)].end;
  }
  [[nodiscard]] fpga_uio::Board open(const StandIn& stand_in,
                                     std::chrono::milliseconds patience) const {
    fpga_uio::Board board(fpga_uio::attach(stand_in.path(), "").value(), patience);
    EXPECT_TRUE(board.take(plan_));
    return board;
  }
  /// The same as the nodes of a graph have it.
  [[nodiscard]] fpga::BoardPlace place(const StandIn& stand_in) const {
    return {.device = "fpga0",
            .path = stand_in.path(),
            .memory = {},
            .emulated = true,
            .design = export_of(board_)};
  }
  /// What came to memory, by the node that says it.
  [[nodiscard]] Texts outputs(const fpga_uio::RunOutcome& outcome) const {
    Texts found;
    for (const auto& output : outcome.outputs) {
      found[plan_.streams[output.stream].node] += text_in(output.message);
    }
    return found;
  }
  static Texts texts(const std::vector<fpga_uio::Fault>& faults) {
    Texts found;
    for (const auto& fault : faults) {
      EXPECT_EQ(fault.messages, 1U) << fault.node;
      found[fault.node] += fault.text;
    }
    return found;
  }

  std::string board_;
  fpga_uio::Plan plan_;
};

}  // namespace ligament::device::conformance
