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
#pragma once

#include <chrono>
#include <cstdint>
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
  no_context,     ///< neither given nor made by ligament::init()
  other_context,  ///< the node belongs to another context than the executor
  already_added,  ///< the node is run by an executor
  callback,       ///< a callback threw; the text names node and what
};
struct ExecutorError {
  ExecutorErrorCode code = ExecutorErrorCode::callback;
  std::string text;
};

namespace executors {

class SingleThreadedExecutor {
 public:
  explicit SingleThreadedExecutor(const ExecutorOptions& options = {});
  ~SingleThreadedExecutor();
  SingleThreadedExecutor(const SingleThreadedExecutor&) = delete;
  SingleThreadedExecutor& operator=(const SingleThreadedExecutor&) = delete;

  expected<void, ExecutorError> add_node(const std::shared_ptr<Node>& node);
  void remove_node(const std::shared_ptr<Node>& node);

  /// Runs callbacks until cancel() or the context's shutdown, then drains.
  expected<void, ExecutorError> spin();
  /// Runs what is ready now, without waiting.
  expected<void, ExecutorError> spin_some();
  /// Waits at most `timeout` for something to run, and runs one round.
  expected<void, ExecutorError> spin_once(
      std::chrono::nanoseconds timeout = std::chrono::nanoseconds(-1));

  /// From any thread: spin() stops after the callback that is running, drains and returns.
  void cancel();
  [[nodiscard]] ExecutorState state() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace executors

/// Runs one node on an executor of its own until shutdown.
expected<void, ExecutorError> spin(const std::shared_ptr<Node>& node);
expected<void, ExecutorError> spin_some(const std::shared_ptr<Node>& node);

}  // namespace ligament
