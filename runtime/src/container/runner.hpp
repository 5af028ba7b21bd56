// SPDX-License-Identifier: Apache-2.0
/// \file The executor of a container, of one thread or of several.
#pragma once

#include <cstddef>
#include <ligament/executor.hpp>
#include <memory>
#include <optional>

namespace ligament::container {

class Runner {
 public:
  Runner(const std::shared_ptr<Context>& context, const WaitStrategy& wait, std::size_t threads) {
    const ExecutorOptions options{.context = context, .wait = wait};
    if (threads == 1) {
      single_.emplace(options);
    } else {
      multi_.emplace(options, threads);
    }
  }

  [[nodiscard]] expected<void, ExecutorError> add(const std::shared_ptr<Node>& node) {
    return single_ ? single_->add_node(node) : multi_->add_node(node);
  }
  /// From any thread. No callback of the node runs afterwards, but the one that calls this.
  void remove(const std::shared_ptr<Node>& node) {
    if (single_) {
      single_->remove_node(node);
    } else {
      multi_->remove_node(node);
    }
  }
  [[nodiscard]] expected<void, ExecutorError> spin() {
    return single_ ? single_->spin() : multi_->spin();
  }

 private:
  std::optional<executors::SingleThreadedExecutor> single_;
  std::optional<executors::MultiThreadedExecutor> multi_;
};

}  // namespace ligament::container
