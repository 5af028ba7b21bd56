// SPDX-License-Identifier: Apache-2.0
// The command line that all programs of the transport benchmark share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace peer {

enum class Role { subscribe, publish, ping, pong };
enum class Wait { poll, sleep };

struct Options {
  Role role = Role::subscribe;
  Wait wait = Wait::sleep;
  std::string topic;
  std::string variant;
  std::size_t bytes = 64;
  std::uint64_t messages = 1000;
  std::uint64_t warmup = 100;
  std::uint64_t index = 0;
  std::size_t subscribers = 1;
  std::uint64_t pacing_us = 2000;
};

// A message carries two sequence numbers and one time stamp.
inline constexpr std::size_t kSmallest = 24;

// Throws std::invalid_argument with a sentence.
[[nodiscard]] Options parse(int argc, char** argv);

[[nodiscard]] std::string usage(const std::string& program);

}  // namespace peer
