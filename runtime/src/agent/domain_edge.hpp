// SPDX-License-Identifier: Apache-2.0
/// \file The edge of the agent's ROS domain (spec/wire/rmw.md, section 2): started where there is
/// none, so that what microcontrollers publish reaches DDS though no other ROS node is here.
#pragma once

#include <cstdint>
#include <ligament/detail/pool.hpp>
#include <memory>
#include <mutex>
#include <string>

namespace ligament::xrce {

class DomainEdge {
 public:
  /// Looks now, and after each change of the domain: the end of an edge is one.
  DomainEdge(const std::shared_ptr<pool::Domain>& domain, std::string pool, int domain_id);
  ~DomainEdge();
  DomainEdge(const DomainEdge&) = delete;
  DomainEdge& operator=(const DomainEdge&) = delete;

 private:
  struct State {
    std::mutex mutex;
    bool ends = false;
    std::string pool;
    int domain_id = 0;
    std::int64_t started_ns = 0;
  };
  static void ensure(State& state);

  std::shared_ptr<State> state_;
  std::shared_ptr<void> watch_;
};

}  // namespace ligament::xrce
