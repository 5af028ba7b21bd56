// SPDX-License-Identifier: Apache-2.0
/// \file How fast large datagrams go to sockets of this host (spec/wire/dds.md, section 2).
///
/// UDP has no flow control. What the receiver's buffer does not hold is dropped, and a best-effort
/// reader never asks for it again. On one host the kernel tells how full that buffer is
/// (sock_diag(7)): so who sends waits until there is room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

namespace ligament::dds {

/// Where a datagram goes: IPv4, both in network byte order.
struct UdpPlace {
  std::uint32_t address = 0;
  std::uint16_t port = 0;

  bool operator<(const UdpPlace& other) const {
    return std::tie(address, port) < std::tie(other.address, other.port);
  }
};

/// Of a socket's receive buffer, in bytes as the kernel counts them.
struct ReceiveBuffer {
  std::size_t used = 0;
  std::size_t size = 0;
};

/// Asks the kernel about sockets of this network namespace.
class SocketLook {
 public:
  SocketLook();
  ~SocketLook();
  SocketLook(const SocketLook&) = delete;
  SocketLook& operator=(const SocketLook&) = delete;

  /// Nothing: no socket receives there that we can see, or the kernel does not say (its module
  /// udp_diag is missing). About a microsecond.
  [[nodiscard]] std::optional<ReceiveBuffer> at(const UdpPlace& place) const;

 private:
  int socket_ = -1;
};

/// Whether datagrams to that address stay on this host.
[[nodiscard]] bool is_of_this_host(std::uint32_t address);

/// What it asks about the world, for tests to answer.
struct PaceQuestions {
  std::function<std::optional<ReceiveBuffer>(const UdpPlace&)> buffer_at;
  std::function<bool(std::uint32_t address)> is_here;
};

/// From several threads.
class SendPace {
 public:
  /// Smaller datagrams are not delayed: they are small messages, or the engine's own.
  static constexpr std::size_t smallest = 4096;
  /// Who takes nothing for so long is waited for no more, until it has taken something.
  static constexpr std::int64_t patience_ns = 20'000'000;
  /// A destination may make senders wait for this share of the time, and so long at once.
  static constexpr double most_share = 0.3;
  static constexpr std::int64_t most_at_once_ns = 100'000'000;

  SendPace();
  explicit SendPace(PaceQuestions questions) : ask_(std::move(questions)) {}

  /// Returns when a datagram of so many bytes has room there, or shall go all the same.
  void wait_for_room(const UdpPlace& place, std::size_t bytes);

 private:
  struct Destination {
    bool is_here = false;
    std::optional<std::size_t> stuck_at;  ///< it holds so many bytes, and takes none of them
    std::int64_t may_wait_ns = most_at_once_ns;
    std::int64_t credited_at_ns = 0;
    std::int64_t look_again_at_ns = 0;  ///< no socket was seen there
  };
  /// Of one datagram.
  struct Wait {
    std::size_t least_used = SIZE_MAX;
    std::int64_t progress_at_ns = 0;
    std::int64_t looked_at_ns = 0;
  };

  [[nodiscard]] bool has_to_wait(const UdpPlace& place, std::size_t bytes, Wait& wait);
  [[nodiscard]] Destination& destination(const UdpPlace& place, std::int64_t now);

  PaceQuestions ask_;
  std::mutex mutex_;  ///< guards what follows, and the look
  std::map<UdpPlace, Destination> destinations_;
};

}  // namespace ligament::dds
