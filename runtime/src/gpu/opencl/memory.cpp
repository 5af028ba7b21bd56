// SPDX-License-Identifier: Apache-2.0
#include "gpu/opencl/memory.hpp"

#include <algorithm>
#include <utility>

#include "ligament/detail/pool.hpp"

namespace ligament::gpu::opencl {
namespace {

constexpr std::size_t most_imported = 4096;

bool overlap(const std::byte* base, std::size_t size, std::span<const std::byte> memory) {
  return base < memory.data() + memory.size() && memory.data() < base + size;
}

Result<Buffer> make_buffer(const Device& device, cl_mem_flags flags, std::size_t size,
                           void* host = nullptr) {
  cl_int status = CL_SUCCESS;
  Buffer buffer(clCreateBuffer(device.context.get(), flags, size, host, &status));
  if (status != CL_SUCCESS) {
    return failed(host == nullptr ? "clCreateBuffer" : "clCreateBuffer over the pool", status);
  }
  return buffer;
}

}  // namespace

void* shared_memory_of(cl_mem buffer) {
  void* pointer = nullptr;
  (void)clGetMemObjectInfo(buffer, CL_MEM_HOST_PTR, sizeof pointer, &pointer, nullptr);
  return pointer;
}

Memory::Memory(const Device& device)
    : device_(device), watch_([this](std::span<const std::byte> memory) { forget(memory); }) {}

/// A device keeps the pages of an import: at the same address it would see the old ones.
void Memory::forget(std::span<const std::byte> memory) {
  const std::lock_guard lock(mutex_);
  forgotten_ += std::erase_if(imported_, [memory](const auto& entry) {
    return overlap(entry.first.base, entry.first.size, memory);
  });
}

/// Not at the next import: that is between two arguments of a kernel, which keeps none alive.
void Memory::begin() {
  const std::lock_guard lock(mutex_);
  if (imported_.size() >= most_imported) {
    imported_.clear();
  }
}

Result<cl_mem> Memory::import(std::span<const std::byte> bytes, bool writable) {
  const std::lock_guard lock(mutex_);
  const Place place{bytes.data(), bytes.size(), writable};
  if (const auto known = imported_.find(place); known != imported_.end()) {
    return known->second.get();
  }
  const std::int64_t begin = pool::monotonic_now_ns();
  const cl_mem_flags access = writable ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY;
  auto buffer = make_buffer(device_, access | CL_MEM_USE_HOST_PTR, bytes.size(),
                            const_cast<std::byte*>(bytes.data()));
  if (!buffer) {
    return unexpected<Error>(buffer.error());
  }
  import_ns_ += pool::monotonic_now_ns() - begin;
  ++imports_;
  return imported_.emplace(place, std::move(*buffer)).first->second.get();
}

/// The smallest that is large enough; where there is none, those too small go.
std::optional<Staged> Memory::take_free(std::size_t size) {
  const std::lock_guard lock(mutex_);
  auto best = free_.end();
  for (auto one = free_.begin(); one != free_.end(); ++one) {
    if (one->size >= size && (best == free_.end() || one->size < best->size)) {
      best = one;
    }
  }
  if (best == free_.end()) {
    std::erase_if(free_, [this](const Staged& one) {
      const bool goes = one.size > most_value_bytes;
      shared_bytes_ -= goes && one.shared.get() != nullptr ? one.size : 0;
      return goes;
    });
    return std::nullopt;
  }
  std::optional<Staged> found = std::move(*best);
  free_.erase(best);
  return found;
}

/// Never more than the device has: pages that move to and fro can bring it to a stand.
Result<SharedMemory> Memory::share(std::size_t size) {
  cl_ulong most = 0;
  (void)clGetDeviceInfo(device_.id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof most, &most, nullptr);
  const std::lock_guard lock(mutex_);
  if (size > most || shared_bytes_ > most - size) {
    return failure(ErrorCode::out_of_memory,
                   "unified memory of " + std::to_string(shared_bytes_ + size) +
                       " bytes is more than the " + std::to_string(most) + " bytes of '" +
                       device_.info.name + "'; standard_copy needs no more than one message's");
  }
  void* pointer = clSVMAlloc(device_.context.get(), CL_MEM_READ_WRITE, size, 0);
  if (pointer == nullptr) {
    return failure(ErrorCode::out_of_memory,
                   "there is no unified memory of " + std::to_string(size) + " bytes");
  }
  shared_bytes_ += size;
  return SharedMemory(device_.context.get(), pointer);
}

Result<Staged> Memory::make_staged(std::size_t size) {
  Staged staged;
  staged.size = size;
  if (device_.info.model == Model::unified_memory) {
    auto shared = share(size);
    if (!shared) {
      return unexpected<Error>(shared.error());
    }
    staged.shared = std::move(*shared);
  }
  void* const over = staged.shared.get();
  const cl_mem_flags use = over == nullptr ? 0 : CL_MEM_USE_HOST_PTR;
  auto made = make_buffer(device_, CL_MEM_READ_WRITE | use, size, over);
  if (!made) {
    return unexpected<Error>(made.error());
  }
  staged.buffer = std::move(*made);
  return staged;
}

/// A kernel that reads what an earlier one of the same submit wrote finds it on the device.
Result<Mapped> Memory::stage(std::span<const std::byte> bytes, Lease& lease) {
  for (const Staged& one : lease) {
    if (one.host == bytes.data() && one.size >= bytes.size()) {
      return Mapped{one.buffer.get(), false};
    }
  }
  const std::size_t size = std::max(bytes.size(), most_value_bytes);
  auto staged = take_free(size);
  if (!staged) {
    auto made = make_staged(size);
    if (!made) {
      return unexpected<Error>(made.error());
    }
    staged = std::move(*made);
  }
  staged->host = bytes.data();
  lease.push_back(std::move(*staged));
  return Mapped{lease.back().buffer.get(), true};
}

Result<KeptBuffer> Memory::kept(const Kept& which) {
  if (which.bytes < 1) {
    return failure(ErrorCode::launch_failed, "the size of a buffer is below 1");
  }
  const std::lock_guard lock(mutex_);
  KeptPlace& place = kept_[which.place];
  const bool is_new = place.size < static_cast<std::size_t>(which.bytes);
  if (is_new) {
    const auto size = static_cast<std::size_t>(which.bytes);
    auto buffer = make_buffer(device_, CL_MEM_READ_WRITE, size);
    if (!buffer) {
      return unexpected<Error>(buffer.error());
    }
    place = {std::move(*buffer), size, place.generation + 1};
  }
  return KeptBuffer{place.buffer.get(), is_new};
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
  statistics.forgotten = forgotten_;
}

}  // namespace ligament::gpu::opencl
