// SPDX-License-Identifier: Apache-2.0
/// \file A graph for one test, and its edge.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>

#include "transport/edge/edge.hpp"

namespace ligament::edge {

/// A name that no other test has.
inline std::string fresh_graph_name(std::string_view beginning) {
  static unsigned next = 0;
  return fmt::format("{}-{}-{}", beginning, ::getpid(), ++next);
}

/// Null, and a failure of the test, where it does not start.
inline std::unique_ptr<Edge> started_edge(const std::string& graph, unsigned domain_id) {
  auto edge = Edge::start({.graph = graph, .run_id = "run", .participant = {.domain = domain_id}});
  EXPECT_TRUE(edge) << edge.error();
  return edge ? std::move(*edge) : nullptr;
}

}  // namespace ligament::edge
