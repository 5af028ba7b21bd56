// SPDX-License-Identifier: Apache-2.0
#include "agent/serial.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

namespace ligament::xrce {

namespace {

constexpr std::size_t most_unsent = std::size_t{256} << 10;
constexpr std::size_t chunk = 4096;

struct Rate {
  std::uint32_t baud;
  speed_t speed;
};
constexpr std::array<Rate, 12> rates{{{9600, B9600},
                                      {19200, B19200},
                                      {38400, B38400},
                                      {57600, B57600},
                                      {115200, B115200},
                                      {230400, B230400},
                                      {460800, B460800},
                                      {500000, B500000},
                                      {921600, B921600},
                                      {1000000, B1000000},
                                      {2000000, B2000000},
                                      {3000000, B3000000}}};

std::optional<speed_t> speed_of(std::uint32_t baud) {
  const auto found =
      std::find_if(rates.begin(), rates.end(), [baud](const Rate& r) { return r.baud == baud; });
  return found == rates.end() ? std::nullopt : std::optional(found->speed);
}

}  // namespace

expected<std::unique_ptr<SerialTransport>, std::string> SerialTransport::open(
    const std::string& device, std::uint32_t baud) {
  if (baud != 0 && !speed_of(baud)) {
    return unexpected<std::string>(
        fmt::format("{} is no rate of serial lines: 9600 to 3000000, as 115200", baud));
  }
  auto line = std::unique_ptr<SerialTransport>(new SerialTransport(device, baud));
  const std::string fault = line->open_device();
  return fault.empty() ? expected<std::unique_ptr<SerialTransport>, std::string>(std::move(line))
                       : unexpected<std::string>(fault);
}

std::string SerialTransport::open_device() {
  fd_ = ::open(device_.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  termios settings{};
  if (fd_ < 0 || ::tcgetattr(fd_, &settings) != 0) {
    const std::string why = std::strerror(errno);
    close_device();
    return device_ + ": " + why;
  }
  ::cfmakeraw(&settings);
  settings.c_cflag |= CLOCAL | CREAD;
  if (const auto speed = speed_of(baud_)) {
    ::cfsetispeed(&settings, *speed);
    ::cfsetospeed(&settings, *speed);
  }
  if (::tcsetattr(fd_, TCSANOW, &settings) != 0) {
    const std::string why = std::strerror(errno);
    close_device();
    return device_ + ": " + why;
  }
  return {};
}

SerialTransport::~SerialTransport() { close_device(); }

void SerialTransport::close_device() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
  fd_ = -1;
  unsent_.clear();
}

/// A line that is too slow for what is sent loses whole messages, as any wire does.
void SerialTransport::send(const Address& to, std::span<const Bytes> pieces) {
  if (fd_ < 0 || unsent_.size() > most_unsent) {
    return;
  }
  const auto station = to.empty() ? std::uint8_t{0} : std::to_integer<std::uint8_t>(to.front());
  append_frame(unsent_, station, pieces);
  write_some();
}

void SerialTransport::write_some() {
  while (!unsent_.empty()) {
    const ssize_t count = ::write(fd_, unsent_.data(), unsent_.size());
    if (count <= 0) {
      return;
    }
    unsent_.erase(unsent_.begin(), unsent_.begin() + count);
  }
}

Transport::Came SerialTransport::work(const Take& take) {
  if (fd_ < 0) {
    return open_device().empty() ? Came::something : Came::nothing;
  }
  write_some();
  std::array<std::byte, chunk> bytes{};
  const ssize_t count = ::read(fd_, bytes.data(), bytes.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
    return Came::nothing;
  }
  if (count <= 0) {
    close_device();
    return Came::end;
  }
  frames_.add(
      Bytes(bytes).first(static_cast<std::size_t>(count)),
      [&](std::uint8_t source, Bytes message) { take({static_cast<std::byte>(source)}, message); });
  return Came::something;
}

}  // namespace ligament::xrce
