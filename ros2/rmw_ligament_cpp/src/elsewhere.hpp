// SPDX-License-Identifier: Apache-2.0
/// \file What the edge shows of the ROS graph elsewhere (spec/wire/rmw.md, section 3), among the
/// endpoints of a domain: as if it were here.
#pragma once

#include <ligament/detail/pool.hpp>
#include <string_view>
#include <vector>

namespace rmw_ligament_cpp {

/// The edge's own ends stand for nodes elsewhere, and are of no node.
inline constexpr std::string_view edge_node = "/_edge";

/// Endpoints that are shown get the name, node and gid that they have there; nodes that are shown
/// become markers, as those here have. The edge's own ends, which stand for them, are left out of
/// topics of which all ends are shown.
[[nodiscard]] std::vector<ligament::pool::EndpointInfo> with_elsewhere(
    std::vector<ligament::pool::EndpointInfo> endpoints);

}  // namespace rmw_ligament_cpp
