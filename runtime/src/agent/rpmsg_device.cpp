// SPDX-License-Identifier: Apache-2.0
#include "agent/rpmsg_device.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace ligament::xrce {

namespace {

constexpr std::size_t longest_packet = std::size_t{64} << 10U;
constexpr int batch = 32;

/// What stands for a core; -1 with errno.
int connect_packets(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  const int fd = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd >= 0 && ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    ::close(fd);
    errno = error;
    return -1;
  }
  return fd;
}

bool is_socket(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode);
}

/// An empty packet reads as the end of a file does.
bool has_ended(int fd) {
  pollfd source{fd, POLLIN, 0};
  return ::poll(&source, 1, 0) == 1 && (source.revents & (POLLHUP | POLLERR)) != 0;
}

std::string first_line(const std::filesystem::path& file) {
  std::string line;
  std::ifstream stream(file);
  std::getline(stream, line);
  return line;
}

}  // namespace

expected<std::unique_ptr<RpmsgDevice>, std::string> RpmsgDevice::open(RpmsgDeviceOptions options) {
  auto made = std::unique_ptr<RpmsgDevice>(new RpmsgDevice(std::move(options)));
  const auto& chosen = made->options_;
  if (!chosen.firmware.empty()) {
    auto started = made->core_->start(chosen.firmware);
    if (!started) {
      made->options_.firmware.clear();  // it is not ours to stop
      return unexpected<std::string>(started.error());
    }
  }
  (void)made->open_device();
  return made;
}

RpmsgDevice::RpmsgDevice(RpmsgDeviceOptions options)
    : options_(std::move(options)), packet_(longest_packet) {
  if (!options_.create) {
    options_.create = [](int fd, rpmsg_endpoint_info& endpoint) {
      return ::ioctl(fd, RPMSG_CREATE_EPT_IOCTL, &endpoint);
    };
  }
  if (!options_.remoteproc.empty()) {
    core_.emplace(options_.remoteproc);
  }
}

RpmsgDevice::~RpmsgDevice() {
  close_device();
  if (core_ && !options_.firmware.empty()) {
    (void)core_->stop();
  }
}

void RpmsgDevice::say_once(const std::string& text) {
  if (options_.log && text != said_) {
    options_.log(text);
  }
  said_ = text;
}

std::vector<std::string> RpmsgDevice::endpoints() const {
  std::vector<std::string> found;
  std::error_code error;
  const std::filesystem::path folder = options_.sys + "/class/rpmsg";
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (first_line(at->path() / "name") == options_.channel) {
      found.push_back(at->path().filename());
    }
  }
  return found;
}

/// The kernel does not say which device it made: it is the one that was not there.
int RpmsgDevice::make_endpoint() {
  const std::vector<std::string> before = endpoints();
  const int control = ::open(options_.device.c_str(), O_RDWR | O_CLOEXEC);
  rpmsg_endpoint_info endpoint{};
  std::copy_n(options_.channel.begin(), std::min(options_.channel.size(), sizeof endpoint.name - 1),
              endpoint.name);
  endpoint.src = 0xFFFFFFFF;  // any: the kernel chooses
  endpoint.dst = options_.to;
  const bool is_made = control >= 0 && options_.create(control, endpoint) == 0;
  const int error = errno;
  if (control >= 0) {
    ::close(control);
  }
  if (!is_made) {
    errno = error;
    return -1;
  }
  for (const std::string& name : endpoints()) {
    if (std::find(before.begin(), before.end(), name) == before.end()) {
      made_ = std::filesystem::path(options_.device).parent_path() / name;
      return ::open(made_.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    }
  }
  errno = ENODEV;
  return -1;
}

int RpmsgDevice::open_endpoint() {
  if (!made_.empty()) {  // its node in /dev comes a moment later
    return ::open(made_.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  }
  if (std::filesystem::path(options_.device).filename().string().starts_with("rpmsg_ctrl")) {
    return make_endpoint();
  }
  return is_socket(options_.device)
             ? connect_packets(options_.device)
             : ::open(options_.device.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
}

/// The first packet is empty: by it the core learns where we are.
bool RpmsgDevice::open_device() {
  fd_ = open_endpoint();
  if (fd_ < 0) {
    say_once(fmt::format("{}: {}; waiting for it", options_.device, std::strerror(errno)));
    return false;
  }
  said_.clear();
  if (::write(fd_, "", 0) < 0) {
    ++lost_;
  }
  return true;
}

void RpmsgDevice::close_device() {
  if (fd_ >= 0) {
    if (!std::exchange(made_, {}).empty()) {
      (void)::ioctl(fd_, RPMSG_DESTROY_EPT_IOCTL);
    }
    ::close(fd_);
  }
  fd_ = -1;
}

/// A core that has crashed starts again if it is ours; the kernel may do that itself.
void RpmsgDevice::follow_core() {
  if (!core_) {
    return;
  }
  const std::string state = core_->state();
  if (state == core_state_) {
    return;
  }
  core_state_ = state;
  if (options_.log) {
    options_.log(fmt::format("{}: {}", core_->folder(), state.empty() ? "not there" : state));
  }
  if (state == "crashed" && !options_.firmware.empty()) {
    const auto started = core_->start(options_.firmware);
    if (!started && options_.log) {
      options_.log(started.error());
    }
  }
}

void RpmsgDevice::send(const Address& /*to*/, std::span<const Bytes> pieces) {
  std::array<iovec, 4> parts{};
  const std::size_t count = std::min(pieces.size(), parts.size());
  std::size_t size = 0;
  for (std::size_t i = 0; i < count; ++i) {
    parts[i] = {const_cast<std::byte*>(pieces[i].data()), pieces[i].size()};
    size += pieces[i].size();
  }
  if (fd_ < 0 || ::writev(fd_, parts.data(), static_cast<int>(count)) < 0) {
    ++lost_;  // no room: streams repeat it
    if (fd_ >= 0 && (errno == EMSGSIZE || errno == EINVAL)) {
      say_once(
          fmt::format("{}: a message of {} bytes is too long for it: the client's own limit "
                      "should be that of RPMsg, mostly 496 bytes",
                      options_.device, size));
    }
  }
}

Transport::Came RpmsgDevice::work(const Take& take) {
  if (fd_ < 0) {
    follow_core();
    return open_device() ? Came::something : Came::nothing;
  }
  for (int count = 0; count < batch; ++count) {
    const ssize_t size = ::read(fd_, packet_.data(), packet_.size());
    if (size > 0) {
      take({}, Bytes(packet_).first(static_cast<std::size_t>(size)));
      continue;
    }
    const bool is_empty = size < 0 ? errno == EAGAIN || errno == EINTR : !has_ended(fd_);
    if (!is_empty) {
      close_device();
      follow_core();
      return Came::end;
    }
    if (size < 0) {
      return count == 0 ? Came::nothing : Came::something;
    }
  }
  return Came::something;
}

}  // namespace ligament::xrce
