// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

namespace bench {

/// The columns n, p50, p99, mean and sd of one row.
nlohmann::ordered_json summary(std::vector<double> values);

}  // namespace bench
