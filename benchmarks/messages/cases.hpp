// SPDX-License-Identifier: Apache-2.0
// The messages that are measured, and what is done with them.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bench {

/// One timed thing, and the memcpy that it is compared with: the same bytes between the same
/// places.
struct Operation {
  std::string metric;
  std::function<void()> run;
  std::function<void()> copy;
};

/// One message size: its parameters and its operations, which share their buffers.
struct Case {
  nlohmann::ordered_json params;
  std::vector<Operation> operations;
};

/// All cases; each keeps its memory alive through its operations.
std::vector<Case> all_cases();

}  // namespace bench
