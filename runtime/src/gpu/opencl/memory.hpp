// SPDX-License-Identifier: Apache-2.0
/// \file How the bytes of messages become what a kernel can be given.
#pragma once

#include <ligament/detail/unmap_watch.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "gpu/opencl/device.hpp"

namespace ligament::gpu::opencl {

/// Memory of the device that the host may write and read too (OpenCL's SVM).
class SharedMemory {
 public:
  SharedMemory() = default;
  SharedMemory(cl_context context, void* pointer) : context_(context), pointer_(pointer) {}
  SharedMemory(SharedMemory&& other) noexcept
      : context_(other.context_), pointer_(std::exchange(other.pointer_, nullptr)) {}
  SharedMemory& operator=(SharedMemory&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(pointer_, other.pointer_);
    return *this;
  }
  ~SharedMemory() {
    if (pointer_ != nullptr) {
      clSVMFree(context_, pointer_);
    }
  }
  [[nodiscard]] void* get() const { return pointer_; }

 private:
  cl_context context_ = nullptr;
  void* pointer_ = nullptr;
};

/// A buffer of the device that stands for bytes of the host until its submit has ended.
struct Staged {
  const std::byte* host = nullptr;
  SharedMemory shared;  ///< unified_memory: what the buffer is over
  Buffer buffer;
  std::size_t size = 0;
};
/// Those of one submit.
using Lease = std::vector<Staged>;

/// Bytes on the host and the device's buffer for them.
struct Mapped {
  cl_mem buffer = nullptr;
  bool is_new = false;  ///< staged, and no earlier launch of this submit had these bytes
};

struct KeptBuffer {
  cl_mem buffer = nullptr;
  bool is_new = false;  ///< has no content yet
};

/// unified_memory: where the host may write and read a staged buffer's content; else null.
[[nodiscard]] void* shared_memory_of(cl_mem buffer);

/// One thread asks, another gives back.
class Memory {
 public:
  explicit Memory(const Device& device);

  /// Before the first question of a submit.
  void begin();
  /// For as long as the bytes are mapped. zero_copy.
  [[nodiscard]] Result<cl_mem> import(std::span<const std::byte> bytes, bool writable);
  [[nodiscard]] Result<Mapped> stage(std::span<const std::byte> bytes, Lease& lease);
  [[nodiscard]] Result<KeptBuffer> kept(const Kept& which);
  /// Which content kept() is going to give: another number, another content.
  [[nodiscard]] std::uint64_t generation_of(const Kept& which) const;
  /// The submit has ended: its buffers are free for the next.
  void give_back(Lease&& lease);
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
  struct KeptPlace {
    Buffer buffer;
    std::size_t size = 0;
    std::uint64_t generation = 0;
  };
  [[nodiscard]] std::optional<Staged> take_free(std::size_t size);
  [[nodiscard]] Result<Staged> make_staged(std::size_t size);
  [[nodiscard]] Result<SharedMemory> share(std::size_t size);
  void forget(std::span<const std::byte> memory);

  const Device& device_;
  /// Guards all that follows, against the threads that give back and that unmap. What a launch uses
  /// is never unmapped: its samples and loans are held.
  mutable std::mutex mutex_;
  /// zero_copy. The pool's blocks lie at fixed addresses, so these come again; the bound is for
  /// payloads whose sizes never repeat.
  std::map<Place, Buffer> imported_;
  std::uint64_t imports_ = 0;
  std::int64_t import_ns_ = 0;
  std::uint64_t forgotten_ = 0;
  std::vector<Staged> free_;
  std::size_t shared_bytes_ = 0;  ///< unified_memory: of all staged buffers
  std::map<std::uint32_t, KeptPlace> kept_;
  pool::UnmapWatch watch_;  ///< last: nothing may be gone yet when it calls
};

}  // namespace ligament::gpu::opencl
