// SPDX-License-Identifier: Apache-2.0
/// Joining a domain: slot, directory, the others, and who wins when two runs want one name.
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "memory/crash_point.hpp"
#include "memory/domain.hpp"

namespace ligament::pool {

expected<void, DomainError> DomainState::join() {
  os::refresh_realtime_offset();
  const auto slot = rendezvous_.take_slot();
  LIGAMENT_CRASH_POINT("join.slot_bound");
  if (!slot) {
    return unexpected<DomainError>(slot.error());
  }
  if (auto opened = directory_.open({options.name, options.run_id, *slot}); !opened) {
    return unexpected<DomainError>(DomainError{DomainErrorCode::system, opened.error().text()});
  }
  nonce_ = directory_.nonce();
  if (auto opened = open_events(); !opened) {
    return unexpected<DomainError>(DomainError{DomainErrorCode::system, opened.error().text()});
  }
  rendezvous_.introduce({nonce_, directory_.fd(), 0});
  LIGAMENT_CRASH_POINT("join.slot_taken");
  if (auto announced = rendezvous_.announce(); !announced) {
    return announced;
  }
  LIGAMENT_CRASH_POINT("join.announced");
  if (auto adopted = adopt_peers(); !adopted) {
    give_up();
    return adopted;
  }
  directory_.set_state(layout::ProcessState::joined);
  LIGAMENT_CRASH_POINT("join.joined");
  thread_ = std::thread([this] { run(); });
  return {};
}

bool DomainState::is_other_run(const std::string& run_id) const {
  return !options.name.starts_with(ros_domain_prefix) && run_id != options.run_id;
}

/// We have connected to everybody: who has met us keeps a descriptor for us until we say this.
void DomainState::give_up() {
  directory_.set_state(layout::ProcessState::leaving);
  directory_.raise_generation();
  for (std::uint32_t slot = 0; slot < layout::max_slots; ++slot) {
    rendezvous_.notify(slot);
  }
}

expected<void, DomainError> DomainState::adopt_peers() {
  auto self = rendezvous_.attach({::getpid(), ::geteuid()}, directory_.fd());
  if (!self) {
    return unexpected<DomainError>(DomainError{DomainErrorCode::system, self.error().text});
  }
  (void)adopt(std::move(*self));
  Found found = rendezvous_.scan();
  if (!found.failures.empty()) {
    return unexpected<DomainError>(
        DomainError{DomainErrorCode::system, found.failures.front().text()});
  }
  full_slots_ = std::move(found.full);
  LIGAMENT_CRASH_POINT("join.scanned");
  for (const FoundProcess& process : found.processes) {
    if (auto adopted = adopt_found(process); !adopted) {
      return adopted;
    }
  }
  return {};
}

/// Who was there before us. What we lack for it is an error: later it would be a surprise.
expected<void, DomainError> DomainState::adopt_found(const FoundProcess& process) {
  auto peer = rendezvous_.attach(process.who);
  if (!peer && peer.error().is_foreign) {
    call(process.slot);
    return {};
  }
  if (!peer && peer.error().again) {
    return unexpected<DomainError>(DomainError{DomainErrorCode::system, peer.error().text});
  }
  if (!peer) {
    refuse(peer.error().text);
    return {};
  }
  if (!is_other_run((*peer)->directory->run_id)) {
    (void)adopt(std::move(*peer));
    return {};
  }
  return settle_conflict(**peer);
}

/// Another run has our name. It wins if it has joined; of two that are just joining, the one in
/// the lower slot wins, once the other says that it defers to it: so never both give up. To whom is
/// part of the word, since the one deferred to may die, and the other then go on.
expected<void, DomainError> DomainState::settle_conflict(const Peer& peer) {
  const std::int64_t deadline = monotonic_now_ns() + settle_ns;
  while (os::process_alive(peer.pidfd) && monotonic_now_ns() < deadline) {
    const layout::ProcessState theirs = peer.directory->state();
    LIGAMENT_CRASH_POINT("join.looked");
    if (theirs == layout::ProcessState::leaving) {
      directory_.defer_to(0);
      return {};
    }
    if (theirs == layout::ProcessState::joined) {
      break;
    }
    const bool first = rendezvous_.slot() < peer.directory->slot;
    if (first && peer.directory->defers_to() == nonce_) {
      return {};
    }
    directory_.defer_to(first ? 0 : peer.directory->nonce);
    LIGAMENT_CRASH_POINT("join.undecided");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (!os::process_alive(peer.pidfd)) {
    directory_.defer_to(0);
    return {};
  }
  return unexpected<DomainError>(
      DomainError{DomainErrorCode::name_in_use,
                  fmt::format("graph '{}' is already running as process {} (run '{}'); stop it, or "
                              "give this run another graph name",
                              options.name, peer.directory->pid, peer.directory->run_id)});
}

expected<void, os::SystemError> DomainState::open_events() {
  epoll_ = os::Fd(::epoll_create1(EPOLL_CLOEXEC));
  poke_ = os::Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  clock_ = os::Fd(::timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!epoll_ || !poke_ || !clock_) {
    return unexpected<os::SystemError>(os::last_error("epoll, eventfd or timerfd"));
  }
  for (const int fd :
       {poke_.get(), clock_.get(), rendezvous_.listener().get(), rendezvous_.mailbox().get()}) {
    if (!watch(fd, 0)) {
      return unexpected<os::SystemError>(os::last_error("epoll_ctl"));
    }
  }
  arm_clock_watch();
  return {};
}

bool DomainState::adopt(std::unique_ptr<Peer> peer) {
  const std::uint64_t nonce = peer->directory->nonce;
  if (peers_.count(nonce) != 0) {
    return false;  // found twice, by our scan and by its connection
  }
  unwatched_ += watch(peer->pidfd.get(), nonce) ? 0 : 1;
  peer->directory->keep_only(partners_);
  sentries_.push_back({peer->directory->page(), nonce, 0, true, peer.get()});
  peers_.emplace(nonce, std::move(peer));
  return true;
}

std::string DomainState::text_of_other_run(const PeerDirectory& directory) const {
  return fmt::format("{} wanted to join graph '{}' as run '{}'; this is run '{}'", directory.who(),
                     options.name, directory.run_id, options.run_id);
}

void DomainState::refuse(std::string text) {
  const auto known = std::find_if(refusals_.begin(), refusals_.end(),
                                  [&text](const Problem& problem) { return problem.text == text; });
  if (text.empty() || known != refusals_.end()) {
    return;
  }
  if (refusals_.size() == 32) {
    refusals_.erase(refusals_.begin());
  }
  refusals_.push_back({ProblemKind::refused_peer, std::move(text)});
}

}  // namespace ligament::pool
