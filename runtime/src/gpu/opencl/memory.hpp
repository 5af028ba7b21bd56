// SPDX-License-Identifier: Apache-2.0
/// \file How the bytes of messages become what a kernel can be given.
#pragma once

#include <map>
#include <vector>

#include "gpu/opencl/device.hpp"

namespace ligament::gpu::opencl {

/// Bytes on the host and the device's buffer for them.
struct Mapped {
  cl_mem buffer = nullptr;
  std::span<const std::byte> in;  ///< to be written before; empty: nothing to write
  std::span<std::byte> out;       ///< to be read back after; empty: nothing to read
};

class Memory {
 public:
  explicit Memory(const Device& device) : device_(device) {}

  /// Buffers for the arguments of the launches that follow, until release().
  [[nodiscard]] Result<Mapped> input(std::span<const std::byte> bytes, Statistics& statistics);
  [[nodiscard]] Result<Mapped> output(std::span<std::byte> bytes, Statistics& statistics);
  /// The launches are over: staging buffers are free for the next.
  void release();

 private:
  struct Place {
    const std::byte* base;
    std::size_t size;
    bool writable;
    auto operator<=>(const Place&) const = default;
  };
  struct Staging {
    Buffer buffer;
    std::size_t size = 0;
    const std::byte* host = nullptr;  ///< whose bytes it has in this run; null: free
  };
  struct Staged {
    cl_mem buffer = nullptr;
    bool is_new = false;  ///< no earlier launch of this run had these bytes
  };
  [[nodiscard]] Result<cl_mem> import(const Place& place, Statistics& statistics);
  [[nodiscard]] Result<Staged> stage(std::span<const std::byte> bytes);

  const Device& device_;
  /// zero_copy. The pool's blocks lie at fixed addresses, so these come again; the bound is for
  /// payloads whose sizes never repeat.
  std::map<Place, Buffer> imported_;
  std::vector<Staging> staging_;  ///< standard_copy
};

}  // namespace ligament::gpu::opencl
