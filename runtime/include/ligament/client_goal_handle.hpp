// SPDX-License-Identifier: Apache-2.0
/// \file One goal as its client sees it, and its result; included by action_client.hpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <ligament/action.hpp>
#include <ligament/detail/action_answer.hpp>
#include <ligament/detail/client_goals.hpp>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace ligament {

template <typename T>
class ActionClient;

enum class ResultCode : std::int8_t { unknown = 0, succeeded = 4, canceled = 5, aborted = 6 };

template <typename T>
struct WrappedResult {
  GoalUUID goal_id{};
  ResultCode code = ResultCode::unknown;
  std::shared_ptr<typename T::Result> result;  ///< null: there will be none
};

/// One goal at its client.
template <typename T>
class ClientGoalHandle final : public detail::ClientGoal {
 public:
  using SharedPtr = std::shared_ptr<ClientGoalHandle>;
  using Feedback = std::shared_ptr<const typename T::Feedback>;
  using FeedbackCallback = std::function<void(SharedPtr, Feedback)>;
  using ResultCallback = std::function<void(const WrappedResult<T>&)>;

  explicit ClientGoalHandle(FeedbackCallback callback) : feedback_callback_(std::move(callback)) {}

  [[nodiscard]] bool is_feedback_aware() const { return feedback_callback_ != nullptr; }
  /// Whether the result has been asked for.
  [[nodiscard]] bool is_result_aware() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  friend class ActionClient<T>;
  static constexpr std::size_t most_early = 10;  ///< the depth of the feedback's topic

  /// Feedback may overtake the response that accepts the goal.
  void take(const SharedPtr& self, Feedback feedback) {
    {
      const std::lock_guard lock(mutex_);
      if (!accepted_) {
        if (early_.size() == most_early) {
          early_.erase(early_.begin());
        }
        early_.push_back(std::move(feedback));
        return;
      }
    }
    feedback_callback_(self, std::move(feedback));
  }
  void start_feedback(const SharedPtr& self) {
    std::vector<Feedback> early;
    {
      const std::lock_guard lock(mutex_);
      accepted_ = true;
      early = std::exchange(early_, {});
    }
    for (auto& feedback : early) {
      feedback_callback_(self, std::move(feedback));
    }
  }
  /// True: it is to be asked for now. The callback waits, or is called if the result is there.
  bool want_result(ResultCallback callback) {
    std::unique_lock lock(mutex_);
    const bool first = !std::exchange(asked_, true);
    if (callback != nullptr &&
        result_.future().wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
      lock.unlock();
      callback(result_.future().get());
    } else if (callback != nullptr) {
      result_callbacks_.push_back(std::move(callback));
    }
    return first;
  }
  void finish(WrappedResult<T> result) {
    std::vector<ResultCallback> callbacks;
    set_status(detail::goal_status_of(static_cast<std::int8_t>(result.code)));
    {
      const std::lock_guard lock(mutex_);
      result_.give(result);
      callbacks = std::exchange(result_callbacks_, {});
    }
    for (const auto& callback : callbacks) {
      callback(result);
    }
  }

  FeedbackCallback feedback_callback_;
  mutable std::mutex mutex_;  ///< guards what follows
  bool accepted_ = false;
  bool asked_ = false;
  std::vector<Feedback> early_;
  std::vector<ResultCallback> result_callbacks_;
  detail::Answer<WrappedResult<T>> result_;
};

}  // namespace ligament
