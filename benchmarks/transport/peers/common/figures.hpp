// SPDX-License-Identifier: Apache-2.0
// What a program measures, and its one line of JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "message.hpp"
#include "options.hpp"

namespace peer {

// Wall and processor time between the first and the last measured message.
class Span {
 public:
  void mark();
  [[nodiscard]] bool begun() const { return begun_; }
  [[nodiscard]] std::string json() const;

 private:
  struct Clocks {
    std::int64_t wall = 0;
    std::int64_t cpu = 0;
  };
  bool begun_ = false;
  Clocks first_;
  Clocks last_;
};

class Received {
 public:
  explicit Received(const Options& options);
  // True when this was the last message.
  bool add(const Message& message);
  // Nothing came for a while. If the last message was lost, the span ends here and not three
  // seconds later.
  void pause();
  [[nodiscard]] bool any() const { return newest_ > 0; }
  [[nodiscard]] std::string json(const std::string& role) const;

 private:
  std::uint64_t index_;
  std::uint64_t warmup_;
  std::uint64_t measured_;
  std::uint64_t torn_ = 0;
  std::uint64_t disorder_ = 0;
  std::uint64_t newest_ = 0;
  bool idle_ = true;
  Span span_;
  std::vector<std::int64_t> latency_ns_;
};

class Sent {
 public:
  explicit Sent(const Options& options);
  void mark() { span_.mark(); }
  void add(const std::optional<Published>& published);
  [[nodiscard]] std::string json() const;

 private:
  std::uint64_t failed_ = 0;
  Span span_;
  std::vector<std::int64_t> publish_ns_;
  std::vector<std::int64_t> loan_publish_ns_;
};

class Rounds {
 public:
  explicit Rounds(const Options& options);
  void mark() { span_.mark(); }
  void add(const std::optional<std::int64_t>& round_trip_ns);
  [[nodiscard]] std::string json() const;

 private:
  std::uint64_t lost_ = 0;
  Span span_;
  std::vector<std::int64_t> round_trip_ns_;
};

}  // namespace peer
