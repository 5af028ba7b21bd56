// SPDX-License-Identifier: Apache-2.0
#include "rpmsg/bell.hpp"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace ligament::rpmsg {

std::pair<std::unique_ptr<Bell>, std::unique_ptr<Bell>> EventBell::pair() {
  const int one = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  const int two = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  // Each end has descriptors of its own, so that either may be destroyed first.
  std::unique_ptr<Bell> first(
      new EventBell(::fcntl(one, F_DUPFD_CLOEXEC, 0), ::fcntl(two, F_DUPFD_CLOEXEC, 0)));
  return {std::move(first), std::unique_ptr<Bell>(new EventBell(two, one))};
}

EventBell::~EventBell() {
  ::close(mine_);
  ::close(theirs_);
}

void EventBell::ring() {
  const std::uint64_t once = 1;
  [[maybe_unused]] const auto written = ::write(theirs_, &once, sizeof once);
}

Bell::Heard EventBell::clear() {
  std::uint64_t times = 0;
  [[maybe_unused]] const auto taken = ::read(mine_, &times, sizeof times);
  return Heard::alive;
}

SocketBell::SocketBell(int fd) : fd_(fd) {
  ::fcntl(fd_, F_SETFL, ::fcntl(fd_, F_GETFL) | O_NONBLOCK);
}

int connect_socket(const char* path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (std::strlen(path) >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  std::strcpy(address.sun_path, path);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    const int why = errno;
    ::close(fd);
    errno = why;
    return -1;
  }
  return fd;
}

std::unique_ptr<SocketBell> SocketBell::connect(const char* path) {
  const int fd = connect_socket(path);
  return fd < 0 ? nullptr : std::make_unique<SocketBell>(fd);
}

SocketBell::~SocketBell() { ::close(fd_); }

void SocketBell::ring() {
  const char byte = 1;
  [[maybe_unused]] const auto sent = ::send(fd_, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

Bell::Heard SocketBell::clear() {
  // A peer that never stops ringing shall not keep us here: what is left wakes us again.
  std::array<char, 256> rings;
  const auto got = ::recv(fd_, rings.data(), rings.size(), MSG_DONTWAIT);
  const bool gone = got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
  return gone ? Heard::gone : Heard::alive;
}

}  // namespace ligament::rpmsg
