// SPDX-License-Identifier: Apache-2.0
// The detectors and Lane Control take the same frames and each other's messages in any order that
// the machine may choose: the commands are the same.
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "kernels/drive.hpp"
#include "kernels/light_watch.hpp"

namespace ligament::nodes::driving {
namespace {

constexpr std::int64_t kPeriod = 33'333'333;
constexpr int kFramesSent = 120;

bool red_is_lit(int frame) { return frame >= 30 && frame < 60 && frame % 3 != 2; }
bool green_is_lit(int frame) { return frame >= 57 && frame < 90 && frame % 4 != 1; }
int frame_of(std::int64_t stamp_ns) { return static_cast<int>(stamp_ns / kPeriod); }

struct Said {
  std::int64_t stamp_ns;
  bool is_light;
};

/// A node's frames, which wait in it, and what it says to two others.
struct Detector {
  LightWatch watch;
  bool (*is_lit)(int);
  std::deque<std::int64_t> frames;   ///< not yet taken
  std::deque<std::int64_t> waiting;  ///< taken
  std::deque<Said> to_other;
  std::deque<Said> to_drive;

  void say(const Said& said) {
    to_other.push_back(said);
    to_drive.push_back(said);
  }
  void look() {
    while (!waiting.empty() && watch.is_due(waiting.front())) {
      const std::int64_t stamp_ns = waiting.front();
      waiting.pop_front();
      const auto event = watch.on_frame(stamp_ns, [&] { return is_lit(frame_of(stamp_ns)); });
      if (event) say({*event, true});
      if (event != stamp_ns) say({stamp_ns, false});
    }
  }
  void take_frame() {
    waiting.push_back(frames.front());
    frames.pop_front();
    look();
  }
  void hear(std::deque<Said>& from) {
    const Said said = from.front();
    from.pop_front();
    said.is_light ? watch.on_other(said.stamp_ns) : watch.on_other_done(said.stamp_ns);
    look();
  }
};

/// A drive in lock step, as the simulator drives: a frame comes when the last has its command.
class LockStepDrive {
 public:
  LockStepDrive(unsigned seed, bool alternates)
      : random_(seed),
        alternates_(alternates),
        red_{LightWatch({true, alternates, true, 3}), red_is_lit, {}, {}, {}, {}},
        green_{LightWatch({false, true, false, 3}), green_is_lit, {}, {}, {}, {}} {
    // Both have said once how far they are, as at a start before the first light.
    if (alternates) red_.watch.on_other_done(-kPeriod);  // else nothing of green is connected to it
    green_.watch.on_other_done(-kPeriod);
    drive_.on_light_done(Light::red, -kPeriod);
    drive_.on_light_done(Light::green, -kPeriod);
  }

  std::vector<Command> commands() {
    for (int frame = 0; frame < kFramesSent; ++frame) {
      const std::int64_t stamp_ns = frame * kPeriod;
      red_.frames.push_back(stamp_ns);
      green_.frames.push_back(stamp_ns);
      lane_ = stamp_ns;
      while (lane_) {
        if (!step()) return {};  // nobody can go on
      }
    }
    return commands_;
  }

 private:
  /// One node takes one of the messages that have come for it.
  bool step() {
    std::vector<std::function<void()>> possible;
    const auto may = [&](const auto& queue, std::function<void()> act) {
      if (!queue.empty()) possible.push_back(std::move(act));
    };
    may(red_.frames, [&] { red_.take_frame(); });
    may(green_.frames, [&] { green_.take_frame(); });
    may(red_.to_other, [&] { green_.hear(red_.to_other); });
    if (!alternates_) green_.to_other.clear();
    may(green_.to_other, [&] { red_.hear(green_.to_other); });
    may(red_.to_drive, [&] { drive_hears(Light::red, red_.to_drive); });
    may(green_.to_drive, [&] { drive_hears(Light::green, green_.to_drive); });
    if (drive_.is_due(*lane_)) possible.emplace_back([&] { answer(); });
    if (possible.empty()) return false;
    possible[random_() % possible.size()]();
    return true;
  }
  void drive_hears(Light light, std::deque<Said>& from) {
    const Said said = from.front();
    from.pop_front();
    said.is_light ? drive_.on_light(light, said.stamp_ns)
                  : drive_.on_light_done(light, said.stamp_ns);
  }
  void answer() {
    const GroundPoint ahead{static_cast<std::int32_t>(to_fixed(0.35)), 0};
    const auto command = drive_.on_lane(*lane_, *lane_, {&ahead, 1});
    commands_.push_back(command.value_or(Command{-1, -1}));
    lane_.reset();
  }

  std::mt19937 random_;
  bool alternates_;
  Detector red_;
  Detector green_;
  Drive drive_{DriveOptions{}};
  std::optional<std::int64_t> lane_;
  std::vector<Command> commands_;
};

class ArrivalOrder : public ::testing::TestWithParam<bool> {};

TEST_P(ArrivalOrder, ChangesNoCommand) {
  const auto first = LockStepDrive(0, GetParam()).commands();
  ASSERT_EQ(first.size(), std::size_t{kFramesSent});
  EXPECT_GT(first[29].speed, to_fixed(0.15));
  EXPECT_EQ(first[56].speed, 0);  // it stands
  EXPECT_GT(first.back().speed, to_fixed(0.15));
  for (unsigned seed = 1; seed < 500; ++seed) {
    ASSERT_EQ(LockStepDrive(seed, GetParam()).commands(), first) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Detectors, ArrivalOrder, ::testing::Bool(), [](const auto& alternates) {
  return alternates.param ? "alternate" : "one_starts_the_other";
});

TEST(FrameProgress, GoesOnAndBeginsAnew) {
  FrameProgress progress;
  progress.on_event(5 * kPeriod);  // of somebody who says events only
  EXPECT_TRUE(progress.is_done(100 * kPeriod));
  progress.on_done(6 * kPeriod);
  EXPECT_TRUE(progress.is_done(6 * kPeriod));
  EXPECT_FALSE(progress.is_done(7 * kPeriod));
  progress.on_event(7 * kPeriod);
  progress.on_event(2 * kPeriod);  // again
  progress.on_done(3 * kPeriod);   // late
  EXPECT_EQ(progress.last(), 7 * kPeriod);
  progress.on_done(100 * kPeriod);
  progress.on_done(kPeriod);
  EXPECT_EQ(progress.last(), kPeriod);
  progress.on_gone();
  EXPECT_TRUE(progress.is_done(100 * kPeriod));
}

/// Each misses a frame that the other got: neither waits for the other's word on it forever.
TEST(LightWatch, DoesNotWaitForAFrameThatIsLost) {
  LightWatch green({false, true, false, 3});
  const auto sees = [] { return false; };
  green.on_other_done(kPeriod);
  ASSERT_TRUE(green.is_due(kPeriod));
  green.on_frame(kPeriod, sees);
  green.on_other_done(2 * kPeriod);
  EXPECT_EQ(green.lost_before(2 * kPeriod), std::nullopt);
  EXPECT_EQ(green.lost_before(3 * kPeriod), 2 * kPeriod);
  EXPECT_FALSE(green.is_due(3 * kPeriod));
  green.on_other_gone();
  EXPECT_TRUE(green.is_due(3 * kPeriod));
}

}  // namespace
}  // namespace ligament::nodes::driving
