// SPDX-License-Identifier: Apache-2.0
/// \file What a configuration says of a node's parameters: values, files, rules of the manifest.
#pragma once

#include <filesystem>

#include "container/config.hpp"
#include "container/problems.hpp"

namespace ligament::container {

/// Reads `parameters`, `parameter_files` (relative ones are meant from `folder`) and
/// `parameter_rules`.
void read_parameters(ObjectReader& reader, NodeConfig& node, const std::filesystem::path& folder,
                     Problems& problems);

}  // namespace ligament::container
