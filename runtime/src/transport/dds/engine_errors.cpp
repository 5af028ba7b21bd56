// SPDX-License-Identifier: Apache-2.0
#include "transport/dds/engine_errors.hpp"

#include <dds/ddsrt/log.h>

#include <ligament/log_throttle.hpp>
#include <mutex>
#include <string_view>

namespace ligament::dds {

namespace {

/// Never destroyed: threads of the engine may be on their way out when the process ends.
LogThrottle& engine_lines() {
  static auto* const lines = new LogThrottle(get_logger("dds"));
  return *lines;
}

/// Guards where errors go while `errors_during` runs.
std::mutex& errors_mutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}
std::string* errors_to = nullptr;

LogLevel level_of(std::uint32_t priority) {
  if ((priority & DDS_LC_FATAL) != 0) {
    return LogLevel::fatal;
  }
  if ((priority & DDS_LC_ERROR) != 0) {
    return LogLevel::error;
  }
  return (priority & DDS_LC_WARNING) != 0 ? LogLevel::warn : LogLevel::info;
}

/// On any thread of the engine.
void on_line(void* /*target*/, const dds_log_data_t* line) {
  const std::string_view text(line->message, line->size);
  const LogLevel level = level_of(line->priority);
  engine_lines().write(level, text);
  if (level >= LogLevel::error) {
    const std::lock_guard guard(errors_mutex());
    if (errors_to != nullptr) {
      *errors_to += errors_to->empty() ? "" : "; ";
      *errors_to += text;
    }
  }
}

void send_errors_to(std::string* target) {
  const std::lock_guard guard(errors_mutex());
  errors_to = target;
}

}  // namespace

void log_engine() {
  static std::once_flag once;
  std::call_once(once, [] { dds_set_log_sink(on_line, nullptr); });
}

void tell_engine_counts() { engine_lines().tick(); }

void flush_engine_counts() { engine_lines().flush(); }

std::string errors_during(const std::function<void()>& step) {
  static std::mutex one_at_a_time;
  const std::lock_guard guard(one_at_a_time);
  log_engine();
  std::string errors;
  send_errors_to(&errors);
  step();
  send_errors_to(nullptr);
  return errors;
}

}  // namespace ligament::dds
