// SPDX-License-Identifier: Apache-2.0
/// \file A program on a CUDA device.
#pragma once

#include <atomic>

#include "gpu/cuda/flights.hpp"

namespace ligament::gpu::cuda {

/// Written when its event has happened.
struct CudaResident : Resident {
  explicit CudaResident(std::shared_ptr<SharedContext> home) : context(std::move(home)) {}
  ~CudaResident() override { context->make_current(); }  // for the members' release
  CudaResident(const CudaResident&) = delete;
  CudaResident& operator=(const CudaResident&) = delete;

  std::shared_ptr<SharedContext> context;  ///< outlives what follows
  Buffer buffer;                           ///< empty: the payload's own bytes
  std::size_t size = 0;
  EventHandle written;
  bool is_valid = false;  ///< false: the kernel that should write it was not launched
};

class CudaProgram : public Program {
 public:
  CudaProgram(Device&& device, const Settings& settings);
  ~CudaProgram() override;
  CudaProgram(const CudaProgram&) = delete;
  CudaProgram& operator=(const CudaProgram&) = delete;

  /// Compiles. Once.
  [[nodiscard]] Result<void> build(const ProgramDescription& description);

  void submit(std::span<const Launch> launches, std::unique_ptr<Completion> completion) override;
  void wait_for_room() override;
  void drain() override;
  [[nodiscard]] std::shared_ptr<Resident> make_resident() override;
  [[nodiscard]] const DeviceInfo& device() const override { return parts_->device.info; }
  [[nodiscard]] Statistics statistics() const override;

 private:
  struct Kernel {
    CompiledKernel compiled;
    Function function = nullptr;
    std::vector<std::byte> last_arguments;  ///< when it was last launched for a change
  };
  /// What a device that is given up may still use: then it is never destroyed.
  struct Parts {
    explicit Parts(Device&& opened) : device(std::move(opened)), memory(device) {}
    Device device;
    Memory memory;
    ModuleHandle module;
    std::vector<Kernel> kernels;
  };
  /// A submit while it is put together.
  struct Assembly {
    Flight flight;
    EventHandle uploaded;                   ///< that the next kernel waits for; empty: nothing
    std::vector<std::span<std::byte>> out;  ///< to be read back, and from where
    std::vector<Address> out_addresses;
    std::vector<std::shared_ptr<CudaResident>> leaving;
  };
  struct Block {
    std::array<unsigned, 3> grid{1, 1, 1};
    std::array<unsigned, 3> threads{1, 1, 1};
  };

  [[nodiscard]] const Driver& driver() const { return *parts_->device.driver; }
  [[nodiscard]] bool is_unified() const {
    return parts_->device.info.model == Model::unified_memory;
  }
  [[nodiscard]] Result<void> enqueue(const Launch& launch, Assembly& assembly);
  [[nodiscard]] Result<bool> is_changed(const Launch& launch, Kernel& kernel) const;
  [[nodiscard]] Result<EncodedNumber> encode_argument(const Kernel& kernel, std::size_t index,
                                                      const Argument& argument, Assembly& assembly);
  [[nodiscard]] Result<Address> address_of(std::span<const std::byte> in, Assembly& assembly);
  [[nodiscard]] Result<Address> address_of(std::span<std::byte> out, Assembly& assembly);
  [[nodiscard]] Result<Address> address_of(const Values& values, Assembly& assembly);
  [[nodiscard]] Result<Address> address_of(const Kept& kept, Assembly& assembly);
  [[nodiscard]] Result<Address> address_of(const Leaving& leaving, Assembly& assembly);
  [[nodiscard]] Result<Address> address_of(const Arriving& arriving, Assembly& assembly);
  [[nodiscard]] Result<void> write(Address to, std::span<const std::byte> bytes,
                                   Assembly& assembly);
  [[nodiscard]] Result<void> attach(Address address, unsigned flags);
  [[nodiscard]] Result<void> clear(Address address, std::size_t size);
  [[nodiscard]] static Result<Block> block_of(const Kernel& kernel, const Launch& launch);
  [[nodiscard]] Result<void> start(const Kernel& kernel, const Launch& launch,
                                   std::span<EncodedNumber> arguments, Assembly& assembly);
  [[nodiscard]] Result<EventHandle> record(Stream stream);
  [[nodiscard]] Result<void> read_back(Assembly& assembly);
  [[nodiscard]] Result<void> leave_to_host(Assembly& assembly);
  void close(Assembly& assembly);
  void note_landed(Flight& flight);

  std::unique_ptr<Parts> parts_;
  std::shared_ptr<const Reference> reference_;  ///< the last one; of the thread that launches
  const std::size_t in_flight_;
  std::atomic<std::uint64_t> launches_{0};
  std::atomic<std::uint64_t> copies_{0};
  std::atomic<std::uint64_t> bytes_copied_{0};
  std::atomic<std::int64_t> kernel_ns_{0};
  std::atomic<bool> arguments_are_stale_{false};  ///< a launch failed: what is kept may be wrong
  Flights flights_;  ///< last: lands what is under way before the rest goes
};

/// Opens a device and compiles for it.
[[nodiscard]] Result<std::unique_ptr<Program>> open_program(const ProgramDescription& description,
                                                            const Settings& settings);
/// Whether there is a device, a driver and a compiler; what is missing.
[[nodiscard]] Result<void> is_usable();

}  // namespace ligament::gpu::cuda
