// SPDX-License-Identifier: Apache-2.0
/// \file Which graphs run: pools that processes of this user are in, on this host.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ligament/expected.hpp"

namespace ligament::record {

/// Names of the pools' domains, sorted.
[[nodiscard]] std::vector<std::string> running_domains();
/// Id of the run in a domain; nothing if no process is there.
[[nodiscard]] std::optional<std::string> run_in(const std::string& domain);

struct Target {
  std::string domain;
  std::string run_id;
};
/// The named graph, or the only one that runs; else a sentence that says which there are.
[[nodiscard]] expected<Target, std::string> find_target(const std::string& name);

}  // namespace ligament::record
