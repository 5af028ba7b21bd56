// SPDX-License-Identifier: Apache-2.0
/// \file What wakes the other side. A ring carries no content: the rings of memory have it.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

namespace ligament::rpmsg {

class Bell {
 public:
  enum class Heard : std::uint8_t {
    alive,
    gone,  ///< nobody is at the other end any more
  };

  virtual ~Bell() = default;
  /// Readable when it was rung, and when the other end is gone.
  [[nodiscard]] virtual int fd() const = 0;
  /// Never blocks. A ring that is lost because others wait to be heard is none.
  virtual void ring() = 0;
  /// Takes all rings so far.
  [[nodiscard]] virtual Heard clear() = 0;
};

/// Between two threads, or processes that share the descriptors: two eventfds.
class EventBell : public Bell {
 public:
  /// Both ends.
  [[nodiscard]] static std::pair<std::unique_ptr<Bell>, std::unique_ptr<Bell>> pair();
  ~EventBell() override;
  EventBell(const EventBell&) = delete;
  EventBell& operator=(const EventBell&) = delete;

  [[nodiscard]] int fd() const override { return mine_; }
  void ring() override;
  [[nodiscard]] Heard clear() override;

 private:
  EventBell(int mine, int theirs) : mine_(mine), theirs_(theirs) {}

  int mine_;
  int theirs_;
};

/// Connects to a stream socket of the file system; -1 where nobody listens (errno says why).
[[nodiscard]] int connect_socket(const char* path);

/// A stream socket where any byte is a ring: an emulator's serial line, an interrupt's proxy.
class SocketBell : public Bell {
 public:
  /// The descriptor becomes its own.
  explicit SocketBell(int fd);
  /// Connects to a socket of the file system; null where nobody listens (errno says why).
  [[nodiscard]] static std::unique_ptr<SocketBell> connect(const char* path);
  ~SocketBell() override;
  SocketBell(const SocketBell&) = delete;
  SocketBell& operator=(const SocketBell&) = delete;

  [[nodiscard]] int fd() const override { return fd_; }
  void ring() override;
  [[nodiscard]] Heard clear() override;

 private:
  int fd_;
};

}  // namespace ligament::rpmsg
