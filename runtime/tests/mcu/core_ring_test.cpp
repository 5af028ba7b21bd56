// SPDX-License-Identifier: Apache-2.0
/// The core's side of the ring of events, and the host that reads it.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

extern "C" {
#include "board.h"
#include "ligament/trace.h"

// A board whose clock counts how often it is asked.
static std::int64_t asked_us = 0;
std::int64_t board_now_us(void) { return ++asked_us; }
std::uint32_t board_mask(void) { return 0; }
void board_unmask(std::uint32_t /*before*/) {}
}

namespace ligament::mcu {
namespace {

constexpr std::uint32_t all = LIGAMENT_TRACE_EVENTS;

void leave_events(std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    ligament_trace_event(LIGAMENT_TRACE_PUBLISH, 1, 2, 100 + i);
  }
}

TEST(CoreRing, WhatFindsNoRoomIsCountedAndToldWhereItIsMissing) {
  auto ring = std::make_unique<ligament_trace_ring_t>();
  std::memset(ring.get(), 0, sizeof *ring);
  ligament_trace_open(ring.get());
  leave_events(1);
  EXPECT_EQ(ring->core.head, 0U) << "nobody listens";
  ring->host.is_on = 1;
  leave_events(all + 5);
  EXPECT_EQ(ring->core.head, all);
  EXPECT_EQ(ring->core.dropped, 5U);
  EXPECT_EQ(ring->events[all - 1].number, 100 + all - 1) << "the oldest ones are kept";
  ring->host.tail = 1;
  leave_events(1);
  EXPECT_EQ(ring->core.head, all) << "two are needed: the loss, and the event";
  ring->host.tail = 3;
  leave_events(1);
  ASSERT_EQ(ring->core.head, all + 2);
  EXPECT_EQ(ring->events[0].kind, LIGAMENT_TRACE_LOST);
  EXPECT_EQ(ring->events[0].number, 6U);
  EXPECT_EQ(ring->events[1].kind, LIGAMENT_TRACE_PUBLISH);
  EXPECT_EQ(ring->events[1].number, 100U);
  EXPECT_EQ(ring->core.dropped, 6U);
  leave_events(1);
  ASSERT_EQ(ring->core.head, all + 3);
  EXPECT_EQ(ring->events[2].kind, LIGAMENT_TRACE_PUBLISH) << "a loss is told once";
}

}  // namespace
}  // namespace ligament::mcu
