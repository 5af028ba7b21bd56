// SPDX-License-Identifier: Apache-2.0
/// \file Writes chunks in a thread of its own, so that samples are taken while the disk is busy.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "record/mcap_writer.hpp"

namespace ligament::record {

class BackgroundWriter {
 public:
  explicit BackgroundWriter(std::unique_ptr<McapWriter> writer);
  ~BackgroundWriter();
  BackgroundWriter(const BackgroundWriter&) = delete;
  BackgroundWriter& operator=(const BackgroundWriter&) = delete;

  /// Never waits: ask `has_room` before. Returns an empty one to go on with.
  [[nodiscard]] Chunk push(Chunk&& chunk);
  /// What is copied and waits is bounded. (What is held is bounded by what a reader may hold.)
  [[nodiscard]] bool has_room() const;
  void wait_for_room(std::int64_t at_most_ns);
  /// Why nothing is written any more; empty: all is well.
  [[nodiscard]] std::string failure() const;
  [[nodiscard]] std::uint64_t bytes_written() const;
  /// Waits until all has been written, and ends the thread.
  [[nodiscard]] McapWriter& close();

 private:
  void run();
  [[nodiscard]] bool has_room_now() const { return waiting_bytes_ < most_waiting; }
  static constexpr std::size_t most_waiting = std::size_t{256} << 20;

  std::unique_ptr<McapWriter> writer_;
  mutable std::mutex mutex_;  ///< guards all below but the thread
  std::condition_variable changed_;
  std::deque<Chunk> chunks_;
  std::vector<Chunk> spare_;
  std::size_t waiting_bytes_ = 0;  ///< with the chunk that is being written
  std::uint64_t bytes_written_ = 0;
  std::string failure_;
  bool is_closing_ = false;
  std::thread thread_;
};

}  // namespace ligament::record
