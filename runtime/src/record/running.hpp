// SPDX-License-Identifier: Apache-2.0
/// \file Which graphs run: pools that processes of this user are in, on this host.
#pragma once

#include <string>

#include "ligament/expected.hpp"

namespace ligament::record {

struct Target {
  std::string domain;
  std::string run_id;
};
/// The named graph, or the only one that runs; else a sentence that says which there are.
[[nodiscard]] expected<Target, std::string> find_target(const std::string& name);

}  // namespace ligament::record
