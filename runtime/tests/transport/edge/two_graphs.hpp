// SPDX-License-Identifier: Apache-2.0
/// A node in a graph with an edge, and one in another graph, whose edge is a process of its own.
#pragma once

#include "child.hpp"
#include "graph_and_edge.hpp"

#ifdef LIGAMENT_EDGE

namespace ligament::edge {

class TwoGraphs : public GraphAndEdge {
 protected:
  /// `settings`: more of them for the other edge's engine.
  void start_other_graph(const std::string& settings) {
    other_graph_ = graph_ + "-other";
    auto context = Context::create({.domain = other_graph_, .run_id = "run"});
    ASSERT_TRUE(context) << context.error().text;
    other_context_ = *context;
    there_ = std::make_shared<Node>("there", NodeOptions().context(other_context_));
    const MoreSettings more(settings);
    other_edge_ = std::make_unique<Child>(
        std::vector<std::string>{LIGAMENT_EDGE, "--graph", other_graph_, "--run-id", "run",
                                 "--domain-id", std::to_string(domain_id_)});
    ASSERT_NE(other_edge_->line().find("is on DDS domain"), std::string::npos);
  }

  std::string other_graph_;
  std::shared_ptr<Context> other_context_;
  std::shared_ptr<Node> there_;
  std::unique_ptr<Child> other_edge_;
};

}  // namespace ligament::edge

#endif
