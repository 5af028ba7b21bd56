// SPDX-License-Identifier: Apache-2.0
/// \file Messages over a byte stream (spec/wire/xrce.md, section 8).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "agent/cdr.hpp"

namespace ligament::xrce {

/// CRC-16 (polynomial 0x8005, reflected) of some more bytes; begins with 0.
[[nodiscard]] std::uint16_t crc16(std::uint16_t sum, Bytes bytes);

/// Appends a frame with the message that the pieces are together, for the station `destination`.
void append_frame(std::vector<std::byte>& to, std::uint8_t destination,
                  std::span<const Bytes> pieces);

/// Finds the frames in what comes.
class Deframer {
 public:
  /// `source`: the station that sent it. The message is valid during the call.
  using Take = std::function<void(std::uint8_t source, Bytes message)>;
  void add(Bytes bytes, const Take& take);
  /// Frames with a wrong sum or length, and those that were cut off.
  [[nodiscard]] std::uint64_t broken() const { return broken_; }

 private:
  void add_plain(std::byte byte, const Take& take);

  std::vector<std::byte> frame_;  ///< behind its begin, without escapes
  bool is_in_frame_ = false;
  bool is_escaped_ = false;
  std::uint64_t broken_ = 0;
};

}  // namespace ligament::xrce
