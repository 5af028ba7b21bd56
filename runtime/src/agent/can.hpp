// SPDX-License-Identifier: Apache-2.0
/// \file Clients on a CAN bus (FD), by SocketCAN: one message is one frame (spec/wire/xrce.md,
/// section 9). A client's address is the identifier of its frames.
#pragma once

#include <linux/can.h>

#include <cstdint>
#include <ligament/expected.hpp>
#include <memory>
#include <optional>
#include <string>

#include "agent/transport.hpp"

namespace ligament::xrce {

/// A frame's payload is a length and so many bytes.
inline constexpr std::size_t longest_can_message = CANFD_MAX_DLEN - 1;
/// Nothing: it is too long for a frame.
[[nodiscard]] std::optional<canfd_frame> to_frame(std::uint32_t id, std::span<const Bytes> pieces);
/// Within the frame; nothing: its length lies, or it is no data frame with a long identifier.
[[nodiscard]] std::optional<Bytes> from_frame(const canfd_frame& frame, std::size_t size);

class CanTransport : public Transport {
 public:
  /// `interface`: as can0. An error where it is not there.
  [[nodiscard]] static expected<std::unique_ptr<CanTransport>, std::string> open(
      const std::string& interface);
  /// On a socket of frames that is there already.
  CanTransport(int fd, std::string interface) : fd_(fd), interface_(std::move(interface)) {}
  ~CanTransport() override;
  CanTransport(const CanTransport&) = delete;
  CanTransport& operator=(const CanTransport&) = delete;

  void send(const Address& to, std::span<const Bytes> pieces) override;
  [[nodiscard]] int fd() const override { return fd_; }
  [[nodiscard]] Came work(const Take& take) override;
  [[nodiscard]] std::string name() const override { return "CAN interface " + interface_; }
  /// Messages that found no room, or were too long; frames that are none of ours.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }
  [[nodiscard]] std::uint64_t foreign() const { return foreign_; }

 private:
  int fd_;
  std::string interface_;
  std::uint64_t lost_ = 0;
  std::uint64_t foreign_ = 0;
};

}  // namespace ligament::xrce
