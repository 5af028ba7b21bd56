// SPDX-License-Identifier: Apache-2.0
/// \file The core's resource table, checked against our map.
#pragma once

#include <string>

#include "rpmsg/area.hpp"

namespace ligament::rpmsg {

/// Empty, or why this table is not one that we can use: which field, what it has, what was
/// expected. `table` is a copy of what the core wrote.
[[nodiscard]] std::string why_refused(const ligament_rpmsg_table_t& table, const Map& map);

}  // namespace ligament::rpmsg
