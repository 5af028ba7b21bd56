// SPDX-License-Identifier: Apache-2.0
/// \file Spinning one node without an executor of one's own.
#include <ligament/executor.hpp>

#include "node/node_state.hpp"

namespace ligament {

expected<void, ExecutorError> spin(const std::shared_ptr<Node>& node) {
  executors::SingleThreadedExecutor executor({.context = node->state().context});
  if (auto added = executor.add_node(node); !added) {
    return added;
  }
  return executor.spin();
}

expected<void, ExecutorError> spin_some(const std::shared_ptr<Node>& node) {
  executors::SingleThreadedExecutor executor({.context = node->state().context});
  if (auto added = executor.add_node(node); !added) {
    return added;
  }
  return executor.spin_some();
}

FutureReturnCode spin_until(const std::shared_ptr<Node>& node, const std::function<bool()>& is_done,
                            std::chrono::nanoseconds timeout) {
  executors::SingleThreadedExecutor executor({.context = node->state().context});
  if (auto added = executor.add_node(node); !added) {
    node->report_error(added.error().text);
    return FutureReturnCode::interrupted;
  }
  return executor.spin_until(is_done, timeout);
}

}  // namespace ligament
