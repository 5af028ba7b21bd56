// SPDX-License-Identifier: Apache-2.0
/// \file Tracing: how a process begins to record. What node authors use is in span.hpp.
///
/// Each event of spec/events/events.yaml is a function in here (trace::publish, trace::take, ...);
/// the runtime calls them, a node normally does not.
#pragma once

#include <cstdint>
#include <ligament/detail/trace_events.hpp>
#include <ligament/expected.hpp>
#include <ligament/span.hpp>
#include <string>

namespace ligament::trace {

/// Why a provider object could not be loaded.
enum class LoadErrorCode : std::uint8_t {
  already_loaded,  ///< a provider records already; two would record each event twice
  not_found,       ///< no such file
  not_loadable,    ///< the dynamic linker refused it (a library of LTTng is missing, ...)
  not_a_provider,  ///< it lacks the entry point
  wrong_version,   ///< made from another events.yaml than this library
};

/// What went wrong, and the sentence for the person who asked for the trace.
struct LoadError {
  LoadErrorCode code;
  std::string text;
};

/// Names the process in the trace.
struct ProcessIdentity {
  std::string run_id;
  std::string graph;
  std::string variant;
  std::string container;
};

/// Load a provider object (`libligament-trace-lttng.so`), measure what an event costs here, emit
/// `process_start` and `probe_cost`. Call once, before nodes are created and threads started.
/// Takes some milliseconds.
[[nodiscard]] expected<void, LoadError> load(const std::string& path,
                                             const ProcessIdentity& identity);

/// Load the provider object `ros2` (`libligament-trace-ros2.so`) as well: the events of
/// ros2_tracing that have a counterpart here (spec/events/ros2.yaml). As load(), before nodes are
/// created. Refused where ROS 2's own tracetools are in the process.
[[nodiscard]] expected<void, LoadError> load_ros2(const std::string& path);

/// Paths of the LTTng providers that were installed beside this library; they may not exist.
[[nodiscard]] std::string default_provider_path();
[[nodiscard]] std::string default_ros2_provider_path();

}  // namespace ligament::trace
