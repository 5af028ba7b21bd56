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

#include "memory/crash_point.hpp"
#include "memory/domain.hpp"

namespace ligament::pool {

namespace {
// While something waits to be freed that nobody will tell us about (a sample, a loan).
constexpr int sweep_ms = 20;
// However short the period is that somebody asks us to watch.
constexpr std::int64_t shortest_tick_ns = 1'000'000;
// While a process that is there has no room for our connection.
constexpr int ask_again_ms = 200;
}  // namespace

void DomainState::watch(int fd, std::uint64_t key) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = key;
  (void)::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event);
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
    const bool told = wait_for_events(std::min(look_due, qos_due));
    LIGAMENT_CRASH_POINT("housekeeping.woken");
    ask_quarantine();
    const std::lock_guard guard(mutex_);
    if (told || monotonic_now_ns() >= look_due) {
      look_due = monotonic_now_ns() + std::int64_t{look()} * 1'000'000;
    }
    qos_due = std::max(watch_qos(), monotonic_now_ns() + shortest_tick_ns);
  }
}

/// Brings everything in step with what the others say. Returns the ms until it must be done again,
/// whether or not somebody tells us to.
int DomainState::look() {
  meet_newcomers();
  ask_full_slots();
  bury_the_dead();
  match_all();
  died_.clear();
  const bool waiting = sweep();
  send_notifications();
  return waiting ? sweep_ms : full_slots_.empty() ? rescan_ms : ask_again_ms;
}

/// False: nobody wants anything, the time has come.
bool DomainState::wait_for_events(std::int64_t until_ns) {
  std::array<epoll_event, 16> events{};
  const std::int64_t left_ns = std::max<std::int64_t>(until_ns - monotonic_now_ns(), 0);
  const auto timeout_ms = static_cast<int>(std::min<std::int64_t>(left_ns / 1'000'000 + 1, 60'000));
  const int ready = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()),
                                 left_ns == 0 ? 0 : timeout_ms);
  std::uint64_t count = 0;
  (void)!::read(poke_.get(), &count, sizeof count);
  os::drain_mailbox(rendezvous_.mailbox());
  if (::read(clock_.get(), &count, sizeof count) < 0 && errno == ECANCELED) {
    os::refresh_realtime_offset();
    arm_clock_watch();
  }
  return ready != 0;
}

void DomainState::meet_newcomers() {
  while (const auto who = os::accept_credentials(rendezvous_.listener())) {
    if (who->pid != ::getpid()) {
      greet(*who);
      LIGAMENT_CRASH_POINT("housekeeping.greeted");
    }
  }
}

void DomainState::greet(const os::PeerCredentials& who) {
  auto peer = rendezvous_.attach(who);
  if (!peer) {
    refuse(peer.error());
    return;
  }
  const PeerDirectory& directory = *(*peer)->directory;
  if (directory.run_id != options.run_id) {
    refuse(fmt::format("process {} wanted to join graph '{}' as run '{}'; this is run '{}'",
                       directory.pid, options.name, directory.run_id, options.run_id));
    return;
  }
  const std::uint32_t slot = directory.slot;
  if (adopt(std::move(*peer))) {
    // It may have read our directory before our last changes, of which we did not tell it.
    notify_.insert(slot);
  }
}

/// Processes that had no room for our connection when we joined, probably because they are stopped.
void DomainState::ask_full_slots() {
  if (full_slots_.empty()) {
    return;
  }
  Found found = rendezvous_.ask(full_slots_);
  full_slots_ = std::move(found.full);
  for (const os::PeerCredentials& who : found.processes) {
    greet(who);
  }
}

/// A dead process holds nothing any more and writes nothing any more: its rows are forgotten, and
/// matching lets go of what was linked to them.
void DomainState::bury_the_dead() {
  bool died = false;
  for (auto place = peers_.begin(); place != peers_.end();) {
    const Peer& peer = *place->second;
    const bool left = peer.directory->state() == layout::ProcessState::leaving;
    if (place->first != nonce_ && (left || !os::process_alive(peer.pidfd))) {
      (void)::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, peer.pidfd.get(), nullptr);
      if (!left) {
        died_.insert(place->first);
      }
      place = peers_.erase(place);
      LIGAMENT_CRASH_POINT("housekeeping.buried");
      died = true;
    } else {
      ++place;
    }
  }
  if (died) {
    // It may have died before it looked at the bell, or between taking bit 0 and waking us.
    for (const OwnReader& own : readers_) {
      wake_reader(*own.state);
    }
  }
}

void DomainState::sweep_writers() {
  for (RestingWriter& resting : resting_writers_) {
    if (resting.announced &&
        (resting.state->is_mapped_by_readers() || monotonic_now_ns() >= resting.deadline_ns)) {
      resting.announced = false;
      directory_.remove(resting.place);
      own_change();
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
    own = resting_readers_.erase(own);
    own_change();
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
  const std::int64_t deadline = monotonic_now_ns() + 200'000'000;
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
  own_change();
  send_notifications();
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

}  // namespace ligament::pool
