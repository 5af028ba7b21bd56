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
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the page of a pointer
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

HostMemory::Pieces::const_iterator HostMemory::holding(const Pieces& all,
                                                       std::span<const std::byte> bytes) {
  const auto after = all.upper_bound(const_cast<std::byte*>(bytes.data()));
  if (after == all.begin()) {
    return all.end();
  }
  const auto entry = std::prev(after);
  return bytes.data() + bytes.size() <= entry->first + entry->second.size ? entry : all.end();
}

Result<Registered> HostMemory::find(std::span<const std::byte> bytes, const Device& device,
                                    Which which) {
  const std::lock_guard lock(mutex_);
  if (const auto piece = holding(pieces_, bytes); piece != pieces_.end()) {
    return Registered{piece->first, piece->second.size, false};
  }
  const bool is_only_shared = which == Which::shared;
  if (is_only_shared && holding(refused_, bytes) != refused_.end()) {
    return Registered{};
  }
  const auto mapping = mapping_of(bytes);
  if (!mapping) {
    return failure(ErrorCode::launch_failed,
                   "a payload is not memory of this process that it may read");
  }
  auto found = is_only_shared && !mapping->is_shared
                   ? failure(ErrorCode::launch_failed, "a payload is not shared memory")
                   : add(mapping->is_shared ? *mapping : pages_of(bytes, *mapping), device);
  if (!found && is_only_shared) {
    refused_.insert_or_assign(mapping->base, Piece{mapping->size, nullptr});
    return Registered{};
  }
  return found;
}

Result<Registered> HostMemory::add(const ProcessMapping& piece, const Device& device) {
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
  const auto overlaps = [&](const auto& entry) {
    const auto& [base, piece] = entry;
    return base < memory.data() + memory.size() && memory.data() < base + piece.size;
  };
  std::erase_if(refused_, overlaps);
  forgotten_ += std::erase_if(pieces_, [&](const auto& entry) {
    if (!overlaps(entry)) {
      return false;
    }
    const Current current(*entry.second.context);
    (void)driver_.host_unregister(entry.first);
    return true;
  });
}

std::uint64_t HostMemory::forgotten() const {
  const std::lock_guard lock(mutex_);
  return forgotten_;
}

}  // namespace ligament::gpu::cuda
