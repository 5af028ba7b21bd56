// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <chrono>
#include <ligament/detail/ros2_marks.hpp>
#include <ligament/executor.hpp>
#include <ligament/trace.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "executor/node_set.hpp"
#include "node/context_state.hpp"
#include "node/node_state.hpp"
#include "node/saturating.hpp"

namespace ligament::executors {
namespace {

using Result = expected<void, ExecutorError>;

}  // namespace

class SingleThreadedExecutor::Impl {
 public:
  explicit Impl(const ExecutorOptions& options)
      : context_(options.context != nullptr ? options.context : default_context()),
        nodes_(context_),
        wait_(options.wait) {}

  Result add_node(const std::shared_ptr<Node>& node) { return nodes_.add(node); }
  void remove_node(const std::shared_ptr<Node>& node);
  Result spin();
  Result spin_some();
  Result spin_once(std::chrono::nanoseconds timeout);
  FutureReturnCode spin_until(const std::function<bool()>& is_done,
                              std::chrono::nanoseconds timeout);
  void cancel();
  [[nodiscard]] ExecutorState state() const { return state_.load(std::memory_order_acquire); }

 private:
  enum class Round : std::uint8_t { idle, ran };
  enum class Timers : std::uint8_t { run, skip };

  template <typename Work>
  Result guarded(const Work& work);
  void rebuild_if_changed();
  Round round(Timers timers);
  void add_sources(detail::NodeState& state);
  void add_publisher(const std::shared_ptr<PublisherBase>& publisher);
  bool run_publisher_events();
  bool give_up_late_requests();
  void wait_until(std::int64_t deadline_ns);
  [[nodiscard]] std::int64_t next_timer_ns() const;
  [[nodiscard]] bool stopping() const {
    return cancelled_.load(std::memory_order_acquire) || !context_->is_valid();
  }
  void drain();

  std::shared_ptr<Context> context_;
  detail::NodeSet nodes_;
  WaitStrategy wait_;
  std::atomic<bool> cancelled_{false};
  std::atomic<ExecutorState> state_{ExecutorState::idle};
  std::atomic<std::uint64_t> seen_version_{0};  ///< written by the thread that runs callbacks
  // Weak: an author who drops a subscription ends it. Rebuilt only when something changed.
  std::vector<std::weak_ptr<SubscriptionBase>> subscriptions_;
  std::vector<std::weak_ptr<TimerBase>> timers_;
  std::vector<std::weak_ptr<PublisherBase>> publishers_;  ///< whose events somebody wants
  std::vector<std::weak_ptr<ClientBase>> clients_;        ///< whose requests may have a time limit
};

void SingleThreadedExecutor::Impl::rebuild_if_changed() {
  // Acquire: pairs with the release in sources_changed(); the lists are read under their lock.
  const auto version = context_->state().sources_version.load(std::memory_order_acquire);
  if (version == seen_version_.load(std::memory_order_relaxed)) {
    return;
  }
  subscriptions_.clear();
  timers_.clear();
  publishers_.clear();
  clients_.clear();
  for (const auto& node : nodes_.all()) {
    add_sources(node->state());
  }
  // Release; partner: remove_node().
  seen_version_.store(version, std::memory_order_release);
}

/// While it spins on another thread, the round that has begun may still have callbacks of the
/// node before it: until the next one begins.
void SingleThreadedExecutor::Impl::remove_node(const std::shared_ptr<Node>& node) {
  if (!nodes_.remove(node) || detail::CallbackScope::runs_for(*context_)) {
    return;
  }
  const auto removed_at = context_->state().sources_version.load(std::memory_order_acquire);
  const auto spins = [this] {
    const ExecutorState now = state();
    return now == ExecutorState::running || now == ExecutorState::draining;
  };
  while (spins() && seen_version_.load(std::memory_order_acquire) < removed_at) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void SingleThreadedExecutor::Impl::add_sources(detail::NodeState& state) {
  for (const auto& subscription : detail::alive(state.mutex, state.subscriptions)) {
    subscriptions_.push_back(subscription);
  }
  for (const auto& timer : detail::alive(state.mutex, state.timers)) {
    timers_.push_back(timer);
  }
  for (const auto& publisher : detail::alive(state.mutex, state.publishers)) {
    add_publisher(publisher);
  }
  for (const auto& service : detail::alive(state.mutex, state.services)) {
    subscriptions_.push_back(service->requests());
    add_publisher(service->replies());
  }
  for (const auto& client : detail::alive(state.mutex, state.clients)) {
    subscriptions_.push_back(client->replies());
    add_publisher(client->requests());
    clients_.push_back(client);
  }
}

void SingleThreadedExecutor::Impl::add_publisher(const std::shared_ptr<PublisherBase>& publisher) {
  if (publisher->wants_events()) {
    publishers_.push_back(publisher);
  }
}

namespace {

/// Calls `work` on each that is still there; whether any of them had something to do.
template <typename Source>
bool any_works(const std::vector<std::weak_ptr<Source>>& sources, bool (Source::*work)()) {
  bool any = false;
  for (const auto& weak : sources) {
    const auto source = weak.lock();
    any = (source != nullptr && ((*source).*work)()) || any;
  }
  return any;
}

}  // namespace

bool SingleThreadedExecutor::Impl::give_up_late_requests() {
  return any_works(clients_, &ClientBase::give_up_late_requests);
}

bool SingleThreadedExecutor::Impl::run_publisher_events() {
  return any_works(publishers_, &PublisherBase::run_events);
}

/// One turn for each source.
SingleThreadedExecutor::Impl::Round SingleThreadedExecutor::Impl::round(Timers timers) {
  rebuild_if_changed();
  trace::ros2::rclcpp_executor_get_next_ready();
  Round result = run_publisher_events() ? Round::ran : Round::idle;
  if (timers == Timers::run) {
    if (give_up_late_requests()) {
      result = Round::ran;
    }
    for (const auto& weak : timers_) {
      const auto timer = weak.lock();
      if (timer != nullptr && timer->run_if_due()) {
        result = Round::ran;
        trace::ros2::rclcpp_executor_get_next_ready();
      }
      if (stopping()) {
        return Round::ran;
      }
    }
  }
  for (const auto& weak : subscriptions_) {
    const auto subscription = weak.lock();
    if (subscription == nullptr) {
      continue;
    }
    // One that holds all it may is idle: the release of a sample rings the waiter's bell.
    if (subscription->run_events() || subscription->run_one() == SubscriptionBase::Outcome::ran) {
      result = Round::ran;
      trace::ros2::rclcpp_executor_get_next_ready();
    }
    if (timers == Timers::run && stopping()) {
      return Round::ran;
    }
  }
  return result;
}

std::int64_t SingleThreadedExecutor::Impl::next_timer_ns() const {
  std::int64_t next = pool::no_deadline;
  for (const auto& weak : clients_) {
    if (const auto client = weak.lock()) {
      next = std::min(next, client->next_time_limit_ns());
    }
  }
  if (timers_.empty()) {
    return next;
  }
  const std::int64_t now = pool::monotonic_now_ns();
  for (const auto& weak : timers_) {
    if (const auto timer = weak.lock()) {
      next = std::min(next, timer->look_again_ns(now));
    }
  }
  return next;
}

void SingleThreadedExecutor::Impl::wait_until(std::int64_t deadline_ns) {
  const auto handle = reinterpret_cast<std::uintptr_t>(this);
  trace::wait_begin(handle);
  if (trace::ros2::enabled()) {
    trace::ros2::rclcpp_executor_wait_for_work(
        deadline_ns == pool::no_deadline
            ? -1
            : std::max<std::int64_t>(0, deadline_ns - pool::monotonic_now_ns()));
  }
  context_->state().waiter->wait(wait_, deadline_ns);
  trace::wait_end(handle);
}

/// Messages that have arrived are handled; what arrives because of that is handled up to the depth
/// of its queue, so that a cycle of topics cannot keep the executor from stopping.
void SingleThreadedExecutor::Impl::drain() {
  state_.store(ExecutorState::draining, std::memory_order_release);
  std::uint32_t rounds = 1;
  for (const auto& weak : subscriptions_) {
    if (const auto subscription = weak.lock()) {
      rounds = std::max(rounds, subscription->get_actual_qos().depth);
    }
  }
  while (rounds-- != 0 && round(Timers::skip) == Round::ran) {
  }
}

/// Node code may throw; the executor turns that into its error.
template <typename Work>
Result SingleThreadedExecutor::Impl::guarded(const Work& work) {
  if (auto may = nodes_.check_may_spin(); !may) {
    return may;
  }
  try {
    work();
    return {};
  } catch (...) {  // a user's code may throw what is no std::exception
    return unexpected<ExecutorError>(nodes_.callback_threw());
  }
}

Result SingleThreadedExecutor::Impl::spin() {
  state_.store(ExecutorState::running, std::memory_order_release);
  auto result = guarded([this] {
    while (!stopping()) {
      const Round done = round(Timers::run);
      if (done == Round::idle && !stopping()) {
        wait_until(next_timer_ns());
      }
    }
    drain();
  });
  state_.store(ExecutorState::stopped, std::memory_order_release);
  cancelled_.store(false, std::memory_order_release);
  return result;
}

Result SingleThreadedExecutor::Impl::spin_some() {
  return guarded([this] {
    rebuild_if_changed();
    std::uint32_t rounds = 1;
    for (const auto& weak : subscriptions_) {
      if (const auto subscription = weak.lock()) {
        rounds = std::max(rounds, subscription->get_actual_qos().depth);
      }
    }
    while (rounds-- != 0 && round(Timers::run) == Round::ran) {
    }
  });
}

Result SingleThreadedExecutor::Impl::spin_once(std::chrono::nanoseconds timeout) {
  return guarded([this, timeout] {
    if (round(Timers::run) != Round::idle || timeout.count() == 0) {
      return;
    }
    const std::int64_t end = timeout.count() < 0
                                 ? pool::no_deadline
                                 : detail::later(pool::monotonic_now_ns(), timeout.count());
    wait_until(std::min(end, next_timer_ns()));
    round(Timers::run);
  });
}

FutureReturnCode SingleThreadedExecutor::Impl::spin_until(const std::function<bool()>& is_done,
                                                          std::chrono::nanoseconds timeout) {
  const std::int64_t end = timeout.count() < 0
                               ? pool::no_deadline
                               : detail::later(pool::monotonic_now_ns(), timeout.count());
  for (;;) {
    if (is_done()) {
      return FutureReturnCode::success;
    }
    const std::int64_t left = end - pool::monotonic_now_ns();
    if (end != pool::no_deadline && left <= 0) {
      return FutureReturnCode::timeout;
    }
    const auto turn = end == pool::no_deadline ? -1 : left;
    if (context_ == nullptr || stopping() || !spin_once(std::chrono::nanoseconds(turn))) {
      cancelled_.store(false, std::memory_order_release);
      return is_done() ? FutureReturnCode::success : FutureReturnCode::interrupted;
    }
  }
}

void SingleThreadedExecutor::Impl::cancel() {
  cancelled_.store(true, std::memory_order_release);
  if (context_ != nullptr) {
    context_->wake();
  }
}

SingleThreadedExecutor::SingleThreadedExecutor(const ExecutorOptions& options)
    : impl_(std::make_unique<Impl>(options)) {}
SingleThreadedExecutor::~SingleThreadedExecutor() = default;

Result SingleThreadedExecutor::add_node(const std::shared_ptr<Node>& node) {
  return impl_->add_node(node);
}
void SingleThreadedExecutor::remove_node(const std::shared_ptr<Node>& node) {
  impl_->remove_node(node);
}
Result SingleThreadedExecutor::spin() { return impl_->spin(); }
Result SingleThreadedExecutor::spin_some() { return impl_->spin_some(); }
Result SingleThreadedExecutor::spin_once(std::chrono::nanoseconds timeout) {
  return impl_->spin_once(timeout);
}
FutureReturnCode SingleThreadedExecutor::spin_until(const std::function<bool()>& is_done,
                                                    std::chrono::nanoseconds timeout) {
  return impl_->spin_until(is_done, timeout);
}
void SingleThreadedExecutor::cancel() { impl_->cancel(); }
ExecutorState SingleThreadedExecutor::state() const { return impl_->state(); }

}  // namespace ligament::executors
