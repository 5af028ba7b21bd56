// SPDX-License-Identifier: Apache-2.0
/// \file What one end measured, and its one line of JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "options.hpp"
#include "stamp.hpp"

namespace ligament::bench {

/// Time and processor time from the first measured message to the last.
class Span {
 public:
  void begin(std::int64_t now_ns);
  /// With the time of the last message: a subscriber may have waited in vain for more.
  void end(std::int64_t last_ns);
  [[nodiscard]] std::int64_t wall_ns() const { return end_ns_ - begin_ns_; }
  [[nodiscard]] std::int64_t cpu_ns() const { return cpu_ns_; }

 private:
  std::int64_t begin_ns_ = 0;
  std::int64_t end_ns_ = 0;
  std::int64_t begin_cpu_ns_ = 0;
  std::int64_t cpu_ns_ = 0;
};

/// A vector whose pages exist, so that none is touched for the first time between two messages.
std::vector<std::int64_t> make_series(std::size_t count);

/// The ends that receive: notes each message of the measured part.
class Receipts {
 public:
  explicit Receipts(const Options& options);
  /// True when it was the last one of all. One that came late or twice ends the program.
  bool note(const Stamp& stamp, std::int64_t now_ns);
  [[nodiscard]] std::int64_t last_ns() const { return last_ns_; }  ///< 0: none came yet
  void finish() { span_.end(last_ns_); }
  [[nodiscard]] nlohmann::json to_json(const Options& options) const;

 private:
  std::size_t warmup_;
  std::size_t total_;
  std::vector<std::int64_t> latency_ns_;
  std::int64_t last_ns_ = 0;
  std::uint64_t last_sequence_ = 0;
  Span span_;
};

void print_ready();
void print_line(const nlohmann::json& line);

}  // namespace ligament::bench
