// SPDX-License-Identifier: Apache-2.0
/// An outbound route by itself: whose samples go, which wait, and what it is when it is closed.
#include "transport/edge/outbound_route.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <thread>

#include "dds_domain.hpp"
#include "fresh_graph.hpp"
#include "transport/dds/names.hpp"

namespace ligament::edge {
namespace {

/// Its publishers are of the edge's own node, so they do not send what they publish: that is left
/// to who pumps.
class OutboundRouteTest : public testing::Test {
 protected:
  void SetUp() override {
    domain_ = *pool::Domain::join({fresh_graph_name("route-out"), "run"});
    waiter_ = *domain_->create_waiter();
    description_.topic = "/out";
    description_.type_name = "test_msgs/msg/Bytes";
    description_.node = "/_edge";
    description_.qos = QoS(10).profile();
    const unsigned dds_domain = take_dds_domain();
    auto participant = dds::Participant::create({.domain = dds_domain}, [] {});
    ASSERT_TRUE(participant) << participant.error().text;
    participant_ = std::move(*participant);
    face_ = std::move(*participant_->create_writer(
        {"rt/out", "test_msgs::msg::dds_::Bytes_", description_.qos, "x", true}));
  }
  std::unique_ptr<pool::Writer> publisher() {
    return std::move(*domain_->create_writer(description_));
  }
  std::unique_ptr<OutboundRoute> open(OutboundRoute::ProxyWriters proxies) {
    pool::EndpointDescription wanted = description_;
    wanted.qos.max_held = 100;
    return std::move(*OutboundRoute::open(*domain_, {wanted, {}, waiter_}, std::move(proxies)));
  }
  ProxyWriter proxy() const { return {face_.get(), 10}; }
  static void say(pool::Writer& writer) {
    auto loan = writer.loan(5);
    ASSERT_TRUE(loan);
    const unsigned char bytes[5] = {0, 1, 0, 0, 'x'};
    std::memcpy(loan->payload().data(), bytes, sizeof bytes);
    ASSERT_TRUE(writer.publish(std::move(*loan)));
  }
  static void wait_until(const std::function<bool()>& is_so) {
    while (!is_so()) {  // the test runner has its own limit
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  static void await_publishers(const OutboundRoute& route, std::size_t count) {
    wait_until([&] { return route.publishers() == count; });
  }

  std::shared_ptr<pool::Domain> domain_;
  std::shared_ptr<pool::Waiter> waiter_;
  pool::EndpointDescription description_;
  std::unique_ptr<dds::Participant> participant_;
  std::unique_ptr<dds::Writer> face_;
};

/// Though others have the object yet: the edge's thread has, until it has looked again.
TEST_F(OutboundRouteTest, AClosedRouteIsNoSubscription) {
  auto first = publisher();
  const auto route = open({{first->id(), proxy()}});
  await_publishers(*route, 1);
  (void)route->close();
  const auto next = publisher();
  const auto other = std::move(*domain_->create_reader(description_, *waiter_));
  wait_until([&] { return other->matched_writers() == 2; });
  EXPECT_EQ(next->matched_readers(), 1U);  // the other one
  say(*next);
  EXPECT_FALSE(route->pump());
  EXPECT_EQ(route->figures().sent, 0U);
}

TEST_F(OutboundRouteTest, SamplesOfAPublisherWithoutAProxyWaitForIt) {
  const auto known = publisher();
  const auto route = open({{known->id(), proxy()}});
  const auto stranger = publisher();
  await_publishers(*route, 2);
  say(*stranger);
  say(*stranger);
  say(*known);
  while (route->pump()) {
  }
  EXPECT_EQ(route->figures().sent, 1U);
  route->set_writers({{known->id(), proxy()}, {stranger->id(), proxy()}});
  EXPECT_EQ(route->figures().sent, 3U);
  EXPECT_EQ(route->close().lost, 0U);
}

TEST_F(OutboundRouteTest, WhatWaitsForAProxyIsBoundedAndCounted) {
  const auto known = publisher();
  const auto route = open({{known->id(), proxy()}});
  const auto stranger = publisher();
  await_publishers(*route, 2);
  for (int i = 0; i < 70; ++i) {
    say(*stranger);
    while (route->pump()) {
    }
  }
  EXPECT_EQ(route->figures().lost, 6U);
  EXPECT_EQ(route->close().lost, 70U);  // it has never had one
}

TEST_F(OutboundRouteTest, SamplesOfAnotherRouteAreLeftToIt) {
  const auto here = publisher();
  const auto latched = publisher();
  const auto route = open({{here->id(), proxy()}, {latched->id(), {}}});
  await_publishers(*route, 2);
  say(*latched);
  while (route->pump()) {
  }
  const OutboundFigures figures = route->close();
  EXPECT_EQ(figures.sent + figures.lost + figures.refused, 0U);
}

/// What the smaller one has taken goes once, and what nobody has taken yet goes too.
TEST_F(OutboundRouteTest, ALargerRouteGoesOnWhereTheSmallerOneStops) {
  const auto known = publisher();
  const auto stranger = publisher();
  const auto small = open({{known->id(), proxy()}});
  await_publishers(*small, 2);
  say(*known);
  say(*known);
  say(*stranger);  // waits for its proxy
  while (small->pump()) {
  }
  pool::EndpointDescription wanted = description_;
  wanted.qos.max_held = 200;
  const auto large = std::move(*OutboundRoute::open(*domain_, {wanted, {}, waiter_, true}, {}));
  await_publishers(*large, 2);
  say(*known);
  say(*stranger);
  EXPECT_FALSE(large->pump());  // it is idle
  large->set_writers({{known->id(), proxy()}, {stranger->id(), proxy()}});
  EXPECT_TRUE(large->take_over(*small));
  EXPECT_FALSE(small->pump());
  say(*known);
  while (large->pump()) {
  }
  large->set_writers({{known->id(), proxy()}, {stranger->id(), proxy()}});  // and what was early
  const OutboundFigures before = small->close();
  const OutboundFigures after = large->close();
  EXPECT_EQ(before.sent, 3U);
  EXPECT_EQ(before.sent + after.sent, 6U);
  EXPECT_EQ(before.lost + after.lost, 0U);
}

TEST_F(OutboundRouteTest, WhatAPublisherLeavesBehindGoesOut) {
  auto leaving = publisher();
  const std::uint64_t id = leaving->id();
  const auto route = open({{id, proxy()}});
  await_publishers(*route, 1);
  say(*leaving);
  say(*leaving);
  leaving.reset();
  EXPECT_EQ(route->figures().sent, 0U);
  route->forget(id);
  EXPECT_EQ(route->figures().sent, 2U);
}

}  // namespace
}  // namespace ligament::edge
