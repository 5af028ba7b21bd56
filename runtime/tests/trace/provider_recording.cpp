// SPDX-License-Identifier: Apache-2.0
// A provider object that keeps the names of the events it was given, for the test that opens it.
#include <string>

#include "trace/provider_entry.hpp"

namespace {

std::string* recorded = nullptr;

template <const char* name, typename... Arguments>
void record(Arguments...) noexcept {
  if (recorded != nullptr) {
    *recorded += std::string(name) + " ";
  }
}

// One hook per event; the table's types choose the arguments.
template <const char* name, typename... Arguments>
constexpr void fill(void (*&hook)(Arguments...) noexcept) {
  hook = record<name, Arguments...>;
}

// The formatter never settles on one layout of this list.
// clang-format off
#define LIGAMENT_TEST_EVENTS(X)                                                                  \
  X(process_start)                                                                               \
  X(thread_start)                                                                                \
  X(probe_cost) X(calibration) X(node_init) X(topic_init) X(publisher_init) X(subscription_init) \
      X(timer_init) X(span_name) X(value_name) X(loan) X(publish) X(take) X(callback_start) X(callback_end)    \
          X(span_begin) X(span_end) X(span_value) X(wait_begin) X(wait_end) X(drop) X(ros_time)
// clang-format on

#define LIGAMENT_TEST_NAME(event) constexpr char name_of_##event[] = #event;
LIGAMENT_TEST_EVENTS(LIGAMENT_TEST_NAME)

ligament::trace::detail::Hooks make_hooks() {
  ligament::trace::detail::Hooks hooks{};
#define LIGAMENT_TEST_FILL(event) fill<name_of_##event>(hooks.event);
  LIGAMENT_TEST_EVENTS(LIGAMENT_TEST_FILL)
  return hooks;
}

const ligament::trace::detail::Hooks hooks = make_hooks();
const ligament::trace::detail::Provider provider = {
    .hooks_size = sizeof(hooks),
    .events_digest = ligament::trace::detail::events_digest.data(),
    .hooks = &hooks,
};

}  // namespace

extern "C" const ligament::trace::detail::Provider* ligament_trace_provider() { return &provider; }
extern "C" void record_into(std::string* text) { recorded = text; }
