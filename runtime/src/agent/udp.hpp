// SPDX-License-Identifier: Apache-2.0
/// \file UDP: one message is one datagram. Many are received and sent with one system call each.
#pragma once

#include <cstdint>
#include <ligament/expected.hpp>
#include <memory>
#include <string>
#include <vector>

#include "agent/transport.hpp"

namespace ligament::xrce {

class UdpTransport : public Transport {
 public:
  /// `host`: where to listen, `port` 0: any.
  [[nodiscard]] static expected<std::unique_ptr<UdpTransport>, std::string> open(
      const std::string& host, std::uint16_t port);
  ~UdpTransport() override;
  UdpTransport(const UdpTransport&) = delete;
  UdpTransport& operator=(const UdpTransport&) = delete;

  void send(const Address& to, std::span<const Bytes> pieces) override;
  [[nodiscard]] int fd() const override { return fd_; }
  [[nodiscard]] bool may_be_polled() const override { return true; }
  [[nodiscard]] Came work(const Take& take) override;
  [[nodiscard]] std::string name() const override { return "UDP port " + std::to_string(port_); }
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  struct Batch;
  explicit UdpTransport(int fd, std::uint16_t port);

  int fd_;
  std::uint16_t port_;
  std::unique_ptr<Batch> batch_;
};

}  // namespace ligament::xrce
