// SPDX-License-Identifier: Apache-2.0
/// \file The provider object `ros2` for LTTng-UST: libligament-trace-ros2.so, opened by
/// trace::load_ros2(). Which process and thread an event is of, LTTng adds as ros2_tracing has it
/// done: by the contexts of the session's channel.
#include "trace/provider_entry.hpp"

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "ros2_tracepoints.h"

namespace {

#include "ros2_hooks.inc"

constexpr ligament::trace::ros2::detail::Provider provider = {
    .hooks_size = sizeof(ligament::trace::ros2::detail::Hooks),
    .events_digest = ligament::trace::ros2::detail::events_digest.data(),
    .hooks = &hooks,
};

}  // namespace

extern "C" [[gnu::visibility("default")]] const ligament::trace::ros2::detail::Provider*
ligament_trace_ros2_provider() {
  return &provider;
}
