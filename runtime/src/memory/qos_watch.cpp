// SPDX-License-Identifier: Apache-2.0
/// Deadlines and liveliness, in the housekeeping thread. It is woken for them when a policy that is
/// in force needs it, and does not match again then. Section 11 of spec/wire/pool.md.
#include "memory/qos_watch.hpp"

#include "memory/domain.hpp"

namespace ligament::pool {

std::uint64_t DeadlineCount::count(std::int64_t period, std::int64_t newest, std::int64_t now) {
  // Without a writer (none is left, or the one that came has not published) time goes on, too.
  if (newest == 0 && base_ns_ == 0) {
    return 0;
  }
  // A publish after `now` was read lies ahead of it.
  base_ns_ = std::max(base_ns_, std::min(newest, now));
  const std::int64_t missed = (now - base_ns_) / period;
  base_ns_ += missed * period;
  return static_cast<std::uint64_t>(missed);
}

namespace {

using State = Liveliness::State;

std::int64_t time_in(const layout::Word& word) {
  return static_cast<std::int64_t>(word.load(std::memory_order_relaxed));
}

/// Manual-by-topic at the writer's own end.
std::int64_t watch_own(WriterState& writer, Liveliness& own, std::int64_t now) {
  const std::int64_t sign =
      std::max(time_in(writer.shared->active), time_in(writer.shared->asserted));
  if (sign != 0) {
    const bool alive = now - sign < own.lease_ns;
    if (!alive && own.state == State::alive) {
      writer.events.note([](WriterEvents& events) { add(events.liveliness_lost, 1); });
    }
    own.state = alive ? State::alive : State::not_alive;
  }
  return own.due(sign, now);
}

}  // namespace

/// Whoever waits in vain is told; returns when to look again.
std::int64_t DomainState::watch_qos() {
  const std::int64_t now = monotonic_now_ns();
  std::int64_t due = keep_alive(now);
  for (OwnWriter& own : writers_) {
    due = std::min(due, watch_writer(own, now));
  }
  for (OwnReader& own : readers_) {
    due = std::min(due, watch_reader(own, now));
  }
  return due;
}

/// While a reader counts on the lease of one of our automatic writers, it must see that this
/// process runs: three times per lease.
std::int64_t DomainState::keep_alive(std::int64_t now) {
  std::int64_t lease = 0;
  for (const OwnWriter& own : writers_) {
    const QoSProfile& qos = own.state->description.qos;
    if (qos.liveliness == LivelinessPolicy::automatic && qos.liveliness_lease_ns != 0 &&
        !own.matches.empty() && (lease == 0 || qos.liveliness_lease_ns < lease)) {
      lease = qos.liveliness_lease_ns;
    }
  }
  if (lease == 0) {
    return no_deadline;
  }
  directory_.say_alive(now);
  return DeadlineCount::saturating(now, lease / 3);
}

std::int64_t DomainState::watch_writer(OwnWriter& own, std::int64_t now) {
  const QoSProfile& qos = own.state->description.qos;
  std::int64_t due = no_deadline;
  if (qos.deadline_ns != 0) {
    const std::int64_t newest = time_in(own.state->shared->active);
    if (const std::uint64_t missed = own.deadline.count(qos.deadline_ns, newest, now)) {
      own.state->events.note([&](WriterEvents& events) { add(events.deadline_missed, missed); });
    }
    due = own.deadline.due(qos.deadline_ns, now);
  }
  if (qos.liveliness == LivelinessPolicy::manual_by_topic && qos.liveliness_lease_ns != 0) {
    own.liveliness.lease_ns = qos.liveliness_lease_ns;
    due = std::min(due, watch_own(*own.state, own.liveliness, now));
  }
  return due;
}

std::int64_t DomainState::watch_reader(OwnReader& own, std::int64_t now) {
  const std::int64_t period = own.state->description.qos.deadline_ns;
  std::int64_t due = no_deadline;
  std::int64_t newest = 0;
  for (auto& [id, match] : own.matches) {
    if (!match.active || match.closing) {
      continue;
    }
    const layout::WriterSegment& writer = *match.link->shared;
    // Not what it published before we came: `head` is at least where we start. acquire: `active`
    // is written first.
    const bool has_begun = writer.head.load(std::memory_order_acquire) >= match.link->start;
    const std::int64_t published =
        match.liveliness.published.look(writer.active.load(std::memory_order_relaxed), now);
    if (has_begun) {
      newest = std::max(newest, published);
    }
    due = std::min(due, watch_match(own, match, published, now));
  }
  if (period == 0 || (newest == 0 && own.matches.empty() && !own.deadline.has_begun())) {
    return due;
  }
  if (const std::uint64_t missed = own.deadline.count(period, newest, now)) {
    own.state->events.note([&](ReaderEvents& events) { add(events.deadline_missed, missed); });
  }
  return std::min(due, own.deadline.due(period, now));
}

std::int64_t DomainState::watch_match(OwnReader& own, WriterMatch& match, std::int64_t published,
                                      std::int64_t now) {
  Liveliness& lively = match.liveliness;
  if (lively.lease_ns == 0) {
    set_liveliness(own, match, State::alive);
    return no_deadline;
  }
  std::int64_t sign = published;
  if (lively.manual) {
    const auto word = match.link->shared->asserted.load(std::memory_order_relaxed);
    sign = std::max(sign, lively.asserted.look(word, now));
  } else if (const auto peer = peers_.find(match.link->source.process); peer != peers_.end()) {
    sign = std::max(lively.linked_ns, lively.process.look(peer->second->directory->alive(), now));
  }
  if (sign != 0) {
    set_liveliness(own, match, now - sign < lively.lease_ns ? State::alive : State::not_alive);
  }
  return lively.due(sign, now);
}

void DomainState::set_liveliness(OwnReader& own, WriterMatch& match, State state) {
  const State old = std::exchange(match.liveliness.state, state);
  const auto in = [](State one, State other) { return one == other ? 1 : 0; };
  const std::int64_t alive = in(state, State::alive) - in(old, State::alive);
  const std::int64_t not_alive = in(state, State::not_alive) - in(old, State::not_alive);
  if (alive != 0 || not_alive != 0) {
    own.state->events.note(
        [&](ReaderEvents& events) { add(events.liveliness_changed, alive, not_alive); });
  }
}

}  // namespace ligament::pool
