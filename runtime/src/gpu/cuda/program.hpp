// SPDX-License-Identifier: Apache-2.0
/// \file A program on a CUDA device.
#pragma once

#include <optional>

#include "gpu/cuda/flight.hpp"
#include "gpu/cuda/peers.hpp"

namespace ligament::gpu::cuda {

struct CudaAssembly : AssemblyOn<CudaFlight, cuda::Buffer, CudaResident> {
  std::optional<Current> current;  ///< for all calls of the submit
  EventHandle uploaded;            ///< that the next kernel waits for; empty: nothing
  bool is_read_back = false;       ///< some of `out` is, by a copy
};

struct CudaKernel {
  CompiledKernel compiled;
  Function function = nullptr;
};

struct Cuda {
  using Device = cuda::Device;
  using Memory = cuda::Memory;
  using Code = ModuleHandle;
  using Kernel = CudaKernel;
  using Buffer = cuda::Buffer;
  using Flight = CudaFlight;
  using Resident = CudaResident;
  using Assembly = CudaAssembly;
};

class CudaProgram : public ProgramOn<Cuda> {
 public:
  CudaProgram(Device&& device, const Settings& settings);
  ~CudaProgram() override;

  /// Compiles. Once.
  [[nodiscard]] Result<void> build(const ProgramDescription& description);

  [[nodiscard]] std::shared_ptr<Resident> make_resident() override;
  [[nodiscard]] Result<void> show(Resident& resident,
                                  std::span<std::byte, ticket_bytes> ticket) override;
  [[nodiscard]] Result<std::shared_ptr<Resident>> find_shown(
      std::span<const std::byte, ticket_bytes> ticket) override;

 private:
  struct Block {
    std::array<unsigned, 3> grid{1, 1, 1};
    std::array<unsigned, 3> threads{1, 1, 1};
  };

  [[nodiscard]] const Driver& driver() const { return *parts_->device.driver; }
  [[nodiscard]] std::unique_ptr<Flight> new_flight() override {
    return std::make_unique<Flight>(parts_->device, landed_);
  }
  [[nodiscard]] Result<void> begin(Assembly& assembly) override;
  [[nodiscard]] Result<void> start(const Launch& launch, Assembly& assembly) override;
  void finish(Assembly& assembly) override;
  [[nodiscard]] bool is_aligned(std::span<const std::byte> bytes) const override {
    return cuda::is_aligned(bytes);
  }
  [[nodiscard]] Result<Address> in_place(std::span<const std::byte> bytes, bool writable,
                                         Assembly& assembly) override;
  [[nodiscard]] Result<Buffer> allocate(std::size_t size) override {
    return parts_->memory.allocate(size);
  }
  [[nodiscard]] Result<void> write(const OnDevice& to, std::span<const std::byte> bytes,
                                   Assembly& assembly) override;
  [[nodiscard]] Result<void> upload(const OnDevice& to, std::span<const std::byte> bytes,
                                    Assembly& assembly) override;
  [[nodiscard]] Result<void> clear(const OnDevice& memory, std::size_t size) override;
  [[nodiscard]] bool is_here(const CudaResident& resident) const override {
    return resident.context == parts_->device.context;
  }
  [[nodiscard]] Result<void> await(const CudaResident& resident, Assembly& assembly) override;

  [[nodiscard]] Result<EncodedNumber> encode_argument(const Kernel& kernel, std::size_t index,
                                                      const Argument& argument, Assembly& assembly);
  [[nodiscard]] Result<std::byte*> stand_in(std::span<const std::byte> bytes, Assembly& assembly);
  [[nodiscard]] Result<void> enqueue_write(Address to, std::span<const std::byte> bytes,
                                           std::byte* through, Assembly& assembly);
  [[nodiscard]] Result<void> attach(const OnDevice& memory, unsigned flags);
  [[nodiscard]] static Result<Block> block_of(const Kernel& kernel, const Launch& launch);
  [[nodiscard]] Result<void> enqueue(const Kernel& kernel, const Launch& launch,
                                     std::span<EncodedNumber> arguments, Assembly& assembly);
  [[nodiscard]] Result<EventHandle> record(Stream stream);
  [[nodiscard]] Result<void> read_back(Assembly& assembly);
  [[nodiscard]] Result<void> read_back_by_device(Assembly& assembly);
  [[nodiscard]] Result<void> leave_to_host(Assembly& assembly);
  void close(Assembly& assembly);
  void note_landed(Flight& flight);

  Peers peers_;
  std::shared_ptr<const Reference> reference_;  ///< the last one; of the thread that launches
  const Flight::Landed landed_ = [this](Flight& flight) { note_landed(flight); };
};

/// Opens a device and compiles for it.
[[nodiscard]] Result<std::unique_ptr<Program>> open_program(const ProgramDescription& description,
                                                            const Settings& settings);
/// Whether there is a driver, such a device (empty: any) and a compiler; what is missing.
[[nodiscard]] Result<void> is_usable(const std::string& device);

}  // namespace ligament::gpu::cuda
