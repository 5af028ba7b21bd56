// SPDX-License-Identifier: Apache-2.0
#include "node/rosout.hpp"

#include <algorithm>
#include <array>
#include <ligament/rcl_interfaces/msg/log.hpp>
#include <mutex>

#include "entry_of.hpp"

namespace ligament::detail {

namespace {

using rcl_interfaces::msg::Log;

std::uint8_t number_of(LogLevel level) {
  static constexpr std::array<std::uint8_t, 5> numbers{Log::DEBUG, Log::INFO, Log::WARN, Log::ERROR,
                                                       Log::FATAL};
  return entry_of<LogLevel::fatal>(numbers, level);
}

/// "/rig/eye" -> "rig.eye", as ROS 2 names loggers.
std::string logger_name(std::string_view name) {
  std::string text(name.starts_with('/') ? name.substr(1) : name);
  std::replace(text.begin(), text.end(), '/', '.');
  return text;
}

class Rosout final : public LogSink {
 public:
  explicit Rosout(Node& node) : publisher_(node.create_publisher<Log>("/rosout", RosoutQoS())) {}

  void write(const LogLine& line) override {
    // What goes wrong with sending is a log line too: that one stays on standard error.
    thread_local bool inside = false;
    if (inside) {
      return;
    }
    inside = true;
    Log message;
    message.stamp = Time(line.stamp_ns, ClockType::system);
    message.level = number_of(line.level);
    message.name = logger_name(line.name);
    message.msg = std::string(line.text);
    {
      const std::lock_guard lock(mutex_);
      (void)publisher_->publish(message);
    }
    inside = false;
  }

 private:
  std::mutex mutex_;  ///< any thread may log, a publisher has few loans
  std::shared_ptr<Publisher<Log>> publisher_;
};

}  // namespace

std::shared_ptr<LogSink> make_rosout(Node& node) { return std::make_shared<Rosout>(node); }

}  // namespace ligament::detail
