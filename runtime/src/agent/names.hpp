// SPDX-License-Identifier: Apache-2.0
/// \file What the names of a client's entities are in ROS 2 (spec/wire/xrce.md, section 5).
#pragma once

#include <string>
#include <string_view>

namespace ligament::xrce {

/// "rt/a" -> "/a"; others as they are.
[[nodiscard]] std::string topic_name(std::string_view dds_name);
/// "pkg::msg::dds_::Name_" -> "pkg/msg/Name"; others as they are.
[[nodiscard]] std::string type_name(std::string_view dds_name);
/// Whether it is the name of a type of ROS 2, whose definition has a hash.
[[nodiscard]] bool is_ros_type(std::string_view type_name);
/// A participant's name as that of a node, `fallback` where it has none.
[[nodiscard]] std::string node_name(std::string_view participant, std::string_view fallback);
/// Of a service: `rq/NAMERequest`, `rr/NAMEReply`.
[[nodiscard]] std::string request_topic(std::string_view service);
[[nodiscard]] std::string reply_topic(std::string_view service);

}  // namespace ligament::xrce
