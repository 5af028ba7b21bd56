// SPDX-License-Identifier: Apache-2.0
#include "gpu/opencl/memory.hpp"

#include "ligament/detail/pool.hpp"

namespace ligament::gpu::opencl {
namespace {

constexpr std::size_t most_imported = 4096;

}  // namespace

Result<cl_mem> Memory::import(const Place& place, Statistics& statistics) {
  if (const auto known = imported_.find(place); known != imported_.end()) {
    return known->second.get();
  }
  const std::int64_t begin = pool::monotonic_now_ns();
  const cl_mem_flags access = place.writable ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY;
  cl_int status = CL_SUCCESS;
  Buffer buffer(clCreateBuffer(device_.context.get(), access | CL_MEM_USE_HOST_PTR, place.size,
                               const_cast<std::byte*>(place.base), &status));
  if (status != CL_SUCCESS) {
    return failed("clCreateBuffer over the pool", status);
  }
  statistics.import_ns += pool::monotonic_now_ns() - begin;
  ++statistics.imported;
  return imported_.emplace(place, std::move(buffer)).first->second.get();
}

/// A kernel that reads what an earlier one of the same run wrote finds it on the device.
Result<Memory::Staged> Memory::stage(std::span<const std::byte> bytes) {
  for (const Staging& one : staging_) {
    if (one.host == bytes.data() && one.size >= bytes.size()) {
      return Staged{one.buffer.get(), false};
    }
  }
  for (Staging& one : staging_) {
    if (one.host == nullptr && one.size >= bytes.size()) {
      one.host = bytes.data();
      return Staged{one.buffer.get(), true};
    }
  }
  cl_int status = CL_SUCCESS;
  Buffer buffer(
      clCreateBuffer(device_.context.get(), CL_MEM_READ_WRITE, bytes.size(), nullptr, &status));
  if (status != CL_SUCCESS) {
    return failed("clCreateBuffer", status);
  }
  std::erase_if(staging_, [](const Staging& one) { return one.host == nullptr; });  // too small
  staging_.push_back({std::move(buffer), bytes.size(), bytes.data()});
  return Staged{staging_.back().buffer.get(), true};
}

Result<Mapped> Memory::input(std::span<const std::byte> bytes, Statistics& statistics) {
  if (bytes.empty()) {
    return Mapped{};
  }
  if (device_.info.model == Model::zero_copy) {
    const auto buffer = import({bytes.data(), bytes.size(), false}, statistics);
    return buffer ? Result<Mapped>(Mapped{*buffer, {}, {}}) : unexpected<Error>(buffer.error());
  }
  const auto staged = stage(bytes);
  if (!staged) {
    return unexpected<Error>(staged.error());
  }
  return Mapped{staged->buffer, staged->is_new ? bytes : std::span<const std::byte>(), {}};
}

Result<Mapped> Memory::output(std::span<std::byte> bytes, Statistics& statistics) {
  if (bytes.empty()) {
    return Mapped{};
  }
  if (device_.info.model == Model::zero_copy) {
    const auto buffer = import({bytes.data(), bytes.size(), true}, statistics);
    return buffer ? Result<Mapped>(Mapped{*buffer, {}, {}}) : unexpected<Error>(buffer.error());
  }
  const auto staged = stage(bytes);
  if (!staged) {
    return unexpected<Error>(staged.error());
  }
  return Mapped{staged->buffer, {}, staged->is_new ? bytes : std::span<std::byte>()};
}

void Memory::release() {
  for (Staging& one : staging_) {
    one.host = nullptr;
  }
  // Not at the next import: that is between two arguments of a kernel, which keeps none alive.
  if (imported_.size() >= most_imported) {
    imported_.clear();
  }
}

}  // namespace ligament::gpu::opencl
