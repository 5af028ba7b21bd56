// SPDX-License-Identifier: Apache-2.0
#include "problems.hpp"

#include <rcutils/logging_macros.h>

namespace rmw_ligament_cpp {

void Problems::tell(const ligament::pool::Domain& domain) {
  using ligament::pool::ProblemKind;
  constexpr std::size_t most = 256;  // names in them are chosen by others
  for (const auto& problem : domain.problems()) {
    const bool is_event =
        problem.kind == ProblemKind::type_mismatch || problem.kind == ProblemKind::qos_mismatch;
    if (is_event || told_.size() >= most || !told_.insert(problem.text).second) {
      continue;
    }
    RCUTILS_LOG_WARN_NAMED("rmw_ligament_cpp", "%s", problem.text.c_str());
  }
}

}  // namespace rmw_ligament_cpp
