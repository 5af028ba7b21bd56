// SPDX-License-Identifier: Apache-2.0
/// \file The bell of an emulated core without interrupt controller and timer, spec/device/rpmsg.md.
#pragma once

#include <array>
#include <atomic>
#include <string>

#include "rpmsg/bell.hpp"

namespace ligament::rpmsg {

/// To the core: a level, raised through QEMU's qtest socket, and lowered when the core has taken
/// the cause. From the core: bytes of a serial line. Some bytes ask to be rung later, which is the
/// core's timer (ligament/alarm_byte.h).
class QtestBell : public Bell {
 public:
  struct Places {
    std::string serial;  ///< Unix socket of the serial line
    std::string qtest;   ///< Unix socket of QEMU's qtest
    std::string core;    ///< path of the core in QEMU's object tree
  };

  /// Null where nobody listens (errno says why). `cause` is a word of the area and outlives this.
  [[nodiscard]] static std::unique_ptr<QtestBell> connect(const Places& places,
                                                          std::uint32_t& cause);
  /// The descriptors become its own.
  QtestBell(int serial, int qtest, std::string core, std::uint32_t& cause);
  ~QtestBell() override;
  QtestBell(const QtestBell&) = delete;
  QtestBell& operator=(const QtestBell&) = delete;

  [[nodiscard]] int fd() const override { return epoll_; }
  void ring() override;
  [[nodiscard]] Heard clear() override;

 private:
  void set_line(bool level);
  void check();
  void start_checks(bool shall_run);
  [[nodiscard]] bool read_serial();
  [[nodiscard]] bool read_answers();

  int serial_;
  int qtest_;
  int timer_;  ///< the core's
  int check_;  ///< periodic
  int epoll_;
  std::string core_;
  std::uint32_t& cause_;
  bool is_high_ = false;
  bool is_checking_ = false;
  int first_rings_;
};

}  // namespace ligament::rpmsg
