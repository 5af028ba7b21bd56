// SPDX-License-Identifier: Apache-2.0
#include "memory/rendezvous.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <numeric>
#include <utility>

#include "memory/crash_point.hpp"
#include "memory/os/holder.hpp"

namespace ligament::pool {

Rendezvous::Rendezvous(std::string domain)
    : domain_(std::move(domain)),
      uid_(::geteuid()),
      pid_namespace_(os::namespace_inode(0, "pid")) {}

std::string Rendezvous::slot_name(std::uint32_t slot) const {
  return fmt::format("ligament/{}/{}/v{}/{}", uid_, domain_, layout::version, slot);
}

std::string Rendezvous::mailbox_name(std::uint32_t slot) const { return slot_name(slot) + "/mail"; }

/// Both names of a slot. The sockets are kept for the next slot where a name is taken.
expected<void, os::SystemError> Rendezvous::take(std::uint32_t slot) {
  if (!listener_) {
    auto opened = os::open_listener();
    if (!opened) {
      return unexpected<os::SystemError>(opened.error());
    }
    listener_ = std::move(*opened);
  }
  if (auto bound = os::bind_name(listener_, slot_name(slot)); !bound) {
    return bound;
  }
  LIGAMENT_CRASH_POINT("join.listener_bound");
  auto bound = os::bind_name(mailbox_, mailbox_name(slot));
  if (!bound) {
    const os::Fd released = std::exchange(listener_, os::Fd());
  }
  return bound;
}

expected<std::uint32_t, DomainError> Rendezvous::take_slot() {
  auto mailbox = os::open_mailbox();
  if (!mailbox) {
    return unexpected<DomainError>(DomainError{DomainErrorCode::system, mailbox.error().text()});
  }
  mailbox_ = std::move(*mailbox);
  for (slot_ = 0; slot_ < layout::max_slots; ++slot_) {
    const auto taken = take(slot_);
    if (taken) {
      return slot_;
    }
    if (taken.error().code != EADDRINUSE) {
      return unexpected<DomainError>(DomainError{DomainErrorCode::system, taken.error().text()});
    }
  }
  return unexpected<DomainError>(DomainError{DomainErrorCode::domain_full, why_full()});
}

/// By processes of the graph, or by anybody else on this machine: names are free to all users.
std::string Rendezvous::why_full() const {
  std::vector<std::string> names;
  for (std::uint32_t slot = 0; slot < layout::max_slots; ++slot) {
    names.push_back(slot_name(slot));
  }
  std::map<std::pair<std::int32_t, std::uint32_t>, std::size_t> taken;
  for (const os::PeerCredentials& who : os::holders_of(names)) {
    ++taken[{who.pid, who.uid}];
  }
  std::vector<std::pair<std::size_t, os::PeerCredentials>> most;
  for (const auto& [who, count] : taken) {
    most.emplace_back(count, os::PeerCredentials{who.first, who.second});
  }
  constexpr std::size_t named = 3;
  std::stable_sort(most.begin(), most.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text = fmt::format("no process can join graph '{}': all {} socket names are taken",
                                 domain_, layout::max_slots);
  for (std::size_t i = 0; i < std::min(named, most.size()); ++i) {
    const auto& [count, who] = most[i];
    text += fmt::format("{} {} by {}", i == 0 ? ":" : ",", count,
                        who.pid > 0 ? os::describe(who)
                                    : "processes that cannot be seen from here (as root: ss -xap | "
                                      "grep " +
                                          slot_name(0) + ")");
  }
  text += most.size() > named ? fmt::format(", and {} more", most.size() - named) : "";
  return text + "; end those that are not of this graph, or give it another name";
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
  os::Caller caller;
  for (const std::uint32_t slot : slots) {
    const auto who = caller.ask(slot_name(slot), greeting_);
    if (who) {
      found.processes.push_back({*who, slot});
    } else if (who.error().code == EAGAIN) {
      found.full.push_back(slot);
    } else if (os::is_want_of_descriptors(who.error())) {
      found.failures.push_back(who.error());
      found.full.insert(found.full.end(), std::find(slots.begin(), slots.end(), slot), slots.end());
      return found;
    }
  }
  return found;
}

/// Why who has this identity cannot be attached by its number; no sentence: it can.
Refusal Rendezvous::refusal(const os::PeerCredentials& who) const {
  if (who.uid != uid_) {
    return {
        fmt::format("{} is in domain '{}': refused, shared memory is for one user (ours: {}); "
                    "end it, or give the graph another name",
                    os::describe(who), domain_, uid_)};
  }
  const std::uint64_t theirs = who.pid > 0 ? os::namespace_inode(who.pid, "pid") : 0;
  if (who.pid <= 0 || (theirs != 0 && theirs != pid_namespace_)) {
    return {fmt::format("a process of domain '{}' lives in another pid namespace", domain_), false,
            true};
  }
  return {};
}

expected<std::unique_ptr<Peer>, Refusal> Rendezvous::attach(const os::PeerCredentials& who,
                                                            std::uint32_t likely_fd) {
  auto peer = std::make_unique<Peer>();
  if (who.pid > 0) {
    // Before anything is read of it: what is found then is this process's, or it is seen to be
    // dead.
    peer->pidfd = os::open_process(who.pid);
    if (const auto error = os::last_error("pidfd_open"); !peer->pidfd) {
      return unexpected<Refusal>(error.code == ESRCH ? Refusal{} : Refusal::of(who.pid, error));
    }
  }
  if (Refusal refused = refusal(who); !refused.text.empty()) {
    const bool gone = who.pid > 0 && !os::process_alive(peer->pidfd);
    return unexpected<Refusal>(gone ? Refusal{} : std::move(refused));
  }
  auto directory = PeerDirectory::open(who.pid, domain_, likely_fd != 0 ? likely_fd : usual_fd_);
  if (!os::process_alive(peer->pidfd)) {
    return unexpected<Refusal>(Refusal{});
  }
  if (!directory) {
    return unexpected<Refusal>(directory.error());
  }
  peer->directory = std::move(*directory);
  usual_fd_ = peer->directory->fd;
  return peer;
}

expected<os::Called, os::SystemError> Rendezvous::call(std::uint32_t slot) const {
  return os::call(slot_name(slot));
}

void Rendezvous::notify(std::uint32_t slot) const { os::notify(mailbox_, mailbox_name(slot)); }

}  // namespace ligament::pool
