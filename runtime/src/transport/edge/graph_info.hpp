// SPDX-License-Identifier: Apache-2.0
/// \file ros_discovery_info: which nodes a participant holds, and which endpoints are theirs
/// (rmw_dds_common/msg/ParticipantEntitiesInfo). Gids have 16 bytes since Jazzy, 24 in Humble.
#pragma once

#include <cstddef>
#include <ligament/detail/pool.hpp>
#include <ligament/expected.hpp>
#include <ligament/message_traits.hpp>
#include <span>
#include <string>
#include <vector>

#include "transport/dds/names.hpp"

namespace ligament::edge {

using pool::Gid;

using dds::graph_info_topic;
inline constexpr const char* graph_info_type =
    "rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_";

/// As ROS 2 announces it since Jazzy.
inline constexpr dds::TypeHash graph_info_hash = {
    0x91, 0xa0, 0x59, 0x3b, 0xac, 0xdc, 0xc5, 0x0e, 0xa9, 0xbd, 0xcf, 0x84, 0x9a, 0x93, 0x8b, 0x12,
    0x84, 0x12, 0xcc, 0x1e, 0xa8, 0x21, 0x24, 0x5c, 0x66, 0x3b, 0xcd, 0x26, 0xf8, 0x3c, 0x29, 0x5e};

enum class GidForm : std::uint8_t { jazzy = 16, humble = 24 };

struct NodeInfo {
  std::string name_space;  ///< "/" for the root; at most 256 bytes
  std::string name;
  std::vector<Gid> readers;
  std::vector<Gid> writers;
  bool operator==(const NodeInfo&) const = default;
};

struct GraphInfo {
  Gid participant{};
  std::vector<NodeInfo> nodes;
  bool operator==(const GraphInfo&) const = default;
};

/// The stored form, encapsulation included.
[[nodiscard]] std::vector<std::byte> encode(const GraphInfo& info, GidForm form);

/// Tries the 16-byte form, then the 24-byte one: a message fits one of them to its last byte.
[[nodiscard]] expected<GraphInfo, CodecError> decode(std::span<const std::byte> stored);

}  // namespace ligament::edge
