// SPDX-License-Identifier: Apache-2.0
#include "gpu/opencl/memory.hpp"

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
    return failed(host == nullptr ? "clCreateBuffer" : "clCreateBuffer over memory of the host",
                  status);
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
    : device_(device),
      staging_([this](std::size_t size, Kind kind) { return make(size, kind); }),
      watch_([this](std::span<const std::byte> memory) { forget(memory); }) {}

/// A device keeps the pages of an import: at the same address it would see the old ones.
void Memory::forget(std::span<const std::byte> memory) {
  const std::lock_guard lock(mutex_);
  forgotten_ += std::erase_if(imported_, [memory](const auto& entry) {
    return overlap(entry.first.base, entry.first.size, memory);
  });
  std::erase_if(segments_, [memory](const auto& entry) {
    return overlap(entry.second.base, entry.second.size, memory);
  });
}

void Memory::forget(const Import& import) {
  const std::lock_guard lock(mutex_);
  imported_.erase({import.host, import.size, import.is_writable});
}

/// Not at the next import: that is between two arguments of a kernel, which keeps none alive.
void Memory::begin() {
  const std::lock_guard lock(mutex_);
  if (imported_.size() >= most_imported) {
    imported_.clear();
  }
}

bool Memory::is_aligned(std::span<const std::byte> bytes) const {
  return reinterpret_cast<std::uintptr_t>(bytes.data()) % device_.alignment == 0;
}

/// A kernel on memory that is not there ends the process, or the device.
Result<void> Memory::check(std::span<const std::byte> bytes, bool writable) {
  if (!is_aligned(bytes)) {
    return failure(ErrorCode::launch_failed,
                   "a payload does not lie at a multiple of " + std::to_string(device_.alignment) +
                       " bytes, as '" + device_.info.name + "' wants it in place");
  }
  std::byte* const end = const_cast<std::byte*>(bytes.data()) + bytes.size();
  const auto segment = segments_.lower_bound(end);
  const bool is_known = segment != segments_.end() && segment->second.base <= bytes.data() &&
                        (segment->second.is_writable || !writable);
  if (is_known) {
    return {};
  }
  const auto mapping = mapping_of(bytes);
  if (!mapping || (writable && !mapping->is_writable)) {
    return failure(ErrorCode::launch_failed,
                   std::string("a payload is not memory of this process that it may ") +
                       (writable ? "write" : "read"));
  }
  if (mapping->is_shared) {  // of other memory nobody tells when it goes
    segments_.insert_or_assign(mapping->base + mapping->size, *mapping);
  }
  return {};
}

/// Two buffers over one place would each have a content of their own, where the driver keeps one.
Result<Import*> Memory::import(std::span<const std::byte> bytes, bool writable) {
  const std::lock_guard lock(mutex_);
  Place place{bytes.data(), bytes.size(), true};
  auto known = imported_.find(place);
  if (known == imported_.end() && !writable) {
    place.writable = false;
    known = imported_.find(place);
  }
  if (known != imported_.end()) {
    return &known->second;
  }
  if (auto fits = check(bytes, writable); !fits) {
    return unexpected<Error>(fits.error());
  }
  const std::int64_t begin = pool::monotonic_now_ns();
  const cl_mem_flags access = writable ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY;
  auto* const host = const_cast<std::byte*>(bytes.data());
  auto buffer = make_buffer(device_, access | CL_MEM_USE_HOST_PTR, bytes.size(), host);
  if (!buffer) {
    return unexpected<Error>(buffer.error());
  }
  import_ns_ += pool::monotonic_now_ns() - begin;
  ++imports_;
  Import made{host, bytes.size(), writable, std::move(*buffer)};
  return &imported_.emplace(place, std::move(made)).first->second;
}

/// Never more than the device has: pages that move to and fro can bring it to a stand.
Result<SharedMemory> Memory::share(std::size_t size) {
  cl_ulong most = 0;
  (void)clGetDeviceInfo(device_.id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof most, &most, nullptr);
  const std::size_t taken = shared_bytes_;
  if (size > most || taken > most - size) {
    return failure(ErrorCode::out_of_memory,
                   "unified memory of " + std::to_string(taken + size) +
                       " bytes is more than the " + std::to_string(most) + " bytes of '" +
                       device_.info.name + "'; standard_copy needs no more than one message's");
  }
  void* pointer = clSVMAlloc(device_.context.get(), CL_MEM_READ_WRITE, size, 0);
  if (pointer == nullptr) {
    return failure(ErrorCode::out_of_memory,
                   "there is no unified memory of " + std::to_string(size) + " bytes");
  }
  return SharedMemory(device_.context.get(), pointer, size, shared_bytes_);
}

Result<DeviceMemory> Memory::make(std::size_t size, Kind kind) {
  DeviceMemory memory;
  if (kind == Kind::unified) {
    auto shared = share(size);
    if (!shared) {
      return unexpected<Error>(shared.error());
    }
    memory.shared = std::move(*shared);
  }
  void* const over = memory.shared.get();
  const cl_mem_flags use = over == nullptr ? 0 : CL_MEM_USE_HOST_PTR;
  auto buffer = make_buffer(device_, CL_MEM_READ_WRITE | use, size, over);
  if (!buffer) {
    return unexpected<Error>(buffer.error());
  }
  memory.buffer = std::move(*buffer);
  return memory;
}

void Memory::count_into(Statistics& statistics) const {
  const std::lock_guard lock(mutex_);
  statistics.imported = imports_;
  statistics.import_ns = import_ns_;
  statistics.forgotten = forgotten_;
}

}  // namespace ligament::gpu::opencl
