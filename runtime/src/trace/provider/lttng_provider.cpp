// SPDX-License-Identifier: Apache-2.0
/// \file The provider object for LTTng-UST: libligament-trace-lttng.so, opened by trace::load().
///
/// Hooks call LTTng's function directly: asking "is this event enabled?" first would save nothing,
/// because the object is only loaded when a session records, and LTTng asks again by itself.
#include <pthread.h>
#include <unistd.h>

#include <array>

#include "trace/provider_entry.hpp"

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "ligament_tracepoints.h"

namespace {

void hook_thread_start(std::uint32_t pid, const char* name) noexcept;

/// Id of this thread, asked from the kernel once. LTTng's own context would cost more per event.
thread_local std::uint32_t cached_thread_id = 0;

[[gnu::noinline]] std::uint32_t first_event_of_thread() noexcept {
  cached_thread_id = static_cast<std::uint32_t>(::gettid());
  std::array<char, 16> name{};
  ::pthread_getname_np(::pthread_self(), name.data(), name.size());
  hook_thread_start(static_cast<std::uint32_t>(::getpid()), name.data());
  return cached_thread_id;
}

std::uint32_t thread_id() noexcept {
  return cached_thread_id != 0 ? cached_thread_id : first_event_of_thread();
}

#include "ligament_hooks.inc"

constexpr ligament::trace::detail::Provider provider = {
    .hooks_size = sizeof(ligament::trace::detail::Hooks),
    .events_digest = ligament::trace::detail::events_digest.data(),
    .hooks = &hooks,
};

}  // namespace

extern "C" [[gnu::visibility("default")]] const ligament::trace::detail::Provider*
ligament_trace_provider() {
  return &provider;
}
