// SPDX-License-Identifier: Apache-2.0
/// \file The words of the command line: a role, then `--name value` pairs.
#pragma once

#include <cstdint>
#include <string>

namespace bench {

struct Options {
  std::string role;
  std::int64_t bytes = 64;
  std::int64_t messages = 100;
  std::int64_t warmup = 20;
  std::int64_t pacing_us = 5000;
  std::int64_t subscribers = 1;
  std::int64_t depth = 10;
  std::int64_t index = 0;  ///< of a member, among `members`
  std::int64_t members = 1;
  std::int64_t topics = 5;  ///< that a member publishes, and that it subscribes to
};

/// Of the whole command line; ends the program, with a sentence, where it cannot be understood.
[[nodiscard]] Options options_of(int count, char** words);

}  // namespace bench
