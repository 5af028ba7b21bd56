// SPDX-License-Identifier: Apache-2.0
/// \file Clients on a core whose RPMsg Linux itself speaks: a character device, of which one read
/// is one message (spec/device/rpmsg.md, section 8). A device that goes away is waited for.
#pragma once

#include <linux/rpmsg.h>

#include <cstdint>
#include <functional>
#include <ligament/expected.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/remoteproc.hpp"
#include "agent/transport.hpp"

namespace ligament::xrce {

struct RpmsgDeviceOptions {
  /// An endpoint (/dev/rpmsg0); what makes endpoints (/dev/rpmsg_ctrl0); or a Unix socket of
  /// packets (SOCK_SEQPACKET), behind which something stands for a core.
  std::string device;
  std::string channel = "ligament-xrce";  ///< name of an endpoint that is made
  std::uint32_t to = 1024;                ///< the core's address that it is for
  std::string remoteproc;                 ///< folder in sysfs; empty: others start the core
  std::string firmware;                   ///< not empty: the core is started with it, and stopped
  std::string sys = "/sys";
  /// RPMSG_CREATE_EPT_IOCTL; tests have no such device.
  std::function<int(int fd, rpmsg_endpoint_info& endpoint)> create;
  std::function<void(const std::string&)> log;  ///< a line for people
};

class RpmsgDevice : public Transport {
 public:
  /// An error where the core cannot be started. The device may come later.
  [[nodiscard]] static expected<std::unique_ptr<RpmsgDevice>, std::string> open(
      RpmsgDeviceOptions options);
  ~RpmsgDevice() override;
  RpmsgDevice(const RpmsgDevice&) = delete;
  RpmsgDevice& operator=(const RpmsgDevice&) = delete;

  void send(const Address& to, std::span<const Bytes> pieces) override;
  [[nodiscard]] int fd() const override { return fd_; }
  [[nodiscard]] Came work(const Take& take) override;
  [[nodiscard]] std::string name() const override { return "the core at " + options_.device; }
  /// Messages that found no room, or were too long.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  explicit RpmsgDevice(RpmsgDeviceOptions options);
  [[nodiscard]] bool open_device();
  [[nodiscard]] int open_endpoint();
  [[nodiscard]] int make_endpoint();
  [[nodiscard]] std::vector<std::string> endpoints() const;
  void close_device();
  void follow_core();
  void say_once(const std::string& text);

  RpmsgDeviceOptions options_;
  std::optional<Remoteproc> core_;
  std::string core_state_;
  std::string said_;
  int fd_ = -1;
  std::string made_;  ///< the endpoint that is ours, and ends with us
  std::uint64_t lost_ = 0;
  std::vector<std::byte> packet_;
};

}  // namespace ligament::xrce
