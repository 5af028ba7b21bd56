// SPDX-License-Identifier: Apache-2.0
#include "rpmsg/area.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace ligament::rpmsg {

namespace {

const char* const invalid_map =
    "the memory map is invalid: the base must be a multiple of 4096, the count of buffers a power "
    "of two from 2 to 1024, sizes of buffers and blocks multiples of 64 up to 65536, and there may "
    "be 32 blocks at most";

}  // namespace

expected<Area, std::string> Area::open(const std::string& path, std::uint64_t offset,
                                       const Map& map) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) {
    return unexpected<std::string>(
        fmt::format("{}: cannot open it: {}", path, std::strerror(errno)));
  }
  auto area = of(fd, offset, map);
  ::close(fd);
  return area ? area : unexpected<std::string>(path + ": " + area.error());
}

expected<Area, std::string> Area::of(int fd, std::uint64_t offset, const Map& map) {
  const Layout layout = ligament_rpmsg_layout(&map);
  if (layout.size == 0 || offset % LIGAMENT_RPMSG_ALIGN != 0) {
    return unexpected<std::string>(invalid_map);
  }
  struct stat status {};
  if (::fstat(fd, &status) != 0) {
    return unexpected<std::string>(
        fmt::format("cannot ask for its size: {}", std::strerror(errno)));
  }
  // A device has no size. Of a file, what lies beyond its end would be SIGBUS.
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (S_ISREG(status.st_mode) && (offset > size || size - offset < layout.size)) {
    return unexpected<std::string>(
        fmt::format("it has {} bytes, the area needs {} from {}", size, layout.size, offset));
  }
  void* memory = ::mmap(nullptr, layout.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                        static_cast<off_t>(offset));
  if (memory == MAP_FAILED) {
    return unexpected<std::string>(fmt::format("cannot map it: {}", std::strerror(errno)));
  }
  return Area({static_cast<std::byte*>(memory),
               [size = layout.size](std::byte* mapped) { ::munmap(mapped, size); }},
              map, layout);
}

expected<Area, std::string> Area::of(std::byte* memory, const Map& map) {
  const Layout layout = ligament_rpmsg_layout(&map);
  if (layout.size == 0) {
    return unexpected<std::string>(invalid_map);
  }
  return Area({memory, [](std::byte*) {}}, map, layout);
}

}  // namespace ligament::rpmsg
