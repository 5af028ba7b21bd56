// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <atomic>
#include <ctime>
#include <iterator>
#include <ligament/logging.hpp>

namespace ligament {
namespace {

std::atomic<LogLevel> threshold{LogLevel::info};

std::string_view label(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return "DEBUG";
    case LogLevel::info:
      return "INFO";
    case LogLevel::warn:
      return "WARN";
    case LogLevel::error:
      return "ERROR";
    case LogLevel::fatal:
      return "FATAL";
  }
  return "ERROR";
}

}  // namespace

std::string_view to_string(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return "debug";
    case LogLevel::info:
      return "info";
    case LogLevel::warn:
      return "warn";
    case LogLevel::error:
      return "error";
    case LogLevel::fatal:
      return "fatal";
  }
  return "error";
}

void set_log_level(LogLevel level) { threshold.store(level, std::memory_order_relaxed); }

LogLevel log_level() { return threshold.load(std::memory_order_relaxed); }

void Logger::write(LogLevel level, std::string_view text) const {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  fmt::memory_buffer line;
  fmt::format_to(std::back_inserter(line), "[{}] [{}.{:09}] [{}]: {}\n", label(level), now.tv_sec,
                 now.tv_nsec, name_, text);
  // One write per line: lines of several threads and processes do not mix. A closed stderr is the
  // starter's choice, so the result does not matter.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
  if (const auto sink = sink_.lock()) {
    sink->write({level, now.tv_sec * 1'000'000'000LL + now.tv_nsec, name_, text});
  }
}

}  // namespace ligament
