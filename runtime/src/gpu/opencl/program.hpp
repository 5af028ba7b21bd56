// SPDX-License-Identifier: Apache-2.0
/// \file A program on an OpenCL device.
#pragma once

#include "gpu/opencl/flight.hpp"
#include "gpu/opencl/kernel.hpp"
#include "gpu/program_on.hpp"

namespace ligament::gpu::opencl {

struct OpenClResident : ResidentOn<Buffer, EventHandle> {
  explicit OpenClResident(cl_context home) : context(home) {}
  const cl_context context;  ///< kept until the process ends
};

struct OpenClAssembly : AssemblyOn<OpenClFlight, DeviceMemory, OpenClResident> {
  std::vector<cl_event> uploads;  ///< that the next kernel waits for
  std::vector<Import*> lent;      ///< to the device, to be handed back
  EventHandle handed_back;        ///< the last of them is; empty: there are none
  EventHandle read_back;          ///< the last payload is; empty: there are none
  bool is_timed = false;          ///< its completion wants the device's times

  /// Before a command is enqueued, and after.
  [[nodiscard]] std::int64_t now() const;
  void note(cl_event event, std::string_view name, trace::Category category,
            std::int64_t before_ns);
};

struct OpenCl {
  using Device = opencl::Device;
  using Memory = opencl::Memory;
  using Code = ProgramHandle;
  using Kernel = opencl::Kernel;
  using Buffer = opencl::Buffer;
  using Flight = OpenClFlight;
  using Resident = OpenClResident;
  using Assembly = OpenClAssembly;
};

class OpenClProgram : public ProgramOn<OpenCl> {
 public:
  OpenClProgram(Device&& device, const Settings& settings);
  ~OpenClProgram() override;

  /// Compiles. Once.
  [[nodiscard]] Result<void> build(const ProgramDescription& description);

  [[nodiscard]] std::shared_ptr<Resident> make_resident() override;

 private:
  [[nodiscard]] std::unique_ptr<Flight> new_flight() override {
    return std::make_unique<Flight>(landed_);
  }
  [[nodiscard]] Result<void> begin(Assembly& assembly) override;
  [[nodiscard]] Result<void> start(const Launch& launch, Assembly& assembly) override;
  void finish(Assembly& assembly) override;
  [[nodiscard]] bool is_aligned(std::span<const std::byte> bytes) const override {
    return parts_->memory.is_aligned(bytes);
  }
  [[nodiscard]] Result<cl_mem> in_place(std::span<const std::byte> bytes, bool writable,
                                        Assembly& assembly) override;
  [[nodiscard]] Result<Buffer> allocate(std::size_t size) override;
  [[nodiscard]] Result<void> write(const OnDevice& to, std::span<const std::byte> bytes,
                                   Assembly& assembly) override;
  [[nodiscard]] Result<void> clear(const OnDevice& memory, std::size_t size) override;
  [[nodiscard]] bool is_here(const OpenClResident& resident) const override {
    return resident.context == parts_->device.context.get();
  }
  [[nodiscard]] Result<void> await(const OpenClResident& resident, Assembly& assembly) override;

  [[nodiscard]] Result<void> set(Kernel& kernel, std::size_t index, const Argument& argument,
                                 Assembly& assembly);
  [[nodiscard]] Result<void> enqueue(const Kernel& kernel, const Launch& launch,
                                     Assembly& assembly);
  [[nodiscard]] Result<void> lend(Import& import, const std::vector<cl_event>& before);
  [[nodiscard]] Result<void> hand_back(Assembly& assembly);
  static void leave(Assembly& assembly);
  [[nodiscard]] Result<void> read_back(Assembly& assembly);
  [[nodiscard]] static std::vector<cl_event> ends_of(const Assembly& assembly);
  void close(Assembly& assembly);
  void for_each_queue(cl_int (*call)(cl_command_queue queue)) const;
  void note_landed(Flight& flight);
  void tell_work(const Flight& flight);

  Clock clock_;  ///< of the flights' thread
  const Flight::Landed landed_ = [this](Flight& flight) { note_landed(flight); };
};

/// Opens a device and compiles for it.
[[nodiscard]] Result<std::unique_ptr<Program>> open_program(const ProgramDescription& description,
                                                            const Settings& settings);

}  // namespace ligament::gpu::opencl
