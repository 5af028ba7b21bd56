// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/memory.hpp"

#include "ligament/detail/pool.hpp"

namespace ligament::gpu::cuda {

Memory::Memory(const Device& device)
    : device_(device),
      staging_([this](std::size_t size, Kind kind) {
        return kind == Kind::unified ? allocate_managed(size) : allocate(size);
      }),
      pinned_([this](std::size_t size, Kind /*kind*/) { return allocate_pinned(size); }) {}

Result<Registered> Memory::find(std::span<const std::byte> bytes, Which which) {
  const std::int64_t begin = pool::monotonic_now_ns();
  auto found = HostMemory::of(*device_.driver).find(bytes, device_, which);
  if (found && found->is_new) {
    const std::lock_guard lock(mutex_);
    import_ns_ += pool::monotonic_now_ns() - begin;
    ++imports_;
  }
  return found;
}

bool is_aligned(std::span<const std::byte> bytes) {
  constexpr std::uintptr_t alignment = 16;  // of the widest number that a kernel loads at once
  return reinterpret_cast<std::uintptr_t>(bytes.data()) % alignment == 0;
}

Result<Address> Memory::import(std::span<const std::byte> bytes) {
  if (!is_aligned(bytes)) {
    return failure(ErrorCode::launch_failed,
                   "a payload does not lie at a multiple of 16 bytes, which kernels rely on");
  }
  const auto found = find(bytes, Which::any);
  if (!found) {
    return unexpected<Error>(found.error());
  }
  Address base = 0;
  const Status status = device_.driver->host_address(&base, found->base, 0);
  if (status != status::success) {
    return failed(*device_.driver, "cuMemHostGetDevicePointer", status);
  }
  return base + static_cast<Address>(bytes.data() - found->base);
}

Result<bool> Memory::pin(std::span<const std::byte> bytes) {
  const auto found = find(bytes, Which::shared);
  return found ? Result<bool>(found->base != nullptr)
               : Result<bool>(unexpected<Error>(found.error()));
}

Result<Buffer> Memory::allocate_managed(std::size_t size) const {
  const Driver& driver = *device_.driver;
  std::size_t free = 0;
  std::size_t total = 0;
  if (auto told = as_result(driver, "cuMemGetInfo", driver.memory_info(&free, &total)); !told) {
    return unexpected<Error>(told.error());
  }
  ManagedMemory& managed = device_.context->managed();
  auto claim = managed.claim(size, free);
  if (!claim) {
    return failure(ErrorCode::out_of_memory,
                   "unified memory of " + std::to_string(size) + " bytes, beside " +
                       std::to_string(managed.taken()) +
                       " that this process has of it, is more than the device has room for (" +
                       std::to_string(free) +
                       " bytes are free); to move pages in and out for each access can hang it, so "
                       "this is refused");
  }
  Address address = 0;
  const unsigned flags = device_.facts.shares_managed_memory ? attach_global : attach_host;
  const Status status = driver.allocate_managed(&address, size, flags);
  if (status != status::success) {
    return failed(driver, "cuMemAllocManaged", status);
  }
  Buffer made(driver, address);
  made.claim = std::move(*claim);
  return made;
}

Result<Buffer> Memory::allocate(std::size_t size) const {
  Address address = 0;
  const Status status = device_.driver->allocate(&address, size);
  if (status != status::success) {
    return failed(*device_.driver, "cuMemAlloc", status);
  }
  return Buffer(*device_.driver, address);
}

Result<PinnedBuffer> Memory::allocate_pinned(std::size_t size) const {
  void* host = nullptr;
  const Status status = device_.driver->host_allocate(&host, size, 0);
  if (status != status::success) {
    return failed(*device_.driver, "cuMemHostAlloc", status);
  }
  return PinnedBuffer(*device_.driver, host);
}

void Memory::count_into(Statistics& statistics) const {
  const std::lock_guard lock(mutex_);
  statistics.imported = imports_;
  statistics.import_ns = import_ns_;
  statistics.forgotten = HostMemory::of(*device_.driver).forgotten();
}

}  // namespace ligament::gpu::cuda
