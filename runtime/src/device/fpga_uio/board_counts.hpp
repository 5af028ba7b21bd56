// SPDX-License-Identifier: Apache-2.0
/// \file What a design on a board has counted since it was opened. What it counted between the last
/// look and a reset is not in it.
#pragma once

#include <array>
#include <cstdint>
#include <ligament/device.hpp>
#include <ligament/fpga_design.hpp>
#include <map>
#include <string>
#include <vector>

#include "device/fpga_uio/board.hpp"

namespace ligament::device::fpga_uio {

class BoardCounts {
 public:
  /// `topics`: of the networks, as the design numbers them; `places` as in Plan.
  void prepare(std::vector<std::string> topics, const std::map<std::string, std::uint32_t>& places);
  /// Reads all counters.
  [[nodiscard]] Result<void> read(Board& board);
  [[nodiscard]] std::vector<fpga::NetworkFigures> networks() const;
  [[nodiscard]] fpga::PortFigures port() const {
    return {port_[0].sum, port_[1].sum, port_[2].sum, 0};
  }

 private:
  /// A counter of so many bits that begins anew with each reset of the design.
  struct Counter {
    std::uint64_t sum = 0;
    std::uint64_t last = 0;
    void take(std::uint64_t now, unsigned bits = 32) {
      sum += (now - last) & ((std::uint64_t{1} << bits) - 1);
      last = now;
    }
  };
  struct Network {
    std::string topic;
    std::array<Counter, 4> counts;  ///< frames, beats, stalls, gaps
    std::vector<Counter> drops;
    std::vector<std::uint64_t> peaks;
  };

  [[nodiscard]] static Result<void> read(Board& board, Network& network);
  /// The design was reset: all counters are 0 again.
  void begin_anew();

  std::vector<Network> networks_;
  std::array<Counter, 3> port_;
  std::uint64_t resets_ = 0;  ///< when they were read last
};

}  // namespace ligament::device::fpga_uio
