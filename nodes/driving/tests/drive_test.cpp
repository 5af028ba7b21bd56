// SPDX-License-Identifier: Apache-2.0
#include "kernels/drive.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ligament::nodes::driving {
namespace {

constexpr std::int64_t kFrame = 33'333'333;
constexpr std::int64_t kStart = 1'000'000'000;

GroundPoint at(double x, double y) {
  return {static_cast<std::int32_t>(to_fixed(x)), static_cast<std::int32_t>(to_fixed(y))};
}

/// Frames at 30 Hz, which arrive with their stamps' times.
class Driven {
 public:
  explicit Driven(const DriveOptions& options = {}) : drive(options) {}
  Command lane(const std::vector<GroundPoint>& points) {
    now += kFrame;
    return drive.on_lane(now, now, points).value_or(Command{-1, -1});
  }
  Command straight(int frames = 1) {
    Command last;
    for (int i = 0; i < frames; ++i) last = lane({at(0.35, 0)});
    return last;
  }
  Drive drive;
  std::int64_t now = kStart;
};

TEST(Pursuit, IsThatOfFloat64WithinAUnit) {
  for (double x = 0.1; x < 1.0; x += 0.07) {
    for (double y = -0.5; y < 0.5; y += 0.031) {
      const GroundPoint goal = at(x, y);
      const double exact = 2 * from_fixed(goal.y) /
                           (std::pow(from_fixed(goal.x), 2) + std::pow(from_fixed(goal.y), 2));
      EXPECT_NEAR(from_fixed(pursuit_curvature(goal)), exact, 0x1p-17 + 1e-12);
    }
  }
  EXPECT_EQ(pursuit_curvature(at(0, 0)), 0);
  EXPECT_EQ(pursuit_curvature(at(0.005, 0.005)), 0);
}

TEST(Pursuit, SteersToThePointAtTheLookAhead) {
  const std::vector<GroundPoint> lane{at(0.2, 0.0), at(0.3, 0.02), at(0.4, 0.06)};
  EXPECT_EQ(goal_on(lane, to_fixed(0.35)).x, to_fixed(0.35));
  EXPECT_NEAR(from_fixed(goal_on(lane, to_fixed(0.35)).y), 0.04, 0x1p-16);
  EXPECT_EQ(goal_on(lane, to_fixed(0.1)), lane.front());
  EXPECT_EQ(goal_on(lane, to_fixed(0.9)), lane.back());
}

/// Speed and turn in float64: cruise / (1 + k |c|), times c. Each is rounded once or twice.
TEST(Drive, CommandsAreThoseOfFloat64WithinTwoUnits) {
  for (double y = -0.3; y < 0.3; y += 0.05) {
    Driven driven;
    Command command;
    for (int i = 0; i < 60; ++i) command = driven.lane({at(0.35, y)});
    const double c = 2 * y / (0.35 * 0.35 + y * y);
    const double speed = 0.20 / (1 + 0.10 * std::abs(c));
    EXPECT_NEAR(from_fixed(command.speed), speed, 2 * 0x1p-16) << y;
    EXPECT_NEAR(from_fixed(command.turn), speed * c, 16 * 0x1p-16) << y;
  }
}

TEST(Drive, StartsSlowlyAndTurnsNoFasterThanItCan) {
  Driven driven;
  EXPECT_EQ(driven.straight().speed, 0);
  EXPECT_NEAR(from_fixed(driven.straight().speed), 0.40 / 30, 1e-4);
  EXPECT_NEAR(from_fixed(driven.straight(40).speed), 0.20, 1e-4);
  DriveOptions options;
  options.turn_limit = to_fixed(0.3);
  Driven limited(options);
  limited.straight(40);
  EXPECT_EQ(limited.lane({at(0.1, 0.1)}).turn, to_fixed(0.3));
  EXPECT_EQ(limited.lane({at(0.1, -0.1)}).turn, -to_fixed(0.3));
}

TEST(Drive, IgnoresFramesThatComeTwiceOrLate) {
  Driven driven;
  driven.straight(40);
  EXPECT_FALSE(driven.drive.on_lane(driven.now, driven.now, {}));
  EXPECT_FALSE(driven.drive.on_lane(driven.now - kFrame, driven.now, {}));
  EXPECT_NEAR(from_fixed(driven.straight().speed), 0.20, 1e-4);
}

TEST(Drive, SlowsDownAndStopsWithoutALaneAndSteersOn) {
  Driven driven;
  for (int i = 0; i < 40; ++i) driven.lane({at(0.35, 0.05)});
  const double full = from_fixed(driven.lane({at(0.35, 0.05)}).speed);
  double before = full;
  for (int frame = 1; frame <= 30; ++frame) {
    const Command command = driven.lane({});
    const double speed = from_fixed(command.speed);
    EXPECT_LE(speed, before);
    if (frame * 33.4 < 200) {
      EXPECT_NEAR(speed, full, 1e-4) << frame;
    }
    if (frame * 33.3 > 600) {
      EXPECT_EQ(command, Command{}) << frame;
    }
    if (frame == 12) {
      EXPECT_NEAR(speed, full / 2, 0.01);  // 400 ms
    }
    if (speed > 0) {
      EXPECT_NEAR(from_fixed(command.turn) / speed, 0.8, 0.01);
    }
    before = speed;
  }
  EXPECT_EQ(driven.straight().speed > 0, true);
}

TEST(Drive, StopsByItselfWhenFramesStayAway) {
  Driven driven;
  driven.straight(40);
  std::int64_t now = driven.now;
  EXPECT_FALSE(driven.drive.on_tick(now));
  double before = 0.20;
  bool stopped = false;
  for (int tick = 1; tick <= 20; ++tick) {
    now += 50'000'000;
    const auto command = driven.drive.on_tick(now);
    EXPECT_EQ(command.has_value(), tick > 4) << tick;
    if (!command) continue;
    EXPECT_LE(from_fixed(command->speed), before + 1e-9);
    before = from_fixed(command->speed);
    stopped = *command == Command{};
    EXPECT_EQ(stopped, tick >= 12) << tick;
  }
  EXPECT_TRUE(stopped);
  // Then it starts slowly again.
  driven.now = now;
  EXPECT_LT(from_fixed(driven.straight().speed), 0.05);
}

TEST(Drive, StandsStillUntilItHasSeenALane) {
  Driven driven;
  EXPECT_FALSE(driven.drive.on_tick(5));
  EXPECT_EQ(driven.drive.on_tick(5 + 300'000'000), Command{});
  EXPECT_EQ(driven.lane({}), Command{});
}

TEST(Drive, StopsAtRedAndStartsAtGreen) {
  Driven driven;
  driven.straight(40);
  driven.drive.on_light(Light::red, driven.now);
  EXPECT_NEAR(from_fixed(driven.straight().speed), 0.20, 1e-4);  // it holds 100 ms later
  Command command = driven.straight(3);
  EXPECT_LT(from_fixed(command.speed), 0.19);
  EXPECT_TRUE(driven.drive.is_red());
  EXPECT_EQ(driven.straight(10).speed, 0);
  EXPECT_EQ(driven.straight(100).speed, 0);
  driven.drive.on_light(Light::green, driven.now);
  command = driven.straight(5);
  EXPECT_GT(from_fixed(command.speed), 0.01);
  EXPECT_NEAR(from_fixed(driven.straight(40).speed), 0.20, 1e-4);
}

TEST(Drive, StopsWhileNobodyLooksForRedLights) {
  Driven driven;
  ASSERT_GT(driven.straight(60).speed, 0);
  driven.drive.on_detector(false);
  const Command braking = driven.straight();
  EXPECT_GT(braking.speed, 0);  // by the ramp
  EXPECT_EQ(driven.straight(10).speed, 0);
  driven.drive.on_light(Light::green, driven.now);
  EXPECT_EQ(driven.straight(10).speed, 0);
  driven.drive.on_detector(true);
  EXPECT_NEAR(from_fixed(driven.straight(60).speed), 0.2, 2 * 0x1p-16);
}

TEST(Drive, FollowsTheLaterOfTwoEventsWhateverTheirOrder) {
  for (const bool red_first : {true, false}) {
    Driven driven;
    driven.straight(40);
    const std::int64_t red = driven.now - kFrame;
    const std::int64_t green = driven.now;
    if (red_first) driven.drive.on_light(Light::red, red);
    driven.drive.on_light(Light::green, green);
    if (!red_first) driven.drive.on_light(Light::red, red);
    driven.straight(20);
    EXPECT_FALSE(driven.drive.is_red());
    driven.drive.on_light(Light::red, red);  // again, late
    driven.straight(20);
    EXPECT_FALSE(driven.drive.is_red());
    driven.drive.on_light(Light::red, driven.now + 3'600'000'000'000);  // of another run
    driven.straight(20);
    EXPECT_FALSE(driven.drive.is_red());
  }
}

TEST(LightEvents, GiveTheSameLightWhoeverIsFaster) {
  // Red from frame 10 on, green in frame 20; they arrive 0, 1, 2 or 3 frames late.
  std::vector<std::vector<Light>> seen;
  for (std::int64_t late = 0; late <= 3; ++late) {
    LightEvents events(3 * kFrame);
    std::vector<Light> lights;
    for (std::int64_t frame = 0; frame < 40; ++frame) {
      const std::int64_t shown = frame - late;
      if (shown >= 10 && shown < 20) events.add({shown * kFrame, Light::red});
      if (shown == 20) events.add({shown * kFrame, Light::green});
      lights.push_back(events.light_at(frame * kFrame));
    }
    EXPECT_EQ(lights[12], Light::green);
    EXPECT_EQ(lights[13], Light::red);
    EXPECT_EQ(lights[22], Light::red);
    EXPECT_EQ(lights[23], Light::green);
    seen.push_back(lights);
  }
  for (const auto& lights : seen) EXPECT_EQ(lights, seen.front());
}

TEST(LightEvents, AreBoundedAndPreferRed) {
  LightEvents events(1'000'000);
  for (std::int64_t i = 0; i < 1000; ++i) events.add({i, Light::red});
  EXPECT_EQ(events.light_at(500), Light::red);  // the earliest held at once, as too many wait
  events.add({1000, Light::red});
  events.add({1000, Light::green});
  EXPECT_EQ(events.light_at(2'000'000), Light::red);
  events.clear();
  EXPECT_EQ(events.light_at(3'000'000), Light::green);
}

TEST(Drive, BeginsAnewWithItsSource) {
  Driven driven;
  driven.now = 60'000'000'000;
  driven.straight(40);
  driven.drive.on_light(Light::red, driven.now);
  driven.straight(20);
  ASSERT_TRUE(driven.drive.is_red());
  driven.now = kStart;
  EXPECT_EQ(driven.straight().speed, 0);
  EXPECT_FALSE(driven.drive.is_red());
  EXPECT_GT(driven.straight().speed, 0);
}

}  // namespace
}  // namespace ligament::nodes::driving
