// SPDX-License-Identifier: Apache-2.0
/// \file How processes of one graph find each other: abstract socket slots, no daemon, no lock.
///
/// A process owns slot k while it listens on `ligament/<uid>/<domain>/v<layout>/<k>`. To join it
/// takes the first free slot, *then* tries all slots: of two that join at once, at least the later
/// one finds the other, and its connection tells the earlier one. The kernel says who listens
/// (SO_PEERCRED), also for a process that is stopped. Processes of other pid namespaces are found
/// so too, and met over a connection (meeting.cpp).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ligament/detail/pool.hpp"
#include "memory/directory.hpp"
#include "memory/os/socket.hpp"

namespace ligament::pool {

/// A live process of the domain, maybe ourselves.
struct Peer {
  os::Fd pidfd;
  std::unique_ptr<PeerDirectory> directory;
};

/// Who listens in a slot.
struct FoundProcess {
  os::PeerCredentials who;
  std::uint32_t slot = 0;
};

/// What asking slots gives.
struct Found {
  std::vector<FoundProcess> processes;
  std::vector<std::uint32_t> full;  ///< a listener's queue has no room, or we could not ask: again
  std::vector<os::SystemError> failures;  ///< why some could not be asked; at most one
};

class Rendezvous {
 public:
  explicit Rendezvous(std::string domain);

  /// Takes the first free slot: its two names are ours, but nobody can connect yet.
  [[nodiscard]] expected<std::uint32_t, DomainError> take_slot();
  /// Lets others find us: call when our directory is complete.
  [[nodiscard]] expected<void, DomainError> announce();
  /// What we say of ourselves when we connect.
  void introduce(const os::Greeting& greeting) { greeting_ = greeting; }
  /// Attaches a process by its credentials. An empty sentence means that the process is gone and
  /// nobody needs to hear of it. `likely_fd`: where its directory may be; 0: unknown.
  [[nodiscard]] expected<std::unique_ptr<Peer>, Refusal> attach(const os::PeerCredentials& who,
                                                                std::uint32_t likely_fd = 0);
  /// Who is in everybody else's slots.
  [[nodiscard]] Found scan() const;
  /// The same for some slots.
  [[nodiscard]] Found ask(const std::vector<std::uint32_t>& slots) const;

  /// Connects to a process of another pid namespace, to stay connected.
  [[nodiscard]] expected<os::Called, os::SystemError> call(std::uint32_t slot) const;

  void notify(std::uint32_t slot) const;
  [[nodiscard]] const os::Fd& listener() const { return listener_; }
  [[nodiscard]] const os::Fd& mailbox() const { return mailbox_; }
  [[nodiscard]] std::uint32_t slot() const { return slot_; }
  [[nodiscard]] const std::string& domain() const { return domain_; }

 private:
  [[nodiscard]] std::string slot_name(std::uint32_t slot) const;
  [[nodiscard]] std::string mailbox_name(std::uint32_t slot) const;
  [[nodiscard]] expected<void, os::SystemError> take(std::uint32_t slot);
  [[nodiscard]] Refusal refusal(const os::PeerCredentials& who) const;
  [[nodiscard]] std::string why_full() const;

  std::string domain_;
  std::uint32_t uid_;
  std::uint64_t pid_namespace_;
  std::uint32_t slot_ = 0;
  os::Fd listener_;
  os::Fd mailbox_;
  os::Greeting greeting_;
  std::uint32_t usual_fd_ = 0;  ///< where the last directory was: processes of a graph are alike
};

}  // namespace ligament::pool
