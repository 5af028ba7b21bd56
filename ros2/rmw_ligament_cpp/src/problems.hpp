// SPDX-License-Identifier: Apache-2.0
/// \file What keeps endpoints of this process from others, and no event of rmw tells: in the log.
#pragma once

#include <ligament/detail/pool.hpp>
#include <set>
#include <string>

namespace rmw_ligament_cpp {

class Problems {
 public:
  /// Each sentence once.
  void tell(const ligament::pool::Domain& domain);

 private:
  std::set<std::string> told_;
};

}  // namespace rmw_ligament_cpp
