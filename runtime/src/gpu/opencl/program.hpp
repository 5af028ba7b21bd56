// SPDX-License-Identifier: Apache-2.0
/// \file A program on an OpenCL device.
#pragma once

#include "gpu/opencl/kernel.hpp"

namespace ligament::gpu::opencl {

class OpenClProgram : public Program {
 public:
  explicit OpenClProgram(Device&& device) : device_(std::move(device)), memory_(device_) {}

  /// Compiles. Once.
  [[nodiscard]] Result<void> build(const ProgramDescription& description);

  [[nodiscard]] Result<void> run(std::span<const Launch> launches) override;
  [[nodiscard]] const DeviceInfo& device() const override { return device_.info; }
  [[nodiscard]] const Statistics& statistics() const override { return statistics_; }

 private:
  [[nodiscard]] Result<void> enqueue(const Launch& launch);
  [[nodiscard]] Result<void> set(Kernel& kernel, std::size_t index, const Argument& argument);
  [[nodiscard]] Result<void> write(const Mapped& mapped);
  [[nodiscard]] Result<void> clear(const Mapped& mapped);
  [[nodiscard]] Result<void> start(const Kernel& kernel, const Launch& launch);
  [[nodiscard]] Result<void> read_back();
  [[nodiscard]] Result<void> finish();
  void note_kernel_times();

  Device device_;
  Memory memory_;
  ProgramHandle program_;
  std::vector<Kernel> kernels_;
  Statistics statistics_;
  std::vector<Mapped> outputs_;      ///< of this run, to be read back
  std::vector<EventHandle> events_;  ///< of this run's kernels
  bool is_lost_ = false;
};

}  // namespace ligament::gpu::opencl
