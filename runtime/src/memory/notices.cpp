// SPDX-License-Identifier: Apache-2.0
/// Notices: what a look finds that others changed, and who hears of what we changed
/// (spec/wire/pool.md, section 8).
#include <algorithm>
#include <memory>
#include <utility>

#include "memory/crash_point.hpp"
#include "memory/domain.hpp"

namespace ligament::pool {

namespace {

// Between two notices to those who watch the whole domain.
constexpr std::int64_t graph_rest_per_peer_ns = 500'000;
constexpr std::int64_t longest_graph_rest_ns = 100'000'000;

/// Never destroyed: while a process ends, the thread of a domain may still look at it.
const Ends& watching_graph() {
  static const Ends* const markers = [] {
    auto ends = std::make_unique<Ends>();
    ends->insert(graph_topic, EndpointKind::reader);
    ends->insert(graph_topic, EndpointKind::writer);
    return ends.release();
  }();
  return *markers;
}
}  // namespace

/// First we changed our rows and raised our generation; now we look at the others'; then those are
/// notified whose endpoints our changes concern. Who adds such an endpoint later looks at ours
/// after that: of two that change at once, at least one sees the other.
void DomainState::look_for_news() {
  telling_ = std::exchange(changed_, {});
  if (std::exchange(partners_stale_, false)) {
    follow_own_ends();
  }
  for (Sentry& sentry : sentries_) {
    // seq_cst; partner: Directory::raise_generation.
    const std::uint64_t generation = sentry.page->generation.load(std::memory_order_seq_cst);
    if (sentry.page->state.load(std::memory_order_seq_cst) ==
        static_cast<std::uint32_t>(layout::ProcessState::leaving)) {
      ended_.push_back(sentry.peer->directory->nonce);
    }
    if (sentry.again || generation != sentry.generation) {
      const bool was_torn = sentry.peer->directory->is_torn();
      news_ = sentry.peer->directory->refresh() || news_;
      sentry.generation = generation;
      sentry.again = sentry.peer->directory->is_torn();
      late_rows_ += was_torn && !sentry.again ? 1 : 0;
    }
  }
}

void DomainState::notify_concerned() {
  const auto notify = [this](const Peer& peer, const Ends& ends) {
    // Of one that we have not read whole (its rows are still being passed) we do not know.
    if (peer.directory->is_torn() || peer.directory->has_any(ends)) {
      notify_.insert(peer.directory->slot);
    }
  };
  if (!telling_.empty()) {
    for (const Sentry& sentry : sentries_) {
      notify(*sentry.peer, telling_);
    }
    graph_owed_ = true;
  }
  for (const std::uint64_t nonce : std::exchange(newcomers_, {})) {
    if (const auto peer = peers_.find(nonce); peer != peers_.end()) {
      notify(*peer->second, *partners_);
      notify(*peer->second, watching_graph());
    }
  }
  telling_.clear();
  notify_watchers_of_graph();
}

/// They are told of the first change at once, and of those that follow together: of each alone, a
/// hundred processes that start would wake each other for most of that time.
void DomainState::notify_watchers_of_graph() {
  const std::int64_t now = monotonic_now_ns();
  if (!graph_owed_ || now < graph_due_ns_) {
    return;
  }
  for (const Sentry& sentry : sentries_) {
    if (sentry.peer->directory->has_any(watching_graph())) {
      notify_.insert(sentry.peer->directory->slot);
    }
  }
  graph_owed_ = false;
  const auto peers = static_cast<std::int64_t>(sentries_.size());
  graph_due_ns_ = now + std::min(peers * graph_rest_per_peer_ns, longest_graph_rest_ns);
}

void DomainState::send_notifications() {
  for (const std::uint32_t slot : notify_) {
    if (slot != rendezvous_.slot()) {
      rendezvous_.notify(slot);
      LIGAMENT_CRASH_POINT("housekeeping.notified");
    }
  }
  notify_.clear();
}

std::vector<std::shared_ptr<const DomainState::Watcher>> DomainState::concerned_watchers() {
  std::vector<std::shared_ptr<const Watcher>> concerned;
  // A match is often made after the look that saw its other end: that is a change, too.
  const std::uint64_t version =
      watchers_.empty() ? told_version_ : sum_of_seen_generations() + matches_changed_ + late_rows_;
  if (std::exchange(told_version_, version) == version) {
    return concerned;
  }
  for (const auto& known : watchers_) {
    if (auto watcher = known.lock()) {
      concerned.push_back(std::move(watcher));
    }
  }
  return concerned;
}

}  // namespace ligament::pool
