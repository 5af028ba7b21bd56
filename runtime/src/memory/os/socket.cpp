// SPDX-License-Identifier: Apache-2.0
#include "memory/os/socket.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

namespace ligament::pool::os {

namespace {

struct Address {
  sockaddr_un raw{};
  socklen_t size = 0;
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&raw); }
};

Address abstract_address(const std::string& name) {
  Address address;
  address.raw.sun_family = AF_UNIX;
  const std::size_t length = std::min(name.size(), sizeof address.raw.sun_path - 1);
  std::memcpy(address.raw.sun_path + 1, name.data(), length);  // the leading 0 makes it abstract
  address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  return address;
}

expected<PeerCredentials, SystemError> credentials(int fd) {
  ucred who{};
  socklen_t size = sizeof who;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) {
    return unexpected<SystemError>(last_error("SO_PEERCRED"));
  }
  return PeerCredentials{who.pid, who.uid};
}

constexpr int stream = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
constexpr int datagram = SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK;

expected<Fd, SystemError> open_socket(int type) {
  Fd fd(::socket(AF_UNIX, type, 0));
  if (!fd) {
    return unexpected<SystemError>(last_error("socket"));
  }
  return fd;
}

}  // namespace

expected<Fd, SystemError> open_listener() { return open_socket(stream); }
expected<Fd, SystemError> open_mailbox() { return open_socket(datagram); }

expected<void, SystemError> bind_name(const Fd& socket, const std::string& name) {
  const Address address = abstract_address(name);
  if (::bind(socket.get(), address.get(), address.size) != 0) {
    return unexpected<SystemError>(last_error("bind"));
  }
  return {};
}

expected<void, SystemError> start_listening(const Fd& listener, int backlog) {
  if (::listen(listener.get(), backlog) != 0) {
    return unexpected<SystemError>(last_error("listen"));
  }
  return {};
}

expected<PeerCredentials, SystemError> Caller::ask(const std::string& name,
                                                   const Greeting& greeting) {
  if (!fd_) {
    auto opened = open_socket(stream);
    if (!opened) {
      return unexpected<SystemError>(opened.error());
    }
    fd_ = std::move(*opened);
  }
  const Address address = abstract_address(name);
  if (::connect(fd_.get(), address.get(), address.size) != 0) {
    return unexpected<SystemError>(last_error("connect"));
  }
  const Connection connected(std::exchange(fd_, Fd()));
  (void)::send(connected.fd().get(), &greeting, sizeof greeting, MSG_NOSIGNAL);
  return credentials(connected.fd().get());
}

expected<Called, SystemError> call(const std::string& name) {
  auto fd = open_socket(stream);
  if (!fd) {
    return unexpected<SystemError>(fd.error());
  }
  const Address address = abstract_address(name);
  if (::connect(fd->get(), address.get(), address.size) != 0) {
    return unexpected<SystemError>(last_error("connect"));
  }
  Connection connected(std::move(*fd));
  const auto who = credentials(connected.fd().get());
  if (!who) {
    return unexpected<SystemError>(who.error());
  }
  return Called{std::move(connected), *who};
}

expected<Fd, SystemError> process_behind(const Connection& connection) {
  int number = -1;
  socklen_t size = sizeof number;
  if (::getsockopt(connection.fd().get(), SOL_SOCKET, SO_PEERPIDFD, &number, &size) != 0) {
    return unexpected<SystemError>(last_error("SO_PEERPIDFD"));
  }
  return Fd(number);
}

expected<Visitor, SystemError> accept_visitor(const Fd& listener) {
  Connection connection(
      Fd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)));
  if (!connection) {
    return unexpected<SystemError>(last_error("accept"));
  }
  const auto who = credentials(connection.fd().get());
  if (!who) {
    return unexpected<SystemError>(who.error());
  }
  Visitor visitor{*who, {}, {}};
  if (::recv(connection.fd().get(), &visitor.greeting, sizeof visitor.greeting, MSG_PEEK) !=
      ssize_t{sizeof visitor.greeting}) {
    visitor.greeting = {};
  }
  visitor.connection = std::move(connection);
  return visitor;
}

void drain_mailbox(const Fd& mailbox) {
  // Bounded: others can send as quickly as we read. What is left wakes us again.
  char byte = 0;
  for (int i = 0; i < 64 && receive_message(mailbox, &byte, 1).size > 0; ++i) {
  }
}

void notify(const Fd& from, const std::string& name) {
  const Address address = abstract_address(name);
  const char byte = 1;
  (void)::sendto(from.get(), &byte, 1, MSG_NOSIGNAL, address.get(), address.size);
}

}  // namespace ligament::pool::os
