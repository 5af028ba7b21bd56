// SPDX-License-Identifier: Apache-2.0
/// \file The nodes of one executor. They come and go while it spins.
#pragma once

#include <ligament/executor.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ligament::detail {

class NodeSet {
 public:
  explicit NodeSet(std::shared_ptr<Context> context) : context_(std::move(context)) {}
  ~NodeSet();
  NodeSet(const NodeSet&) = delete;
  NodeSet& operator=(const NodeSet&) = delete;

  [[nodiscard]] const std::shared_ptr<Context>& context() const { return context_; }
  [[nodiscard]] expected<void, ExecutorError> add(const std::shared_ptr<Node>& node);
  /// False: it is not one of them.
  bool remove(const std::shared_ptr<Node>& node);
  [[nodiscard]] std::vector<std::shared_ptr<Node>> all() const;

  /// Why nothing can be run here: there is no context, or this thread is inside a callback of it.
  [[nodiscard]] expected<void, ExecutorError> check_may_spin() const;
  /// The error for an exception that left a callback; call it while the exception is handled.
  [[nodiscard]] ExecutorError callback_threw() const;

 private:
  std::shared_ptr<Context> context_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Node>> nodes_;
};

}  // namespace ligament::detail
