// SPDX-License-Identifier: Apache-2.0
/// \file Memory that no IOMMU is in front of (spec/device/pages.md): where pages of this
/// process lie in it, and the table through which a design's port finds them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ligament/fpga_design.hpp>
#include <optional>
#include <random>
#include <unordered_map>
#include <vector>

#include "fpga/registers.hpp"

namespace ligament::fpga::detail {

/// What the operating system knows: the frame of memory of each page, drawn by chance.
class Frames {
 public:
  Frames(std::size_t page_bytes, std::uint64_t seed) : page_bytes_{page_bytes}, chance_{seed} {}

  /// Where in memory the page begins that begins there in this process.
  [[nodiscard]] std::uint64_t place_of(std::uint64_t page);
  /// What of this process lies there in memory; nothing: no page of it.
  [[nodiscard]] std::optional<std::uint64_t> address_at(std::uint64_t place) const;

 private:
  std::uint64_t page_bytes_;
  std::mt19937_64 chance_;
  std::unordered_map<std::uint64_t, std::uint64_t> places_;  ///< by page
  std::unordered_map<std::uint64_t, std::uint64_t> pages_;   ///< by place
};

/// Software's side of the table in the port (hdl/rtl/lig_axi_pages.sv). A run of bytes gets entries
/// one behind the other, and keeps them while others find room: a message that comes from the same
/// place as one before costs no access.
class PageTable {
 public:
  PageTable(const Pages& pages, std::uint64_t seed, Registers& registers);

  /// Where the device finds a run of bytes, until it is closed; nothing while all entries are those
  /// of others that are open. More than the table can hold is nowhere: the device gets errors.
  [[nodiscard]] std::optional<std::uint64_t> open(std::uint64_t address, std::size_t bytes,
                                                  bool writable);
  /// By what `open` said.
  void close(std::uint64_t seen);
  /// Whether it has its entries already.
  [[nodiscard]] bool knows(std::uint64_t address, std::size_t bytes, bool writable) const;
  /// What of this process lies there in memory.
  [[nodiscard]] std::optional<std::uint64_t> address_at(std::uint64_t place) const {
    return frames_.address_at(place);
  }
  /// With the device's reset, after which no entry counts.
  void reset() { runs_.clear(); }

 private:
  /// Pages of the process with their entries.
  struct Run {
    std::size_t first = 0;  ///< entry
    std::size_t pages = 0;
    std::uint64_t begin = 0;
    bool writable = false;
    std::size_t users = 0;
    std::uint64_t used_at = 0;
  };

  [[nodiscard]] std::uint64_t page_of(std::uint64_t address) const {
    return address / bytes_ * bytes_;
  }
  [[nodiscard]] std::size_t pages_in(std::uint64_t address, std::size_t bytes) const;
  [[nodiscard]] const Run* find(std::uint64_t address, std::size_t bytes, bool writable) const;
  [[nodiscard]] Run* add(std::uint64_t address, std::size_t pages, bool writable);
  [[nodiscard]] std::optional<std::size_t> gap(std::size_t pages) const;
  [[nodiscard]] bool drop_oldest();
  void write(const Run& run);

  std::size_t count_;
  std::uint64_t bytes_;
  Registers& registers_;
  Frames frames_;
  std::vector<Run> runs_;  ///< by their first entry
  std::uint64_t uses_ = 0;
};

}  // namespace ligament::fpga::detail
