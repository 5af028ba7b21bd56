// SPDX-License-Identifier: Apache-2.0
#include "shared.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>

namespace twin {

ligament::gpu::cuda::IpcHandle handle_of(int fd, std::size_t size, std::size_t begin) {
  const Place place{::getpid(), fd, size, begin};
  ligament::gpu::cuda::IpcHandle handle;
  std::memcpy(handle.bytes.data(), &place, sizeof place);
  return handle;
}

Place place_of(const ligament::gpu::cuda::IpcHandle& handle) {
  Place place;
  std::memcpy(&place, handle.bytes.data(), sizeof place);
  return place;
}

int make_shared_file(std::size_t size) {
  const int fd = ::memfd_create("cuda-twin", MFD_CLOEXEC);
  return fd >= 0 && ::ftruncate(fd, static_cast<off_t>(size)) == 0 ? fd : -1;
}

void* map_shared(int fd, std::size_t size) {
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

void* map_of_peer(const Place& place) {
  const std::string path =
      "/proc/" + std::to_string(place.process) + "/fd/" + std::to_string(place.fd);
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  void* memory = fd < 0 ? nullptr : map_shared(fd, place.size);
  ::close(fd);
  return memory;
}

std::shared_ptr<SharedMark> shared_mark_in(void* memory) {
  if (memory == nullptr) {
    return nullptr;
  }
  return {static_cast<SharedMark*>(memory),
          [](SharedMark* mark) { ::munmap(mark, sizeof(SharedMark)); }};
}

}  // namespace twin
