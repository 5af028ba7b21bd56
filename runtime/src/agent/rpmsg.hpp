// SPDX-License-Identifier: Apache-2.0
/// \file Clients on a core of this chip: one message is one RPMsg message, spec/device/rpmsg.md.
/// A core that is not there yet, or stops, crashes, is killed, starts anew, is waited for.
#pragma once

#include <cstdint>
#include <functional>
#include <ligament/expected.hpp>
#include <memory>
#include <string>

#include "agent/transport.hpp"
#include "rpmsg/link.hpp"

namespace ligament::xrce {

struct RpmsgOptions {
  std::string memory;        ///< file or device that is the core's memory
  std::uint64_t offset = 0;  ///< of the area in it
  rpmsg::Map map = LIGAMENT_RPMSG_MAP(0x21000000);
  std::string bell;   ///< socket of the file system: a byte is an interrupt of the core, and back
  std::string qtest;  ///< not empty: a core without interrupt controller, rung by this socket
  std::string core = "/machine/soc/rpu-cluster/rpu-cpu[0]";  ///< then: its path in QEMU
  std::string channel = "ligament-xrce";
  std::function<void(const std::string&)> log;  ///< a line for people: the core comes and goes
};

class RpmsgTransport : public Transport {
 public:
  /// An error where the memory is not there or too small. The bell may come later.
  [[nodiscard]] static expected<std::unique_ptr<RpmsgTransport>, std::string> open(
      RpmsgOptions options);
  /// With a bell that is there.
  RpmsgTransport(RpmsgOptions options, const rpmsg::Area& area, std::unique_ptr<rpmsg::Bell> bell);

  void send(const Address& to, std::span<const Bytes> pieces) override;
  [[nodiscard]] std::unique_ptr<LinkMemory> lend(const Address& to, std::size_t size) override;
  [[nodiscard]] int fd() const override { return link_.has_bell() ? link_.fd() : -1; }
  [[nodiscard]] Came work(const Take& take) override;
  [[nodiscard]] bool hush() override { return link_.hush(); }
  [[nodiscard]] bool has_news() const override { return link_.has_news(); }
  void nudge() override { link_.nudge(); }
  [[nodiscard]] std::uint64_t moved() const override {
    return link_.figures().received + link_.figures().sent;
  }
  [[nodiscard]] std::string name() const override { return "the core at " + options_.bell; }
  /// Why nothing more comes from the core before it is started anew, though something is at the
  /// bell's other end; empty: it may.
  [[nodiscard]] std::string stopped() const { return link_.has_bell() ? link_.why_dead() : ""; }
  /// Messages that found no room.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }
  [[nodiscard]] const rpmsg::Figures& figures() const { return link_.figures(); }

 private:
  class Memory;
  [[nodiscard]] static std::unique_ptr<rpmsg::Bell> connect(const RpmsgOptions& options,
                                                            const rpmsg::Area& area);
  void down(const std::string& why);
  void say(const std::string& text) const;
  void channel(const rpmsg::Channel& channel, bool there);
  void message(std::uint32_t from, std::uint32_t to, Bytes data);

  /// Ours, on every channel: the core's address tells them apart.
  static constexpr std::uint32_t local = LIGAMENT_RPMSG_FIRST_ADDRESS;

  RpmsgOptions options_;
  rpmsg::Area area_;
  const Take* take_ = nullptr;  ///< while `work` runs
  bool ended_ = false;
  std::uint64_t lost_ = 0;
  rpmsg::Link link_;
  /// Of loans, which may outlive us.
  std::shared_ptr<RpmsgTransport*> self_ = std::make_shared<RpmsgTransport*>(this);
};

}  // namespace ligament::xrce
