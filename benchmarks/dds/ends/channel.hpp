// SPDX-License-Identifier: Apache-2.0
/// \file One end of a topic: what the roles of ligament-bench-dds need of a transport.
#pragma once

#include <cstdint>
#include <cstring>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

namespace ligament::bench_dds {

struct Options {
  std::string role;
  std::string through;  ///< pool, inside, cyclone
  std::string topic;
  std::string pool;  ///< name of the pool, where it goes through one
  std::uint32_t domain_id = 0;
  std::size_t bytes = 64;  ///< of the array in a message
  std::size_t depth = 10;
  std::uint64_t messages = 100;
  std::uint64_t warmup = 10;
  std::int64_t pacing_us = 2000;
  std::size_t subscribers = 1;

  [[nodiscard]] std::uint64_t total() const { return messages + warmup; }
};

/// What each message begins with.
struct Stamp {
  std::uint64_t sequence = 0;
  std::int64_t sent_ns = 0;
};

inline std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// A topic that is sent on, one that is heard, or both.
class Channel {
 public:
  virtual ~Channel() = default;
  /// How many listen now.
  virtual std::size_t listeners() = 0;
  /// Sends a message; returns the time just before the call that publishes, or nothing.
  virtual std::optional<std::int64_t> send(std::uint64_t sequence) = 0;
  /// The next message's stamp, or nothing by the deadline.
  virtual std::optional<Stamp> receive(std::int64_t deadline_ns) = 0;
  /// What the edge of this process says of its topics, as in its status lines; else nothing.
  [[nodiscard]] virtual nlohmann::json edge_topics() const { return nullptr; }
};

/// Through `inside` with an edge in this process; else there is one beside it.
/// \param out  topic to send on, or empty.  \param in  topic to hear, or empty.
std::unique_ptr<Channel> open_pool(const Options& options, const std::string& out,
                                   const std::string& in);
std::unique_ptr<Channel> open_cyclone(const Options& options, const std::string& out,
                                      const std::string& in);

/// Ends the program with a sentence.
[[noreturn]] void fail(const std::string& text);

}  // namespace ligament::bench_dds
