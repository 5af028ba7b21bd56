// SPDX-License-Identifier: Apache-2.0
/// \file What both measurements need: a board on a UDP socket, and its messages.
#pragma once

extern "C" {
#include "ligament/xrce.h"
#include "posix.h"
}

#include <array>
#include <cstdint>
#include <ctime>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <vector>

namespace ligament::bench {

struct Settings {
  int domain = 87;  ///< of ROS; nobody else shall be in it
  unsigned samples = 1;
  unsigned bytes = 64;
  unsigned passes = 50;
  unsigned spin_us = 0;  ///< of the agent
};

inline constexpr const char* topic = "/bench";
inline constexpr const char* type = "std_msgs::msg::dds_::String_";

inline std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// A client with one best-effort publisher.
class Board {
 public:
  explicit Board(std::uint16_t port) {
    check(ligament_posix_udp(&link_, "127.0.0.1", port));
    auto options = ligament_session_defaults(ligament_posix_port(&link_), 0xBE9C4);
    options.memory = memory_.data();
    options.answer_ms = 5000;
    check(ligament_session_open(&session_, &options));
    check(ligament_node_create(&node_, &session_, "/bench_board"));
    check(
        ligament_publisher_create(&publisher_, &node_, topic, type, ligament_qos_best_effort(100)));
    check(ligament_session_flush(&session_, 5000));
  }
  ~Board() { ligament_posix_close(&link_); }
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  [[nodiscard]] int fd() const { return link_.fd; }
  /// A datagram with so many samples, each of so many bytes, as a board that gathers sends it.
  [[nodiscard]] std::vector<std::uint8_t> datagram(unsigned samples, unsigned bytes) {
    const auto sequence = session_.best_effort_next++;
    std::vector<std::uint8_t> message{session_.id, 1, static_cast<std::uint8_t>(sequence),
                                      static_cast<std::uint8_t>(sequence >> 8U)};
    const auto object = static_cast<std::uint16_t>(publisher_.entity.number << 4U | 5U);
    const unsigned size = 4 + bytes;
    for (unsigned i = 0; i < samples; ++i) {
      const std::array<std::uint8_t, 8> head{
          7, 1,  static_cast<std::uint8_t>(size),         static_cast<std::uint8_t>(size >> 8U),
          0, 20, static_cast<std::uint8_t>(object >> 8U), static_cast<std::uint8_t>(object)};
      message.insert(message.end(), head.begin(), head.end());
      message.resize(message.size() + bytes, 7);
    }
    return message;
  }

 private:
  static void check(int result) {
    if (result < 0) {
      throw std::runtime_error("the board: error " + std::to_string(result));
    }
  }
  std::vector<std::uint8_t> memory_ = std::vector<std::uint8_t>(LIGAMENT_MEMORY_SIZE(512, 8, 4));
  ligament_posix_t link_{};
  ligament_session_t session_{};
  ligament_node_t node_{};
  ligament_publisher_t publisher_{};
};

/// Nanoseconds per datagram, of each pass.
[[nodiscard]] nlohmann::json measure_drain(const Settings& settings);
/// Nanoseconds from the board's send to the reader, of each sample.
[[nodiscard]] nlohmann::json measure_latency(const Settings& settings);

}  // namespace ligament::bench
