// SPDX-License-Identifier: Apache-2.0
/// \file Heartbeats that come before their writer is matched, which the engine is kept from
/// reading.
///
/// While the engine (0.10.2) matches a new writer with our readers, it drops the writer's samples,
/// but takes its heartbeats. "I have written nothing" may be taken then, and the first sample,
/// right behind it, be dropped. The engine has heard a heartbeat, so it asks for none; nobody asks
/// for that sample before the next one, 3 s later by default. A ROS 2 client's first request is
/// such a sample. So these heartbeats become padding, and the readers ask for one (first_acks.hpp).
///
/// Those of Fast DDS alone: others send heartbeats until all that they sent is acknowledged.
/// Rules: spec/wire/dds.md, section 3.
#pragma once

#include <cstddef>
#include <functional>
#include <ligament/detail/pool.hpp>
#include <span>

namespace ligament::dds {

/// Whether all readers here are matched with that writer outside. What is true stays so.
using IsMatched = std::function<bool(const pool::Gid& writer)>;

/// Changes a received datagram in place; returns how many became padding. Any bytes may come.
std::size_t drop_early_heartbeats(std::span<std::byte> datagram, const IsMatched& is_matched);

}  // namespace ligament::dds
