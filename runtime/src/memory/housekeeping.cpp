// SPDX-License-Identifier: Apache-2.0
/// The housekeeping thread of a process: sleeps until a peer comes, changes or dies, or one of our
/// own endpoints does; then matches. One per process, whatever the number of topics.
#include <fmt/format.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <iterator>
#include <utility>

#include "memory/crash_point.hpp"
#include "memory/domain.hpp"
#include "memory/waiter.hpp"

namespace ligament::pool {

namespace {
// While something waits to be freed that nobody will tell us about (a sample, a loan).
constexpr int sweep_ms = 20;
// However short the period is that somebody asks us to watch.
constexpr std::int64_t shortest_tick_ns = 1'000'000;
// While a process that is there has no room for our connection, or we have no descriptor for it.
constexpr int ask_again_ms = 200;
// Newcomers that are met in one look; then others get the lock for a while.
constexpr int most_at_once = 64;
constexpr std::chrono::milliseconds crowded_pause{1};

int ms_until(std::int64_t then_ns) {
  const std::int64_t left_ns = std::max<std::int64_t>(then_ns - monotonic_now_ns(), 0);
  return static_cast<int>(left_ns / 1'000'000 + 1);
}
}  // namespace

bool DomainState::watch(int fd, std::uint64_t key) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = key;
  return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

/// A connection that we cannot accept for lack of a descriptor would wake us forever.
void DomainState::watch_listener(bool on) {
  if (on == listener_watched_) {
    return;
  }
  epoll_event event{};
  event.events = on ? std::uint32_t{EPOLLIN} : 0U;
  (void)::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, rendezvous_.listener().get(), &event);
  listener_watched_ = on;
}

void DomainState::poke() {
  const std::uint64_t one = 1;
  (void)!::write(poke_.get(), &one, sizeof one);
}

/// Fires when somebody sets the clock (TFD_TIMER_CANCEL_ON_SET), and otherwise never.
void DomainState::arm_clock_watch() {
  itimerspec never{};
  never.it_value.tv_sec = INT64_MAX / 2'000'000'000;
  (void)::timerfd_settime(clock_.get(), TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never,
                          nullptr);
}

void DomainState::run() {
  ::pthread_setname_np(::pthread_self(), "ligament-house");
  std::int64_t look_due = 0;
  std::int64_t qos_due = no_deadline;
  while (!stop_.load()) {
    if (std::exchange(crowded_, false)) {
      std::this_thread::sleep_for(crowded_pause);  // without the lock, which others want
    }
    const bool told = wait_for_events(std::min(look_due, qos_due));
    LIGAMENT_CRASH_POINT("housekeeping.woken");
    ask_quarantine();
    std::vector<std::shared_ptr<const Watcher>> concerned;
    {
      const std::lock_guard guard(mutex_);
      if (told || monotonic_now_ns() >= look_due) {
        look_due = monotonic_now_ns() + std::int64_t{look(told)} * 1'000'000;
        concerned = concerned_watchers();
      }
      qos_due = std::max(watch_qos(), monotonic_now_ns() + shortest_tick_ns);
    }
    for (const auto& watcher : concerned) {
      (*watcher)();  // without the lock: it may ask us what has changed
    }
  }
}

/// Brings everything in step with what the others say. Returns the ms until it must be done again,
/// whether or not somebody tells us to.
int DomainState::look(bool told) {
  if (told || !listener_watched_ || !to_greet_.empty()) {
    meet_newcomers();
  }
  ask_full_slots();
  const bool owing = attend_meetings();
  look_for_news();
  bury_the_dead();
  match_all();
  died_.clear();
  const bool waiting = sweep();
  send_notifications();
  wake_who_missed_data();
  const bool asking = owing || !full_slots_.empty() || !to_greet_.empty() || !listener_watched_;
  const bool is_idle = !told && !unsettled_ && unwatched_ == 0;
  const int longest_ms = is_idle ? longest_rescans * rescan_ms : rescan_ms;
  rest_ms_ = std::clamp(2 * rest_ms_, rescan_ms, longest_ms);  // it is 0 before the first look
  const int rest_ms = waiting ? sweep_ms : asking ? ask_again_ms : rest_ms_;
  return graph_owed_ ? std::min(rest_ms, ms_until(graph_due_ns_)) : rest_ms;
}

/// A peer that took the mark of somebody who sleeps, and was stopped before the wake-up, keeps
/// others from waking him, too.
void DomainState::wake_who_missed_data() {
  for (const OwnReader& own : readers_) {
    if (own.state->waiter->is_asleep() && own.state->has_data()) {
      own.state->waiter->ring();
    }
  }
}

/// The part of a look that matches. The housekeeping thread, which our change has woken, tells
/// watchers and peers, of several changes at once.
void DomainState::match_now() {
  const std::lock_guard guard(mutex_);
  try {
    look_for_news();
    match_all();
  } catch (const std::bad_alloc&) {  // then it is done a moment later, as without this call
    news_ = true;
    poke();
  }
}

/// False: nobody wants anything, the time has come.
bool DomainState::wait_for_events(std::int64_t until_ns) {
  std::array<epoll_event, 16> events{};
  const std::int64_t left_ns = std::max<std::int64_t>(until_ns - monotonic_now_ns(), 0);
  const auto timeout_ms = static_cast<int>(std::min<std::int64_t>(left_ns / 1'000'000 + 1, 60'000));
  const int ready = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()),
                                 left_ns == 0 ? 0 : timeout_ms);
  for (int i = 0; i < ready; ++i) {
    if (const std::uint64_t nonce = events[static_cast<std::size_t>(i)].data.u64; nonce != 0) {
      const std::lock_guard guard(mutex_);
      ended_.push_back(nonce);
    }
  }
  if (ready == 0) {
    return false;  // nothing to read anywhere
  }
  std::uint64_t count = 0;
  (void)!::read(poke_.get(), &count, sizeof count);
  os::drain_mailbox(rendezvous_.mailbox());
  if (::read(clock_.get(), &count, sizeof count) < 0 && errno == ECANCELED) {
    os::refresh_realtime_offset();
    arm_clock_watch();
  }
  return true;
}

/// Not more at once than `most_at_once`: to connect is cheaper than to be greeted, so who connects
/// again and again would keep us here, under the lock. The others stay in the queue.
void DomainState::meet_newcomers() {
  greet_again();
  for (int met = 0; met < most_at_once; ++met) {
    auto visitor = os::accept_visitor(rendezvous_.listener());
    watch_listener(visitor || !os::is_want_of_descriptors(visitor.error()));
    if (!visitor) {
      if (!listener_watched_) {
        refuse(fmt::format("newcomers cannot be joined yet: {}", visitor.error().text()));
      }
      return;
    }
    if (visitor->who.pid != ::getpid()) {
      greet(std::move(*visitor));
      LIGAMENT_CRASH_POINT("housekeeping.greeted");
    }
  }
  crowded_ = true;
}

void DomainState::greet_again() {
  for (os::Visitor& visitor : std::exchange(to_greet_, {})) {
    greet(std::move(visitor));
  }
}

void DomainState::greet(os::Visitor visitor) {
  if (peers_.count(visitor.greeting.nonce) != 0) {
    return;  // our own scan found it; if it lies, it is its own loss
  }
  auto peer = rendezvous_.attach(visitor.who, visitor.greeting.directory_fd);
  if (!peer && peer.error().is_foreign) {
    receive(std::move(visitor));
  } else {
    welcome(std::move(peer), std::move(visitor));
  }
}

void DomainState::greet_found(const FoundProcess& process) {
  auto peer = rendezvous_.attach(process.who);
  if (!peer && peer.error().is_foreign) {
    call(process.slot);
  } else {
    welcome(std::move(peer), {process.who, {}, {}});
  }
}

void DomainState::welcome(expected<std::unique_ptr<Peer>, Refusal> peer, os::Visitor visitor) {
  if (!peer) {
    refuse(peer.error().text);
    if (peer.error().again) {
      greet_later(std::move(visitor));
    }
    return;
  }
  if (is_other_run((*peer)->directory->run_id)) {
    refuse(text_of_other_run(*(*peer)->directory));
    return;
  }
  const std::uint64_t nonce = (*peer)->directory->nonce;
  if (adopt(std::move(*peer))) {
    newcomers_.push_back(nonce);
  }
}

/// One entry per process, however often it connects meanwhile, and no more of them than a domain
/// has room for: of those that live, the newest.
void DomainState::greet_later(os::Visitor visitor) {
  visitor.connection =
      os::Connection();  // nothing of it is needed, and descriptors are what we lack
  std::erase_if(to_greet_,
                [&visitor](const os::Visitor& other) { return other.who.pid == visitor.who.pid; });
  if (to_greet_.size() >= layout::max_slots) {
    std::erase_if(to_greet_, [](const os::Visitor& other) {
      return ::kill(other.who.pid, 0) != 0 && errno == ESRCH;
    });
  }
  if (to_greet_.size() >= layout::max_slots) {
    to_greet_.erase(to_greet_.begin());
  }
  to_greet_.push_back(std::move(visitor));
}

/// Processes that had no room for our connection when we joined, probably because they are stopped.
void DomainState::ask_full_slots() {
  if (full_slots_.empty()) {
    return;
  }
  Found found = rendezvous_.ask(full_slots_);
  full_slots_ = std::move(found.full);
  for (const FoundProcess& process : found.processes) {
    greet_found(process);
  }
}

/// A dead process holds nothing any more and writes nothing any more: its rows are forgotten, and
/// matching lets go of what was linked to them.
void DomainState::bury_the_dead() {
  if (unwatched_ != 0) {
    std::transform(peers_.begin(), peers_.end(), std::back_inserter(ended_),
                   [](const auto& entry) { return entry.first; });
  }
  std::vector<std::uint64_t> buried;
  for (const std::uint64_t nonce : std::exchange(ended_, {})) {
    const auto place = peers_.find(nonce);
    if (place == peers_.end() || nonce == nonce_) {
      continue;
    }
    const Peer& peer = *place->second;
    const bool left = peer.directory->state() == layout::ProcessState::leaving;
    if (left || !os::process_alive(peer.pidfd)) {
      unwatched_ -=
          ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, peer.pidfd.get(), nullptr) == 0 ? 0 : 1;
      if (!left) {
        died_.insert(nonce);
      }
      std::erase_if(sentries_, [&peer](const Sentry& sentry) { return sentry.peer == &peer; });
      peers_.erase(place);
      end_meetings_with(nonce);
      LIGAMENT_CRASH_POINT("housekeeping.buried");
      buried.push_back(nonce);
    }
  }
  if (!buried.empty()) {
    news_ = true;
    // It may have died before it looked at the bell, or between taking bit 0 and waking us.
    for (const OwnReader& own : readers_) {
      wake_reader(*own.state);
      own.state->wake_gathered(buried);
    }
  }
}

void DomainState::sweep_writers() {
  for (RestingWriter& resting : resting_writers_) {
    if (resting.announced &&
        (resting.state->is_mapped_by_readers() || monotonic_now_ns() >= resting.deadline_ns)) {
      resting.announced = false;
      directory_.remove(resting.place);
      own_change(resting.state->description.topic, EndpointKind::writer);
    }
  }
  std::erase_if(resting_writers_, [](const auto& resting) {
    return !resting.announced && !resting.state->has_loans_out();
  });
}

void DomainState::sweep_readers() {
  for (auto own = resting_readers_.begin(); own != resting_readers_.end();) {
    if (own->state->holds_anything()) {
      ++own;
      continue;
    }
    directory_.remove(own->place);
    own_change(own->row.topic, EndpointKind::reader);
    own = resting_readers_.erase(own);
  }
}

bool DomainState::sweep() {
  sweep_writers();
  sweep_readers();
  bool waiting = !resting_writers_.empty() || !resting_readers_.empty() || !quarantined_.empty();
  for (const OwnReader& own : readers_) {
    if (own.state->has_gone_links()) {
      own.state->reap();
      waiting = waiting || own.state->has_gone_links();
    }
  }
  return waiting;
}

/// Without our lock: the check is a stranger's, and may ask us something.
void DomainState::ask_quarantine() {
  std::vector<Quarantined> asked;
  std::function<bool(std::uint64_t, std::int32_t)> is_idle;
  {
    const std::lock_guard guard(mutex_);
    asked = quarantined_;
    is_idle = is_idle_;
  }
  std::erase_if(asked,
                [&](const Quarantined& one) { return is_idle && !is_idle(one.reader, one.pid); });
  for (const Quarantined& idle : asked) {
    idle.writer->unlink(idle.reader);
  }
  const std::lock_guard guard(mutex_);
  std::erase_if(quarantined_, [&](const Quarantined& one) {
    return std::any_of(asked.begin(), asked.end(), [&](const Quarantined& idle) {
      return idle.reader == one.reader && idle.writer == one.writer;
    });
  });
}

/// Before we leave: readers of what was published last map it, unless they are stopped.
void DomainState::linger() {
  const std::int64_t deadline = monotonic_now_ns() + linger_ns;
  const auto is_waiting = [this] {
    const std::lock_guard guard(mutex_);
    return std::any_of(resting_writers_.begin(), resting_writers_.end(),
                       [](const auto& resting) { return resting.announced; });
  };
  while (is_waiting() && monotonic_now_ns() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    poke();
  }
}

/// Who says `leaving` is forgotten at once, with its holds. While a sample of ours is still held we
/// therefore do not say it: the reader's row stays `closing` until this process ends.
void DomainState::leave() {
  const std::lock_guard guard(mutex_);
  sweep_readers();
  if (resting_readers_.empty()) {
    directory_.set_state(layout::ProcessState::leaving);
    LIGAMENT_CRASH_POINT("leave.said");
  }
  directory_.raise_generation();
  for (const auto& [nonce, peer] : peers_) {
    notify_.insert(peer->directory->slot);
  }
  send_notifications();
}

}  // namespace ligament::pool
