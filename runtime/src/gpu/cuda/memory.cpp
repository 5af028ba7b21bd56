// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/memory.hpp"

#include <algorithm>
#include <utility>

#include "ligament/detail/pool.hpp"

namespace ligament::gpu::cuda {

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

Result<Address> Memory::import(std::span<const std::byte> bytes) {
  constexpr std::uintptr_t alignment = 16;  // of the widest number that a kernel loads at once
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignment != 0) {
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

void Memory::pin(std::span<const std::byte> bytes) { (void)find(bytes, Which::shared); }

Result<Buffer> Memory::allocate_managed(std::size_t size) const {
  const Driver& driver = *device_.driver;
  std::size_t free = 0;
  std::size_t total = 0;
  if (auto told = as_result(driver, "cuMemGetInfo", driver.memory_info(&free, &total)); !told) {
    return unexpected<Error>(told.error());
  }
  if (size > free) {
    return failure(ErrorCode::out_of_memory,
                   "unified memory of " + std::to_string(size) + " bytes is more than the " +
                       std::to_string(free) +
                       " that the device has free; to move pages in and out for each access can "
                       "hang it, so this is refused");
  }
  Address address = 0;
  const unsigned flags = device_.facts.shares_managed_memory ? attach_global : attach_host;
  const Status status = driver.allocate_managed(&address, size, flags);
  if (status != status::success) {
    return failed(driver, "cuMemAllocManaged", status);
  }
  return Buffer(driver, address);
}

Result<Buffer> Memory::allocate(std::size_t size) const {
  Address address = 0;
  const Status status = device_.driver->allocate(&address, size);
  if (status != status::success) {
    return failed(*device_.driver, "cuMemAlloc", status);
  }
  return Buffer(*device_.driver, address);
}

/// The smallest that is large enough, with its size; where there is none, those too small go.
Buffer Memory::take_free(std::size_t& size) {
  const std::lock_guard lock(mutex_);
  auto best = free_.end();
  for (auto one = free_.begin(); one != free_.end(); ++one) {
    if (one->size >= size && (best == free_.end() || one->size < best->size)) {
      best = one;
    }
  }
  if (best == free_.end()) {
    std::erase_if(free_, [](const Staged& one) { return one.size > most_value_bytes; });
    return {};
  }
  size = best->size;
  Buffer found = std::move(best->buffer);
  free_.erase(best);
  return found;
}

/// A kernel that reads what an earlier one of the same submit wrote finds it on the device.
Result<Mapped> Memory::stage(std::span<const std::byte> bytes, Lease& lease) {
  for (const Staged& one : lease) {
    if (one.host == bytes.data() && one.size >= bytes.size()) {
      return Mapped{one.buffer.get(), false};
    }
  }
  std::size_t size = std::max(bytes.size(), most_value_bytes);
  Buffer buffer = take_free(size);
  if (!buffer) {
    const bool is_managed = device_.info.model == Model::unified_memory;
    auto made = is_managed ? allocate_managed(size) : allocate(size);
    if (!made) {
      return unexpected<Error>(made.error());
    }
    buffer = std::move(*made);
  }
  lease.push_back({bytes.data(), std::move(buffer), size});
  return Mapped{lease.back().buffer.get(), true};
}

Result<Mapped> Memory::kept(const Kept& which) {
  if (which.bytes < 1) {
    return failure(ErrorCode::launch_failed, "the size of a buffer is below 1");
  }
  const std::lock_guard lock(mutex_);
  KeptPlace& place = kept_[which.place];
  const auto size = static_cast<std::size_t>(which.bytes);
  const bool is_new = place.size < size;
  if (is_new) {
    auto buffer = allocate(size);
    if (!buffer) {
      return unexpected<Error>(buffer.error());
    }
    place = {std::move(*buffer), size, place.generation + 1};
  }
  return Mapped{place.buffer.get(), is_new};
}

std::uint64_t Memory::generation_of(const Kept& which) const {
  const std::lock_guard lock(mutex_);
  const auto known = kept_.find(which.place);
  if (known == kept_.end()) {
    return 1;
  }
  const bool fits = std::cmp_less_equal(which.bytes, known->second.size);
  return known->second.generation + (fits ? 0 : 1);
}

void Memory::give_back(Lease&& lease) {
  const std::lock_guard lock(mutex_);
  for (Staged& one : lease) {
    one.host = nullptr;
    free_.push_back(std::move(one));
  }
  lease.clear();
}

void Memory::count_into(Statistics& statistics) const {
  const std::lock_guard lock(mutex_);
  statistics.imported = imports_;
  statistics.import_ns = import_ns_;
  statistics.forgotten = HostMemory::of(*device_.driver).forgotten();
}

}  // namespace ligament::gpu::cuda
