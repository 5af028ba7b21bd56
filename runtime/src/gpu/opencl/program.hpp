// SPDX-License-Identifier: Apache-2.0
/// \file A program on an OpenCL device.
#pragma once

#include <atomic>

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
    /// By kernel: what it was launched with when it was last launched for a change.
    std::vector<std::vector<std::byte>> last_arguments;
  };
  /// A submit while it is put together.
  struct Assembly {
    Flight flight;
    std::vector<cl_event> uploads;          ///< that the next kernel waits for
    std::vector<std::span<std::byte>> out;  ///< to be read back, and from where
    std::vector<cl_mem> out_buffers;
    std::vector<std::shared_ptr<OpenClResident>> leaving;
    std::vector<std::byte> key;  ///< of the launch in hand, where it is for changes alone
    bool is_timed = false;       ///< its completion wants the device's times

    /// Before a command is enqueued, and after.
    [[nodiscard]] std::int64_t now() const;
    void note(cl_event event, std::string_view name, trace::Category category,
              std::int64_t before_ns);
  };

  [[nodiscard]] Result<void> enqueue(const Launch& launch, Assembly& assembly);
  [[nodiscard]] Result<void> check(const Launch& launch) const;
  [[nodiscard]] Result<void> set(Kernel& kernel, std::size_t index, const Argument& argument,
                                 Assembly& assembly);
  [[nodiscard]] Result<cl_mem> buffer_for(std::span<const std::byte> in, Assembly& assembly);
  [[nodiscard]] Result<cl_mem> buffer_for(std::span<std::byte> out, Assembly& assembly);
  [[nodiscard]] Result<cl_mem> buffer_for(const Values& values, Assembly& assembly);
  [[nodiscard]] Result<cl_mem> buffer_for(const Kept& kept, Assembly& assembly);
  [[nodiscard]] Result<cl_mem> buffer_for(const Leaving& leaving, Assembly& assembly);
  [[nodiscard]] Result<cl_mem> buffer_for(const Arriving& arriving, Assembly& assembly);
  void leave(Assembly& assembly);
  [[nodiscard]] Result<void> write(cl_mem buffer, std::span<const std::byte> bytes,
                                   Assembly& assembly);
  [[nodiscard]] Result<void> clear(cl_mem buffer, std::size_t size);
  [[nodiscard]] Result<void> start(const Kernel& kernel, const Launch& launch, Assembly& assembly);
  [[nodiscard]] Result<void> read_back(Assembly& assembly);
  void close(Assembly& assembly);
  void flush();
  void note_landed(Flight& flight);
  void tell_work(const Flight& flight);

  std::unique_ptr<Parts> parts_;
  const std::size_t in_flight_;
  std::atomic<std::uint64_t> launches_{0};
  std::atomic<std::uint64_t> copies_{0};
  std::atomic<std::uint64_t> bytes_copied_{0};
  std::atomic<std::int64_t> kernel_ns_{0};
  Clock clock_;                                   ///< of the flights' thread
  std::atomic<bool> arguments_are_stale_{false};  ///< a launch failed: what is kept may be wrong
  Flights flights_;  ///< last: lands what is under way before the rest goes
};

/// Opens a device and compiles for it.
[[nodiscard]] Result<std::unique_ptr<Program>> open_program(const ProgramDescription& description,
                                                            const Settings& settings);

}  // namespace ligament::gpu::opencl
