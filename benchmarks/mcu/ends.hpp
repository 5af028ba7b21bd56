// SPDX-License-Identifier: Apache-2.0
/// \file What the ends of `ligament bench mcu` have in common: options, texts, results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

struct Rounds {
  std::size_t bytes = 16;  ///< of ASCII
  std::size_t messages = 1000;
  std::size_t warmup = 20;
};

struct PingOptions : Rounds {
  std::string domain = "ros.0";
  std::string type_hash;      ///< of std_msgs/msg/String, 64 digits
  std::int64_t pause_ns = 0;  ///< after each answer
  bool is_one_way = false;    ///< answers begin with the core's clock; at least 16 bytes
};
struct WatchOptions {
  std::string domain = "ros.0";
  std::string topic;
  std::string type;
  std::string type_hash;  ///< of the type
  std::size_t messages = 1;
};
struct LinkOptions : Rounds {
  std::string memory;
  std::string bell;
  bool is_raw = false;
};
struct StreamOptions {
  std::string memory;
  std::string bell;
  std::int64_t sleep_us = 0;  ///< between two looks; 0: until something comes
};
struct LineOptions {
  std::uint32_t baud = 115200;
};

/// A text whose letters are another's for each message: an old answer is no answer.
[[nodiscard]] std::string text_of(std::size_t bytes, std::size_t message);
/// Prints the round trips as one line of JSON.
void print_round_trips(const std::vector<std::int64_t>& round_trip_ns);
/// Ends the program with a sentence.
[[noreturn]] void fail(const std::string& text);

/// A node behind the agent: texts on /ping, their answers on /pong, through the pool. One way: how
/// long each way took, by the core's clock, and how wrong that may be.
void ping(const PingOptions& options);
/// Prints messages of a topic as they are stored, a line of base 16 each.
void watch(const WatchOptions& options);
/// The link alone: no agent, no client.
void measure_link(const LinkOptions& options);
/// A core's messages as a stream of bytes on a pseudo terminal. Until a signal ends it.
void run_stream(const StreamOptions& options);
/// A serial line between two pseudo terminals, as slow as its rate. Until a signal ends it.
void run_line(const LineOptions& options);

/// How long an answer is waited for before a run has failed.
inline constexpr std::int64_t patience_ns = 60'000'000'000;

}  // namespace bench
