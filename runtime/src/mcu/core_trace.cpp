// SPDX-License-Identifier: Apache-2.0
#include "mcu/core_trace.hpp"

#include <algorithm>
#include <ligament/names.hpp>
#include <ligament/trace.hpp>
#include <limits>
#include <utility>

#include "mcu/core_counts.hpp"

namespace ligament::mcu {

namespace {

constexpr std::size_t most_samples = 64;
constexpr std::size_t few_samples = 6;  // at the start they come more often
constexpr std::int64_t soon_ns = 20'000'000;
constexpr std::int64_t later_ns = 250'000'000;
constexpr std::size_t most_works = 8192;
constexpr std::int64_t us_in_ns = 1000;
constexpr device::ClockRate nominal{.ns_per_tick = us_in_ns, .tolerance = 1e-3};
constexpr std::int64_t latest_us = std::numeric_limits<std::int64_t>::max() / us_in_ns / 2;

}  // namespace

expected<std::unique_ptr<CoreTrace>, std::string> CoreTrace::make(int memory, std::uint64_t begin,
                                                                  const rpmsg::Map& map,
                                                                  std::string device) {
  auto ring = map_ring(memory, begin, map);
  if (!ring) {
    return unexpected<std::string>(ring.error());
  }
  rpmsg::store((*ring)->host.is_on, 1);
  return std::unique_ptr<CoreTrace>(new CoreTrace(std::move(*ring), std::move(device)));
}

void CoreTrace::reset(std::vector<TracedNode> nodes) {
  nodes_.clear();
  for (auto& traced : nodes) {
    Node& node = nodes_.emplace_back();
    node.handle = name_hash(traced.name + " core");
    node.inputs.resize(traced.inputs.size());
    node.called_us.resize(traced.timers.size());
    node.causes.resize(traced.outputs);
    node.traced = std::move(traced);
    trace::timer_init(node.handle, node.traced.node, 0);
  }
  forget();
  is_trusted_ = true;
  tail_ = rpmsg::load(ring_->core.head);  // of another life
  rpmsg::store(ring_->host.tail, tail_);
  samples_.clear();
  clock_.reset();
  works_.clear();
  spans_.clear();
  waits_ = false;
  asked_ns_ = 0;
}

bool CoreTrace::ask(std::int64_t now) {
  const std::int64_t pause = samples_.size() < few_samples ? soon_ns : later_ns;
  if (now - asked_ns_ < pause) {
    return false;
  }
  asked_ns_ = now;
  asked_ += asked_ + 1 == 0 ? 2 : 1;
  waits_ = true;
  rpmsg::store(ring_->host.asked, asked_);
  return true;
}

void CoreTrace::hear_answer(std::int64_t now) {
  if (!waits_ || rpmsg::load(ring_->core.answered) != asked_) {
    return;
  }
  waits_ = false;
  const std::int64_t ticks = rpmsg::load(ring_->core.answer_us);
  if (ticks < 0) {
    return;
  }
  // The answer's microsecond may have begun before the question.
  samples_.push_back({static_cast<std::uint64_t>(ticks), asked_ns_ - us_in_ns, now});
  if (samples_.size() > most_samples) {
    samples_.pop_front();
  }
  const std::vector<device::ClockSample> all(samples_.begin(), samples_.end());
  if (const auto fitted = device::fit_clock(all, nominal)) {
    clock_ = *fitted;
  } else if (samples_.size() > 1) {
    samples_.clear();  // a clock that went back is another one
  }
}

void CoreTrace::read(std::int64_t now) {
  hear_answer(now);
  const std::uint32_t head = rpmsg::load(ring_->core.head);
  if (head - tail_ > LIGAMENT_TRACE_EVENTS) {  // nonsense: begin anew from there
    ++dropped_;
    forget();
    tail_ = head;
  }
  for (; tail_ != head; ++tail_) {
    const ligament_trace_event_t event = ring_->events[tail_ % LIGAMENT_TRACE_EVENTS];
    take(event);
  }
  rpmsg::store(ring_->host.tail, tail_);
  tell_all();
}

void CoreTrace::read_last(std::int64_t now) {
  read(now);
  dropped_ += works_.size() + spans_.size();
  works_.clear();
  spans_.clear();
  tell_all();
}

void CoreTrace::tell_all() {
  for (; clock_ && !works_.empty(); works_.pop_front()) {
    tell(works_.front());
  }
  for (; clock_ && !spans_.empty(); spans_.pop_front()) {
    tell(spans_.front());
  }
  if (dropped_ != told_dropped_) {
    trace::tell_lost(device_, dropped_ - told_dropped_);
    told_dropped_ = dropped_;
  }
}

void CoreTrace::take(const ligament_trace_event_t& event) {
  if (event.kind == LIGAMENT_TRACE_LOST) {
    dropped_ += event.number;
    return forget();
  }
  if (event.kind >= LIGAMENT_TRACE_TASK && event.kind <= LIGAMENT_TRACE_INTERRUPT_END) {
    return take_track(event);
  }
  if (event.node >= nodes_.size() || event.time_us < 0 || event.time_us > latest_us) {
    ++dropped_;
    return;
  }
  Node& node = nodes_[event.node];
  switch (event.kind) {
    case LIGAMENT_TRACE_TAKE:
      return begin_take(node, event);
    case LIGAMENT_TRACE_BEGIN_INPUT:
      return begin_input(node, event);
    case LIGAMENT_TRACE_BEGIN_TIMER:
      return begin_timer(node, event);
    case LIGAMENT_TRACE_END:
      return end(event.node, node.callback, event.time_us);
    case LIGAMENT_TRACE_PUBLISH:
      if (event.port < node.causes.size() && node.callback.runs) {
        node.causes[event.port].put(event.number, node.callback.message);
      }
      return;
    default:
      ++dropped_;
  }
}

void CoreTrace::take_track(const ligament_trace_event_t& event) {
  std::optional<TrackSpan> ended;
  if (!tracks_.take(event, *ring_, ended)) {
    ++dropped_;
  } else if (ended) {
    keep(spans_, *std::move(ended));
  }
}

/// What is open cannot be ended: its end, or another begin, may be among what was lost.
void CoreTrace::forget() {
  tracks_.forget();
  for (Node& node : nodes_) {
    node.taken = node.callback = {};
    std::fill(node.called_us.begin(), node.called_us.end(), -1);
  }
}

void CoreTrace::begin_take(Node& node, const ligament_trace_event_t& event) {
  node.taken = {};
  if (event.port >= node.inputs.size()) {
    ++dropped_;
    return;
  }
  node.taken.runs = true;
  node.taken.name = "take " + node.traced.inputs[event.port];
  node.taken.begin_us = event.time_us;
  node.taken.category = trace::Category::serialise;
  if (is_trusted_) {
    node.taken.message =
        node.inputs[event.port].get(event.number).value_or(trace::MessageIdentity{});
  }
}

/// The message is read: what was its take becomes its function.
void CoreTrace::begin_input(Node& node, const ligament_trace_event_t& event) {
  node.callback = {};
  if (event.port >= node.inputs.size() || !node.taken.runs) {
    ++dropped_;
    return;
  }
  node.callback.runs = true;
  node.callback.name = "on_" + node.traced.inputs[event.port];
  node.callback.begin_us = event.time_us;
  node.callback.message = node.taken.message;
  end(event.node, node.taken, event.time_us);
}

void CoreTrace::begin_timer(Node& node, const ligament_trace_event_t& event) {
  node.callback = {};
  if (event.port >= node.called_us.size()) {
    ++dropped_;
    return;
  }
  std::int64_t& called_us = node.called_us[event.port];
  node.callback.runs = true;
  node.callback.name = "on_" + node.traced.timers[event.port];
  node.callback.begin_us = event.time_us;
  node.callback.interval_us = called_us < 0 ? 0 : event.time_us - called_us;
  called_us = event.time_us;
}

void CoreTrace::end(std::size_t node, Callback& callback, std::int64_t time_us) {
  Callback ended = std::exchange(callback, {});
  if (!ended.runs || time_us < ended.begin_us) {
    ++dropped_;
    return;
  }
  keep(works_, Work{node, std::move(ended), time_us});
}

template <typename T>
void CoreTrace::keep(std::deque<T>& queue, T value) {
  queue.push_back(std::move(value));
  if (queue.size() > most_works) {
    queue.pop_front();
    ++dropped_;
  }
}

void CoreTrace::tell(const Work& work) {
  const auto begin = clock_->to_host(static_cast<std::uint64_t>(work.callback.begin_us));
  const auto end = clock_->to_host(static_cast<std::uint64_t>(work.end_us));
  trace::tell_device_work(nodes_[work.node].traced,
                          {.device = device_,
                           .name = work.callback.name,
                           .category = work.callback.category,
                           .base = trace::TimeBase::device,
                           .begin_ns = begin.ns,
                           .end_ns = end.ns,
                           .bound_ns = std::max(begin.bound_ns, end.bound_ns) + us_in_ns,
                           .interval_ns = work.callback.interval_us * us_in_ns},
                          work.callback.message);
}

void CoreTrace::tell(const TrackSpan& span) {
  const auto begin = clock_->to_host(static_cast<std::uint64_t>(span.begin_us));
  const auto end = clock_->to_host(static_cast<std::uint64_t>(span.end_us));
  trace::tell_track({.device = device_,
                     .kind = span.kind,
                     .name = span.name,
                     .begin_ns = begin.ns,
                     .end_ns = end.ns,
                     .bound_ns = std::max(begin.bound_ns, end.bound_ns) + us_in_ns});
}

void CoreTrace::handed(std::size_t node, std::size_t input, std::uint32_t number,
                       const trace::MessageIdentity& message) {
  if (node < nodes_.size()) {
    nodes_[node].inputs.at(input).put(number, message);
  }
}

void CoreTrace::publish(std::size_t node, std::size_t output, std::uint32_t number,
                        const std::function<void()>& publish) {
  if (node >= nodes_.size()) {
    return publish();
  }
  const auto cause = is_trusted_ ? nodes_[node].causes.at(output).get(number) : std::nullopt;
  const trace::MessageIdentity message = cause.value_or(trace::MessageIdentity{});
  trace::callback_start(nodes_[node].handle, message.publisher, message.sequence);
  publish();
  trace::callback_end(nodes_[node].handle);
}

}  // namespace ligament::mcu
