// SPDX-License-Identifier: Apache-2.0
/// \file Trace events of this process's nodes (spec/events/events.yaml): who is there, what was
/// published and taken, and the callbacks around it. Without LIGAMENT_TRACE_PROVIDER in the
/// environment each costs one load and a branch.
///
/// rmw does not see callbacks. One is taken to begin with the take of its message, and to end with
/// the same thread's next wait or take: so executors work that take and call on one thread. Who
/// knows better says so (rmw_ligament_cpp/trace.h).
#pragma once

#include <cstdint>
#include <ligament/detail/pool.hpp>
#include <ligament/trace.hpp>
#include <string>

namespace rmw_ligament_cpp::tracing {

/// Once per process, before its first node: records where the environment says so. What hinders it
/// is told in the log, and the process goes on.
void begin(const std::string& graph);

void tell_node(const std::string& full_name);
void tell(const ligament::pool::Writer& writer, const ligament::pool::EndpointDescription& end);
void tell(const ligament::pool::Reader& reader, const ligament::pool::EndpointDescription& end);

/// When a call that publishes began; 0 where nobody asks.
[[nodiscard]] inline std::int64_t begin_ns() {
  return ligament::trace::enabled() ? ligament::pool::monotonic_now_ns() : 0;
}
inline void tell_published(const ligament::pool::Writer& writer,
                           const ligament::pool::Published& published, std::size_t bytes,
                           std::int64_t begin_ns) {
  ligament::trace::publish(writer.id(), published.sequence, bytes, published.source_timestamp_ns,
                           begin_ns);
}
void tell_taken(const ligament::pool::Reader& reader, const ligament::pool::SampleInfo& info);
/// This thread is done with what it has taken.
void end_callback();

/// The program's name, without folders: a Python program's is that of its script.
[[nodiscard]] std::string program_name();

}  // namespace rmw_ligament_cpp::tracing
