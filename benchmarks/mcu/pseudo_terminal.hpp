// SPDX-License-Identifier: Apache-2.0
/// \file A serial device that this process is the other end of.
#pragma once

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "ends.hpp"

namespace bench {

/// The name is for whoever takes it for a serial line.
class PseudoTerminal {
 public:
  PseudoTerminal() : fd_(::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)) {
    if (fd_ < 0 || ::grantpt(fd_) != 0 || ::unlockpt(fd_) != 0 || ::ptsname(fd_) == nullptr) {
      fail(std::string("no pseudo terminal: ") + std::strerror(errno));
    }
    name_ = ::ptsname(fd_);
    // Open as long as the line is: who has not come yet, or goes, is no end of it.
    kept_ = ::open(name_.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
    termios settings{};
    if (kept_ < 0 || ::tcgetattr(kept_, &settings) != 0) {
      fail(std::string("no pseudo terminal: ") + std::strerror(errno));
    }
    ::cfmakeraw(&settings);
    (void)::tcsetattr(kept_, TCSANOW, &settings);
  }
  ~PseudoTerminal() {
    ::close(kept_);
    ::close(fd_);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  int fd_;
  int kept_ = -1;
  std::string name_;
};

}  // namespace bench
