// SPDX-License-Identifier: Apache-2.0
/// \file Our side of a virtio ring (the driver's): we make buffers available, the core uses them.
/// Our books are private: nothing that the core can write is read back but the used list, and of
/// that each index, id and length is checked.
#pragma once

#include <cstdint>
#include <ligament/expected.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "rpmsg/area.hpp"

namespace ligament::rpmsg {

/// A rule that the core broke, as people read it.
using Breach = std::string_view;

class Ring {
 public:
  enum class Direction : std::uint8_t {
    to_host = LIGAMENT_RPMSG_TO_HOST,
    to_core = LIGAMENT_RPMSG_TO_CORE,
  };
  struct Used {
    std::uint16_t id;
    std::uint32_t size;
  };

  Ring(const Area& area, Direction direction);

  /// As new: no buffer is the core's. Only while the core does not look.
  void reset();
  /// The next buffer that the core used, if any.
  [[nodiscard]] expected<std::optional<Used>, Breach> take();
  /// Whether `take` would find one, or a breach.
  [[nodiscard]] bool has_used() const;
  /// Makes a buffer available; the core sees it after `publish`.
  void give(std::uint16_t id, std::uint32_t size);
  void publish();
  [[nodiscard]] std::byte* buffer(std::uint16_t id) const;
  /// How many are the core's now.
  [[nodiscard]] std::uint32_t outstanding() const { return outstanding_; }

 private:
  [[nodiscard]] std::uint16_t& avail(std::uint32_t word) const;
  [[nodiscard]] std::uint16_t& used_index() const;
  [[nodiscard]] ligament_vring_used_t& used_entry(std::uint32_t slot) const;

  Area area_;
  Direction direction_;
  std::uint32_t mask_;
  std::uint16_t next_avail_ = 0;
  std::uint16_t next_used_ = 0;
  std::uint32_t outstanding_ = 0;
  std::vector<bool> out_;  ///< by id: it is the core's
};

}  // namespace ligament::rpmsg
