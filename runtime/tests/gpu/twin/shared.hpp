// SPDX-License-Identifier: Apache-2.0
/// \file Memory that processes share, and how one finds another's: an IPC handle names a
/// descriptor.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "gpu/cuda/driver.hpp"

namespace twin {

/// A descriptor of some process, as an IPC handle has it.
struct Place {
  pid_t process = 0;
  int fd = -1;
  std::size_t size = 0;
  std::size_t begin = 0;
};

ligament::gpu::cuda::IpcHandle handle_of(int fd, std::size_t size, std::size_t begin = 0);
Place place_of(const ligament::gpu::cuda::IpcHandle& handle);

/// A descriptor, or -1.
int make_shared_file(std::size_t size);
/// Null: it cannot be mapped.
void* map_shared(int fd, std::size_t size);
/// What another process has there, or null.
void* map_of_peer(const Place& place);

/// Of an event between processes, in memory that they share.
struct SharedMark {
  std::atomic<std::uint64_t> recorded{0};
  std::atomic<std::uint64_t> done{0};
};
/// Null where the memory is.
std::shared_ptr<SharedMark> shared_mark_in(void* memory);

}  // namespace twin
