// SPDX-License-Identifier: Apache-2.0
/// A node in a graph with an edge, in a DDS domain of their own.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <future>
#include <ligament/ligament.hpp>
#include <memory>
#include <string>
#include <thread>

#include "dds_domain.hpp"
#include "fresh_graph.hpp"
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
    domain_id_ = take_dds_domain();
    graph_ = fresh_graph_name("graph-and-edge");
    auto context = Context::create({.domain = graph_, .run_id = "run"});
    ASSERT_TRUE(context) << context.error().text;
    context_ = *context;
    node_ = std::make_shared<Node>("here", NodeOptions().context(context_));
    before_edge();
    start_edge();
  }
  virtual void before_edge() {}
  void start_edge() {
    edge_ = started_edge(graph_, domain_id_);
    ASSERT_NE(edge_, nullptr);
  }
  void spin_until(const std::function<bool()>& done) {
    executors::SingleThreadedExecutor executor({.context = context_});
    ASSERT_TRUE(executor.add_node(node_));
    while (!done()) {  // the test runner has its own limit
      ASSERT_TRUE(executor.spin_once(std::chrono::milliseconds(1)));
    }
  }
  /// What the server says; our nodes run meanwhile.
  template <typename Service>
  std::shared_ptr<typename Service::Response> answer_of(Client<Service>& client,
                                                        const typename Service::Request& request) {
    auto sent = client.async_send_request(request);
    spin_until([&] { return sent.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
    return sent.get();
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
