// SPDX-License-Identifier: Apache-2.0
/// \file Lines that somebody else can cause are limited in rate, and those left out are counted.
///
///   ligament::LogThrottle throttle(get_logger());
///   throttle.write(LogLevel::warn, fmt::format("frame {} was not acknowledged", index));
///
/// A peer, a sender of garbage or a broken sensor can cause a line per packet: that fills a disk
/// and hides every other line. Of each kind of line the first few of a period are written as they
/// are; the rest is counted and told in one line when the period is over ("and 1,852 more in 10 s:
/// ...").
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ligament/logging.hpp>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace ligament {

/// Any thread.
class LogThrottle {
 public:
  struct Limits {
    std::uint32_t burst = 10;                 ///< lines of a kind per period
    std::int64_t period_ns = 10'000'000'000;  ///< begins with the first line of a kind
    std::size_t kinds = 64;                   ///< told apart; those beyond count as one kind
  };
  using Write = std::function<void(LogLevel, std::string_view)>;
  using Clock = std::function<std::int64_t()>;  ///< monotonic, in ns

  explicit LogThrottle(Write write);
  LogThrottle(Write write, Limits limits, Clock now);
  explicit LogThrottle(const Logger& logger);
  /// Tells what is counted and not told yet.
  ~LogThrottle();
  LogThrottle(const LogThrottle&) = delete;
  LogThrottle& operator=(const LogThrottle&) = delete;

  /// Writes it or counts it. Lines that differ in numbers and quoted names only are of one kind.
  void write(LogLevel level, std::string_view text);
  /// Tells the counts whose period is over. Who has a clock that ticks calls it, so that a count is
  /// told also when no line of its kind follows.
  void tick();
  /// Tells all counts now.
  void flush();

 private:
  struct Kind {
    std::int64_t begin_ns = 0;
    std::uint32_t written = 0;
    std::uint64_t left_out = 0;
    LogLevel level = LogLevel::info;
    std::string last;  ///< of those left out
  };
  struct Line {
    LogLevel level;
    std::string text;
  };
  using Kinds = std::map<std::string, Kind, std::less<>>;

  Kind& kind_of(std::string_view text);
  void tell(const Kind& kind, std::int64_t now_ns, std::vector<Line>& lines) const;
  void end_periods(std::int64_t now_ns, bool all, std::vector<Line>& lines);
  void pass_on(const std::vector<Line>& lines) const;

  const Write write_;
  const Limits limits_;
  const Clock now_;
  std::mutex mutex_;
  Kinds kinds_;
};

}  // namespace ligament
