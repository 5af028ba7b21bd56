// SPDX-License-Identifier: Apache-2.0
/// Which lines are written, and that none is left out without being counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ligament/log_throttle.hpp>
#include <memory>
#include <string>
#include <vector>

namespace ligament {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr std::int64_t second_ns = 1'000'000'000;

class Throttled : public ::testing::Test {
 protected:
  std::unique_ptr<LogThrottle> make(LogThrottle::Limits limits) {
    return std::make_unique<LogThrottle>(
        [this](LogLevel, std::string_view text) { lines_.emplace_back(text); }, limits,
        [this] { return now_ns_; });
  }
  std::int64_t now_ns_ = 5 * second_ns;
  std::vector<std::string> lines_;
  std::unique_ptr<LogThrottle> throttle_ = make({.burst = 2, .period_ns = 10 * second_ns});
};

TEST_F(Throttled, TheFirstLinesOfAKindAreWrittenAndTheRestIsCounted) {
  for (int i = 0; i < 1854; ++i) {
    throttle_->write(LogLevel::warn, fmt::format("packet {} is bad", i));
  }
  EXPECT_THAT(lines_, ElementsAre("packet 0 is bad", "packet 1 is bad"));
  now_ns_ += 10 * second_ns - 1;
  throttle_->tick();
  EXPECT_THAT(lines_, SizeIs(2));
  now_ns_ += 1;
  throttle_->tick();
  EXPECT_THAT(lines_, ElementsAre("packet 0 is bad", "packet 1 is bad",
                                  "and 1,852 more in 10 s: packet 1853 is bad"));
}

TEST_F(Throttled, ACountIsToldOnceAndANewPeriodBegins) {
  for (int i = 0; i < 3; ++i) {
    throttle_->write(LogLevel::warn, "bad");
  }
  now_ns_ += 12 * second_ns;
  lines_.clear();
  throttle_->write(LogLevel::warn, "bad");  // the count comes before it
  EXPECT_THAT(lines_, ElementsAre("and 1 more in 12 s: bad", "bad"));
  now_ns_ += 10 * second_ns;
  throttle_->tick();
  throttle_->flush();
  EXPECT_THAT(lines_, SizeIs(2));
}

TEST_F(Throttled, TheLastCountIsToldAtItsEnd) {
  for (int i = 0; i < 1'000'002; ++i) {
    throttle_->write(LogLevel::error, "bad");
  }
  now_ns_ += second_ns / 2;
  throttle_.reset();
  EXPECT_THAT(lines_, ElementsAre("bad", "bad", "and 1,000,000 more in 1 s: bad"));
}

TEST_F(Throttled, ACountHasTheHighestLevelOfItsLines) {
  std::vector<LogLevel> levels;
  {
    LogThrottle throttle([&](LogLevel level, std::string_view) { levels.push_back(level); },
                         {.burst = 1}, [] { return std::int64_t{0}; });
    for (const LogLevel level : {LogLevel::info, LogLevel::info, LogLevel::error, LogLevel::warn}) {
      throttle.write(level, "bad");
    }
  }
  EXPECT_THAT(levels, ElementsAre(LogLevel::info, LogLevel::error));
}

TEST_F(Throttled, KindsAreLimitedApart) {
  const std::vector<std::string> of_one_kind[] = {
      {"from 10.0.0.1:7400", "from 10.0.0.2:7401", "from fe80::1"},
      {"topic '/a' is odd", "topic '/b' is odd", "topic '/c_3' is odd"},
      {"don't", "don't", "don't"},
  };
  for (const auto& lines : of_one_kind) {
    for (const auto& line : lines) {
      throttle_->write(LogLevel::warn, line);
    }
  }
  EXPECT_THAT(lines_, ElementsAre("from 10.0.0.1:7400", "from 10.0.0.2:7401", "topic '/a' is odd",
                                  "topic '/b' is odd", "don't", "don't"));
}

/// Whoever chooses the words cannot make us write or keep without bound.
TEST_F(Throttled, WordsThatAlwaysDifferAreBounded) {
  throttle_ = make({.burst = 2, .period_ns = 10 * second_ns, .kinds = 8});
  for (int i = 0; i < 1000; ++i) {
    throttle_->write(LogLevel::warn, "name " + std::string(static_cast<std::size_t>(i % 90), 'x'));
  }
  EXPECT_THAT(lines_, SizeIs(2 * 8 + 2));
  lines_.clear();
  throttle_.reset();
  std::uint64_t left_out = 0;
  for (const std::string& line : lines_) {
    left_out += std::stoull(line.substr(std::string("and ").size()));
  }
  EXPECT_EQ(left_out, 1000 - (2 * 8 + 2));
}

/// What a line's receiver does may cause another line.
TEST_F(Throttled, ALineMayCauseALine) {
  LogThrottle* reached = nullptr;
  std::vector<std::string> lines;
  LogThrottle throttle([&](LogLevel level, std::string_view text) {
    lines.emplace_back(text);
    if (lines.size() == 1) {
      reached->write(level, "second");
    }
  });
  reached = &throttle;
  throttle.write(LogLevel::warn, "first");
  EXPECT_THAT(lines, ElementsAre("first", "second"));
}

}  // namespace
}  // namespace ligament
