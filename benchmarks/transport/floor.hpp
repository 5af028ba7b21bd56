// SPDX-License-Identifier: Apache-2.0
/// \file Floors: what the machine itself charges, without any transport. Each prints the same lines
/// as publisher and subscribers do, all from one program that forks.
///
/// - memcpy: a copy of so many bytes from one hot buffer to another.
/// - futex: one process that sleeps on a word is woken. broadcast: several on one word, one call.
/// - line: one process that spins on a cache line sees it change.
/// - lines: as line, and then reads the message in another line: what every transport has to do
/// that
///   tells by one word where a message lies.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "options.hpp"

namespace ligament::bench {

int copy_floor(const Options& options);
int wake_floor(const Options& options);

/// Memory that a process and its children share. Words of different writers lie two cache lines
/// apart: processors fetch neighbouring lines in pairs.
class FloorPage {
 public:
  /// `turn` counts messages; the time of sending lies beside it, as a stamp lies beside its
  /// payload.
  struct alignas(128) Call {
    std::atomic<std::uint32_t> turn{0};
    std::atomic<std::int64_t> sent_ns{0};
    alignas(128) std::atomic<std::int64_t> apart_ns{0};  ///< the stamp, of the floor lines
  };
  struct alignas(128) Child {
    std::atomic<std::uint32_t> seen{0};
    std::int64_t cpu_ns = 0;
    std::int64_t wall_ns = 0;
  };

  FloorPage(std::size_t children, std::size_t messages);
  FloorPage(const FloorPage&) = delete;
  FloorPage& operator=(const FloorPage&) = delete;
  ~FloorPage();

  [[nodiscard]] Call& call() const { return *call_; }
  [[nodiscard]] Call& answer() const { return *answer_; }
  [[nodiscard]] Child& child(std::size_t index) const { return children_[index]; }
  [[nodiscard]] std::span<Child> children() const { return children_; }
  [[nodiscard]] std::span<std::int64_t> latencies(std::size_t index) const {
    return {latency_ns_ + index * messages_, messages_};
  }

 private:
  std::size_t messages_;
  std::size_t size_;
  void* memory_;
  Call* call_;
  Call* answer_;
  std::span<Child> children_;
  std::int64_t* latency_ns_;
};

/// Until `word` is at least `value`: spinning, or asleep on it.
void await_word(std::atomic<std::uint32_t>& word, std::uint32_t value, Wait wait);
/// Wakes at most so many sleepers.
void wake_sleepers(std::atomic<std::uint32_t>& word, int sleepers);

}  // namespace ligament::bench
