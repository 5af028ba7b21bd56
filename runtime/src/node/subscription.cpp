// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ligament/subscription.hpp>

#include "ligament/detail/relayed.hpp"
#include "node/event_info.hpp"
#include "node/hand_over.hpp"
#include "node/subscription_state.hpp"
#include "trace/ros2_names.hpp"

namespace ligament {

SubscriptionBase::SubscriptionBase(detail::SubscriptionParts parts)
    : state_(std::make_unique<detail::SubscriptionState>()) {
  trace::ros2::tell_subscription(parts, this);
  state_->node = std::move(parts.node);
  state_->topic = std::move(parts.topic);
  state_->qos = parts.qos;
  state_->reader = std::move(parts.reader);
  const auto& calls = parts.events;
  state_->wants_events = calls.deadline_callback || calls.liveliness_callback ||
                         calls.incompatible_qos_callback || calls.message_lost_callback ||
                         calls.incompatible_type_callback || calls.matched_callback;
  state_->events = std::move(parts.events);
  state_->selective = parts.selective;
  state_->ignores_own = parts.ignores_own;
  state_->mode = parts.mode;
  state_->group = std::move(parts.group);
}

SubscriptionBase::~SubscriptionBase() = default;

const std::string& SubscriptionBase::get_topic_name() const { return state_->topic; }
const QoSProfile& SubscriptionBase::get_actual_qos() const { return state_->qos; }
bool SubscriptionBase::is_open() const { return state_->reader != nullptr; }
const detail::NodeState& SubscriptionBase::node() const { return *state_->node; }

bool SubscriptionBase::is_wanted(const pool::SampleInfo& /*info*/) { return true; }

std::size_t SubscriptionBase::get_publisher_count() const {
  return is_open() ? state_->reader->matched_writers() : 0;
}

const std::shared_ptr<CallbackGroup>& SubscriptionBase::callback_group() const {
  return state_->group;
}

bool SubscriptionBase::is_ready() const { return is_open() && state_->reader->is_ready(); }

std::uint64_t SubscriptionBase::id() const { return is_open() ? state_->reader->id() : 0; }

SubscriptionStatistics SubscriptionBase::statistics() const {
  SubscriptionStatistics statistics;
  if (is_open()) {
    const auto figures = state_->reader->stats();
    statistics.taken = figures.taken;
    statistics.bytes = figures.bytes;
    statistics.lost = figures.lost;
    statistics.expired = figures.expired;
    statistics.deadline_missed = figures.deadline_missed;
    statistics.history = figures.history_granted;
  }
  statistics.invalid = state_->invalid.load(std::memory_order_relaxed);
  statistics.refused = state_->refused.load(std::memory_order_relaxed);
  statistics.foreign = state_->foreign.load(std::memory_order_relaxed);
  statistics.copies = state_->copies.load(std::memory_order_relaxed);
  statistics.bytes_copied = state_->bytes_copied.load(std::memory_order_relaxed);
  return statistics;
}

void SubscriptionBase::count_copy(std::size_t bytes) {
  state_->copies.fetch_add(1, std::memory_order_relaxed);
  state_->bytes_copied.fetch_add(bytes, std::memory_order_relaxed);
}

bool SubscriptionBase::copies(const pool::SampleInfo& info) {
  switch (state_->mode) {
    case TopicMode::shared:
      return false;
    case TopicMode::copied:
      return true;
    case TopicMode::handed_over:
      return !detail::HandOver::of_process().claim(info.publisher, info.sequence);
  }
  return false;
}

void SubscriptionBase::tell_callback(const std::type_info& type) const {
  if (!is_open()) {
    return;
  }
  if (state_->selective) {
    trace::ros2::tell_service_callback({id(), type});
  } else {
    trace::ros2::tell_subscription_callback({id(), type}, this);
  }
}

namespace {

void report_held_back(detail::SubscriptionState& state) {
  if (state.refused.fetch_add(1, std::memory_order_relaxed) == 0) {
    state.node->report(NodeErrorKind::run,
                       "the subscription on '" + state.topic + "' of node '" + state.node->id +
                           "' holds " + std::to_string(state.qos.max_held) +
                           " samples, all that its max_held allows: messages wait until one is "
                           "released (raise max_held in its QoS to keep more)");
  }
}

void report_invalid(detail::SubscriptionState& state, CodecError error) {
  if (state.invalid.fetch_add(1, std::memory_order_relaxed) == 0) {
    state.node->report(
        NodeErrorKind::run,
        "the subscription on '" + state.topic + "' of node '" + state.node->id +
            "' dropped a message that is not well formed: " + std::string(to_string(error)));
  }
}

bool is_of_own_node(const detail::SubscriptionState& state, std::uint64_t publisher) {
  const auto all = detail::alive(state.node->mutex, state.node->publishers);
  return std::any_of(all.begin(), all.end(),
                     [publisher](const auto& one) { return one->id() == publisher; });
}

bool is_foreign(const detail::SubscriptionState& state, std::uint64_t publisher) {
  return state.mode == TopicMode::handed_over && state.node->context != nullptr &&
         !detail::HandOver::of_process().is_own(*state.node->context->domain(), publisher);
}

void report_foreign(detail::SubscriptionState& state) {
  if (state.foreign.fetch_add(1, std::memory_order_relaxed) == 0) {
    state.node->report(
        NodeErrorKind::run,
        "the subscription on '" + state.topic + "' of node '" + state.node->id +
            "' dropped a message of another process: the topic's mode is handed_over (ROS-ZC), "
            "which hands a message over within one process; put its ends into one container, or "
            "choose the mode shared or copied");
  }
}

/// The ends of services are no topics in traces of ROS 2.
void tell_taken(const detail::SubscriptionState& state, const pool::HeldSample& sample) {
  if (trace::ros2::enabled() && !state.selective) {
    trace::ros2::rmw_take(trace::ros2::handle(state.reader->id()),
                          trace::ros2::handle(sample.payload().data()),
                          sample.info().source_timestamp_ns, 1);
  }
}

/// Of the own node where the author does not want those, or foreign to the topic's mode.
bool is_passed_over(detail::SubscriptionState& state, std::uint64_t publisher) {
  if (state.ignores_own && is_of_own_node(state, publisher)) {
    return true;
  }
  if (is_foreign(state, publisher)) {
    report_foreign(state);
    return true;
  }
  return false;
}

void tell_chosen(const detail::SubscriptionState& state, const pool::HeldSample& sample) {
  const pool::SampleInfo& info = sample.info();
  const std::uint64_t reader = state.reader->id();
  if (pool::is_relayed(info)) {
    trace::relayed(reader, info.publisher, info.sequence, info.source_timestamp_ns);
  }
  trace::take(reader, info.publisher, info.sequence);
  if (!state.selective) {
    trace::ros2::rclcpp_take(trace::ros2::handle(sample.payload().data()));
  }
}

}  // namespace

bool SubscriptionBase::has_events() const {
  return state_->wants_events && state_->reader != nullptr && state_->reader->has_events();
}

bool SubscriptionBase::run_events() {
  if (!has_events()) {
    return false;
  }
  const pool::ReaderEvents news = state_->reader->take_events();
  const std::shared_ptr<detail::NodeState> node = state_->node;
  const detail::CallbackScope scope(*node, 0, 0, 0);
  const SubscriptionEventCallbacks& calls = state_->events;
  detail::run_event(calls.deadline_callback, news.deadline_missed);
  detail::run_event(calls.liveliness_callback, news.liveliness_changed);
  detail::run_event(calls.incompatible_qos_callback, news.incompatible_qos);
  detail::run_event(calls.message_lost_callback, news.message_lost);
  detail::run_event(calls.incompatible_type_callback, news.incompatible_type);
  detail::run_event(calls.matched_callback, news.matched);
  return true;
}

SubscriptionBase::Outcome SubscriptionBase::run_one() {
  std::optional<pool::HeldSample> sample;
  const Outcome outcome = take_one(sample);
  if (sample) {
    run_taken(std::move(*sample));
  }
  return outcome;
}

SubscriptionBase::Outcome SubscriptionBase::take_one(std::optional<pool::HeldSample>& chosen) {
  detail::SubscriptionState& state = *state_;
  if (state.reader == nullptr) {
    return Outcome::nothing;
  }
  const auto turn = state.selective ? std::unique_lock(state.turn) : std::unique_lock<std::mutex>();
  // Asked before the take, because the event is emitted before it; nobody else takes meanwhile.
  if (trace::ros2::enabled() && state.reader->has_data()) {
    trace::ros2::rclcpp_executor_execute(trace::ros2::handle(state.reader->id()));
  }
  auto taken = state.reader->take();
  if (!taken) {
    report_held_back(state);
    return Outcome::held_back;
  }
  if (!taken->has_value()) {
    return Outcome::nothing;
  }
  pool::HeldSample sample = std::move(**taken);
  tell_taken(state, sample);
  const pool::SampleInfo& info = sample.info();  // until the sample is delivered
  // Before the choice: what is passed over has come, and is no gap.
  if (const auto missing = state.gaps.missing_before(info.publisher, info.sequence); missing != 0) {
    trace::drop(state.reader->id(), info.publisher, missing);
  }
  if (state.selective && !is_wanted(info)) {
    return Outcome::ran;
  }
  if (is_passed_over(state, info.publisher)) {
    return Outcome::ran;
  }
  chosen.emplace(std::move(sample));
  return Outcome::ran;
}

void SubscriptionBase::note_taken(const pool::HeldSample& sample) { tell_chosen(*state_, sample); }

void SubscriptionBase::note_invalid(CodecError error) { report_invalid(*state_, error); }

void SubscriptionBase::count_invalid(std::uint64_t count) {
  state_->invalid.fetch_add(count, std::memory_order_relaxed);
}

void SubscriptionBase::run_taken(pool::HeldSample&& sample) {
  detail::SubscriptionState& state = *state_;
  tell_chosen(state, sample);
  const pool::SampleInfo& info = sample.info();  // until the sample is delivered
  // Copied: the callback may destroy this subscription, but the scope's end needs the node.
  const std::shared_ptr<detail::NodeState> node = state.node;
  const detail::CallbackScope scope(*node, state.reader->id(), info.publisher, info.sequence);
  state.ages.add(scope.began_ns() - info.monotonic_ns,
                 state.group->type() == CallbackGroupType::reentrant);
  if (auto delivered = deliver(std::move(sample)); !delivered) {
    report_invalid(state, delivered.error());
  }
}

}  // namespace ligament
