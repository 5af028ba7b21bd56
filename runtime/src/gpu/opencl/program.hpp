// SPDX-License-Identifier: Apache-2.0
/// \file A program on an OpenCL device.
#pragma once

#include "gpu/launch.hpp"
#include "gpu/opencl/flights.hpp"
#include "gpu/opencl/kernel.hpp"

namespace ligament::gpu::opencl {

/// Written when its event has happened.
struct OpenClResident : Resident {
  Buffer buffer;  ///< empty: the payload's own bytes
  std::size_t size = 0;
  EventHandle written;
  cl_context context = nullptr;  ///< that of both; kept until the process ends
  bool is_valid = false;         ///< false: the kernel that should write it was not launched
};

class OpenClProgram : public Program {
 public:
  OpenClProgram(Device&& device, const Settings& settings);
  ~OpenClProgram() override;
  OpenClProgram(const OpenClProgram&) = delete;
  OpenClProgram& operator=(const OpenClProgram&) = delete;

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
  /// What a device that is given up may still use: then it is never destroyed.
  struct Parts {
    explicit Parts(Device&& opened) : device(std::move(opened)), memory(device) {}
    Device device;
    Memory memory;
    ProgramHandle program;
    std::vector<Kernel> kernels;
  };
  using OnDevice = Staging<DeviceMemory>::Found;
  /// A submit while it is put together.
  struct Assembly {
    Flight flight;
    std::vector<cl_event> uploads;                               ///< that the next kernel waits for
    std::vector<std::pair<std::span<std::byte>, OnDevice>> out;  ///< to be read back, from where
    std::vector<std::shared_ptr<OpenClResident>> leaving;
    std::vector<Import*> lent;  ///< to the device, to be handed back
    EventHandle handed_back;    ///< the last of them is; empty: there are none
    EventHandle read_back;      ///< the last payload is; empty: there are none
    bool is_timed = false;      ///< its completion wants the device's times

    /// Before a command is enqueued, and after.
    [[nodiscard]] std::int64_t now() const;
    void note(cl_event event, std::string_view name, trace::Category category,
              std::int64_t before_ns);
  };

  [[nodiscard]] Model model_of(Model asked) const {
    return asked == Model::automatic ? device().model : asked;
  }
  [[nodiscard]] std::uint64_t generation_of(const Kept& kept) const {
    return parts_->memory.staging().generation_of(kept);
  }
  [[nodiscard]] Result<void> enqueue(const Launch& launch, Assembly& assembly);
  [[nodiscard]] Result<void> set(Kernel& kernel, std::size_t index, const Argument& argument,
                                 Assembly& assembly);
  [[nodiscard]] Result<cl_mem> buffer_for(std::span<const std::byte> in, Assembly& assembly) {
    return buffer_for(Reading{in}, assembly);
  }
  [[nodiscard]] Result<cl_mem> buffer_for(std::span<std::byte> out, Assembly& assembly) {
    return buffer_for(Writing{out}, assembly);
  }
  [[nodiscard]] Result<cl_mem> buffer_for(const Reading& in, Assembly& assembly);
  [[nodiscard]] Result<cl_mem> buffer_for(const Writing& out, Assembly& assembly);
  [[nodiscard]] Result<cl_mem> buffer_for(const Values& values, Assembly& assembly);
  [[nodiscard]] Result<cl_mem> buffer_for(const Kept& kept, Assembly& assembly);
  [[nodiscard]] Result<cl_mem> buffer_for(const Leaving& leaving, Assembly& assembly);
  [[nodiscard]] Result<cl_mem> buffer_for(const Arriving& arriving, Assembly& assembly);
  [[nodiscard]] Result<cl_mem> in_place(std::span<const std::byte> bytes, bool writable,
                                        Assembly& assembly);
  [[nodiscard]] Result<void> lend(Import& import, const std::vector<cl_event>& before);
  [[nodiscard]] Result<void> hand_back(Assembly& assembly);
  void leave(Assembly& assembly);
  [[nodiscard]] Result<void> write(const OnDevice& to, std::span<const std::byte> bytes,
                                   Assembly& assembly);
  [[nodiscard]] Result<void> clear(cl_mem buffer, std::size_t size);
  [[nodiscard]] Result<void> start(const Kernel& kernel, const Launch& launch, Assembly& assembly);
  [[nodiscard]] Result<void> read_back(Assembly& assembly);
  [[nodiscard]] static std::vector<cl_event> ends_of(const Assembly& assembly);
  void close(Assembly& assembly);
  void for_each_queue(cl_int (*call)(cl_command_queue queue)) const;
  void note_landed(Flight& flight);
  void tell_work(const Flight& flight);

  std::unique_ptr<Parts> parts_;
  const std::size_t in_flight_;
  std::vector<KernelDescription> descriptions_;
  LastArguments last_arguments_;
  Counters counters_;
  Clock clock_;      ///< of the flights' thread
  Flights flights_;  ///< last: lands what is under way before the rest goes
};

/// Opens a device and compiles for it.
[[nodiscard]] Result<std::unique_ptr<Program>> open_program(const ProgramDescription& description,
                                                            const Settings& settings);

}  // namespace ligament::gpu::opencl
