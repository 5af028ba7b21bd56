// SPDX-License-Identifier: Apache-2.0
/// \file The edge of a ROS domain: one process per user and domain that speaks DDS for all others.
/// It is started by whoever misses it, and ends when nobody else is left (`ligament-edge
/// --attend`).
#pragma once

#include <rmw/init_options.h>

#include <cstdint>
#include <ligament/detail/pool.hpp>
#include <string>

namespace rmw_ligament_cpp {

class DomainEdge {
 public:
  /// `range` and `peers` of the options say how far it looks; OFF: there is none. The variable
  /// LIGAMENT_RMW_EDGE=off also says so: nodes of this process do without.
  DomainEdge(const rmw_init_options_t& options, std::string pool, std::size_t domain_id);

  /// Starts it where there is none. For each change of the graph: its end is one.
  void ensure(const ligament::pool::Domain& domain);
  /// It could not be started: the pause between two starts is over.
  void try_again() { started_ns_ = 0; }

 private:
  void start() const;

  std::string pool_;
  std::size_t domain_id_;
  std::string engine_config_;
  bool is_wanted_;
  std::int64_t started_ns_ = 0;
};

}  // namespace rmw_ligament_cpp
