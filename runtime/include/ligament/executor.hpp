// SPDX-License-Identifier: Apache-2.0
/// \file Executors: run the callbacks of nodes.
///
///   ligament::executors::SingleThreadedExecutor executor;
///   executor.add_node(camera);
///   executor.add_node(rectify);
///   executor.spin();                     // until cancel(), shutdown() or a callback's exception
///
/// One thread, one waiter, no allocation per message. Sources take turns: in each round every due
/// timer runs once and every subscription gets one message, so that none starves another. When
/// asked to stop, it *drains*: messages that have arrived by then are still handled, timers are
/// not; a drain handles at most `depth` messages per subscription, so it always ends.
///
/// Several threads, where callbacks shall run at the same time (callback_group.hpp says which may):
///
///   ligament::executors::MultiThreadedExecutor executor({}, 4);
///
/// Sources take turns there too. A callback that waits for the response to a request keeps its
/// thread; while the executor drains, the others go on until every callback has returned.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <ligament/context.hpp>
#include <ligament/detail/pool.hpp>
#include <ligament/expected.hpp>
#include <ligament/node.hpp>
#include <memory>
#include <string>

namespace ligament {

using WaitStrategy = pool::WaitStrategy;

struct ExecutorOptions {
  std::shared_ptr<Context> context;  ///< null: the default context
  WaitStrategy wait = WaitStrategy::sleep();
};

enum class ExecutorState : std::uint8_t { idle, running, draining, stopped };

/// Why a node was not added, or spin() ended early.
enum class ExecutorErrorCode : std::uint8_t {
  no_context,       ///< neither given nor made by ligament::init()
  other_context,    ///< the node belongs to another context than the executor
  already_added,    ///< the node is run by an executor
  callback,         ///< a callback threw; the text names node and what
  inside_callback,  ///< it was asked to spin by a callback that it runs
  system,           ///< a thread could not be started
};
struct ExecutorError {
  ExecutorErrorCode code = ExecutorErrorCode::callback;
  std::string text;
};

/// How spin_until_future_complete() ended.
enum class FutureReturnCode : std::uint8_t {
  success,
  interrupted,  ///< shut down, cancelled, or refused: the node has an error that says why
  timeout,
};

namespace executors {

class SingleThreadedExecutor {
 public:
  explicit SingleThreadedExecutor(const ExecutorOptions& options = {});
  ~SingleThreadedExecutor();
  SingleThreadedExecutor(const SingleThreadedExecutor&) = delete;
  SingleThreadedExecutor& operator=(const SingleThreadedExecutor&) = delete;

  expected<void, ExecutorError> add_node(const std::shared_ptr<Node>& node);
  /// When it returns, no callback of the node runs any more, but the one that calls this.
  void remove_node(const std::shared_ptr<Node>& node);

  /// Runs callbacks until cancel() or the context's shutdown, then drains.
  expected<void, ExecutorError> spin();
  /// Runs what is ready now, without waiting.
  expected<void, ExecutorError> spin_some();
  /// Waits at most `timeout` for something to run, and runs one round.
  expected<void, ExecutorError> spin_once(
      std::chrono::nanoseconds timeout = std::chrono::nanoseconds(-1));

  /// Runs callbacks until the future is ready: a std::future or std::shared_future, or what
  /// Client::async_send_request() returns. Negative timeout: without limit. Inside a callback of
  /// this executor it is refused: nobody would run the callback that makes the future ready.
  template <typename Future>
  FutureReturnCode spin_until_future_complete(
      const Future& future, std::chrono::nanoseconds timeout = std::chrono::nanoseconds(-1)) {
    const auto is_ready = [&future] {
      return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    };
    return spin_until(is_ready, timeout);
  }
  FutureReturnCode spin_until(const std::function<bool()>& is_done,
                              std::chrono::nanoseconds timeout);

  /// From any thread: spin() stops after the callback that is running, drains and returns.
  void cancel();
  [[nodiscard]] ExecutorState state() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Runs callbacks in several threads. Costs beside a SingleThreadedExecutor: one lock per callback,
/// and where a thread sleeps, one wake-up more.
class MultiThreadedExecutor {
 public:
  /// 0 threads: one per processor, at least two. At most 64.
  explicit MultiThreadedExecutor(const ExecutorOptions& options = {},
                                 std::size_t number_of_threads = 0);
  ~MultiThreadedExecutor();
  MultiThreadedExecutor(const MultiThreadedExecutor&) = delete;
  MultiThreadedExecutor& operator=(const MultiThreadedExecutor&) = delete;

  expected<void, ExecutorError> add_node(const std::shared_ptr<Node>& node);
  /// When it returns, no callback of the node runs any more, but the one that calls this.
  void remove_node(const std::shared_ptr<Node>& node);

  /// Runs callbacks, on this thread too, until cancel(), the context's shutdown or an exception in
  /// a callback; then drains, but for the exception.
  expected<void, ExecutorError> spin();
  /// From any thread: spin() stops, drains and returns.
  void cancel();
  [[nodiscard]] ExecutorState state() const;
  [[nodiscard]] std::size_t get_number_of_threads() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace executors

/// Runs one node on an executor of its own until shutdown.
expected<void, ExecutorError> spin(const std::shared_ptr<Node>& node);
expected<void, ExecutorError> spin_some(const std::shared_ptr<Node>& node);
FutureReturnCode spin_until(const std::shared_ptr<Node>& node, const std::function<bool()>& is_done,
                            std::chrono::nanoseconds timeout);

/// Runs one node, which no other executor runs, until the future is ready.
template <typename Future>
FutureReturnCode spin_until_future_complete(
    const std::shared_ptr<Node>& node, const Future& future,
    std::chrono::nanoseconds timeout = std::chrono::nanoseconds(-1)) {
  const auto is_ready = [&future] {
    return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  };
  return spin_until(node, is_ready, timeout);
}

}  // namespace ligament
