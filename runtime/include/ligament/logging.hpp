// SPDX-License-Identifier: Apache-2.0
/// \file Log lines of a node, written to standard error.
///
///   LIGAMENT_INFO(get_logger(), "{} images, the last with mean {:.1f}", count, mean);
///
/// Formats are {fmt}'s. The level is chosen by who must act: error: the graph's owner, now; warn:
/// the owner, some day; info: whoever asks what happened; debug: the node's author. A line below
/// the level costs a load and a branch; its arguments are not evaluated.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <ligament/expected.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace ligament {

enum class LogLevel : std::uint8_t { debug, info, warn, error, fatal };

/// `debug`, `info`, `warn`, `error` or `fatal`.
[[nodiscard]] std::string_view to_string(LogLevel level);

/// Lines below this level are not written. One level per process; `info` at first.
void set_log_level(LogLevel level);
[[nodiscard]] LogLevel log_level();

/// One line as it is written.
struct LogLine {
  LogLevel level = LogLevel::info;
  std::int64_t stamp_ns = 0;  ///< real time
  std::string_view name;      ///< of the logger
  std::string_view text;
};

/// Gets each line of a logger, besides standard error, on the thread that writes it.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void write(const LogLine& line) = 0;
};

/// Writes lines in the name of one node.
class Logger {
 public:
  explicit Logger(std::string name, std::weak_ptr<LogSink> sink = {})
      : name_(std::move(name)), sink_(std::move(sink)) {}

  [[nodiscard]] const std::string& get_name() const { return name_; }
  [[nodiscard]] Logger get_child(const std::string& suffix) const {
    return Logger(name_ + "." + suffix, sink_);
  }
  [[nodiscard]] bool is_enabled(LogLevel level) const { return level >= log_level(); }
  /// One line, in one write.
  void write(LogLevel level, std::string_view text) const;

 private:
  std::string name_;
  std::weak_ptr<LogSink> sink_;
};

/// A logger that belongs to no node.
[[nodiscard]] inline Logger get_logger(std::string name) { return Logger(std::move(name)); }

}  // namespace ligament

#define LIGAMENT_LOG(level, logger, ...)                        \
  do {                                                          \
    const auto& ligament_logger = (logger);                     \
    if (ligament_logger.is_enabled(level)) {                    \
      ligament_logger.write(level, ::fmt::format(__VA_ARGS__)); \
    }                                                           \
  } while (false)

#define LIGAMENT_DEBUG(logger, ...) LIGAMENT_LOG(::ligament::LogLevel::debug, logger, __VA_ARGS__)
#define LIGAMENT_INFO(logger, ...) LIGAMENT_LOG(::ligament::LogLevel::info, logger, __VA_ARGS__)
#define LIGAMENT_WARN(logger, ...) LIGAMENT_LOG(::ligament::LogLevel::warn, logger, __VA_ARGS__)
#define LIGAMENT_ERROR(logger, ...) LIGAMENT_LOG(::ligament::LogLevel::error, logger, __VA_ARGS__)
#define LIGAMENT_FATAL(logger, ...) LIGAMENT_LOG(::ligament::LogLevel::fatal, logger, __VA_ARGS__)
