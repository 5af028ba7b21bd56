// SPDX-License-Identifier: Apache-2.0
/// \file What a core does, from the ring that it leaves (spec/device/mcu.md, section 4): its nodes'
/// callbacks and spans, its tasks and interrupts, in this process's trace.
#pragma once

#include <ligament/mcu_trace.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <ligament/device_clock.hpp>
#include <ligament/expected.hpp>
#include <ligament/span.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mcu/core_tracks.hpp"
#include "rpmsg/area.hpp"

namespace ligament::mcu {

/// A node of the image, as traces name it and what it has.
struct TracedNode {
  std::uint64_t node = 0;  ///< its handle
  std::string name;
  std::vector<std::string> inputs;
  std::vector<std::string> timers;
  std::size_t outputs = 0;
  [[nodiscard]] std::uint64_t trace_handle() const { return node; }
};

/// Called by one thread at a time.
class CoreTrace {
 public:
  /// `offset`: of the area in the memory.
  [[nodiscard]] static expected<std::unique_ptr<CoreTrace>, std::string> make(int memory,
                                                                              std::uint64_t offset,
                                                                              const rpmsg::Map& map,
                                                                              std::string device);

  /// Another start of the core: all that was counted begins anew. By their number in the image.
  void reset(std::vector<TracedNode> nodes);
  /// A message was lost on the way: numbers do not say any more which one is meant.
  void distrust() { is_trusted_ = false; }

  /// Asks for the core's clock if it is time to; true: the bell must be rung.
  [[nodiscard]] bool ask(std::int64_t now);
  /// The core's clock was heard twice since its start: its events have times.
  [[nodiscard]] bool has_clock() const { return clock_.has_value(); }
  /// Takes what the core has left.
  void read(std::int64_t now);
  /// The same, for the last time in a life: what has no time, as the core's clock was not heard
  /// twice, counts as lost.
  void read_last(std::int64_t now);
  /// Events that found no room on the core, or made no sense.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

  /// The core was handed the n-th message of an input.
  void handed(std::size_t node, std::size_t input, std::uint32_t number,
              const trace::MessageIdentity& message);
  /// Publishes the n-th message of an output, within the callback that it came from.
  void publish(std::size_t node, std::size_t output, std::uint32_t number,
               const std::function<void()>& publish);

 private:
  /// Memory of the last messages by their number.
  template <typename T>
  class Recent {
   public:
    void put(std::uint32_t number, const T& value) {
      values_[number] = value;
      if (values_.size() > most) {
        values_.erase(values_.begin());
      }
    }
    [[nodiscard]] std::optional<T> get(std::uint32_t number) const {
      const auto found = values_.find(number);
      return found == values_.end() ? std::nullopt : std::optional<T>(found->second);
    }

   private:
    static constexpr std::size_t most = 1024;
    std::map<std::uint32_t, T> values_;
  };
  struct Callback {
    bool runs = false;
    std::string name;
    std::int64_t begin_us = 0;
    trace::MessageIdentity message;
    trace::Category category = trace::Category::compute;
    std::int64_t interval_us = 0;  ///< of a timer: since its call before; 0: not known
  };
  struct Node {
    TracedNode traced;
    std::uint64_t handle = 0;  ///< of its callbacks in traces
    Callback taken;            ///< a message whose function has not been called yet
    Callback callback;
    std::vector<std::int64_t> called_us;  ///< by timer; negative: not known
    std::vector<Recent<trace::MessageIdentity>> inputs;
    std::vector<Recent<trace::MessageIdentity>> causes;  ///< by output
  };
  /// A callback of the core that is over, until the clock is known.
  struct Work {
    std::size_t node = 0;
    Callback callback;
    std::int64_t end_us = 0;
  };

  CoreTrace(std::shared_ptr<ligament_trace_ring_t> ring, std::string device)
      : ring_(std::move(ring)), device_(std::move(device)) {}
  void hear_answer(std::int64_t now);
  void take(const ligament_trace_event_t& event);
  void begin_take(Node& node, const ligament_trace_event_t& event);
  void begin_input(Node& node, const ligament_trace_event_t& event);
  void begin_timer(Node& node, const ligament_trace_event_t& event);
  void end(std::size_t node, Callback& callback, std::int64_t time_us);
  void take_track(const ligament_trace_event_t& event);
  void forget();
  template <typename T>
  void keep(std::deque<T>& queue, T value);
  void tell_all();
  void tell(const Work& work);
  void tell(const TrackSpan& span);

  std::shared_ptr<ligament_trace_ring_t> ring_;
  std::string device_;
  std::vector<Node> nodes_;
  bool is_trusted_ = true;
  std::uint32_t tail_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t told_dropped_ = 0;
  CoreTracks tracks_;
  std::uint32_t asked_ = 0;
  std::int64_t asked_ns_ = 0;
  bool waits_ = false;  ///< for an answer
  std::deque<device::ClockSample> samples_;
  std::optional<device::ClockMapping> clock_;
  std::deque<Work> works_;
  std::deque<TrackSpan> spans_;
};

}  // namespace ligament::mcu
