// SPDX-License-Identifier: Apache-2.0
#include "mcu/restart_pause.hpp"

#include <gtest/gtest.h>

namespace ligament::mcu {
namespace {

constexpr std::int64_t second = 1'000'000'000;

TEST(RestartPause, DoublesWhileLivesAreShort) {
  RestartPause pause;
  EXPECT_EQ(pause.after_end(second), second / 4);
  EXPECT_EQ(pause.text(), "");
  EXPECT_EQ(pause.after_end(second), second / 2);
  EXPECT_EQ(pause.text(), " in 0.5 s: this was end 2 in a row within 10 s of a start");
  EXPECT_EQ(pause.after_end(9 * second), second);
  for (int end = 0; end < 100; ++end) {
    EXPECT_LE(pause.after_end(0), 32 * second);
  }
  EXPECT_EQ(pause.text(), " in 32 s: this was end 103 in a row within 10 s of a start");
}

TEST(RestartPause, BeginsAgainAfterALongLife) {
  RestartPause pause;
  for (int end = 0; end < 5; ++end) {
    (void)pause.after_end(0);
  }
  EXPECT_EQ(pause.after_end(10 * second), second / 4);
  EXPECT_EQ(pause.text(), "");
  EXPECT_EQ(pause.after_end(second), second / 2);
}

}  // namespace
}  // namespace ligament::mcu
