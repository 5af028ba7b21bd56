// SPDX-License-Identifier: Apache-2.0
/// \file Servers of actions: goals that take time, tell how far they are, and can be cancelled.
///
///   server_ = create_action_server<Fibonacci>(
///       "fibonacci",
///       [](const ligament::GoalUUID&, std::shared_ptr<const Fibonacci::Goal> goal) {
///         return goal->order > 100 ? ligament::GoalResponse::reject
///                                  : ligament::GoalResponse::accept_and_execute;
///       },
///       [](std::shared_ptr<GoalHandle>) { return ligament::CancelResponse::accept; },
///       [this](std::shared_ptr<GoalHandle> goal) { goals_.push_back(std::move(goal)); });
///
/// The three callbacks run on the node's executor and should return soon: do the work in a timer,
/// or on a thread of your own. A goal handle may be used from any thread. Names as in
/// rclcpp_action; nothing throws, a call that the goal's state does not allow returns an error and
/// is one of the node. Rules: spec/wire/action.md.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ligament/action.hpp>
#include <ligament/action_msgs/srv/cancel_goal.hpp>
#include <ligament/detail/action_goals.hpp>
#include <ligament/node.hpp>
#include <ligament/server_goal_handle.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace ligament {

/// What a server says to a goal.
enum class GoalResponse : std::uint8_t {
  reject = 1,
  accept_and_execute = 2,
  accept_and_defer = 3,  ///< execute() is called later
};
/// What a server says to a request to cancel a goal.
enum class CancelResponse : std::uint8_t { reject = 1, accept = 2 };

struct ActionServerOptions {
  /// How long the result of a goal that has ended can be asked for; negative: forever.
  std::chrono::nanoseconds result_timeout = std::chrono::seconds(10);
  std::shared_ptr<CallbackGroup> callback_group = nullptr;  ///< the node's own
};

struct ActionServerStatistics {
  std::uint64_t accepted = 0;
  std::uint64_t rejected = 0;
  std::uint64_t ended = 0;   ///< reached a terminal state
  std::uint64_t active = 0;  ///< goals that are not terminal now
  std::uint64_t known = 0;   ///< with those whose results are kept
};

/// What does not depend on the type of the action.
class ActionServerBase : public std::enable_shared_from_this<ActionServerBase> {
 public:
  virtual ~ActionServerBase();
  ActionServerBase(const ActionServerBase&) = delete;
  ActionServerBase& operator=(const ActionServerBase&) = delete;

  /// The action's id: its resolved name.
  [[nodiscard]] const std::string& get_action_name() const { return name_; }
  /// False: it could not be made, and the node has an error that says why.
  [[nodiscard]] virtual bool is_open() const;
  [[nodiscard]] ActionServerStatistics statistics() const;

 protected:
  using Record = detail::ActionGoals::Record;

  ActionServerBase(const Node& node, const std::string& name, const ActionServerOptions& options);
  /// The ends whose types are the same for all actions. False: the name is no name.
  [[nodiscard]] bool open_common(Node& node, bool has_callbacks);

  /// The goal if it may be asked for; else it is refused without asking.
  [[nodiscard]] bool may_accept(const GoalUUID& id);
  [[nodiscard]] Record accept(const GoalUUID& id, GoalResponse how);
  void publish_statuses();
  [[nodiscard]] detail::ActionGoals::Answer ask_result(const GoalUUID& id, const RequestId& who);

  /// What goal handles call.
  GoalChange move(detail::GoalRecord& goal, GoalStatus to);
  GoalChange end(detail::GoalRecord& goal, GoalStatus to,
                 const std::shared_ptr<const void>& result);
  /// The last handle is gone.
  void abandon(detail::GoalRecord& goal, const std::shared_ptr<const void>& result);
  [[nodiscard]] detail::ActionGoals& goals() { return goals_; }
  [[nodiscard]] const std::shared_ptr<CallbackGroup>& callback_group() const { return group_; }

  [[nodiscard]] virtual CancelResponse ask_cancel(std::shared_ptr<void> handle) = 0;
  virtual void send_result(const RequestId& who, const void* result) = 0;

 private:
  using CancelGoal = action_msgs::srv::CancelGoal;
  void cancel_goals(const CancelGoal::Request& request, CancelGoal::Response& response);
  [[nodiscard]] bool cancel_one(detail::GoalRecord& goal);
  void expire();
  void look_at_results_later();

  std::shared_ptr<detail::NodeState> node_;
  std::string name_;
  std::int64_t timeout_ns_;
  std::shared_ptr<CallbackGroup> group_;
  detail::ActionGoals goals_;
  std::shared_ptr<Service<CancelGoal>> cancel_service_;
  std::mutex status_mutex_;  ///< what is published last is the newest state
  std::shared_ptr<Publisher<action_msgs::msg::GoalStatusArray>> status_publisher_;
  std::mutex timer_mutex_;  ///< guards the decision whether it runs
  std::shared_ptr<TimerBase> timer_;
  // Relaxed everywhere: figures.
  std::atomic<std::uint64_t> accepted_{0};
  std::atomic<std::uint64_t> rejected_{0};
  std::atomic<std::uint64_t> ended_{0};
};

/// Serves one type of action under one name. Made by Node::create_action_server().
template <typename T>
class ActionServer final : public ActionServerBase {
 public:
  using SharedPtr = std::shared_ptr<ActionServer>;
  using Options = ActionServerOptions;
  using GoalHandle = ServerGoalHandle<T>;
  using GoalCallback =
      std::function<GoalResponse(const GoalUUID&, std::shared_ptr<const typename T::Goal>)>;
  using CancelCallback = std::function<CancelResponse(std::shared_ptr<GoalHandle>)>;
  using AcceptedCallback = std::function<void(std::shared_ptr<GoalHandle>)>;

  struct Callbacks {
    GoalCallback goal;
    CancelCallback cancel;
    AcceptedCallback accepted;
    [[nodiscard]] bool are_given() const { return goal && cancel && accepted; }
  };

  [[nodiscard]] static SharedPtr create(Node& node, const std::string& name, Callbacks callbacks,
                                        const Options& options) {
    SharedPtr made(new ActionServer(node, name, std::move(callbacks), options));
    made->open(node, made);
    return made;
  }

  [[nodiscard]] bool is_open() const override {
    return ActionServerBase::is_open() && goal_service_->is_open() && result_service_->is_open() &&
           feedback_publisher_->is_open();
  }

 private:
  friend class ServerGoalHandle<T>;
  using SendGoal = typename T::Impl::SendGoalService;
  using GetResult = typename T::Impl::GetResultService;
  using FeedbackMessage = typename T::Impl::FeedbackMessage;
  using Id = std::shared_ptr<RequestId>;
  using Weak = std::weak_ptr<ActionServer>;

  ActionServer(const Node& node, const std::string& name, Callbacks callbacks,
               const Options& options)
      : ActionServerBase(node, name, options), callbacks_(std::move(callbacks)) {}

  void open(Node& node, const Weak& self) {
    if (!open_common(node, callbacks_.are_given())) {
      return;
    }
    detail::note_type(node.state(), detail::action_table<T>());
    const std::string prefix = get_action_name() + "/_action/";
    feedback_publisher_ = node.create_publisher<FeedbackMessage>(prefix + "feedback", QoS(10));
    result_service_ = node.create_service<GetResult>(
        prefix + "get_result",
        [self](const std::shared_ptr<Service<GetResult>>& service, const Id& asker,
               const std::shared_ptr<typename GetResult::Request>& request) {
          if (const auto server = self.lock()) {
            server->on_result(*service, *asker, request->goal_id.uuid);
          }
        },
        ServicesQoS(), callback_group());
    goal_service_ = node.create_service<SendGoal>(
        prefix + "send_goal",
        [self](const std::shared_ptr<Service<SendGoal>>& service, const Id& asker,
               const std::shared_ptr<typename SendGoal::Request>& request) {
          if (const auto server = self.lock()) {
            server->on_goal(*service, *asker, request);
          }
        },
        ServicesQoS(), callback_group());
  }

  void on_goal(Service<SendGoal>& service, const RequestId& asker,
               const std::shared_ptr<typename SendGoal::Request>& request) {
    const GoalUUID id = request->goal_id.uuid;
    const std::shared_ptr<const typename T::Goal> goal(request, &request->goal);
    const GoalResponse says = may_accept(id) ? callbacks_.goal(id, goal) : GoalResponse::reject;
    const Record record = accept(id, says);
    typename SendGoal::Response answer;
    std::shared_ptr<GoalHandle> handle;
    if (record != nullptr) {
      answer.accepted = true;
      answer.stamp = Time(record->accepted_ns);
      handle = std::make_shared<GoalHandle>(
          std::static_pointer_cast<ActionServer>(this->shared_from_this()), record, goal);
      goals().set_handle(*record, handle);
    }
    (void)service.send_response(asker, answer);
    if (handle != nullptr) {
      publish_statuses();
      callbacks_.accepted(std::move(handle));
    }
  }

  void on_result(Service<GetResult>& service, const RequestId& asker, const GoalUUID& id) {
    if (const auto answer = ask_result(id, asker); !answer.later) {
      send_result(service, asker, answer.result.get());
    }
  }

  CancelResponse ask_cancel(std::shared_ptr<void> handle) override {
    return callbacks_.cancel(std::static_pointer_cast<GoalHandle>(std::move(handle)));
  }

  void send_result(const RequestId& who, const void* result) override {
    send_result(*result_service_, who, result);
  }
  static void send_result(Service<GetResult>& service, const RequestId& who, const void* result) {
    const auto* found = static_cast<const typename GetResult::Response*>(result);
    (void)service.send_response(who, found == nullptr ? typename GetResult::Response{} : *found);
  }

  GoalChange publish_feedback(const GoalUUID& id, const typename T::Feedback& feedback) {
    FeedbackMessage message;
    message.goal_id.uuid = id;
    message.feedback = feedback;
    const std::lock_guard lock(feedback_mutex_);
    return feedback_publisher_->publish(message)
               ? GoalChange{}
               : GoalChange(unexpected<GoalError>(GoalError::not_sent));
  }

  [[nodiscard]] static std::shared_ptr<const void> response(GoalStatus status,
                                                            const typename T::Result& result) {
    auto made = std::make_shared<typename GetResult::Response>();
    made->status = static_cast<std::int8_t>(status);
    made->result = result;
    return made;
  }

  Callbacks callbacks_;
  std::shared_ptr<Service<SendGoal>> goal_service_;
  std::shared_ptr<Service<GetResult>> result_service_;
  std::mutex feedback_mutex_;  ///< several threads take turns, since a publisher has few loans
  std::shared_ptr<Publisher<FeedbackMessage>> feedback_publisher_;
};

template <typename T>
std::shared_ptr<ActionServer<T>> Node::create_action_server(
    const std::string& name, typename ActionServer<T>::GoalCallback handle_goal,
    typename ActionServer<T>::CancelCallback handle_cancel,
    typename ActionServer<T>::AcceptedCallback handle_accepted,
    const typename ActionServer<T>::Options& options) {
  return ActionServer<T>::create(
      *this, name, {std::move(handle_goal), std::move(handle_cancel), std::move(handle_accepted)},
      options);
}

}  // namespace ligament
