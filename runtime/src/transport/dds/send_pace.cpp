// SPDX-License-Identifier: Apache-2.0
#include "transport/dds/send_pace.hpp"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>

namespace ligament::dds {

namespace {

/// Destinations that are known at a time. Whoever announces more makes us look them up again.
constexpr std::size_t most_destinations = 1024;
/// From one look for a socket that was not seen to the next.
constexpr std::int64_t unseen_pause_ns = 1'000'000'000;
/// With the usual slack of timers (50 us) a receiver has taken a datagram or two meanwhile.
constexpr std::chrono::microseconds pause{20};

std::int64_t now_ns() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds{1};
}

/// What the kernel counts for a datagram, at most: memory by powers of two up to 16 KiB, pages
/// beyond that, and its own header.
std::size_t cost_of(std::size_t bytes) {
  constexpr std::size_t header = 1024;
  constexpr std::size_t largest_block = 16384;
  return header + (bytes < largest_block ? std::bit_ceil(bytes + 320) : bytes);
}

struct Request {
  nlmsghdr header;
  inet_diag_req_v2 question;
};

/// The socket that receives what is sent to that place, and its memory.
Request request_for(const UdpPlace& place) {
  Request request{};
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.header.nlmsg_flags = NLM_F_REQUEST;
  inet_diag_req_v2& question = request.question;
  question.sdiag_family = AF_INET;
  question.sdiag_protocol = IPPROTO_UDP;
  question.idiag_ext = 1U << (INET_DIAG_SKMEMINFO - 1);
  question.idiag_states = ~0U;
  // For UDP the receiver is the destination, unlike in dumps.
  question.id.idiag_dport = place.port;
  question.id.idiag_dst[0] = place.address;
  question.id.idiag_cookie[0] = question.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  return request;
}

/// In an answer of so many bytes.
std::optional<ReceiveBuffer> buffer_in(const std::byte* answer, std::size_t size) {
  constexpr std::size_t head = NLMSG_HDRLEN + NLMSG_ALIGN(sizeof(inet_diag_msg));
  nlmsghdr header{};
  if (size < head) {
    return std::nullopt;
  }
  std::memcpy(&header, answer, sizeof header);
  if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY || header.nlmsg_len > size) {
    return std::nullopt;
  }
  std::size_t at = head;
  while (at + sizeof(rtattr) <= header.nlmsg_len) {
    rtattr attribute{};
    std::memcpy(&attribute, answer + at, sizeof attribute);
    if (attribute.rta_len < sizeof attribute || at + attribute.rta_len > header.nlmsg_len) {
      return std::nullopt;
    }
    std::array<std::uint32_t, SK_MEMINFO_RCVBUF + 1> memory{};
    const std::size_t content = attribute.rta_len - sizeof attribute;
    if (attribute.rta_type == INET_DIAG_SKMEMINFO && content >= sizeof memory) {
      std::memcpy(memory.data(), answer + at + sizeof attribute, sizeof memory);
      return ReceiveBuffer{memory[SK_MEMINFO_RMEM_ALLOC], memory[SK_MEMINFO_RCVBUF]};
    }
    at += RTA_ALIGN(attribute.rta_len);
  }
  return std::nullopt;
}

}  // namespace

// --- the kernel ----------------------------------------------------------------------------------

SocketLook::SocketLook()
    : socket_{::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)} {}

SocketLook::~SocketLook() {
  if (socket_ >= 0) {
    ::close(socket_);
  }
}

std::optional<ReceiveBuffer> SocketLook::at(const UdpPlace& place) const {
  const Request request = request_for(place);
  if (socket_ < 0 || ::send(socket_, &request, sizeof request, 0) < 0) {
    return std::nullopt;
  }
  alignas(nlmsghdr) std::array<std::byte, 4096> answer;
  // The kernel has answered when send() returns.
  const ssize_t size = ::recv(socket_, answer.data(), answer.size(), MSG_DONTWAIT);
  return size < 0 ? std::nullopt : buffer_in(answer.data(), static_cast<std::size_t>(size));
}

/// The kernel sends from the address itself.
bool is_of_this_host(std::uint32_t address) {
  const int probe = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in there{};
  there.sin_family = AF_INET;
  there.sin_port = htons(9);
  there.sin_addr.s_addr = address;
  sockaddr_in here{};
  socklen_t size = sizeof here;
  const bool known = probe >= 0 &&
                     ::connect(probe, reinterpret_cast<sockaddr*>(&there), sizeof there) == 0 &&
                     ::getsockname(probe, reinterpret_cast<sockaddr*>(&here), &size) == 0;
  if (probe >= 0) {
    ::close(probe);
  }
  return known && here.sin_addr.s_addr == address;
}

// --- the pace ------------------------------------------------------------------------------------

SendPace::SendPace()
    : SendPace(PaceQuestions{[look = std::make_shared<SocketLook>()](const UdpPlace& place) {
                               return look->at(place);
                             },
                             is_of_this_host}) {}

void SendPace::wait_for_room(const UdpPlace& place, std::size_t bytes) {
  if (bytes < smallest) {
    return;
  }
  Wait wait;
  while (has_to_wait(place, bytes, wait)) {
    std::this_thread::sleep_for(pause);
  }
}

bool SendPace::has_to_wait(const UdpPlace& place, std::size_t bytes, Wait& wait) {
  const std::lock_guard lock(mutex_);
  const std::int64_t now = now_ns();
  Destination& to = destination(place, now);
  if (!to.is_here || now < to.look_again_at_ns) {
    return false;
  }
  const auto buffer = ask_.buffer_at(place);
  if (!buffer) {
    to.look_again_at_ns = now + unseen_pause_ns;
    return false;
  }
  // Half of it is left free: what was sent may still be on its way through the kernel's queues, and
  // is not counted then (seen: 1 datagram of 5,000 was dropped without that).
  if (buffer->used == 0 || buffer->used + cost_of(bytes) <= buffer->size / 2) {
    to.stuck_at.reset();
    return false;
  }
  if (to.stuck_at && buffer->used >= *to.stuck_at) {
    return false;
  }
  to.stuck_at.reset();
  if (buffer->used < wait.least_used) {
    wait.least_used = buffer->used;
    wait.progress_at_ns = now;
  }
  to.may_wait_ns -= wait.looked_at_ns == 0 ? 0 : now - wait.looked_at_ns;
  wait.looked_at_ns = now;
  if (now - wait.progress_at_ns > patience_ns) {
    to.stuck_at = buffer->used;
    return false;
  }
  return to.may_wait_ns > 0;
}

/// Under mutex_. With what it may wait by now.
SendPace::Destination& SendPace::destination(const UdpPlace& place, std::int64_t now) {
  auto known = destinations_.find(place);
  if (known == destinations_.end()) {
    if (destinations_.size() >= most_destinations) {
      destinations_.clear();
    }
    known = destinations_.emplace(place, Destination{}).first;
    known->second.is_here = ask_.is_here(place.address);
    known->second.credited_at_ns = now;
  }
  Destination& to = known->second;
  const auto earned =
      static_cast<std::int64_t>(most_share * static_cast<double>(now - to.credited_at_ns));
  to.may_wait_ns = std::min(most_at_once_ns, to.may_wait_ns + earned);
  to.credited_at_ns = now;
  return to;
}

}  // namespace ligament::dds
