// SPDX-License-Identifier: Apache-2.0
/// \file A reader's first acknowledgements, in the form that Fast DDS answers.
///
/// A reliable reader that has a new writer and no heartbeat of it yet sends a pre-emptive AckNack,
/// so that the writer tells what it has. RTPS leaves its form open. The engine says "from 1, none
/// missing". Fast DDS takes that for an ordinary acknowledgement: its next heartbeat comes with its
/// period, 3 s by default, and so do samples that were sent before the match. It answers at once,
/// with a heartbeat for that reader, what its own readers say: "from 0, none missing". The engine
/// as a writer refuses 0 from other engines, so the form goes to participants of Fast DDS alone.
///
/// All of the engine's have count 0, and Fast DDS answers each count once: were that heartbeat not
/// taken, all further AckNacks would ask in vain. So they are counted as the later ones are.
///
/// No heartbeats to and fro can come of it: the engine sends these only before the writer's first
/// heartbeat, at most one per second and pair. Rules: spec/wire/dds.md, section 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ligament/detail/pool.hpp>
#include <span>

#include "transport/dds/rtps.hpp"

namespace ligament::dds {

/// Walks one datagram, which the engine sends in parts, by its submessages.
class FirstAcks {
 public:
  /// The next count of the acknowledgements by this reader to this writer.
  using NextCount = std::function<std::uint32_t(const pool::Gid& reader, const pool::Gid& writer)>;
  explicit FirstAcks(NextCount next_count) : next_count_(std::move(next_count)) {}

  /// The next part, the RTPS header first. Pre-emptive AckNacks to Fast DDS are changed in place:
  /// the engine sends such a buffer and frees it. Returns how many were.
  std::size_t adapt(std::span<std::byte> part);

 private:
  void set_form(std::span<std::byte> ack);

  const NextCount next_count_;
  std::size_t skip_ = 0;     ///< so far is the next submessage
  bool has_header_ = false;  ///< the datagram's own is behind us
  bool to_fastdds_ = false;  ///< what follows
  pool::Gid reader_{};       ///< of the participant that sends
  pool::Gid writer_{};       ///< of the participant that what follows goes to
};

}  // namespace ligament::dds
