// SPDX-License-Identifier: Apache-2.0
/// \file A program on a CUDA device.
#pragma once

#include "gpu/cuda/flights.hpp"
#include "gpu/cuda/peers.hpp"
#include "gpu/launch.hpp"

namespace ligament::gpu::cuda {

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
  [[nodiscard]] Result<void> show(Resident& resident,
                                  std::span<std::byte, ticket_bytes> ticket) override;
  [[nodiscard]] Result<std::shared_ptr<Resident>> find_shown(
      std::span<const std::byte, ticket_bytes> ticket) override;
  [[nodiscard]] const DeviceInfo& device() const override { return parts_->device.info; }
  [[nodiscard]] Statistics statistics() const override;

 private:
  struct Kernel {
    CompiledKernel compiled;
    Function function = nullptr;
  };
  /// What a device that is given up may still use: then it is never destroyed.
  struct Parts {
    explicit Parts(Device&& opened) : device(std::move(opened)), memory(device) {}
    Device device;
    Memory memory;
    ModuleHandle module;
    std::vector<Kernel> kernels;
  };
  using OnDevice = Staging<Buffer>::Found;
  /// A submit while it is put together.
  struct Assembly {
    Flight flight;
    EventHandle uploaded;  ///< that the next kernel waits for; empty: nothing
    std::vector<std::pair<std::span<std::byte>, OnDevice>> out;  ///< to be read back, from where
    bool is_read_back = false;                                   ///< some of it is, by a copy
    std::vector<std::shared_ptr<CudaResident>> leaving;
  };
  struct Block {
    std::array<unsigned, 3> grid{1, 1, 1};
    std::array<unsigned, 3> threads{1, 1, 1};
  };

  [[nodiscard]] const Driver& driver() const { return *parts_->device.driver; }
  [[nodiscard]] Model model_of(Model asked) const {
    return asked == Model::automatic ? device().model : asked;
  }
  [[nodiscard]] Result<void> enqueue(const Launch& launch, Assembly& assembly);
  [[nodiscard]] Result<EncodedNumber> encode_argument(const Kernel& kernel, std::size_t index,
                                                      const Argument& argument, Assembly& assembly);
  [[nodiscard]] Result<Address> address_of(std::span<const std::byte> in, Assembly& assembly) {
    return address_of(Reading{in}, assembly);
  }
  [[nodiscard]] Result<Address> address_of(std::span<std::byte> out, Assembly& assembly) {
    return address_of(Writing{out}, assembly);
  }
  [[nodiscard]] Result<Address> address_of(const Reading& in, Assembly& assembly);
  [[nodiscard]] Result<Address> address_of(const Writing& out, Assembly& assembly);
  [[nodiscard]] Result<Address> address_of(const Values& values, Assembly& assembly);
  [[nodiscard]] Result<Address> address_of(const Kept& kept, Assembly& assembly);
  [[nodiscard]] Result<Address> address_of(const Leaving& leaving, Assembly& assembly);
  [[nodiscard]] Result<Address> address_of(const Arriving& arriving, Assembly& assembly);
  [[nodiscard]] Result<void> write(const OnDevice& to, std::span<const std::byte> bytes,
                                   Assembly& assembly);
  [[nodiscard]] Result<void> attach(const OnDevice& memory, unsigned flags);
  [[nodiscard]] Result<void> clear(Address address, std::size_t size);
  [[nodiscard]] static Result<Block> block_of(const Kernel& kernel, const Launch& launch);
  [[nodiscard]] Result<void> start(const Kernel& kernel, const Launch& launch,
                                   std::span<EncodedNumber> arguments, Assembly& assembly);
  [[nodiscard]] Result<EventHandle> record(Stream stream);
  [[nodiscard]] Result<void> read_back(Assembly& assembly);
  [[nodiscard]] Result<void> read_back_by_device(Assembly& assembly);
  [[nodiscard]] Result<void> leave_to_host(Assembly& assembly);
  void close(Assembly& assembly);
  void note_landed(Flight& flight);

  std::unique_ptr<Parts> parts_;
  Peers peers_;
  std::shared_ptr<const Reference> reference_;  ///< the last one; of the thread that launches
  const std::size_t in_flight_;
  std::vector<KernelDescription> descriptions_;
  LastArguments last_arguments_;
  Counters counters_;
  Flights flights_;  ///< last: lands what is under way before the rest goes
};

/// Opens a device and compiles for it.
[[nodiscard]] Result<std::unique_ptr<Program>> open_program(const ProgramDescription& description,
                                                            const Settings& settings);
/// Whether there is a device, a driver and a compiler; what is missing.
[[nodiscard]] Result<void> is_usable();

}  // namespace ligament::gpu::cuda
