// SPDX-License-Identifier: Apache-2.0
/// \file A node without its author's code: names, parameters, errors, endpoints, figures.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ligament/callback_group.hpp>
#include <ligament/context.hpp>
#include <ligament/log_throttle.hpp>
#include <ligament/logging.hpp>
#include <ligament/names.hpp>
#include <ligament/node.hpp>
#include <ligament/span.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "node/context_state.hpp"
#include "node/parameter_set.hpp"

namespace ligament::detail {

/// Threads that one executor may have; the schema of containers says so too.
inline constexpr std::size_t most_threads = 64;

/// Figures of a node, written by its executor's threads and read by the status thread: relaxed.
struct NodeFigures {
  std::atomic<bool> shared{false};  ///< by several threads; before they start
  std::atomic<std::uint64_t> callbacks{0};
  std::atomic<std::int64_t> busy_ns{0};  ///< time inside callbacks, of all threads
  /// By thread of the executor: CLOCK_MONOTONIC at which the running callback began; 0: none runs.
  std::array<std::atomic<std::int64_t>, most_threads> running_since_ns{};
  std::atomic<std::uint64_t> heap_allocations{0};

  /// Of the callback that has run for longest; 0: none runs.
  [[nodiscard]] std::int64_t oldest_running_ns() const;
};

struct NodeState {
  std::shared_ptr<Context> context;
  NodePlace place;
  std::string id;
  std::uint64_t hash = 0;
  RemapRules remaps;
  std::map<std::string, TopicOptions> topics;
  std::map<std::string, QoSOverrides> port_qos;
  ParameterSet parameters;
  std::weak_ptr<ParameterEvents> parameter_events;
  std::shared_ptr<Clock> clock = std::make_shared<Clock>(ClockType::ros);
  Logger logger{""};
  NodeFigures figures;
  std::atomic<bool> finished{false};
  std::atomic<bool> has_executor{false};
  std::atomic<bool> failed_in_callback{false};  ///< a callback left by an exception
  /// Callbacks that an executor of several threads has begun, or is about to.
  std::atomic<std::uint32_t> begun{0};
  /// Of all that names no group.
  std::shared_ptr<CallbackGroup> own_group =
      std::make_shared<CallbackGroup>(CallbackGroupType::mutually_exclusive, this);

  mutable std::mutex mutex;                           ///< guards what is below
  std::function<KernelFigures()> kernel_figures;      ///< empty: the node has no kernels
  std::function<HardwareFigures()> hardware_figures;  ///< empty: it is not in hardware
  std::function<CoreFigures()> core_figures;          ///< empty: it is not in firmware
  std::vector<NodeError> errors;
  std::vector<const TypeTable*> types;  ///< of topics, services and actions that the node has
  std::vector<std::weak_ptr<PublisherBase>> publishers;
  std::vector<std::weak_ptr<SubscriptionBase>> subscriptions;
  std::vector<std::weak_ptr<TimerBase>> timers;
  std::vector<std::weak_ptr<ServiceBase>> services;
  std::vector<std::weak_ptr<ClientBase>> clients;

  /// Keeps, logs and passes on one sentence. A message from outside may cause one of kind `run`, so
  /// those are limited in rate, and the rest is counted. Any thread.
  void report(NodeErrorKind kind, const std::string& text);
  void report_at_once(NodeErrorKind kind, const std::string& text);
  /// Keeps one of them in its list. `is_source`: the executor has to look at it. Any thread.
  template <typename Part>
  void add(std::vector<std::weak_ptr<Part>>& parts, const std::shared_ptr<Part>& part,
           bool is_source = true) {
    {
      const std::lock_guard lock(mutex);
      parts.push_back(part);
    }
    if (context != nullptr && is_source) {
      context->state().sources_changed();
    }
  }
  /// The node's own for null, and, with an error, for a group of another node.
  [[nodiscard]] std::shared_ptr<CallbackGroup> group_or_own(
      const std::shared_ptr<CallbackGroup>& group);
  /// All of them or none, told on /parameter_events. Any thread.
  SetParametersResult set_parameters(const std::vector<Parameter>& values);

  /// Last: what it has counted is reported while all of the above is there.
  LogThrottle run_errors{[this](LogLevel, std::string_view text) {
    report_at_once(NodeErrorKind::run, std::string(text));
  }};
};

/// Those of a list that still exist; the others are forgotten.
template <typename T>
std::vector<std::shared_ptr<T>> alive(std::mutex& mutex, std::vector<std::weak_ptr<T>>& list) {
  const std::lock_guard lock(mutex);
  std::erase_if(list, [](const auto& weak) { return weak.expired(); });
  std::vector<std::shared_ptr<T>> found;
  for (const auto& weak : list) {
    if (auto strong = weak.lock()) {
      found.push_back(std::move(strong));
    }
  }
  return found;
}

/// From construction to destruction, a callback of the node runs on this thread. `handle`: of the
/// subscription or timer in traces; 0: callbacks of events, which are not traced.
class CallbackScope {
 public:
  CallbackScope(NodeState& node, std::uint64_t handle, std::uint64_t publisher,
                std::uint64_t sequence);
  ~CallbackScope();
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;
  [[nodiscard]] std::int64_t began_ns() const { return began_ns_; }
  /// What the callback that this thread is in was called for; nothing: no message, or none runs.
  [[nodiscard]] static trace::MessageIdentity running_message();
  /// Whether this thread is inside a callback that the executor of this context runs.
  [[nodiscard]] static bool runs_for(const Context& context);

 private:
  NodeState& node_;
  const CallbackScope* outer_;  ///< that this one runs inside of
  std::uint64_t handle_;
  trace::MessageIdentity message_;
  std::int64_t began_ns_;
  std::uint64_t allocations_;
  int exceptions_;
};

/// Which of its executor's threads this one is, from construction to destruction: its number, and
/// whether there are others. Of other threads: the first, and alone.
class ExecutorThread {
 public:
  ExecutorThread(std::size_t number, bool has_others);
  ~ExecutorThread();
  ExecutorThread(const ExecutorThread&) = delete;
  ExecutorThread& operator=(const ExecutorThread&) = delete;
};

/// Whether this thread is inside a callback of the node.
[[nodiscard]] bool is_running_callback_of(const NodeState& node);

/// The group whose callback an executor of several threads runs on this thread; null: none.
void set_running_group(const CallbackGroup* group);

/// Counts this thread's heap allocations, where the program (the container, a test) counts them;
/// null: not counted. Set once, before executors run.
using AllocationCounter = std::uint64_t (*)();
void set_allocation_counter(AllocationCounter counter);

}  // namespace ligament::detail
