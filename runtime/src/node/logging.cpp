// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <array>
#include <atomic>
#include <ctime>
#include <iterator>
#include <ligament/logging.hpp>

#include "entry_of.hpp"

namespace ligament {
namespace {

std::atomic<LogLevel> threshold{LogLevel::info};

struct LevelNames {
  std::string_view name;
  std::string_view label;  ///< in a line
};

/// In the order of the levels.
constexpr std::array<LevelNames, 5> level_names{{{"debug", "DEBUG"},
                                                 {"info", "INFO"},
                                                 {"warn", "WARN"},
                                                 {"error", "ERROR"},
                                                 {"fatal", "FATAL"}}};
const LevelNames& names_of(LogLevel level) {
  return detail::entry_of<LogLevel::fatal>(level_names, level);
}

}  // namespace

std::string_view to_string(LogLevel level) { return names_of(level).name; }

void set_log_level(LogLevel level) { threshold.store(level, std::memory_order_relaxed); }

LogLevel log_level() { return threshold.load(std::memory_order_relaxed); }

void Logger::write(LogLevel level, std::string_view text) const {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  fmt::memory_buffer line;
  fmt::format_to(std::back_inserter(line), "[{}] [{}.{:09}] [{}]: {}\n", names_of(level).label,
                 now.tv_sec, now.tv_nsec, name_, text);
  // One write per line: lines of several threads and processes do not mix. A closed stderr is the
  // starter's choice, so the result does not matter.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
  if (const auto sink = sink_.lock()) {
    sink->write({level, now.tv_sec * 1'000'000'000LL + now.tv_nsec, name_, text});
  }
}

}  // namespace ligament
