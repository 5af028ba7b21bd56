// SPDX-License-Identifier: Apache-2.0
/// A node in a graph with an edge, in a DDS domain of their own.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <ligament/ligament.hpp>
#include <memory>
#include <string>
#include <thread>

#include "dds_domain.hpp"
#include "transport/edge/edge.hpp"

namespace ligament::edge {

/// More settings of the engine, for who joins a DDS domain while it lives.
class MoreSettings {
 public:
  explicit MoreSettings(const std::string& more) {
    const char* before = std::getenv("CYCLONEDDS_URI");
    before_ = before == nullptr ? "" : before;
    ::setenv("CYCLONEDDS_URI", (before_ + more).c_str(), 1);
  }
  ~MoreSettings() { ::setenv("CYCLONEDDS_URI", before_.c_str(), 1); }
  MoreSettings(const MoreSettings&) = delete;
  MoreSettings& operator=(const MoreSettings&) = delete;

 private:
  std::string before_;
};

class GraphAndEdge : public testing::Test {
 protected:
  void SetUp() override {
    static unsigned next = 0;
    domain_id_ = take_dds_domain();
    graph_ = fmt::format("graph-and-edge-{}-{}", ::getpid(), ++next);
    auto context = Context::create({.domain = graph_, .run_id = "run"});
    ASSERT_TRUE(context) << context.error().text;
    context_ = *context;
    node_ = std::make_shared<Node>("here", NodeOptions().context(context_));
    start_edge();
  }
  void start_edge() {
    auto edge =
        Edge::start({.graph = graph_, .run_id = "run", .participant = {.domain = domain_id_}});
    ASSERT_TRUE(edge) << edge.error();
    edge_ = std::move(*edge);
  }
  void spin_until(const std::function<bool()>& done) {
    executors::SingleThreadedExecutor executor({.context = context_});
    ASSERT_TRUE(executor.add_node(node_));
    while (!done()) {  // the test runner has its own limit
      ASSERT_TRUE(executor.spin_once(std::chrono::milliseconds(1)));
    }
  }
  TopicFigures figures(const std::string& topic) {
    for (const auto& one : edge_->figures()) {
      if (one.topic == topic) {
        return one;
      }
    }
    return {};
  }

  unsigned domain_id_ = 0;
  std::string graph_;
  std::shared_ptr<Context> context_;
  std::shared_ptr<Node> node_;
  std::unique_ptr<Edge> edge_;
};

/// And a participant outside, which knows DDS only.
class GraphAndOther : public GraphAndEdge {
 protected:
  void SetUp() override {
    GraphAndEdge::SetUp();
    auto participant = dds::Participant::create({.domain = domain_id_}, [] {});
    ASSERT_TRUE(participant) << participant.error().text;
    other_ = std::move(*participant);
  }

  std::unique_ptr<dds::Participant> other_;
};

}  // namespace ligament::edge
