// SPDX-License-Identifier: Apache-2.0
/// \file Kernels on a GPU, for generated nodes (spec/device/gpu.md). Authors of kernels do not see
/// it: they write a kernel file and a manifest.
///
///   auto program = gpu::Program::open({.sources = {{"invert.cl", text}}, .kernels = kernels}, {});
///   const std::array<gpu::Argument, 3> arguments{image.chosen_bytes(), out_bytes, count};
///   (*program)->run({{gpu::Launch{.kernel = 0, .global = {count, 1, 1}, .arguments =
///   arguments}}});
///
/// Link `ligament::gpu`. One thread uses a program at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ligament/expected.hpp>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace ligament::gpu {

/// How a payload reaches the device.
enum class Model : std::uint8_t {
  automatic,      ///< zero_copy where the device is the host's processors, else standard_copy
  zero_copy,      ///< the kernel works on the pool's bytes
  standard_copy,  ///< written to the device before, read back after
};

enum class ErrorCode : std::uint8_t {
  unavailable,      ///< no platform, no such device: the text says what to install
  setting,          ///< a setting has no such value
  not_compiled,     ///< the text has the compiler's lines
  kernel_mismatch,  ///< a kernel is missing, or its arguments are not those of the manifest
  out_of_memory,    ///< of the device
  launch_failed,    ///< this launch; the next may work
  device_lost,      ///< no launch will work any more
};

struct Error {
  ErrorCode code = ErrorCode::launch_failed;
  std::string text;
};

template <typename T>
using Result = expected<T, Error>;

/// What a kernel is given: a number (converted to the type that its signature has), bytes that it
/// reads, bytes that it writes. Bytes begin at a message's chosen array and stay valid until the
/// program is closed, as pool memory does.
using Argument =
    std::variant<std::int64_t, double, std::span<const std::byte>, std::span<std::byte>>;

enum class ArgumentKind : std::uint8_t { number, input, output };

struct KernelDescription {
  std::string name;
  std::vector<ArgumentKind> arguments;
};

struct Source {
  std::string path;  ///< shown in the compiler's messages
  std::string text;
};

struct ProgramDescription {
  std::vector<Source> sources;  ///< OpenCL C, compiled as one
  std::vector<KernelDescription> kernels;
};

struct Settings {
  std::string device;  ///< `platform:device` by number, or a part of its name; empty: see open()
  Model model = Model::automatic;
};

/// LIGAMENT_GPU_DEVICE and LIGAMENT_GPU_MODEL.
[[nodiscard]] Result<Settings> settings_from_environment();

/// One kernel over its index space. A global size below 1 launches nothing.
struct Launch {
  std::uint32_t kernel = 0;  ///< place in ProgramDescription::kernels
  std::array<std::int64_t, 3> global{1, 1, 1};
  std::array<std::int64_t, 3> local{0, 0, 0};  ///< all 0: the device's choice
  std::span<const Argument> arguments;
};

/// Since the program was opened.
struct Statistics {
  std::uint64_t launches = 0;
  std::uint64_t copies = 0;  ///< payloads written to the device or read back
  std::uint64_t bytes_copied = 0;
  std::uint64_t imported = 0;  ///< pieces of memory made known to the device (zero_copy)
  std::int64_t import_ns = 0;  ///< time that this took, all in first uses
  std::int64_t kernel_ns = 0;  ///< time that kernels ran, by the device's clock
};

struct DeviceInfo {
  std::string name;
  bool shares_host_memory = false;
  Model model = Model::standard_copy;  ///< never automatic
};

/// Compiled kernels on one device.
class Program {
 public:
  /// Without a device named: the first GPU, else the first device (PoCL runs kernels on the CPU).
  [[nodiscard]] static Result<std::unique_ptr<Program>> open(const ProgramDescription& description,
                                                             const Settings& settings);
  virtual ~Program() = default;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Launches one after the other and waits for the last. After an error outputs are undefined.
  [[nodiscard]] virtual Result<void> run(std::span<const Launch> launches) = 0;
  [[nodiscard]] virtual const DeviceInfo& device() const = 0;
  [[nodiscard]] virtual const Statistics& statistics() const = 0;

 protected:
  Program() = default;
};

}  // namespace ligament::gpu
