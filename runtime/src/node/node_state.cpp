// SPDX-License-Identifier: Apache-2.0
#include "node/node_state.hpp"

#include <exception>
#include <ligament/client.hpp>
#include <ligament/trace.hpp>
#include <utility>

#include "node/context_state.hpp"
#include "node/parameter_interface.hpp"

namespace ligament::detail {
namespace {

std::atomic<AllocationCounter> allocation_counter{nullptr};

/// Whose callback this thread is inside of; null: of none.
thread_local const CallbackScope* running = nullptr;

/// What an executor of several threads says of this one.
struct ThisThread {
  std::size_t number = 0;
  bool has_others = false;
  const CallbackGroup* group = nullptr;
};
thread_local ThisThread this_thread;

std::uint64_t allocations_now() {
  const AllocationCounter counter = allocation_counter.load(std::memory_order_relaxed);
  return counter == nullptr ? 0 : counter();
}

}  // namespace

void set_allocation_counter(AllocationCounter counter) {
  allocation_counter.store(counter, std::memory_order_relaxed);
}

ExecutorThread::ExecutorThread(std::size_t number, bool has_others) {
  this_thread = {number, has_others, nullptr};
}
ExecutorThread::~ExecutorThread() { this_thread = {}; }

bool is_running_callback_of(const NodeState& node) {
  return node.context != nullptr && CallbackScope::runs_for(*node.context) &&
         node.figures.running_since_ns[this_thread.number].load(std::memory_order_relaxed) != 0;
}

void set_running_group(const CallbackGroup* group) { this_thread.group = group; }

std::int64_t NodeFigures::oldest_running_ns() const {
  std::int64_t oldest = 0;
  for (const auto& since : running_since_ns) {
    const std::int64_t one = since.load(std::memory_order_relaxed);
    oldest = one != 0 && (oldest == 0 || one < oldest) ? one : oldest;
  }
  return oldest;
}

std::shared_ptr<CallbackGroup> NodeState::group_or_own(
    const std::shared_ptr<CallbackGroup>& group) {
  if (group == nullptr) {
    return own_group;
  }
  if (!group->belongs_to(this)) {
    report(NodeErrorKind::configuration,
           "node '" + id +
               "' was given a callback group of another node; make it with "
               "create_callback_group() of the node that uses it");
    return own_group;
  }
  return group;
}

bool is_only_bringer(const NodeState& node, const CallbackGroup* group) {
  if (node.context == nullptr || !CallbackScope::runs_for(*node.context)) {
    return false;
  }
  const CallbackGroup* brings = group == nullptr ? node.own_group.get() : group;
  const bool other_thread =
      this_thread.has_others &&
      (this_thread.group != brings || brings->type() == CallbackGroupType::reentrant);
  return !other_thread;
}

bool refuse_blocking(const std::shared_ptr<NodeState>& node, const std::string& what,
                     const CallbackGroup* group) {
  if (!is_only_bringer(*node, group)) {
    return false;
  }
  const char* where = this_thread.has_others
                          ? "callback group that would have to bring it: the wait would never end "
                            "and is refused (give the client a callback group of its own, or "
                          : "executor that would have to bring it: the wait would never end and is "
                            "refused (";
  node->report(NodeErrorKind::run, "node '" + node->id + "' waits for " + what +
                                       " inside a callback of the " + where +
                                       "give async_send_request a callback instead)");
  return true;
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
      outer_(std::exchange(running, this)),
      handle_(handle),
      message_{publisher, sequence},
      began_ns_(pool::monotonic_now_ns()),
      allocations_(allocations_now()),
      exceptions_(std::uncaught_exceptions()) {
  node_.figures.running_since_ns[this_thread.number].store(began_ns_, std::memory_order_relaxed);
  if (handle_ != 0) {
    trace::callback_start(handle_, publisher, sequence);
  }
}

trace::MessageIdentity CallbackScope::running_message() {
  return running == nullptr ? trace::MessageIdentity{} : running->message_;
}

bool CallbackScope::runs_for(const Context& context) {
  return running != nullptr && running->node_.context.get() == &context;
}

CallbackScope::~CallbackScope() {
  running = outer_;
  if (handle_ != 0) {
    trace::callback_end(handle_);
  }
  if (std::uncaught_exceptions() > exceptions_) {
    node_.failed_in_callback = true;
  }
  NodeFigures& figures = node_.figures;
  const bool shared = figures.shared.load(std::memory_order_relaxed);
  const auto add = [shared](auto& figure, auto amount) {
    if (shared) {
      figure.fetch_add(amount, std::memory_order_relaxed);
      return;
    }
    figure.store(  // single writer: no read-modify-write needed
        figure.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  };
  add(figures.busy_ns, pool::monotonic_now_ns() - began_ns_);
  add(figures.callbacks, std::uint64_t{1});
  add(figures.heap_allocations, allocations_now() - allocations_);
  figures.running_since_ns[this_thread.number].store(0, std::memory_order_relaxed);
}

std::uint64_t NodeTrace::trace_handle() const { return state.hash; }

}  // namespace ligament::detail
