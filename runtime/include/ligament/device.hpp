// SPDX-License-Identifier: Apache-2.0
/// \file The device contract: what every back-end (cpu, opencl, cuda, verilated, ...) offers. The
/// rules behind each call are in spec/device/contract.md; tests/device/conformance.hpp judges them.
///
///   auto device = device::open("cpu", {.domain = domain}).value();
///   auto program = device->load({.path = "libblur.so", .format = "shared-library"}).value();
///   device->bind(program, {.port = "image", .endpoint = in});      // topic -> port
///   device->bind(program, {.port = "blurred", .endpoint = out});
///   device->start();                    // messages flow without the host's threads from here on
///   ...
///   device->stop(std::chrono::seconds(1));
///
/// Generated code drives a device; authors of GPU and FPGA nodes do not see it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ligament/detail/pool.hpp>
#include <ligament/device_clock.hpp>
#include <ligament/expected.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ligament::device {

enum class Kind : std::uint8_t { cpu, gpu, fpga, mcu };

/// What may be asked of a device. Stated, never guessed from its name.
struct Capabilities {
  Kind kind = Kind::cpu;
  std::string name;                           ///< as its driver calls it
  std::vector<std::string> artefact_formats;  ///< what load() takes
  bool unified_memory = false;  ///< programs read and write pool memory in place, without a copy
  bool simulated_time = false;  ///< its clock counts cycles, not time that passed
  std::size_t alignment = 128;  ///< of message payloads in memory that it can reach
  std::size_t max_message_bytes = 0;  ///< 0: no limit of its own
  std::uint32_t max_programs = 0;     ///< programs (slots) at once; 0: no limit of its own
  double ticks_per_second = 0;        ///< nominal rate of its clock
};

enum class ErrorCode : std::uint8_t {
  backend_unknown,  ///< there is no such back-end in this build
  unavailable,      ///< no driver, no device: the text says what is missing and what to install
  memory_refused,   ///< the device cannot reach this memory
  artefact_missing,
  artefact_invalid,  ///< not of the stated format, or of another version
  program_unknown,
  too_many_programs,
  port_unknown,
  port_bound_twice,
  type_mismatch,  ///< the topic carries another message than the port
  not_bound,      ///< start() with a port that has no topic
  already_started,
  not_started,
  exceeds_bound,   ///< an output does not fit its topic's bound
  program_failed,  ///< a program refused a message; the next one is tried
  deadline,        ///< a program did not end in time
  device_lost,     ///< nothing but closing it is possible now
  system,
};
[[nodiscard]] const char* to_string(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::system;
  std::string text;  ///< one sentence with the names involved
};

template <typename T>
using Result = expected<T, Error>;

/// How a device is opened.
struct OpenOptions {
  std::string device;                    ///< which one, in the back-end's words; empty: its first
  std::shared_ptr<pool::Domain> domain;  ///< whose pool it imports
  std::map<std::string, std::string> settings;  ///< the back-end's own; unknown ones are refused
};

/// What is loaded: the file that `ligament build` made for this device.
struct Artefact {
  std::string path;
  std::string format;
  std::map<std::string, std::string> settings;
};
using ProgramId = std::uint32_t;

enum class Direction : std::uint8_t { in, out };

/// A port of a loaded program.
struct Port {
  std::string name;
  Direction direction = Direction::in;
  std::string message;  ///< `package/msg/Name`
};

/// One port joined to one topic. The endpoint's type hash and QoS are those of the topic.
struct Binding {
  std::string port;
  pool::EndpointDescription endpoint;
  std::size_t bound_bytes = 0;  ///< largest message; 0: none, if the device can do without
};

/// When a program worked on a message, in the device's own ticks.
struct Span {
  ProgramId program = 0;
  std::uint64_t publisher = 0;  ///< of the input message
  std::uint64_t sequence = 0;
  std::uint64_t begin_ticks = 0;
  std::uint64_t end_ticks = 0;
};

/// Counts since open().
struct Statistics {
  std::uint64_t taken = 0;
  std::uint64_t published = 0;
  std::uint64_t failed = 0;  ///< messages that a program refused or that could not be sent
  std::uint64_t copies = 0;  ///< payload copies to or from the device's memory
  std::uint64_t bytes_copied = 0;
};

enum class State : std::uint8_t { idle, started, lost };

/// An open device. One thread calls at a time, except statistics(), state() and sample_clock().
class Device {
 public:
  virtual ~Device() = default;

  [[nodiscard]] virtual Capabilities capabilities() const = 0;

  [[nodiscard]] virtual Result<ProgramId> load(const Artefact& artefact) = 0;
  [[nodiscard]] virtual Result<std::vector<Port>> ports(ProgramId program) const = 0;
  [[nodiscard]] virtual Result<void> bind(ProgramId program, const Binding& binding) = 0;

  /// From here on, each message of an input topic is worked on once, in order.
  [[nodiscard]] virtual Result<void> start() = 0;
  /// Messages being worked on are finished, no others begun. After the deadline:
  /// ErrorCode::deadline, and the device is lost. A stopped device can be started again.
  [[nodiscard]] virtual Result<void> stop(std::chrono::nanoseconds deadline) = 0;
  [[nodiscard]] virtual State state() const = 0;

  /// The oldest error since the last call that happened while running, if any.
  [[nodiscard]] virtual std::optional<Error> take_error() = 0;
  /// Spans since the last call, oldest first. Bounded: what is not fetched in time is dropped.
  [[nodiscard]] virtual std::vector<Span> take_spans() = 0;
  [[nodiscard]] virtual Statistics statistics() const = 0;

  /// Reads the device's clock between two readings of the host's.
  [[nodiscard]] virtual Result<ClockSample> sample_clock() = 0;
};

/// Opens a device by the name of its back-end.
[[nodiscard]] Result<std::unique_ptr<Device>> open(const std::string& backend,
                                                   const OpenOptions& options);
/// Names of the back-ends of this build.
[[nodiscard]] std::vector<std::string> backends();

}  // namespace ligament::device
