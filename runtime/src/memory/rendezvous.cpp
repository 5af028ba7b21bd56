// SPDX-License-Identifier: Apache-2.0
#include "memory/rendezvous.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <numeric>

#include "memory/crash_point.hpp"

namespace ligament::pool {

Rendezvous::Rendezvous(std::string domain)
    : domain_(std::move(domain)),
      uid_(::geteuid()),
      pid_namespace_(os::namespace_inode(0, "pid")) {}

std::string Rendezvous::slot_name(std::uint32_t slot) const {
  return fmt::format("ligament/{}/{}/v{}/{}", uid_, domain_, layout::version, slot);
}

std::string Rendezvous::mailbox_name(std::uint32_t slot) const { return slot_name(slot) + "/mail"; }

expected<std::uint32_t, DomainError> Rendezvous::take_slot() {
  for (slot_ = 0; slot_ < layout::max_slots; ++slot_) {
    auto listener = os::bind_listener(slot_name(slot_));
    LIGAMENT_CRASH_POINT("join.listener_bound");
    auto mailbox = os::open_mailbox(mailbox_name(slot_));
    if (listener && mailbox) {
      listener_ = std::move(*listener);
      mailbox_ = std::move(*mailbox);
      return slot_;
    }
    const os::SystemError error = listener ? mailbox.error() : listener.error();
    if (error.code != EADDRINUSE) {
      return unexpected<DomainError>(DomainError{DomainErrorCode::system, error.text()});
    }
  }
  return unexpected<DomainError>(
      DomainError{DomainErrorCode::domain_full,
                  fmt::format("domain '{}' already has {} processes", domain_, layout::max_slots)});
}

expected<void, DomainError> Rendezvous::announce() {
  if (auto listening = os::start_listening(listener_, listen_backlog); !listening) {
    return unexpected<DomainError>(DomainError{DomainErrorCode::system, listening.error().text()});
  }
  return {};
}

Found Rendezvous::scan() const {
  std::vector<std::uint32_t> others(layout::max_slots);
  std::iota(others.begin(), others.end(), 0U);
  std::erase(others, slot_);
  return ask(others);
}

Found Rendezvous::ask(const std::vector<std::uint32_t>& slots) const {
  Found found;
  for (const std::uint32_t slot : slots) {
    const auto who = os::credentials_of(slot_name(slot));
    if (who) {
      found.processes.push_back(*who);
    } else if (who.error().code == EAGAIN) {
      found.full.push_back(slot);
    }
  }
  return found;
}

expected<std::unique_ptr<Peer>, std::string> Rendezvous::attach(
    const os::PeerCredentials& who) const {
  if (who.uid != uid_) {
    return unexpected<std::string>(
        fmt::format("process {} of user {} is in domain '{}': refused, shared memory is for one "
                    "user (ours: {})",
                    who.pid, who.uid, domain_, uid_));
  }
  if (who.pid <= 0) {
    return unexpected<std::string>(fmt::format(
        "a process of domain '{}' lives in another pid namespace: refused, its memory cannot be "
        "reached from here",
        domain_));
  }
  auto peer = std::make_unique<Peer>();
  peer->pidfd = os::open_process(who.pid);
  if (!os::process_alive(peer->pidfd)) {
    return unexpected<std::string>(std::string());
  }
  if (const auto theirs = os::namespace_inode(who.pid, "pid");
      theirs != 0 && theirs != pid_namespace_) {
    return unexpected<std::string>(
        fmt::format("process {} of domain '{}' lives in another pid namespace: refused, it could "
                    "not see our death nor we its",
                    who.pid, domain_));
  }
  auto directory = PeerDirectory::open(who.pid, domain_);
  if (!os::process_alive(peer->pidfd)) {
    return unexpected<std::string>(std::string());
  }
  if (!directory) {
    return unexpected<std::string>(directory.error());
  }
  peer->directory = std::move(*directory);
  return peer;
}

void Rendezvous::notify(std::uint32_t slot) const { os::notify(mailbox_, mailbox_name(slot)); }

}  // namespace ligament::pool
