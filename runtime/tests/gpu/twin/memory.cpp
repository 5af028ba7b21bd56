// SPDX-License-Identifier: Apache-2.0
/// The driver's calls for memory: the device's, the host's, and that of other processes.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "gpu/mapping.hpp"
#include "shared.hpp"
#include "world.hpp"

using namespace twin;

namespace {

constexpr std::size_t block_bytes = std::size_t{2} << 20;
constexpr std::size_t piece_alignment = 512;

std::shared_ptr<Block> make_block(std::size_t size) {
  auto block = std::make_shared<Block>();
  block->fd = make_shared_file(size);
  block->base = static_cast<std::byte*>(map_shared(block->fd, size));
  block->size = size;
  return block->base == nullptr ? nullptr : block;
}

/// Under the world's lock. Null: there is no memory.
std::shared_ptr<Block> block_for(std::size_t size) {
  if (size >= block_bytes) {
    return make_block(size);
  }
  auto& open = world().open_block;
  if (open == nullptr || open->size - open->used < size) {
    open = make_block(block_bytes);
  }
  return open;
}

}  // namespace

extern "C" {

Status cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  *total = memory_bytes();
  *free = memory_bytes() / 2;
  return fate_of("cuMemGetInfo");
}

Status cuMemAlloc_v2(Address* address, std::size_t size) {
  if (const Status fate = fate_of("cuMemAlloc"); fate != status::success) {
    return fate;
  }
  if (size > memory_bytes()) {
    return status::out_of_memory;
  }
  const std::lock_guard lock(world().mutex);
  auto block = block_for(size);
  if (block == nullptr) {
    return status::out_of_memory;
  }
  const std::size_t begin = block->used;
  const std::size_t end = (begin + size + piece_alignment - 1) / piece_alignment * piece_alignment;
  block->used = std::min(end, block->size);
  *address = reinterpret_cast<Address>(block->base + begin);
  world().allocated[*address] = {std::move(block), begin};
  return status::success;
}

Status cuMemAllocManaged(Address* address, std::size_t size, unsigned /*flags*/) {
  return cuMemAlloc_v2(address, size);
}

Status cuMemFree_v2(Address address) {
  expect_context("cuMemFree");
  const std::lock_guard lock(world().mutex);
  const auto found = world().allocated.find(address);
  if (found == world().allocated.end()) {
    return status::invalid_value;
  }
  world().allocated.erase(found);
  return status::success;
}

Status cuIpcGetMemHandle(cuda::IpcHandle* handle, Address address) {
  if (const Status fate = fate_of("cuIpcGetMemHandle"); fate != status::success) {
    return fate;
  }
  const std::lock_guard lock(world().mutex);
  const auto found = world().allocated.find(address);
  if (found == world().allocated.end()) {
    return status::invalid_value;
  }
  const Block& block = *found->second.block;
  *handle = handle_of(block.fd, block.size, found->second.begin);
  return status::success;
}

Status cuIpcOpenMemHandle_v2(Address* address, cuda::IpcHandle handle, unsigned /*flags*/) {
  if (const Status fate = fate_of("cuIpcOpenMemHandle"); fate != status::success) {
    return fate;
  }
  const Place place = place_of(handle);
  auto* const base = static_cast<std::byte*>(map_of_peer(place));
  if (base == nullptr) {
    return status::invalid_value;
  }
  *address = reinterpret_cast<Address>(base + place.begin);
  const std::lock_guard lock(world().mutex);
  world().opened[*address] = {base, place.size};
  return status::success;
}

Status cuIpcCloseMemHandle(Address address) {
  expect_context("cuIpcCloseMemHandle");
  const std::lock_guard lock(world().mutex);
  const auto found = world().opened.find(address);
  if (found == world().opened.end()) {
    return status::invalid_value;
  }
  ::munmap(found->second.base, found->second.size);
  world().opened.erase(found);
  return status::success;
}

Status cuStreamAttachMemAsync(cuda::Stream /*stream*/, Address address, std::size_t /*size*/,
                              unsigned flags) {
  const std::lock_guard lock(world().mutex);
  const auto found = world().allocated.find(address);
  if (found == world().allocated.end()) {
    return status::invalid_value;
  }
  found->second.is_streams = flags == cuda::attach_single;
  return status::success;
}

Status cuMemHostAlloc(void** host, std::size_t size, unsigned /*flags*/) {
  if (const Status fate = fate_of("cuMemHostAlloc"); fate != status::success) {
    return fate;
  }
  *host = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (*host == MAP_FAILED) {
    return status::out_of_memory;
  }
  const std::lock_guard lock(world().mutex);
  world().pinned[static_cast<std::byte*>(*host)] = size;
  return status::success;
}

Status cuMemFreeHost(void* host) {
  expect_context("cuMemFreeHost");
  const std::lock_guard lock(world().mutex);
  const auto found = world().pinned.find(static_cast<std::byte*>(host));
  if (found == world().pinned.end()) {
    return status::invalid_value;
  }
  ::munmap(host, found->second);
  world().pinned.erase(found);
  return status::success;
}

Status cuMemHostRegister_v2(void* host, std::size_t size, unsigned flags) {
  if (const Status fate = fate_of("cuMemHostRegister"); fate != status::success) {
    return fate;
  }
  auto* begin = static_cast<std::byte*>(host);
  const auto mapping = ligament::gpu::mapping_of(std::span(begin, 1));
  const bool as_read_only = (flags & cuda::register_read_only) != 0;
  if (as_read_only && is_set_up_as("no-read-only")) {
    return status::not_supported;
  }
  if (!mapping || (!mapping->is_writable && !as_read_only)) {
    return status::invalid_value;
  }
  const std::lock_guard lock(world().mutex);
  for (const auto& [base, length] : world().registered) {
    if (begin < base + length && base < begin + size) {
      return status::memory_already_registered;
    }
  }
  world().registered[begin] = size;
  return status::success;
}

Status cuMemHostUnregister(void* host) {
  expect_context("cuMemHostUnregister");
  const std::lock_guard lock(world().mutex);
  return world().registered.erase(static_cast<std::byte*>(host)) == 0
             ? status::memory_not_registered
             : status::success;
}

Status cuMemHostGetDevicePointer_v2(Address* address, void* host, unsigned /*flags*/) {
  expect_context("cuMemHostGetDevicePointer");
  const std::lock_guard lock(world().mutex);
  *address = reinterpret_cast<Address>(host);
  return world().registered.count(static_cast<std::byte*>(host)) == 0 ? status::invalid_value
                                                                      : status::success;
}

}  // extern "C"
