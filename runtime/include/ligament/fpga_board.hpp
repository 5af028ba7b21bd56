// SPDX-License-Identifier: Apache-2.0
/// \file A design on a board, or in a stand-in of one (spec/device/uio.md): what generated code
/// gives to `Design` in place of a simulation.
#pragma once

#include <cstdint>
#include <filesystem>
#include <ligament/component.hpp>
#include <ligament/fpga_design.hpp>
#include <memory>
#include <string>
#include <vector>

namespace ligament::fpga {

struct DesignPlan;

/// Where the board is, as platform and build say. LIGAMENT_BOARD_device of the environment names
/// another one: `/dev/uioN`, or the socket of a stand-in.
struct BoardPlace {
  std::string device;            ///< as the platform calls it
  std::string path;              ///< `/dev/uioN`; empty: the first one
  std::string memory;            ///< its u-dma-buf
  bool emulated = false;         ///< a stand-in is meant, which somebody has to start
  std::filesystem::path design;  ///< export.json of what is on it
};

class OnBoard final : public Hardware {
 public:
  /// Opens the board, and compares its design with the folder's. What stands against that is
  /// error(), and no message goes in.
  OnBoard(const BoardPlace& place, const DesignPlan& plan);
  ~OnBoard() override;

  [[nodiscard]] const std::string& error() const;
  /// What a setting of the design shall be in the next run; a name that it has not is an error().
  [[nodiscard]] std::uint64_t& setting(const std::string& name);

  /// The k-th messages of all entries go in together, then the next ones. After an error of the
  /// board each node has a trouble per run, with the same text.
  [[nodiscard]] Outcome run(std::vector<Arrival> arrivals, const Stop& stop) override;
  [[nodiscard]] const char* name() const override { return "board"; }
  [[nodiscard]] bool counts_cycles() const override { return false; }
  [[nodiscard]] std::vector<NetworkFigures> networks() const override;
  [[nodiscard]] PortFigures port() const override;
  [[nodiscard]] std::vector<std::uint64_t> open(
      const std::vector<std::uint64_t>& waiting) const override;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace ligament::fpga
