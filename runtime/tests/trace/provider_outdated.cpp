// SPDX-License-Identifier: Apache-2.0
// A provider object that says it was made from another events.yaml.
#include "trace/provider_entry.hpp"

extern "C" const ligament::trace::detail::Provider* ligament_trace_provider() {
  static const ligament::trace::detail::Hooks hooks{};
  static const ligament::trace::detail::Provider provider = {
      .hooks_size = sizeof(hooks), .events_digest = "another", .hooks = &hooks};
  return &provider;
}
