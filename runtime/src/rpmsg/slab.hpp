// SPDX-License-Identifier: Apache-2.0
/// \file Our half of the slab, whose books are private, and the core's half, of which we only read.
#pragma once

#include <array>
#include <cstdint>
#include <ligament/expected.hpp>
#include <optional>

#include "rpmsg/area.hpp"
#include "rpmsg/ring.hpp"

namespace ligament::rpmsg {

class Slab {
 public:
  explicit Slab(const Area& area) : area_(area) {}

  /// As new: nothing is sent. Only while the core does not look.
  void reset();
  /// Room for a message in our half; none: until the core gives some back.
  [[nodiscard]] std::optional<Extent> allocate(std::size_t size);
  /// The same for a message that may be sent more than once: it has no ticket yet. Half of ours at
  /// most, so that other messages find room.
  [[nodiscard]] std::optional<Extent> lend(std::size_t size);
  /// Gives it a ticket to be sent with; false: the core has not read what was sent before.
  [[nodiscard]] bool ticket(Extent& extent);
  /// Free when the core has read it, too.
  void end_loan(const Extent& extent);
  /// Takes back what the core gave back; whether there was any.
  bool collect();
  [[nodiscard]] std::byte* ours(const Extent& extent) const;
  [[nodiscard]] std::size_t most() const;

  /// The data of an extent that the core sent. They stay the core's to write: copy, then check.
  [[nodiscard]] expected<Bytes, Breach> theirs(const Extent& extent) const;
  /// The core may use it again.
  void give_back(const Extent& extent);

 private:
  [[nodiscard]] std::uint32_t blocks_of(std::size_t size) const;
  [[nodiscard]] std::optional<std::uint32_t> find(std::size_t size);

  Area area_;
  std::uint32_t busy_ = 0;  ///< a bit for each block
  std::uint32_t lent_ = 0;  ///< a bit for each first block of a loan
  std::uint32_t ticket_ = 0;
  std::array<std::uint32_t, LIGAMENT_RPMSG_MAX_BLOCKS> tickets_{};  ///< by first block; 0: none
  std::array<std::uint32_t, LIGAMENT_RPMSG_MAX_BLOCKS> runs_{};
};

}  // namespace ligament::rpmsg
