// SPDX-License-Identifier: Apache-2.0
/// \file The command line that all programs of this benchmark share (README.md), and our floors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace ligament::bench {

enum class Role : std::uint8_t { subscribe, publish, ping, pong, none };
enum class Floor : std::uint8_t { none, memcpy, futex, broadcast, line, lines };
enum class Wait : std::uint8_t {
  poll,
  sleep,
  idle  ///< subscriptions that exist and are never taken from: what they cost the publisher
};

struct Options {
  Role role = Role::none;
  Floor floor = Floor::none;
  Wait wait = Wait::sleep;
  std::string topic = "bench";
  std::size_t bytes = 64;
  std::size_t messages = 1000;
  std::size_t warmup = 100;
  std::size_t subscribers = 1;
  std::size_t readers = 1;  ///< subscriptions in this process; more than one only when idle
  std::size_t index = 0;
  std::int64_t pacing_us = 2000;

  [[nodiscard]] std::size_t total() const { return warmup + messages; }
};

/// A mistake in the command line is explained on stderr and ends the program with 2; --help with 0.
Options parse_options(int argc, char** argv);

}  // namespace ligament::bench
