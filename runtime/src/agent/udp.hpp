// SPDX-License-Identifier: Apache-2.0
/// \file UDP: one message is one datagram. Many are received and sent with one system call each.
#pragma once

#include <cstdint>
#include <functional>
#include <ligament/expected.hpp>
#include <memory>
#include <string>
#include <vector>

#include "agent/agent.hpp"

namespace ligament::xrce {

class UdpLink : public Link {
 public:
  /// `host`: where to listen, `port` 0: any.
  [[nodiscard]] static expected<std::unique_ptr<UdpLink>, std::string> open(const std::string& host,
                                                                            std::uint16_t port);
  ~UdpLink() override;
  UdpLink(const UdpLink&) = delete;
  UdpLink& operator=(const UdpLink&) = delete;

  void send(const Address& to, std::span<const Bytes> pieces) override;
  /// Hands over what there is, up to a batch; false: there was nothing.
  [[nodiscard]] bool receive(const std::function<void(const Address&, Bytes)>& take);
  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  struct Batch;
  explicit UdpLink(int fd, std::uint16_t port);

  int fd_;
  std::uint16_t port_;
  std::unique_ptr<Batch> batch_;
};

}  // namespace ligament::xrce
