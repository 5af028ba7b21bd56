// SPDX-License-Identifier: Apache-2.0
/// \file A payload that stays on a CUDA device.
#pragma once

#include "gpu/cuda/device.hpp"
#include "gpu/keep_for_ever.hpp"

namespace ligament::gpu::cuda {

/// Written when its event has happened.
struct CudaResident : Resident {
  explicit CudaResident(std::shared_ptr<SharedContext> home) : context(std::move(home)) {}
  ~CudaResident() override {
    context->make_current();  // for the members' release
    give_buffer_up();
  }
  /// What other processes may have open must never be given back: they do not say.
  void give_buffer_up() {
    if (told) {
      keep_for_ever(std::make_shared<Buffer>(std::move(buffer)));
    }
    buffer = {};
  }
  [[nodiscard]] Address address() const { return opened ? opened.get() : buffer.get(); }
  CudaResident(const CudaResident&) = delete;
  CudaResident& operator=(const CudaResident&) = delete;

  std::shared_ptr<SharedContext> context;  ///< outlives what follows
  Buffer buffer;                           ///< empty: the payload's own bytes, or a peer's memory
  OpenedMemory opened;                     ///< of another process
  EventHandle told;                        ///< what other processes wait for; empty: none does
  std::size_t size = 0;
  EventHandle written;
  bool is_valid = false;  ///< false: the kernel that should write it was not launched
};

}  // namespace ligament::gpu::cuda
