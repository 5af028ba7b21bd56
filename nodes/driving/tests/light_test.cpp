// SPDX-License-Identifier: Apache-2.0
#include "kernels/light.hpp"

#include <gtest/gtest.h>

#include "kernels/compensation.hpp"
#include "kernels/light_watch.hpp"
#include "tests/scenes.hpp"

namespace ligament::nodes::driving {
namespace {

const LightOptions kRed{
    .colour = {.hue_from = 340, .hue_to = 15, .saturation_from = 120, .value_from = 150}};
const LightOptions kGreen{
    .colour = {.hue_from = 90, .hue_to = 170, .saturation_from = 80, .value_from = 150}};
const cv::Scalar kRedLamp(240, 20, 20);

std::optional<Disc> red_in(const cv::Mat& picture) {
  return find_disc(picture, ColourOrder::rgb, kRed);
}

TEST(Light, IsFoundOnTheRoadByItsColour) {
  for (const double along : {0.2, 0.4, 0.6}) {
    for (const Lamp lamp : {Lamp::off, Lamp::red, Lamp::green}) {
      const cv::Mat picture = scene(beside(along, 0), lamp);
      cv::Mat compensated(picture.size(), picture.type());
      compensate(picture, ColourOrder::rgb, {}, compensated);
      for (const cv::Mat& seen : {picture, compensated, with_noise(picture, 8, 3)}) {
        EXPECT_EQ(red_in(seen).has_value(), lamp == Lamp::red) << along;
        EXPECT_EQ(find_disc(seen, ColourOrder::rgb, kGreen).has_value(), lamp == Lamp::green)
            << along;
      }
    }
  }
}

/// In float64 the centre is the mean of the disc's pixels: the box's middle is off by half a pixel.
TEST(Light, IsWhereItsPixelsAre) {
  for (int radius = 4; radius <= 40; radius += 4) {
    cv::Mat picture(480, 640, CV_8UC3, cv::Scalar(60, 60, 60));
    cv::circle(picture, {401, 77}, radius, kRedLamp, cv::FILLED);
    const auto disc = red_in(picture);
    ASSERT_TRUE(disc) << radius;
    cv::Mat mask;
    cv::inRange(picture, kRedLamp, kRedLamp, mask);
    const cv::Moments moments = cv::moments(mask, true);
    EXPECT_NEAR(disc->twice_x / 2.0, moments.m10 / moments.m00, 0.5);
    EXPECT_NEAR(disc->twice_y / 2.0, moments.m01 / moments.m00, 0.5);
    EXPECT_NEAR(disc->four_radii / 4.0, std::sqrt(moments.m00 / CV_PI), 1.0);
    EXPECT_EQ(disc->pixels, moments.m00);
  }
}

TEST(Light, IsFoundWhereItOutshinesTheSensor) {
  cv::Mat picture(480, 640, CV_8UC3, cv::Scalar(60, 60, 60));
  cv::circle(picture, {300, 60}, 15, kRedLamp, cv::FILLED);
  cv::circle(picture, {300, 60}, 10, cv::Scalar::all(255), cv::FILLED);
  EXPECT_TRUE(red_in(picture));
}

TEST(Light, IsNoWallNoSpeckAndNothingBelow) {
  const auto holds = [](const auto& draw) {
    cv::Mat picture(480, 640, CV_8UC3, cv::Scalar(60, 60, 60));
    draw(picture);
    return red_in(picture).has_value();
  };
  const auto box = [](cv::Rect where) {
    return [where](cv::Mat& on) { cv::rectangle(on, where, kRedLamp, cv::FILLED); };
  };
  EXPECT_FALSE(holds(box({100, 20, 30, 30})));  // a square
  EXPECT_FALSE(holds(box({100, 20, 90, 12})));  // a strip
  EXPECT_FALSE(holds([](cv::Mat& on) { cv::circle(on, {100, 60}, 2, kRedLamp, cv::FILLED); }));
  EXPECT_FALSE(holds([](cv::Mat& on) { cv::circle(on, {200, 100}, 80, kRedLamp, cv::FILLED); }));
  EXPECT_FALSE(holds([](cv::Mat& on) { cv::circle(on, {200, 400}, 15, kRedLamp, cv::FILLED); }));
  EXPECT_TRUE(holds([](cv::Mat& on) { cv::circle(on, {200, 100}, 15, kRedLamp, cv::FILLED); }));
}

TEST(Light, OfSeveralIsTheLargest) {
  cv::Mat picture(480, 640, CV_8UC3, cv::Scalar(60, 60, 60));
  cv::circle(picture, {100, 60}, 8, kRedLamp, cv::FILLED);
  cv::circle(picture, {300, 60}, 14, kRedLamp, cv::FILLED);
  cv::circle(picture, {500, 60}, 10, kRedLamp, cv::FILLED);
  EXPECT_EQ(red_in(picture)->twice_x, 600);
}

// --- when it counts
// -------------------------------------------------------------------------------

constexpr std::int64_t kShutter = 33'333'333;

/// Frames 0, 1, ... of which some show the lamp; the frames with an event.
class Watched {
 public:
  explicit Watched(const WatchOptions& options) : watch(options) {}
  std::optional<std::int64_t> frame(bool shows) {
    return watch.on_frame(kShutter * number++, [&] { return shows; });
  }
  LightWatch watch;
  std::int64_t number = 0;
};

const WatchOptions kRedWatch{.begins = true, .alternates = true, .repeats = true, .confirm = 3};
const WatchOptions kGreenWatch{.begins = false, .alternates = true, .repeats = false, .confirm = 3};

TEST(LightWatch, CountsALampThatFlickersAndNotASpot) {
  Watched red(kRedWatch);
  for (int i = 0; i < 40; ++i) EXPECT_FALSE(red.frame(i % 4 == 0)) << i;  // 2 of 8
  EXPECT_FALSE(red.frame(true));
  EXPECT_FALSE(red.frame(false));
  EXPECT_TRUE(red.frame(true));  // every other frame
}

TEST(LightWatch, CountsAFrameOnceHoweverOftenItComes) {
  LightWatch red(kRedWatch);
  const auto sees = [] { return true; };
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(red.on_frame(kShutter, sees));
  EXPECT_FALSE(red.on_frame(2 * kShutter, sees));
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(red.on_frame(kShutter, sees));  // late
  EXPECT_TRUE(red.on_frame(3 * kShutter, sees));
}

TEST(LightWatch, LetsTheDetectorsTakeTurns) {
  Watched red(kRedWatch);
  Watched green(kGreenWatch);
  EXPECT_FALSE(green.watch.looks());
  std::optional<std::int64_t> stop;
  while (!stop && red.number < 10) stop = red.frame(true);
  ASSERT_TRUE(stop);
  EXPECT_FALSE(red.watch.looks());
  green.number = red.number - 2;
  green.watch.on_other(*stop);
  EXPECT_FALSE(green.frame(true));  // a frame before it
  EXPECT_FALSE(green.watch.looks());
  EXPECT_EQ(red.frame(true), stop);  // again, as nobody answered
  std::optional<std::int64_t> go;
  while (!go && green.number < 10) go = green.frame(true);
  ASSERT_TRUE(go);
  EXPECT_FALSE(green.watch.looks());
  red.watch.on_other(*go);
  red.number = green.number - 1;
  EXPECT_EQ(red.frame(true), stop);  // the frame of green: the event holds from the next one on
  EXPECT_FALSE(red.frame(false));
  EXPECT_TRUE(red.watch.looks());
}

TEST(LightWatch, MakesUpForALostEvent) {
  Watched green(kGreenWatch);
  green.watch.on_other(0);
  std::optional<std::int64_t> go;
  while (!go && green.number < 10) go = green.frame(true);
  ASSERT_TRUE(go);
  // The red detector did not hear of it, and goes on: it is told again.
  green.watch.on_other(0);
  EXPECT_EQ(green.frame(true), go);
  EXPECT_FALSE(green.watch.looks());
  // A later red is another stop.
  green.watch.on_other(*go + 1);
  EXPECT_FALSE(green.frame(true));
  EXPECT_TRUE(green.watch.looks());
}

/// The last event of a red and of a green lamp that flicker; green is lit from a frame on.
std::pair<std::int64_t, std::int64_t> last_events(int green_from, bool red_is_heard_first) {
  Watched red({.begins = true, .alternates = false, .repeats = true, .confirm = 3});
  Watched green(kGreenWatch);
  std::pair<std::int64_t, std::int64_t> last{-1, -1};
  for (int i = 0; i < 70; ++i) {
    const bool lit = i % 3 != 2;
    const auto event = red.frame(lit && i < green_from);
    if (event) last.first = *event;
    if (event && red_is_heard_first) green.watch.on_other(*event);
    if (const auto go = green.frame(lit && i >= green_from)) last.second = *go;
    if (event && !red_is_heard_first) green.watch.on_other(*event);
  }
  return last;
}

/// Red counts until some frames after it went out: green must be announced for a later one, whoever
/// hears of the other first.
TEST(LightWatch, EndsWithGreenAfterRedWhereLampsFlicker) {
  for (int green_from = 20; green_from < 32; ++green_from) {
    for (const bool red_is_heard_first : {true, false}) {
      const auto [red, green] = last_events(green_from, red_is_heard_first);
      EXPECT_GT(red, 0);
      EXPECT_GT(green, red) << green_from << " " << red_is_heard_first;
    }
  }
}

TEST(LightWatch, AnnouncesEachFrameWhereItNeverWaits) {
  Watched red({.begins = true, .alternates = false, .repeats = true, .confirm = 3});
  for (int i = 0; i < 8; ++i) EXPECT_EQ(red.frame(true).has_value(), i >= 2) << i;
  int after = 0;
  for (int i = 0; i < 20; ++i) after += red.frame(false) ? 1 : 0;
  EXPECT_EQ(after, 5);  // as long as 3 of the last 8 show it
}

TEST(LightWatch, BeginsAnewWithItsSource) {
  Watched red(kRedWatch);
  red.number = 1000;
  while (!red.frame(true)) {
  }
  EXPECT_FALSE(red.watch.looks());
  red.number = 0;
  EXPECT_FALSE(red.frame(true));
  EXPECT_TRUE(red.watch.looks());
  // Green waits for a red, also where it was looking when its source began anew.
  Watched green(kGreenWatch);
  green.number = 1000;
  green.watch.on_other(kShutter * green.number);
  EXPECT_FALSE(green.frame(false));
  EXPECT_TRUE(green.watch.looks());
  green.number = 0;
  for (int i = 0; i < 8; ++i) EXPECT_FALSE(green.frame(true)) << i;
  EXPECT_FALSE(green.watch.looks());
}

}  // namespace
}  // namespace ligament::nodes::driving
