// SPDX-License-Identifier: Apache-2.0
/// \file A future that always gets a value: an empty one where nobody gives it one. Not promised.
#pragma once

#include <atomic>
#include <future>
#include <utility>

namespace ligament::detail {

template <typename Value>
class Answer {
 public:
  using Future = std::shared_future<Value>;

  Answer() : future_(promise_.get_future().share()) {}
  ~Answer() { give(Value{}); }
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;

  /// The first one counts. From any thread.
  void give(Value value) {
    if (!given_.exchange(true)) {
      promise_.set_value(std::move(value));
    }
  }
  [[nodiscard]] const Future& future() const { return future_; }

 private:
  std::promise<Value> promise_;
  Future future_;
  std::atomic<bool> given_{false};
};

}  // namespace ligament::detail
