// SPDX-License-Identifier: Apache-2.0
#include "agent/can.hpp"

#include <linux/can/raw.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace ligament::xrce {

namespace {

constexpr int batch = 64;

/// A frame has one of these lengths; what is behind the message is 0.
constexpr std::array<std::uint8_t, 8> lengths_over_8{12, 16, 20, 24, 32, 48, 64, 64};
std::uint8_t padded(std::size_t size) {
  return size <= 8 ? static_cast<std::uint8_t>(size)
                   : *std::lower_bound(lengths_over_8.begin(), lengths_over_8.end(), size);
}

std::string why() { return std::strerror(errno); }

}  // namespace

std::optional<canfd_frame> to_frame(std::uint32_t id, std::span<const Bytes> pieces) {
  canfd_frame frame{};
  std::size_t size = 0;
  for (const Bytes& piece : pieces) {
    if (piece.size() > longest_can_message - size) {
      return std::nullopt;
    }
    const auto place = std::as_writable_bytes(std::span(frame.data)).subspan(1 + size);
    std::ranges::copy(piece, place.begin());
    size += piece.size();
  }
  frame.can_id = id | CAN_EFF_FLAG;
  frame.data[0] = static_cast<std::uint8_t>(size);
  frame.len = padded(size + 1);
  return frame;
}

std::optional<Bytes> from_frame(const canfd_frame& frame, std::size_t size) {
  constexpr std::uint32_t flags = CAN_EFF_FLAG | CAN_RTR_FLAG | CAN_ERR_FLAG;
  const bool is_whole = size == CANFD_MTU || size == CAN_MTU;
  const std::size_t most = size == CAN_MTU ? CAN_MAX_DLEN : CANFD_MAX_DLEN;
  if (!is_whole || (frame.can_id & flags) != CAN_EFF_FLAG || frame.len == 0 || frame.len > most ||
      frame.data[0] >= frame.len) {
    return std::nullopt;
  }
  return std::as_bytes(std::span(frame.data)).subspan(1, frame.data[0]);
}

expected<std::unique_ptr<CanTransport>, std::string> CanTransport::open(
    const std::string& interface) {
  const unsigned index = ::if_nametoindex(interface.c_str());
  if (index == 0) {
    return unexpected<std::string>("the interface " + interface + ": " + why());
  }
  auto made = std::make_unique<CanTransport>(
      ::socket(PF_CAN, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, CAN_RAW), interface);
  if (made->fd_ < 0) {
    return unexpected<std::string>("no socket of CAN: " + why());
  }
  const int yes = 1;
  sockaddr_can address{};
  address.can_family = AF_CAN;
  address.can_ifindex = static_cast<int>(index);
  if (::setsockopt(made->fd_, SOL_CAN_RAW, CAN_RAW_FD_FRAMES, &yes, sizeof yes) != 0 ||
      ::bind(made->fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return unexpected<std::string>("the interface " + interface + ": " + why());
  }
  return made;
}

CanTransport::~CanTransport() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

void CanTransport::send(const Address& to, std::span<const Bytes> pieces) {
  std::uint32_t id = 0;
  if (to.size() != sizeof id) {
    return;
  }
  std::memcpy(&id, to.data(), sizeof id);
  const auto frame = to_frame(id, pieces);
  if (!frame || ::write(fd_, &*frame, sizeof *frame) != sizeof *frame) {
    ++lost_;  // the bus is busy: streams repeat it
  }
}

Transport::Came CanTransport::work(const Take& take) {
  int count = 0;
  for (; count < batch; ++count) {
    canfd_frame frame{};
    const ssize_t size = ::read(fd_, &frame, sizeof frame);
    if (size <= 0) {
      break;
    }
    const auto message = from_frame(frame, static_cast<std::size_t>(size));
    if (!message) {
      ++foreign_;
      continue;
    }
    const std::uint32_t id = frame.can_id & CAN_EFF_MASK;
    Address from(sizeof id);
    std::memcpy(from.data(), &id, sizeof id);
    take(from, *message);
  }
  return count > 0 ? Came::something : Came::nothing;
}

}  // namespace ligament::xrce
