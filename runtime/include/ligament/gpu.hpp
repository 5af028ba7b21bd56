// SPDX-License-Identifier: Apache-2.0
/// \file Kernels on a GPU, for generated nodes (spec/device/gpu.md). Authors of kernels do not see
/// it: they write a kernel file and a manifest.
///
///   auto program = gpu::Program::open({.sources = {{"invert.cl", text}}, .kernels = kernels}, {});
///   const std::array<gpu::Argument, 3> arguments{image.chosen_bytes(), out_bytes, count};
///   const gpu::Launch launch{.kernel = 0, .global = {count, 1, 1}, .arguments = arguments};
///   (*program)->run({&launch, 1});
///
/// `run` waits; `submit` does not: what is to be done afterwards is done by a thread of the
/// program. Link `ligament::gpu`. One thread at a time launches.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ligament/expected.hpp>
#include <ligament/span.hpp>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace ligament::gpu {

/// How a payload reaches the device.
enum class Model : std::uint8_t {
  automatic,       ///< by what the device is, and how the kernels use memory
  zero_copy,       ///< the kernel works on the pool's bytes
  standard_copy,   ///< written to the device before, read back after
  unified_memory,  ///< the host writes and reads memory of the device, whose driver moves it
};

/// How kernels use the payloads that they are given.
enum class Access : std::uint8_t {
  cached,     ///< again and again, or neighbours together: they rely on caches
  streaming,  ///< each byte about once
};

/// Whose driver runs the kernels.
enum class Backend : std::uint8_t {
  automatic,  ///< cuda where there is a device for it and a compiler, else opencl
  opencl,
  cuda,
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

/// Numbers in an array that is copied with the launch; at most most_value_bytes.
struct Values {
  std::span<const std::byte> bytes;
};
inline constexpr std::size_t most_value_bytes = 4096;

/// Memory of the device that stays between launches: which, and how much is needed now. Zero at
/// first, and after it had to grow.
struct Kept {
  std::uint32_t place = 0;
  std::int64_t bytes = 0;
};

/// A payload that stays on the device between programs of one process: a kernel of one writes it,
/// and kernels of others wait for that on the device. Made by Program::make_resident().
class Resident {
 public:
  virtual ~Resident() = default;
  Resident(const Resident&) = delete;
  Resident& operator=(const Resident&) = delete;

 protected:
  Resident() = default;
};
/// Of what is said of one to other processes, in place of the payload.
inline constexpr std::size_t ticket_bytes = 192;
/// What a kernel writes and leaves there. The bytes are its memory where nothing is copied, else
/// only stand for it. Model: automatic is the program's.
struct Leaving {
  std::span<std::byte> bytes;
  std::shared_ptr<Resident> resident;
  Model model = Model::automatic;
};
/// What another program left there.
struct Arriving {
  std::span<const std::byte> bytes;
  std::shared_ptr<Resident> resident;
};

/// A payload that a kernel reads or writes by another model than the program's: one of
/// Settings::topic_models.
struct Reading {
  std::span<const std::byte> bytes;
  Model model = Model::automatic;
};
struct Writing {
  std::span<std::byte> bytes;
  Model model = Model::automatic;
};

/// What a kernel is given: a number (converted to the type that its signature has), bytes that it
/// reads, bytes that it writes, or one of the above. Bytes begin at a message's chosen array and
/// stay valid until the launch has ended.
using Argument =
    std::variant<std::int64_t, double, std::span<const std::byte>, std::span<std::byte>, Values,
                 Kept, Leaving, Arriving, Reading, Writing>;

enum class ArgumentKind : std::uint8_t { number, input, output, values, buffer };

struct KernelDescription {
  std::string name;
  std::vector<ArgumentKind> arguments;
};

struct Source {
  std::string path;  ///< shown in the compiler's messages
  std::string text;
};

struct ProgramDescription {
  /// Compiled as one: OpenCL C, or CUDA C++ where the path ends with `.cu`. Of both, CUDA takes the
  /// latter alone and OpenCL the former.
  std::vector<Source> sources;
  std::vector<KernelDescription> kernels;
  Access access = Access::cached;
};

struct Settings {
  Backend backend = Backend::automatic;
  /// `platform:device` by number (CUDA: `cuda:number`), or a part of its name; empty: see open().
  std::string device;
  Model model = Model::automatic;
  std::map<std::string, Model> topic_models;  ///< of topics that have one of their own
  std::uint32_t in_flight = 2;                ///< submits that may be in flight; at least 1
  /// A submit that has not ended this long after those before it: the device is given up.
  std::chrono::nanoseconds deadline = std::chrono::seconds(60);
};

/// LIGAMENT_GPU_BACKEND, LIGAMENT_GPU_DEVICE, LIGAMENT_GPU_MODEL, LIGAMENT_GPU_IN_FLIGHT,
/// LIGAMENT_GPU_DEADLINE_MS.
[[nodiscard]] Result<Settings> settings_from_environment();
/// The same; where the environment asks for no model, these, in the words of files: `zero_copy`,
/// `standard_copy,/image=zero_copy` (of one topic another). Empty: none.
[[nodiscard]] Result<Settings> settings_for(const std::string& models);

/// One kernel over its index space. A global size below 1 launches nothing.
struct Launch {
  std::uint32_t kernel = 0;  ///< place in ProgramDescription::kernels
  std::array<std::int64_t, 3> global{1, 1, 1};
  std::array<std::int64_t, 3> local{0, 0, 0};  ///< all 0: the device's choice
  std::span<const Argument> arguments;
  /// Only if sizes or arguments are others than when it was last launched. Takes numbers, values
  /// and what is kept.
  bool when_changed = false;
};

/// Since the program was opened.
struct Statistics {
  std::uint64_t launches = 0;
  std::uint64_t copies = 0;  ///< payloads written to the device or read back
  std::uint64_t bytes_copied = 0;
  /// Of these, such as the host copied once more, to or from memory that the device's copies reach.
  std::uint64_t staged = 0;
  std::uint64_t bytes_staged = 0;
  std::uint64_t imported = 0;   ///< pieces of memory made known to the device (zero_copy)
  std::int64_t import_ns = 0;   ///< time that this took, all in first uses
  std::uint64_t forgotten = 0;  ///< of these, let go because their memory was unmapped
  std::int64_t kernel_ns = 0;   ///< time that kernels ran, by the device's clock
};

struct DeviceInfo {
  std::string name;
  Backend backend = Backend::opencl;  ///< never automatic
  bool shares_host_memory = false;
  Model model = Model::standard_copy;  ///< never automatic; topics may have others
  std::string why;                     ///< this model
};

/// What is to be done when the launches of a submit have ended. It holds what they work on.
class Completion {
 public:
  virtual ~Completion() = default;
  /// Asked once, when it is submitted: whether worked() is to be called.
  [[nodiscard]] virtual bool wants_times() const { return false; }
  /// The program's thread begins to wait for these launches: those before them have ended.
  virtual void waiting() {}
  /// One kernel or copy has run, by the device's own clock. Before ended(), and not called where
  /// that clock tells nothing that could be true.
  virtual void worked(const trace::DeviceWork& /*work*/) {}
  /// They have ended; after an error outputs are undefined. Destroyed afterwards, but never where
  /// the device may still work on what it holds (device_lost).
  virtual void ended(const Result<void>& result) = 0;

 protected:
  Completion() = default;
  Completion(const Completion&) = default;
  Completion& operator=(const Completion&) = default;
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

  /// Launches one after the other and returns; the completion is called by the program's thread,
  /// in the order of the submits, also after an error.
  virtual void submit(std::span<const Launch> launches, std::unique_ptr<Completion> completion) = 0;
  /// Returns when fewer submits than Settings::in_flight are in flight.
  virtual void wait_for_room() = 0;
  /// Returns when all completions have been called. Destroying the program does so too.
  virtual void drain() = 0;
  /// submit(), and waits for its end.
  [[nodiscard]] Result<void> run(std::span<const Launch> launches);

  /// For Leaving.
  [[nodiscard]] virtual std::shared_ptr<Resident> make_resident() = 0;
  /// After submit(): where a program of another process on this device finds what a kernel leaves
  /// there. An error leaves a ticket that nobody takes.
  [[nodiscard]] virtual Result<void> show(Resident& resident,
                                          std::span<std::byte, ticket_bytes> ticket) = 0;
  /// For Arriving: what another process has shown.
  [[nodiscard]] virtual Result<std::shared_ptr<Resident>> find_shown(
      std::span<const std::byte, ticket_bytes> ticket) = 0;

  [[nodiscard]] virtual const DeviceInfo& device() const = 0;
  /// From any thread.
  [[nodiscard]] virtual Statistics statistics() const = 0;

 protected:
  Program() = default;
};

}  // namespace ligament::gpu
