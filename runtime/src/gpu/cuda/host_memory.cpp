// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/host_memory.hpp"

#include <unistd.h>

#include <algorithm>

#include "gpu/mapping.hpp"

namespace ligament::gpu::cuda {
namespace {

/// The pages of these bytes alone: private memory has other owners beside.
ProcessMapping pages_of(std::span<const std::byte> bytes, const ProcessMapping& mapping) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data()) / page * page;
  const auto end =
      (reinterpret_cast<std::uintptr_t>(bytes.data()) + bytes.size() + page - 1) / page * page;
  return {reinterpret_cast<std::byte*>(begin), end - begin, false, mapping.is_writable};
}

}  // namespace

HostMemory& HostMemory::of(const Driver& driver) {
  static std::mutex mutex;
  static auto* const all = new std::map<const Driver*, std::unique_ptr<HostMemory>>;
  const std::lock_guard lock(mutex);
  auto& found = (*all)[&driver];
  if (found == nullptr) {
    found.reset(new HostMemory(driver));
  }
  return *found;
}

HostMemory::HostMemory(const Driver& driver)
    : driver_(driver), watch_([this](std::span<const std::byte> memory) { forget(memory); }) {}

Result<Registered> HostMemory::find(std::span<const std::byte> bytes, const Device& device,
                                    Which which) {
  const std::lock_guard lock(mutex_);
  const auto after = pieces_.upper_bound(const_cast<std::byte*>(bytes.data()));
  if (after != pieces_.begin()) {
    const auto& [base, piece] = *std::prev(after);
    if (bytes.data() + bytes.size() <= base + piece.size) {
      return Registered{base, piece.size, false};
    }
  }
  return add(bytes, device, which);
}

Result<Registered> HostMemory::add(std::span<const std::byte> bytes, const Device& device,
                                   Which which) {
  const auto mapping = mapping_of(bytes);
  if (!mapping) {
    return failure(ErrorCode::launch_failed,
                   "a payload is not memory of this process that it may read");
  }
  if (which == Which::shared && !mapping->is_shared) {
    return failure(ErrorCode::launch_failed, "a payload is not shared memory");
  }
  const ProcessMapping piece = mapping->is_shared ? *mapping : pages_of(bytes, *mapping);
  if (!piece.is_writable && !device.facts.registers_read_only) {
    return failure(ErrorCode::launch_failed,
                   "'" + device.info.name +
                       "' does not take memory that this process may only read, as a "
                       "subscription's is; standard_copy works");
  }
  const unsigned flags =
      register_portable | register_device_map | (piece.is_writable ? 0U : register_read_only);
  const Status status = driver_.host_register(piece.base, piece.size, flags);
  if (status != status::success) {
    return failed(driver_, "cuMemHostRegister", status);
  }
  pieces_.emplace(piece.base, Piece{piece.size, device.context});
  return Registered{piece.base, piece.size, true};
}

/// The device keeps the pages of what is registered: at the same address it would see the old ones.
void HostMemory::forget(std::span<const std::byte> memory) {
  const std::lock_guard lock(mutex_);
  forgotten_ += std::erase_if(pieces_, [&](const auto& entry) {
    const auto& [base, piece] = entry;
    const bool overlaps = base < memory.data() + memory.size() && memory.data() < base + piece.size;
    if (overlaps) {
      piece.context->make_current();
      (void)driver_.host_unregister(base);
    }
    return overlaps;
  });
}

std::uint64_t HostMemory::forgotten() const {
  const std::lock_guard lock(mutex_);
  return forgotten_;
}

}  // namespace ligament::gpu::cuda
