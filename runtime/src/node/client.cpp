// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ligament/client.hpp>
#include <optional>
#include <thread>

#include "node/context_state.hpp"
#include "node/node_state.hpp"
#include "node/saturating.hpp"

namespace ligament {
namespace detail {

std::int64_t PendingRequests::enter(std::int64_t limit) {
  const std::int64_t now = pool::monotonic_now_ns();
  bool earlier = false;
  std::int64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    number = ++last_number_;
    const Times times{now, limit <= 0 ? pool::no_deadline : later(now, limit)};
    waiting_.emplace(number, times);
    earlier = times.limit_ns < next_limit_ns();
    if (earlier) {
      next_limit_ns_.store(times.limit_ns, std::memory_order_relaxed);
    }
  }
  if (earlier && node->context != nullptr) {
    node->context->wake();  // it may sleep for longer than that
  }
  return number;
}

bool PendingRequests::leave(std::int64_t number) {
  const std::lock_guard lock(mutex_);
  const bool waited = waiting_.erase(number) != 0;
  set_next_limit();
  return waited;
}

/// Under mutex_. A limit that has become too early costs one look of the executor.
void PendingRequests::set_next_limit() {
  if (waiting_.empty()) {
    next_limit_ns_.store(pool::no_deadline, std::memory_order_relaxed);
  }
}

bool PendingRequests::expects(const pool::SampleInfo& info) {
  if (info.request.client != gid && info.request != pool::RequestIdentity{}) {
    return false;  // another client's
  }
  {
    const std::lock_guard lock(mutex_);
    if (info.request.client == gid && waiting_.contains(info.request.sequence)) {
      return true;
    }
  }
  strayed.fetch_add(1, std::memory_order_relaxed);
  return false;
}

void PendingRequests::finish_all(const Numbers& numbers) {
  for (const std::int64_t number : numbers) {
    finish_without(number);
  }
}

bool PendingRequests::give_up_late(std::int64_t now_ns) {
  if (now_ns < next_limit_ns()) {
    return false;
  }
  Numbers late;
  {
    const std::lock_guard lock(mutex_);
    std::int64_t next = pool::no_deadline;
    for (auto at = waiting_.begin(); at != waiting_.end();) {
      if (at->second.limit_ns <= now_ns) {
        late.push_back(at->first);
        at = waiting_.erase(at);
      } else {
        next = std::min(next, at->second.limit_ns);
        ++at;
      }
    }
    next_limit_ns_.store(next, std::memory_order_relaxed);
  }
  timeouts.fetch_add(late.size(), std::memory_order_relaxed);
  finish_all(late);
  return !late.empty();
}

std::size_t PendingRequests::give_up_sent_before(std::int64_t before_ns,
                                                 std::vector<std::int64_t>* which) {
  Numbers old;
  {
    const std::lock_guard lock(mutex_);
    for (auto at = waiting_.begin(); at != waiting_.end();) {
      if (at->second.sent_ns < before_ns) {
        old.push_back(at->first);
        at = waiting_.erase(at);
      } else {
        ++at;
      }
    }
    set_next_limit();
  }
  timeouts.fetch_add(old.size(), std::memory_order_relaxed);
  finish_all(old);
  if (which != nullptr) {
    *which = old;
  }
  return old.size();
}

bool PendingRequests::give_up(std::int64_t number) {
  if (!leave(number)) {
    return false;
  }
  finish_without(number);
  return true;
}

std::size_t PendingRequests::give_up_all() {
  Numbers all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, times] : waiting_) {
      all.push_back(number);
    }
    waiting_.clear();
    set_next_limit();
  }
  finish_all(all);
  return all.size();
}

std::size_t PendingRequests::count() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

void run_as_callback(NodeState& node, std::uint64_t subscription, std::uint64_t publisher,
                     std::uint64_t sequence, const std::function<void()>& callback) {
  const CallbackScope scope(node, subscription, publisher, sequence);
  callback();
}

}  // namespace detail

ClientBase::ClientBase(std::shared_ptr<detail::PendingRequests> pending,
                       std::shared_ptr<SubscriptionBase> replies,
                       std::shared_ptr<PublisherBase> requests)
    : pending_(std::move(pending)), replies_(std::move(replies)), requests_(std::move(requests)) {
  requests_->set_meanwhile(
      [weak_pending = std::weak_ptr(pending_), weak_replies = std::weak_ptr(replies_)] {
        const auto waiting = weak_pending.lock();
        const auto incoming = weak_replies.lock();
        if (waiting != nullptr && incoming != nullptr) {
          take_meanwhile(*waiting, *incoming);
        }
      });
}

/// A request waits for room at the server, which may wait for room for its replies to us: those are
/// taken here, unless another thread does so anyway.
void ClientBase::take_meanwhile(detail::PendingRequests& pending, SubscriptionBase& replies) {
  const detail::NodeState& node = *pending.node;
  const bool has_executor = node.has_executor.load(std::memory_order_relaxed);
  if (has_executor && !detail::is_only_bringer(node, replies.callback_group().get())) {
    return;
  }
  std::optional<pool::HeldSample> sample;
  while (replies.take_one(sample) == SubscriptionBase::Outcome::ran) {
    if (sample) {
      replies.note_taken(*sample);
      if (const auto parked = pending.park(std::move(*sample)); !parked) {
        replies.note_invalid(parked.error());
      }
      sample.reset();
    }
  }
}

ClientBase::~ClientBase() = default;

/// A server makes its reply end first, and so does a client; an end is linked here only after its
/// other side has linked us. So with one server both counts say that the way back exists too.
bool ClientBase::service_is_ready() const {
  return requests_->get_subscription_count() != 0 && replies_->get_publisher_count() != 0;
}

bool ClientBase::wait_for_service(std::chrono::nanoseconds timeout) const {
  const auto& context = pending_->node->context;
  const std::int64_t end = timeout.count() < 0
                               ? pool::no_deadline
                               : detail::later(pool::monotonic_now_ns(), timeout.count());
  while (!service_is_ready()) {
    if (!is_open() || context == nullptr || !context->is_valid() ||
        pool::monotonic_now_ns() >= end) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

void ClientBase::set_request_time_limit(std::chrono::nanoseconds limit) {
  pending_->time_limit_ns.store(std::max<std::int64_t>(0, limit.count()),
                                std::memory_order_relaxed);
}

std::size_t ClientBase::prune_requests_older_than(std::chrono::steady_clock::time_point time,
                                                  std::vector<std::int64_t>* pruned) {
  // The steady clock of the C++ library is CLOCK_MONOTONIC on Linux.
  const auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch());
  return pending_->give_up_sent_before(since.count(), pruned);
}

bool ClientBase::give_up_late_requests() {
  const std::shared_ptr<detail::PendingRequests> pending = pending_;  // a callback may drop us
  const bool ran = pending->has_parked() && pending->run_parked(replies_->id());
  if (pending->next_limit_ns() == pool::no_deadline) {
    return ran;
  }
  const std::int64_t now = pool::monotonic_now_ns();
  if (now < pending->next_limit_ns()) {
    return ran;
  }
  const std::shared_ptr<detail::NodeState> node = pending->node;
  const detail::CallbackScope scope(*node, 0, 0, 0);
  return pending->give_up_late(now) || ran;
}

ClientStatistics ClientBase::statistics() const {
  const auto out = requests_->statistics();
  ClientStatistics statistics;
  statistics.requests = pending_->sent.load(std::memory_order_relaxed);
  statistics.replies = pending_->replies.load(std::memory_order_relaxed);
  statistics.failed = out.loans_failed;
  statistics.strayed = pending_->strayed.load(std::memory_order_relaxed);
  statistics.invalid = replies_->statistics().invalid;
  statistics.timeouts = pending_->timeouts.load(std::memory_order_relaxed);
  statistics.pending = pending_->count();
  statistics.stalled = out.stalled;
  return statistics;
}

}  // namespace ligament
