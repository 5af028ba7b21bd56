// SPDX-License-Identifier: Apache-2.0
/// \file The executor of several threads. One of them at a time, the one that holds `picking_`,
/// looks for work, and sleeps when there is none; with work it lets the next one look and runs the
/// callback. So all sources are looked at by one thread at a time, as in the other executor.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <ligament/detail/ros2_marks.hpp>
#include <ligament/executor.hpp>
#include <ligament/trace.hpp>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "executor/node_set.hpp"
#include "executor/source.hpp"
#include "node/context_state.hpp"
#include "node/node_state.hpp"
#include "node/saturating.hpp"

namespace ligament::executors {
namespace {

using detail::Source;
using detail::Work;
using Result = expected<void, ExecutorError>;

std::size_t number_or_default(std::size_t asked) {
  const std::size_t number =
      asked != 0 ? asked : std::max<std::size_t>(2, std::thread::hardware_concurrency());
  return std::min(number, detail::most_threads);
}

}  // namespace

class MultiThreadedExecutor::Impl {
 public:
  Impl(const ExecutorOptions& options, std::size_t threads)
      : context_(options.context != nullptr ? options.context : default_context()),
        nodes_(context_),
        wait_(options.wait),
        thread_count_(number_or_default(threads)) {}

  Result add_node(const std::shared_ptr<Node>& node);
  void remove_node(const std::shared_ptr<Node>& node);
  Result spin();
  void cancel();
  [[nodiscard]] ExecutorState state() const { return state_.load(std::memory_order_acquire); }
  [[nodiscard]] std::size_t thread_count() const { return thread_count_; }

 private:
  void run_thread(std::size_t number);
  [[nodiscard]] bool next(Work& work);
  void run(Work& work);
  [[nodiscard]] bool pick(Work& work);
  [[nodiscard]] bool is_over() const;
  void look_at_changes();
  void wait();
  [[nodiscard]] std::int64_t next_look_ns();
  [[nodiscard]] bool has_news(std::int64_t sleeping_until_ns);
  void fail(ExecutorError error);
  [[nodiscard]] std::uint64_t version() const {
    // Acquire: pairs with the release in sources_changed(); the lists are read under their lock.
    return context_->state().sources_version.load(std::memory_order_acquire);
  }
  [[nodiscard]] bool stopping() const {
    return cancelled_.load(std::memory_order_acquire) || !context_->is_valid();
  }

  std::shared_ptr<Context> context_;
  detail::NodeSet nodes_;
  WaitStrategy wait_;
  std::size_t thread_count_;
  std::atomic<bool> cancelled_{false};
  std::atomic<ExecutorState> state_{ExecutorState::idle};
  std::atomic<std::size_t> running_{0};  ///< callbacks that run or are about to
  std::atomic<bool> failed_{false};
  std::mutex failure_mutex_;
  std::optional<ExecutorError> failure_;  ///< of the first callback that threw

  std::mutex picking_;                          ///< guards what follows
  std::atomic<std::uint64_t> seen_version_{0};  ///< written under the lock
  bool draining_ = false;
  std::vector<Source> sources_;
  std::size_t last_ = 0;  ///< whose turn it was
};

Result MultiThreadedExecutor::Impl::add_node(const std::shared_ptr<Node>& node) {
  node->state().figures.shared.store(true, std::memory_order_relaxed);
  return nodes_.add(node);
}

/// Somebody has to notice that the node is gone before its last callback can be waited for: the
/// thread that looks for work, or this one where none does.
void MultiThreadedExecutor::Impl::remove_node(const std::shared_ptr<Node>& node) {
  if (!nodes_.remove(node)) {
    return;
  }
  const std::uint64_t removed_at = version();
  const bool is_own = detail::is_running_callback_of(node->state());
  const std::uint32_t own = is_own ? 1 : 0;
  while (seen_version_.load(std::memory_order_acquire) < removed_at) {
    if (std::unique_lock lock(picking_, std::try_to_lock); lock.owns_lock()) {
      look_at_changes();
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  // Acquire; partner: Work::clear().
  while (node->state().begun.load(std::memory_order_acquire) > own) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// Under `picking_`. A drain works on what was there when it began.
void MultiThreadedExecutor::Impl::look_at_changes() {
  const std::uint64_t now = version();
  if (now != seen_version_.load(std::memory_order_relaxed)) {
    sources_.clear();
    for (const auto& node : nodes_.all()) {
      detail::add_sources(node->shared_state(), sources_);
    }
    if (draining_) {
      std::for_each(sources_.begin(), sources_.end(), [](Source& one) { one.begin_drain(); });
    }
    seen_version_.store(now, std::memory_order_release);
  }
  if (!draining_ && stopping()) {
    draining_ = true;
    state_.store(ExecutorState::draining, std::memory_order_release);
    std::for_each(sources_.begin(), sources_.end(), [](Source& one) { one.begin_drain(); });
  }
}

/// Each source has its turn: the search begins behind the one that was last.
bool MultiThreadedExecutor::Impl::pick(Work& work) {
  trace::ros2::rclcpp_executor_get_next_ready();
  const std::size_t count = sources_.size();
  for (std::size_t i = 1; i <= count; ++i) {
    const std::size_t at = (last_ + i) % count;
    if (sources_[at].take(work)) {
      last_ = at;
      return true;
    }
  }
  return false;
}

bool MultiThreadedExecutor::Impl::is_over() const {
  return failed_.load(std::memory_order_acquire) ||
         (draining_ && running_.load(std::memory_order_seq_cst) == 0);
}

/// Waits for work. False: there will be none any more.
bool MultiThreadedExecutor::Impl::next(Work& work) {
  const std::lock_guard lock(picking_);
  for (;;) {
    look_at_changes();
    if (failed_.load(std::memory_order_acquire)) {
      return false;
    }
    if (pick(work)) {
      running_.fetch_add(1, std::memory_order_seq_cst);
      return true;
    }
    if (is_over()) {
      return false;
    }
    wait();
  }
}

std::int64_t MultiThreadedExecutor::Impl::next_look_ns() {
  const std::int64_t now = pool::monotonic_now_ns();
  std::int64_t next = pool::no_deadline;
  for (Source& one : sources_) {
    next = std::min(next, one.look_again_ns(now));
  }
  return next;
}

/// What the sleeping thread asks whenever its bell rings.
bool MultiThreadedExecutor::Impl::has_news(std::int64_t sleeping_until_ns) {
  return version() != seen_version_.load(std::memory_order_relaxed) || (!draining_ && stopping()) ||
         is_over() ||
         std::any_of(sources_.begin(), sources_.end(),
                     [](Source& one) { return one.is_ready(); }) ||
         next_look_ns() < sleeping_until_ns;
}

void MultiThreadedExecutor::Impl::wait() {
  const auto handle = reinterpret_cast<std::uintptr_t>(this);
  trace::wait_begin(handle);
  const std::int64_t until = next_look_ns();
  const std::int64_t began = pool::monotonic_now_ns();
  if (trace::ros2::enabled()) {
    trace::ros2::rclcpp_executor_wait_for_work(
        until == pool::no_deadline ? -1 : std::max<std::int64_t>(0, until - began));
  }
  const bool polls = wait_.kind == WaitStrategy::Kind::poll;
  const std::int64_t spin_until =
      std::min(until, polls ? pool::no_deadline : detail::later(began, wait_.spin_ns));
  bool found = false;
  while (!found && wait_.kind != WaitStrategy::Kind::sleeping &&
         pool::monotonic_now_ns() < spin_until) {
    found = has_news(until);
  }
  if (!found && !polls) {
    (void)context_->state().waiter->wait_for([this, until] { return has_news(until); }, until);
  }
  trace::wait_end(handle);
}

void MultiThreadedExecutor::Impl::fail(ExecutorError error) {
  {
    const std::lock_guard lock(failure_mutex_);
    if (!failure_) {
      failure_ = std::move(error);
    }
  }
  failed_.store(true, std::memory_order_release);
  context_->wake();
}

void MultiThreadedExecutor::Impl::run(Work& work) {
  try {
    work.run();
  } catch (...) {  // a user's code may throw what is no std::exception
    fail(nodes_.callback_threw());
  }
  const bool is_wanted = work.clear();
  // seq_cst: the group is free and the count is down before the look at `stopping()`; partner:
  // the thread that drains, which asks is_over() after each wake().
  const bool was_last = running_.fetch_sub(1, std::memory_order_seq_cst) == 1;
  if (is_wanted || (was_last && stopping())) {
    context_->wake();
  }
}

void MultiThreadedExecutor::Impl::run_thread(std::size_t number) {
  const detail::ExecutorThread here(number, thread_count_ > 1);
  Work work;
  while (next(work)) {
    run(work);
  }
}

Result MultiThreadedExecutor::Impl::spin() {
  if (auto may = nodes_.check_may_spin(); !may) {
    return may;
  }
  state_.store(ExecutorState::running, std::memory_order_release);
  std::vector<std::thread> threads;
  try {
    for (std::size_t i = 1; i < thread_count_; ++i) {
      threads.emplace_back([this, i] { run_thread(i); });
    }
  } catch (const std::system_error& error) {
    fail({ExecutorErrorCode::system, "thread " + std::to_string(threads.size() + 2) + " of " +
                                         std::to_string(thread_count_) +
                                         " of the executor could not be started: " + error.what()});
  }
  run_thread(0);
  for (std::thread& thread : threads) {
    thread.join();
  }
  state_.store(ExecutorState::stopped, std::memory_order_release);
  cancelled_.store(false, std::memory_order_release);
  failed_.store(false, std::memory_order_release);
  draining_ = false;
  seen_version_.store(0, std::memory_order_release);  // the sources' drains end, too
  const auto failure = std::exchange(failure_, std::nullopt);
  return failure ? Result(unexpected<ExecutorError>(*failure)) : Result();
}

void MultiThreadedExecutor::Impl::cancel() {
  cancelled_.store(true, std::memory_order_release);
  if (context_ != nullptr) {
    context_->wake();
  }
}

MultiThreadedExecutor::MultiThreadedExecutor(const ExecutorOptions& options,
                                             std::size_t number_of_threads)
    : impl_(std::make_unique<Impl>(options, number_of_threads)) {}
MultiThreadedExecutor::~MultiThreadedExecutor() = default;

Result MultiThreadedExecutor::add_node(const std::shared_ptr<Node>& node) {
  return impl_->add_node(node);
}
void MultiThreadedExecutor::remove_node(const std::shared_ptr<Node>& node) {
  impl_->remove_node(node);
}
Result MultiThreadedExecutor::spin() { return impl_->spin(); }
void MultiThreadedExecutor::cancel() { impl_->cancel(); }
ExecutorState MultiThreadedExecutor::state() const { return impl_->state(); }
std::size_t MultiThreadedExecutor::get_number_of_threads() const { return impl_->thread_count(); }

}  // namespace ligament::executors
