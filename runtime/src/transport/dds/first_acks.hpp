// SPDX-License-Identifier: Apache-2.0
/// \file A reader's first acknowledgement, in the form that Fast DDS answers.
///
/// A reliable reader that has a new writer and no heartbeat of it yet sends a pre-emptive AckNack,
/// so that the writer tells what it has. RTPS leaves its form open. The engine says "from 1, none
/// missing". Fast DDS takes that for an ordinary acknowledgement: its next heartbeat comes with its
/// period, 3 s by default, and so do samples that were sent before the match. It answers at once,
/// with a heartbeat for that reader, what its own readers say: "from 0, none missing". The engine
/// as a writer refuses 0 from other engines, so the form goes to participants of Fast DDS alone.
///
/// No heartbeats to and fro can come of it: the engine sends these only before the writer's first
/// heartbeat, at most one per second and pair, and the writer takes the first alone (they all have
/// count 0). Rules: spec/wire/dds.md, section 3.
#pragma once

#include <cstddef>
#include <span>

namespace ligament::dds {

/// Walks one datagram, which the engine sends in parts, by its submessages.
class FirstAcks {
 public:
  /// The next part, the RTPS header first. Pre-emptive AckNacks to Fast DDS are changed in place:
  /// the engine sends such a buffer and frees it. Returns how many were.
  std::size_t adapt(std::span<std::byte> part);

 private:
  static constexpr std::size_t rtps_header_size = 20;
  std::size_t skip_ = rtps_header_size;  ///< so far is the next submessage
  bool to_fastdds_ = false;              ///< what follows
};

}  // namespace ligament::dds
