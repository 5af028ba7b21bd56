// SPDX-License-Identifier: Apache-2.0
/// \file A payload that stays on a CUDA device.
#pragma once

#include "gpu/cuda/device.hpp"
#include "gpu/program_on.hpp"
#include "gpu/retain_until_exit.hpp"

namespace ligament::gpu::cuda {

struct CudaResident : ResidentOn<Buffer, EventHandle> {
  explicit CudaResident(std::shared_ptr<SharedContext> home) : context(std::move(home)) {}
  ~CudaResident() override {
    const Current current(*context);
    CudaResident::give_buffer_up();
    opened = {};
    told = {};
    written = {};
  }
  CudaResident(const CudaResident&) = delete;
  CudaResident& operator=(const CudaResident&) = delete;
  /// What other processes may have open must never be given back: they do not say.
  void give_buffer_up() override {
    if (told) {
      retain_until_exit(std::make_shared<Buffer>(std::move(buffer)));
    }
    buffer = {};
  }
  [[nodiscard]] Address value() const override { return opened ? opened.get() : buffer.get(); }

  std::shared_ptr<SharedContext> context;
  OpenedMemory opened;  ///< of another process
  EventHandle told;     ///< what other processes wait for; empty: none does
};

}  // namespace ligament::gpu::cuda
