// SPDX-License-Identifier: Apache-2.0
/// \file A serial line, or a pseudo terminal: frames over a byte stream. A device that goes away is
/// looked for until it is back.
#pragma once

#include <cstdint>
#include <ligament/expected.hpp>
#include <memory>
#include <string>
#include <vector>

#include "agent/framing.hpp"
#include "agent/transport.hpp"

namespace ligament::xrce {

class SerialTransport : public Transport {
 public:
  /// `baud` 0: as the device is. An error where the device is not there, or has no such rate.
  [[nodiscard]] static expected<std::unique_ptr<SerialTransport>, std::string> open(
      const std::string& device, std::uint32_t baud);
  ~SerialTransport() override;
  SerialTransport(const SerialTransport&) = delete;
  SerialTransport& operator=(const SerialTransport&) = delete;

  void send(const Address& to, std::span<const Bytes> pieces) override;
  [[nodiscard]] int fd() const override { return fd_; }
  [[nodiscard]] bool wants_to_write() const override { return !unsent_.empty(); }
  [[nodiscard]] Came work(const Take& take) override;
  [[nodiscard]] std::string name() const override { return device_; }
  [[nodiscard]] std::uint64_t broken() const { return frames_.broken(); }

 private:
  SerialTransport(std::string device, std::uint32_t baud)
      : device_(std::move(device)), baud_(baud) {}
  /// Empty, or why it cannot be opened.
  [[nodiscard]] std::string open_device();
  void close_device();
  void write_some();

  std::string device_;
  std::uint32_t baud_;
  int fd_ = -1;
  Deframer frames_;
  std::vector<std::byte> unsent_;
};

}  // namespace ligament::xrce
