// SPDX-License-Identifier: Apache-2.0
#include "node/node_state.hpp"

#include <exception>
#include <ligament/trace.hpp>
#include <utility>

#include "node/context_state.hpp"
#include "node/parameter_interface.hpp"

namespace ligament::detail {
namespace {

std::atomic<AllocationCounter> allocation_counter{nullptr};

/// Whose callback this thread is inside of; null: of none.
thread_local const Context* running = nullptr;

std::uint64_t allocations_now() {
  const AllocationCounter counter = allocation_counter.load(std::memory_order_relaxed);
  return counter == nullptr ? 0 : counter();
}

}  // namespace

void set_allocation_counter(AllocationCounter counter) {
  allocation_counter.store(counter, std::memory_order_relaxed);
}

void NodeState::report(NodeErrorKind kind, const std::string& text) {
  if (kind == NodeErrorKind::run) {
    run_errors.write(LogLevel::error, text);
  } else {
    report_at_once(kind, text);
  }
}

void NodeState::report_at_once(NodeErrorKind kind, const std::string& text) {
  logger.write(LogLevel::error, text);
  {
    const std::lock_guard lock(mutex);
    errors.push_back({kind, text});
  }
  if (context != nullptr) {
    ContextState& shared = context->state();
    const std::lock_guard lock(shared.observer_mutex);
    if (shared.observer != nullptr) {
      shared.observer->node_error(id, text);
    }
  }
}

SetParametersResult NodeState::set_parameters(const std::vector<Parameter>& values) {
  auto result = parameters.set(values);
  if (const auto events = parameter_events.lock(); events != nullptr && result.successful) {
    events->changed(*this, values);
  }
  return result;
}

CallbackScope::CallbackScope(NodeState& node, std::uint64_t handle, std::uint64_t publisher,
                             std::uint64_t sequence)
    : node_(node),
      outer_(std::exchange(running, node.context.get())),
      handle_(handle),
      began_ns_(pool::monotonic_now_ns()),
      allocations_(allocations_now()),
      exceptions_(std::uncaught_exceptions()) {
  node_.figures.running_since_ns.store(began_ns_, std::memory_order_relaxed);
  if (handle_ != 0) {
    trace::callback_start(handle_, publisher, sequence);
  }
}

bool CallbackScope::runs_for(const Context& context) { return running == &context; }

CallbackScope::~CallbackScope() {
  running = outer_;
  if (handle_ != 0) {
    trace::callback_end(handle_);
  }
  if (std::uncaught_exceptions() > exceptions_) {
    node_.failed_in_callback = true;
  }
  NodeFigures& figures = node_.figures;
  const auto add = [](auto& figure, auto amount) {  // single writer: no read-modify-write needed
    figure.store(figure.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  };
  add(figures.busy_ns, pool::monotonic_now_ns() - began_ns_);
  add(figures.callbacks, std::uint64_t{1});
  add(figures.heap_allocations, allocations_now() - allocations_);
  figures.running_since_ns.store(0, std::memory_order_relaxed);
}

std::uint64_t NodeTrace::trace_handle() const { return state.hash; }

}  // namespace ligament::detail
