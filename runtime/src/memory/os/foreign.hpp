// SPDX-License-Identifier: Apache-2.0
/// \file Descriptors that other processes pass. One may be of anything: a socket that lingers, a
/// file whose server does not answer. Whoever closes it waits, maybe forever, and so does whoever
/// closes a connection in which it lies, or receives a message without room for it. So all that
/// comes is taken out of its message, and what is no memory is closed on a thread that may wait.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <utility>

#include "memory/os/system.hpp"

namespace ligament::pool::os {

/// Closes it on another thread. Never waits.
void close_apart(Fd fd) noexcept;

/// A connection to another process. Its end is one for both sides, and never waits: what lies
/// unread in it may hold descriptors.
class Connection {
 public:
  Connection() = default;
  explicit Connection(Fd fd) : fd_(std::move(fd)) {}
  Connection(Connection&&) noexcept = default;
  Connection& operator=(Connection&&) noexcept = default;  // swaps
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();
  [[nodiscard]] const Fd& fd() const { return fd_; }
  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(fd_); }

 private:
  Fd fd_;
};

struct Message {
  ssize_t size = -1;        ///< -1: errno says why
  Fd memory;                ///< the first that came, if it can have seals
  bool is_foreign = false;  ///< others came: more, or no memory
};
/// Receives without waiting. Asking a memfd for its seals calls no file system: that is done before
/// anything else is.
[[nodiscard]] Message receive_message(const Fd& socket, void* to, std::size_t size);

}  // namespace ligament::pool::os
