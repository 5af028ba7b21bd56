// SPDX-License-Identifier: Apache-2.0
#include "agent/udp.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace ligament::xrce {

namespace {

constexpr std::size_t batch_size = 32;
constexpr std::size_t largest_datagram = 65'536;
/// Places that are a power of two apart would share one set of the cache.
constexpr std::size_t stride = largest_datagram + 320;
constexpr int wanted_buffer = 4 << 20;  // a burst of fragments of one message

}  // namespace

struct UdpTransport::Batch {
  std::vector<std::byte> memory = std::vector<std::byte>(batch_size * stride);
  std::array<sockaddr_in, batch_size> addresses{};
  std::array<iovec, batch_size> places{};
  std::array<mmsghdr, batch_size> headers{};
  Address from = Address(sizeof(sockaddr_in));

  Batch() {
    for (std::size_t i = 0; i < batch_size; ++i) {
      places[i] = {memory.data() + i * stride, largest_datagram};
      msghdr& header = headers[i].msg_hdr;
      header.msg_name = &addresses[i];
      header.msg_namelen = sizeof(sockaddr_in);
      header.msg_iov = &places[i];
      header.msg_iovlen = 1;
    }
  }
};

expected<std::unique_ptr<UdpTransport>, std::string> UdpTransport::open(const std::string& host,
                                                                        std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  if (::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) {
    return unexpected<std::string>("'" + host + "' is no IPv4 address");
  }
  const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) {
    return unexpected<std::string>(std::string("no socket: ") + std::strerror(errno));
  }
  (void)::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &wanted_buffer, sizeof wanted_buffer);
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const std::string why = std::strerror(errno);
    ::close(fd);
    return unexpected<std::string>("port " + std::to_string(port) + " of " + host + ": " + why);
  }
  socklen_t length = sizeof address;
  (void)::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length);
  return std::unique_ptr<UdpTransport>(new UdpTransport(fd, ntohs(address.sin_port)));
}

UdpTransport::UdpTransport(int fd, std::uint16_t port)
    : fd_(fd), port_(port), batch_(std::make_unique<Batch>()) {}

UdpTransport::~UdpTransport() { ::close(fd_); }

void UdpTransport::send(const Address& to, std::span<const Bytes> pieces) {
  std::array<iovec, 4> parts{};
  const std::size_t count = std::min(pieces.size(), parts.size());
  for (std::size_t i = 0; i < count; ++i) {
    parts[i] = {const_cast<std::byte*>(pieces[i].data()), pieces[i].size()};
  }
  msghdr message{};
  message.msg_name = const_cast<std::byte*>(to.data());
  message.msg_namelen = static_cast<socklen_t>(to.size());
  message.msg_iov = parts.data();
  message.msg_iovlen = count;
  (void)::sendmsg(fd_, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

Transport::Came UdpTransport::work(const Take& take) {
  const int count = ::recvmmsg(fd_, batch_->headers.data(), batch_size, MSG_DONTWAIT, nullptr);
  Address& from = batch_->from;
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    std::memcpy(from.data(), &batch_->addresses[at], from.size());
    const std::size_t size = batch_->headers[at].msg_len;
    batch_->headers[at].msg_hdr.msg_namelen = sizeof(sockaddr_in);  // the call has written it
    take(from, Bytes(batch_->memory).subspan(at * stride, size));
  }
  return count > 0 ? Came::something : Came::nothing;
}

}  // namespace ligament::xrce
