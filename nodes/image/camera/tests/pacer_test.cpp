// SPDX-License-Identifier: Apache-2.0
#include "camera/pacer.hpp"

#include <gtest/gtest.h>

namespace ligament::nodes::image {
namespace {

constexpr std::int64_t kTimeout = 500'000'000;

TEST(PacerAck, KeepsSoManyFramesInFlight) {
  Pacer pacer({.pacing = Pacing::ack, .in_flight = 2, .frames = 5});
  ASSERT_EQ(pacer.due(1)->index, 0U);
  EXPECT_FALSE(pacer.due(1)) << "the first frame is acknowledged alone";
  pacer.on_done(0, 2);
  EXPECT_EQ(pacer.due(2)->index, 1U);
  EXPECT_EQ(pacer.due(2)->index, 2U);
  EXPECT_FALSE(pacer.due(2));
  pacer.on_done(1, 3);
  EXPECT_EQ(pacer.due(3)->index, 3U);
  EXPECT_FALSE(pacer.due(3));
}

TEST(PacerAck, FinishesWhenTheLastFrameIsDone) {
  Pacer pacer({.pacing = Pacing::ack, .frames = 2});
  (void)pacer.due(1);
  pacer.on_done(0, 1);
  (void)pacer.due(1);
  EXPECT_FALSE(pacer.due(1));
  EXPECT_FALSE(pacer.finished());
  pacer.on_done(1, 1);
  EXPECT_TRUE(pacer.finished());
  EXPECT_FALSE(pacer.due(1));
}

TEST(PacerAck, SendsAnOverdueFrameAgainLessAndLessOften) {
  Pacer pacer({.pacing = Pacing::ack, .frames = 3, .ack_timeout_ns = kTimeout});
  (void)pacer.due(1);
  EXPECT_FALSE(pacer.due(kTimeout));
  const auto again = pacer.due(1 + kTimeout);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->again);
  EXPECT_EQ(again->index, 0U);
  EXPECT_FALSE(pacer.due(1 + 2 * kTimeout));
  EXPECT_TRUE(pacer.due(1 + 3 * kTimeout));
  pacer.on_done(0, 1 + 3 * kTimeout);
  EXPECT_EQ(pacer.due(2 + 3 * kTimeout)->index, 1U);
  EXPECT_TRUE(pacer.due(2 + 4 * kTimeout)->again) << "the time-out starts anew";
  EXPECT_EQ(pacer.sent_again(), 3U);
}

TEST(PacerAck, TheLastFrameTooIsSentAgain) {
  Pacer pacer({.pacing = Pacing::ack, .frames = 1, .ack_timeout_ns = kTimeout});
  (void)pacer.due(0);
  EXPECT_TRUE(pacer.due(kTimeout)->again);
}

TEST(PacerAck, ALaterAcknowledgementCoversEarlierFrames) {
  Pacer pacer({.pacing = Pacing::ack, .in_flight = 3});
  (void)pacer.due(1);
  pacer.on_done(0, 1);
  for (int i = 0; i < 3; ++i) (void)pacer.due(1);
  pacer.on_done(3, 1);
  EXPECT_EQ(pacer.acknowledged(), 4U);
}

TEST(PacerAck, IgnoresAcknowledgementsOfUnknownFrames) {
  Pacer pacer({.pacing = Pacing::ack});
  (void)pacer.due(1);
  pacer.on_done(7, 1);
  EXPECT_EQ(pacer.acknowledged(), 0U);
  pacer.on_done(0, 1);
  pacer.on_done(0, 1);
  EXPECT_EQ(pacer.acknowledged(), 1U);
}

TEST(PacerAck, SendsNewFramesNoFasterThanItsBrakeAllows) {
  Pacer pacer({.pacing = Pacing::ack, .ack_timeout_ns = kTimeout, .period_ns = 100});
  EXPECT_TRUE(pacer.due(1000));
  pacer.on_done(0, 1001);
  EXPECT_FALSE(pacer.due(1001));
  EXPECT_EQ(pacer.due(1100)->index, 1U);
  pacer.on_done(1, 1101);
  EXPECT_EQ(pacer.due(1230)->index, 2U) << "30 late";
  pacer.on_done(2, 1231);
  EXPECT_FALSE(pacer.due(1299));
  EXPECT_EQ(pacer.due(1300)->index, 3U) << "and so the next one is 70 behind it";
}

TEST(PacerAck, ItsBrakeMakesUpForNoMissedFrames) {
  Pacer pacer({.pacing = Pacing::ack, .in_flight = 64, .period_ns = 100});
  EXPECT_TRUE(pacer.due(0));
  pacer.on_done(0, 1);
  EXPECT_TRUE(pacer.due(100'000));
  EXPECT_FALSE(pacer.due(100'099));
}

TEST(PacerAsked, WaitsForTheFirstFrameIfSomebodySendsDone) {
  Pacer pacer({.pacing = Pacing::asked, .ack_timeout_ns = kTimeout});
  EXPECT_EQ(pacer.due(1000)->index, 0U);
  EXPECT_FALSE(pacer.due(1100));
  EXPECT_TRUE(pacer.due(1000 + kTimeout)->again);
  pacer.on_done(0, 1000 + kTimeout);
  EXPECT_EQ(pacer.due(1001 + kTimeout)->index, 1U);
  EXPECT_EQ(pacer.due(1002 + kTimeout)->index, 2U) << "later frames do not wait";
}

TEST(PacerAsked, SendsWheneverAskedAndStopsAtTheEnd) {
  Pacer pacer({.pacing = Pacing::asked, .frames = 3});
  pacer.set_acknowledged(false);
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(pacer.due(1)->index, i);
  EXPECT_FALSE(pacer.due(1));
  EXPECT_TRUE(pacer.finished());
}

TEST(PacerAsked, ASinkThatLeavesDoesNotStopIt) {
  Pacer pacer({.pacing = Pacing::asked});
  (void)pacer.due(1);
  EXPECT_FALSE(pacer.due(2));
  pacer.set_acknowledged(false);
  EXPECT_EQ(pacer.due(3)->index, 1U);
}

}  // namespace
}  // namespace ligament::nodes::image
