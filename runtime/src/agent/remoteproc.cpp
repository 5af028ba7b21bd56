// SPDX-License-Identifier: Apache-2.0
#include "agent/remoteproc.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace ligament::xrce {

std::string Remoteproc::state() const {
  const int fd = ::open((folder_ + "/state").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return {};
  }
  std::array<char, 32> text{};
  const ssize_t size = ::read(fd, text.data(), text.size());
  ::close(fd);
  std::string state(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  return state.substr(0, state.find('\n'));
}

/// An attribute takes its value by one call of write, whose error is what Linux has to say of it.
expected<void, std::string> Remoteproc::write(const char* attribute,
                                              const std::string& value) const {
  const std::string path = folder_ + "/" + attribute;
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  const bool is_written = fd >= 0 && ::write(fd, value.data(), value.size()) >= 0;
  const int error = errno;
  if (fd >= 0) {
    ::close(fd);
  }
  return is_written ? expected<void, std::string>{}
                    : unexpected<std::string>("cannot write '" + value + "' to " + path + ": " +
                                              std::strerror(error));
}

expected<void, std::string> Remoteproc::start(const std::string& firmware) const {
  const std::string is = state();
  if (is == "running" || is == "crashed") {
    if (auto stopped = stop(); !stopped) {
      return stopped;
    }
  }
  if (auto named = write("firmware", firmware); !named) {
    return named;
  }
  return write("state", "start");
}

expected<void, std::string> Remoteproc::stop() const { return write("state", "stop"); }

}  // namespace ligament::xrce
