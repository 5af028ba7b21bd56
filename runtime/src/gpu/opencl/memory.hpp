// SPDX-License-Identifier: Apache-2.0
/// \file How the bytes of messages become what a kernel can be given.
#pragma once

#include <atomic>
#include <ligament/detail/unmap_watch.hpp>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "gpu/mapping.hpp"
#include "gpu/opencl/device.hpp"
#include "gpu/staging.hpp"

namespace ligament::gpu::opencl {

/// Memory of the device that the host may write and read too (OpenCL's SVM), in a sum of all such
/// for as long as it is there.
class SharedMemory {
 public:
  using Sum = std::atomic<std::size_t>;

  SharedMemory() = default;
  SharedMemory(cl_context context, void* pointer, std::size_t size, Sum& sum)
      : context_(context), pointer_(pointer), size_(size), sum_(&sum) {
    sum += size;
  }
  SharedMemory(SharedMemory&& other) noexcept { swap(other); }
  SharedMemory& operator=(SharedMemory&& other) noexcept {
    swap(other);
    return *this;
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory() {
    if (pointer_ != nullptr) {
      clSVMFree(context_, pointer_);
      *sum_ -= size_;
    }
  }
  [[nodiscard]] void* get() const { return pointer_; }

 private:
  void swap(SharedMemory& other) {
    std::swap(context_, other.context_);
    std::swap(pointer_, other.pointer_);
    std::swap(size_, other.size_);
    std::swap(sum_, other.sum_);
  }

  cl_context context_ = nullptr;
  void* pointer_ = nullptr;
  std::size_t size_ = 0;
  Sum* sum_ = nullptr;
};

/// A buffer of the device.
struct DeviceMemory {
  SharedMemory shared;  ///< unified memory: what the buffer is over
  Buffer buffer;
  [[nodiscard]] cl_mem get() const { return buffer.get(); }
};
using Lease = Staging<DeviceMemory>::Lease;

/// Memory of the host that kernels work on in place. Where the driver may keep a copy of it, it is
/// the device's from an unmap to the next map, and the host's else (Device::is_handed_over).
struct Import {
  std::byte* host = nullptr;
  std::size_t size = 0;
  bool is_writable = false;
  Buffer buffer;
  bool is_the_hosts = false;  ///< mapped. Of the thread that launches
};

/// unified_memory: where the host may write and read a buffer's content; else null.
[[nodiscard]] void* shared_memory_of(cl_mem buffer);

/// One thread asks, another gives back.
class Memory {
 public:
  explicit Memory(const Device& device);

  /// Before the first question of a submit.
  void begin();
  /// Whether the device works on them in place.
  [[nodiscard]] bool is_aligned(std::span<const std::byte> bytes) const;
  /// For as long as the bytes are mapped. zero_copy. Of one place there is one import in a submit,
  /// if it is first asked for as it is used most.
  [[nodiscard]] Result<Import*> import(std::span<const std::byte> bytes, bool writable);
  /// Is made anew when it is next asked for.
  void forget(const Import& import);
  [[nodiscard]] Staging<DeviceMemory>& staging() { return staging_; }
  [[nodiscard]] const Staging<DeviceMemory>& staging() const { return staging_; }
  /// Fills in what this has counted.
  void count_into(Statistics& statistics) const;

 private:
  struct Place {
    const std::byte* base;
    std::size_t size;
    bool writable;
    bool operator<(const Place& other) const {
      return std::tie(base, size, writable) < std::tie(other.base, other.size, other.writable);
    }
  };
  [[nodiscard]] Result<void> check(std::span<const std::byte> bytes, bool writable);
  [[nodiscard]] Result<DeviceMemory> make(std::size_t size, Kind kind);
  [[nodiscard]] Result<SharedMemory> share(std::size_t size);
  void forget(std::span<const std::byte> memory);

  const Device& device_;
  SharedMemory::Sum shared_bytes_{0};  ///< unified_memory: of all buffers
  Staging<DeviceMemory> staging_;
  /// Guards all that follows, against the thread that unmaps. What a launch uses is never unmapped:
  /// its samples and loans are held.
  mutable std::mutex mutex_;
  /// zero_copy. The pool's blocks lie at fixed addresses, so these come again; the bound is for
  /// payloads whose sizes never repeat.
  std::map<Place, Import> imported_;
  std::map<std::byte*, ProcessMapping> segments_;  ///< shared memory that was looked up, by its end
  std::uint64_t imports_ = 0;
  std::int64_t import_ns_ = 0;
  std::uint64_t forgotten_ = 0;
  pool::UnmapWatch watch_;  ///< last: nothing may be gone yet when it calls
};

}  // namespace ligament::gpu::opencl
