// SPDX-License-Identifier: Apache-2.0
/// \file Who keeps a container's own edge, with an edge that does nothing in its place.
#include "container/inner_edge.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

namespace ligament::container {
namespace {

std::atomic<int> told{0};
std::atomic<int> ended{0};

class Idle final : public InnerEdge {
 public:
  ~Idle() override { ++ended; }
  void tell() override { ++told; }
};

expected<std::unique_ptr<InnerEdge>, std::string> start(const InnerEdgeRequest&) {
  return std::make_unique<Idle>();
}

expected<std::unique_ptr<InnerEdge>, std::string> refuse(const InnerEdgeRequest& request) {
  return unexpected<std::string>("no network for " + request.graph);
}

void wait_for(const std::atomic<int>& count) {
  while (count == 0) {
    std::this_thread::yield();
  }
}

TEST(InnerEdgeKeeper, AnEdgeRunsUntilItsKeeperEndsAndSpeaksOnceMoreThen) {
  told = ended = 0;
  const InnerEdgeEntry entry{.start = &start};
  int before = 0;
  {
    const InnerEdgeKeeper keeper(entry, {});
    wait_for(told);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // it would have ended by now
    EXPECT_EQ(ended, 0);
    before = told;
  }
  EXPECT_GT(told, before);
  EXPECT_EQ(ended, 1);
}

TEST(InnerEdgeKeeper, SaysWhyAnEdgeDoesNotStartAndCanBeEndedMeanwhile) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  StatusChannel channel(ends[1]);
  const InnerEdgeEntry entry{.start = &refuse};
  std::string text(512, ' ');
  {
    const InnerEdgeKeeper keeper(entry, {.graph = "g", .run_id = "r", .channel = &channel});
    text.resize(static_cast<std::size_t>(::read(ends[0], text.data(), text.size())));
  }
  const auto line = nlohmann::json::parse(text);
  EXPECT_EQ(line["node"], inner_edge_origin);
  EXPECT_EQ(line["text"], "no network for g; the nodes go on without it, and it is tried again");
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace ligament::container
