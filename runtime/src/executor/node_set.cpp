// SPDX-License-Identifier: Apache-2.0
#include "executor/node_set.hpp"

#include <exception>
#include <utility>

#include "node/context_state.hpp"
#include "node/node_state.hpp"

namespace ligament::detail {
namespace {

unexpected<ExecutorError> failure(ExecutorErrorCode code, std::string text) {
  return unexpected<ExecutorError>(ExecutorError{code, std::move(text)});
}

unexpected<ExecutorError> no_context() {
  return failure(ExecutorErrorCode::no_context,
                 "the executor has no context: call ligament::init() before making it");
}

std::string text_of_exception() {
  try {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "something that is no std::exception";
  }
}

}  // namespace

NodeSet::~NodeSet() {
  for (const auto& node : nodes_) {
    node->state().has_executor = false;
  }
}

expected<void, ExecutorError> NodeSet::add(const std::shared_ptr<Node>& node) {
  if (context_ == nullptr) {
    return no_context();
  }
  NodeState& state = node->state();
  if (state.context != context_) {
    return failure(ExecutorErrorCode::other_context,
                   "node '" + state.id + "' belongs to another context than the executor");
  }
  if (state.has_executor.exchange(true)) {
    return failure(ExecutorErrorCode::already_added,
                   "node '" + state.id + "' is run by an executor already");
  }
  {
    const std::lock_guard lock(mutex_);
    nodes_.push_back(node);
  }
  context_->state().sources_changed();
  return {};
}

bool NodeSet::remove(const std::shared_ptr<Node>& node) {
  {
    const std::lock_guard lock(mutex_);
    if (std::erase(nodes_, node) == 0) {
      return false;
    }
  }
  node->state().has_executor = false;
  context_->state().sources_changed();
  return true;
}

std::vector<std::shared_ptr<Node>> NodeSet::all() const {
  const std::lock_guard lock(mutex_);
  return nodes_;
}

/// Inside a callback, the lists that a round goes through would change under the round that runs
/// it, and what it waits for would often be itself.
expected<void, ExecutorError> NodeSet::check_may_spin() const {
  if (context_ == nullptr) {
    return no_context();
  }
  if (!CallbackScope::runs_for(*context_)) {
    return {};
  }
  const std::string text =
      "a callback asked its own executor to spin, which is refused: what it waits for comes after "
      "the callback has returned (give async_send_request a callback instead)";
  for (const auto& node : all()) {
    if (node->state().figures.oldest_running_ns() != 0) {
      node->state().report(NodeErrorKind::run, text);
    }
  }
  return failure(ExecutorErrorCode::inside_callback, text);
}

ExecutorError NodeSet::callback_threw() const {
  const std::string what = text_of_exception();
  std::string text = "a callback threw: " + what;
  for (const auto& node : all()) {
    if (node->state().failed_in_callback.exchange(false)) {
      text = "a callback of node '" + node->state().id + "' threw: " + what;
    }
  }
  return {ExecutorErrorCode::callback, std::move(text)};
}

}  // namespace ligament::detail
