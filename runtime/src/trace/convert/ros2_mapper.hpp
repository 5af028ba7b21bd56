// SPDX-License-Identifier: Apache-2.0
/// \file Events of ros2_tracing become rows of the event table, one pass, in order of time.
///
/// Kept per thread: what it last took and published, and when its executor last looked for work;
/// per process: its objects, and the messages in its rings. So memory follows the size of the
/// system, not of the recording. Which message a take through the middleware was is left open here
/// (`source_ns` says it); the SQL over the finished table finds it, in any order of hosts.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "trace/convert/ros2_names.hpp"

namespace ligament::trace::ros2 {

/// Events that became no row because something was not known, or was not the nodes' own.
struct Unknowns {
  std::uint64_t middleware_publishes = 0;  ///< of the middleware itself (discovery)
  std::uint64_t middleware_takes = 0;   ///< of the middleware itself, or of unknown subscriptions
  std::uint64_t empty_takes = 0;        ///< nothing was there
  std::uint64_t unnamed_publishes = 0;  ///< by publishers whose start-up event is missing
  std::uint64_t unnamed_callbacks = 0;  ///< starts of callbacks whose owner is not known
  std::uint64_t unknown_rings = 0;      ///< takes from rings that no subscription is known of
};

class Mapper {
 public:
  explicit Mapper(RowWriter& rows) : rows_(rows), names_(rows) {}

  void on_event(const Decoded& event);
  [[nodiscard]] const Unknowns& unknowns() const { return unknowns_; }

 private:
  /// What was taken and not yet given to a callback.
  struct Taken {
    Id subscription = 0;
    Message message;             ///< intra-process
    std::int64_t source_ns = 0;  ///< through the middleware
    std::int64_t rcl_ns = 0;
    bool intra = false;
  };

  /// The message that a thread is publishing, or published last.
  struct Published {
    Message message;
    Address address = 0;
    bool in_rcl = false;
    bool sent = false;
    bool open = false;  ///< sent without a time stamp: its end is told by the thread's next event
  };

  struct Thread {
    std::optional<Taken> taken;
    Published published;
    Address rclcpp_message = 0;
    std::int64_t rclcpp_ns = 0;
    std::int64_t ready_ns = 0;
    std::int64_t execute_ns = 0;
    bool waiting = false;
  };

  bool on_publish(const Decoded& event, Thread& thread);
  bool on_take(const Decoded& event, Thread& thread);
  bool on_ring(const Decoded& event, Thread& thread);
  bool on_executor(const Decoded& event, Thread& thread);
  void begin_publish(const Decoded& event, Thread& thread, Id publisher);
  void rcl_publish(const Decoded& event, Thread& thread);
  void rmw_publish(const Decoded& event, Thread& thread);
  void rmw_take(const Decoded& event, Thread& thread);
  void dequeue(const Decoded& event, Thread& thread);
  void enqueue(const Decoded& event, Thread& thread);
  void callback_start(const Decoded& event, Thread& thread);
  Thread& thread_of(const Decoded& event);
  [[nodiscard]] Id publisher_of(const Decoded& event, Address address, bool count);

  RowWriter& rows_;
  Names names_;
  Unknowns unknowns_;
  std::unordered_map<std::uint64_t, Thread> threads_;
  std::uint32_t last_pid_ = 0;
  std::uint64_t last_place_ = 0;   ///< neighbouring events are often of one thread
  Thread* last_thread_ = nullptr;  ///< elements of the map stay where they are
  std::unordered_map<std::uint64_t, bool> processes_;
  std::unordered_map<Id, std::uint64_t> published_;  ///< messages so far, by publisher
};

}  // namespace ligament::trace::ros2
