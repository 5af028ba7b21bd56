// SPDX-License-Identifier: Apache-2.0
/// \file Names of ROS 2 things in DDS, in both directions. Rules: spec/wire/dds.md, section 1
/// and 4.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ligament::dds {

/// Which nodes there are (transport/edge/graph_info.hpp).
inline constexpr const char* graph_info_topic = "ros_discovery_info";

/// "/a/b" -> "rt/a/b".
[[nodiscard]] std::string topic_to_dds(std::string_view topic);
/// "rt/a/b" -> "/a/b"; nothing for a topic that is not a ROS 2 topic.
[[nodiscard]] std::optional<std::string> topic_from_dds(std::string_view name);

/// "pkg/msg/Name" -> "pkg::msg::dds_::Name_".
[[nodiscard]] std::string type_to_dds(std::string_view type);
/// The other direction; nothing for a name that is not of this form.
[[nodiscard]] std::optional<std::string> type_from_dds(std::string_view name);

using TypeHash = std::array<std::uint8_t, 32>;

/// What a reader or writer says of itself beside its QoS: "typehash=RIHS01_<64 hex digits>;".
[[nodiscard]] std::string endpoint_user_data(const TypeHash& hash);
/// The hash in a peer's user data; nothing where it says none, or something that is no hash.
[[nodiscard]] std::optional<TypeHash> hash_in_user_data(std::string_view bytes);

}  // namespace ligament::dds
