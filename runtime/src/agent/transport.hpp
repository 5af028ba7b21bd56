// SPDX-License-Identifier: Apache-2.0
/// \file A link that the server's loop can wait for: a socket, a serial line.
#pragma once

#include <functional>

#include "agent/agent.hpp"

namespace ligament::xrce {

class Transport : public Link {
 public:
  using Take = std::function<void(const Address&, Bytes)>;
  enum class Came : std::uint8_t {
    nothing,
    something,
    end,  ///< the peer is gone, with all its clients; it may come back
  };

  /// What `poll` waits for; -1: there is nothing now, ask again after `pause_ms`.
  [[nodiscard]] virtual int fd() const = 0;
  /// It also waits for room to write.
  [[nodiscard]] virtual bool wants_to_write() const { return false; }
  /// Hands over what there is, up to a batch, and writes what waits.
  [[nodiscard]] virtual Came work(const Take& take) = 0;
  /// Asking again costs no more than a system call: who spins may ask instead of sleeping on `fd`.
  [[nodiscard]] virtual bool may_be_polled() const { return false; }
  /// A link through memory, for who looks instead of sleeping; `rpmsg::Link` says what they are.
  /// Without: the link is no such memory, or not now.
  [[nodiscard]] virtual bool hush() { return false; }
  [[nodiscard]] virtual bool has_news() const { return false; }
  /// Makes `fd` readable: who sleeps on it learns what is due now.
  virtual void nudge() {}
  /// Messages both ways so far, of such a link.
  [[nodiscard]] virtual std::uint64_t moved() const { return 0; }
  /// As people know it: "UDP port 8888".
  [[nodiscard]] virtual std::string name() const = 0;

  static constexpr int pause_ms = 100;
};

}  // namespace ligament::xrce
