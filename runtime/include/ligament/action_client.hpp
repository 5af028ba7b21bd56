// SPDX-License-Identifier: Apache-2.0
/// \file Clients of actions: send a goal, follow it, get its result, cancel it.
///
///   client_ = create_action_client<Fibonacci>("fibonacci");
///   ...
///   ligament::ActionClient<Fibonacci>::SendGoalOptions options;
///   options.feedback_callback = [](auto, std::shared_ptr<const Fibonacci::Feedback> feedback) {};
///   options.result_callback = [this](const ligament::WrappedResult<Fibonacci>& result) {
///     if (result.code == ligament::ResultCode::succeeded) { use(result.result->sequence); }
///   };
///   client_->async_send_goal(goal, options);
///
/// Callbacks run on the node's executor. Names as in rclcpp_action; nothing throws: a null handle
/// says that no goal runs, and the code `unknown` that there will be no result. Keep the handle
/// (the future does) to get feedback; with a result callback the client keeps it until the result.
/// Rules: spec/wire/action.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <ligament/action.hpp>
#include <ligament/action_msgs/msg/goal_status_array.hpp>
#include <ligament/action_msgs/srv/cancel_goal.hpp>
#include <ligament/client_goal_handle.hpp>
#include <ligament/detail/action_answer.hpp>
#include <ligament/detail/client_goals.hpp>
#include <ligament/node.hpp>
#include <memory>
#include <string>
#include <utility>

namespace ligament {

/// What does not depend on the type of the action.
class ActionClientBase : public std::enable_shared_from_this<ActionClientBase> {
 public:
  using CancelGoal = action_msgs::srv::CancelGoal;
  using CancelResponse = CancelGoal::Response;
  /// Null: there will be no response.
  using CancelCallback = std::function<void(std::shared_ptr<CancelResponse>)>;
  using CancelFuture = Client<CancelGoal>::SharedFutureAndRequestId;

  virtual ~ActionClientBase();
  ActionClientBase(const ActionClientBase&) = delete;
  ActionClientBase& operator=(const ActionClientBase&) = delete;

  /// The action's id: its resolved name.
  [[nodiscard]] const std::string& get_action_name() const { return name_; }
  /// False: it could not be made, and the node has an error that says why.
  [[nodiscard]] virtual bool is_open() const;
  /// Whether all five ends of a server are connected.
  [[nodiscard]] virtual bool action_server_is_ready() const;
  /// Waits for that; needs no executor. Negative: until the context is shut down.
  bool wait_for_action_server(
      std::chrono::nanoseconds timeout = std::chrono::nanoseconds(-1)) const;
  /// Goals and requests to cancel, sent from now on, are given up after this time; 0: never.
  virtual void set_request_time_limit(std::chrono::nanoseconds limit);

  CancelFuture async_cancel_all_goals(CancelCallback callback = {});
  /// Those that the server accepted at that time or before.
  CancelFuture async_cancel_goals_before(const Time& stamp, CancelCallback callback = {});

 protected:
  ActionClientBase(const Node& node, const std::string& name, std::shared_ptr<CallbackGroup> group);
  /// The ends whose types are the same for all actions.
  void open_common(Node& node);
  CancelFuture cancel(const GoalUUID& id, const Time& stamp, CancelCallback callback);
  /// What has happened to the servers, as the feedback's subscription sees it.
  void on_matched(const MatchedInfo& info);
  /// The last server is gone: nobody will answer what waits.
  virtual void give_up();

  [[nodiscard]] detail::ClientGoals& goals() { return goals_; }
  [[nodiscard]] const std::shared_ptr<CallbackGroup>& callback_group() const { return group_; }
  [[nodiscard]] std::weak_ptr<detail::NodeState> node() const { return node_; }

 private:
  std::shared_ptr<detail::NodeState> node_;
  std::shared_ptr<CallbackGroup> group_;  ///< null: the node's own
  std::string name_;
  detail::ClientGoals goals_;
  std::shared_ptr<Client<CancelGoal>> cancel_client_;
  std::shared_ptr<Subscription<action_msgs::msg::GoalStatusArray>> status_subscription_;
};

/// Sends goals of one type of action under one name. Made by Node::create_action_client().
template <typename T>
class ActionClient final : public ActionClientBase {
 public:
  using SharedPtr = std::shared_ptr<ActionClient>;
  using Goal = typename T::Goal;
  using GoalHandle = ClientGoalHandle<T>;
  using WrappedResult = ligament::WrappedResult<T>;
  using FeedbackCallback = typename GoalHandle::FeedbackCallback;
  using ResultCallback = typename GoalHandle::ResultCallback;
  /// Null: the goal was refused, or there will be no answer.
  using GoalResponseCallback = std::function<void(typename GoalHandle::SharedPtr)>;
  using GoalFuture = FutureAndId<std::shared_future<typename GoalHandle::SharedPtr>,
                                 typename GoalHandle::SharedPtr>;
  using ResultFuture = FutureAndId<std::shared_future<WrappedResult>, WrappedResult>;

  struct SendGoalOptions {
    GoalResponseCallback goal_response_callback;
    FeedbackCallback feedback_callback;
    ResultCallback result_callback;  ///< given: the result is asked for once the goal is accepted
  };

  [[nodiscard]] static SharedPtr create(Node& node, const std::string& name,
                                        const CallbackGroup::SharedPtr& group = nullptr) {
    SharedPtr made(new ActionClient(node, name, group));
    made->open(node, made);
    return made;
  }

  [[nodiscard]] bool is_open() const override {
    return ActionClientBase::is_open() && goal_client_->is_open() && result_client_->is_open() &&
           feedback_subscription_->is_open();
  }
  [[nodiscard]] bool action_server_is_ready() const override {
    return ActionClientBase::action_server_is_ready() && goal_client_->service_is_ready() &&
           result_client_->service_is_ready() && feedback_subscription_->get_publisher_count() != 0;
  }
  void set_request_time_limit(std::chrono::nanoseconds limit) override {
    ActionClientBase::set_request_time_limit(limit);
    if (goal_client_ != nullptr) {
      goal_client_->set_request_time_limit(limit);
    }
  }

  GoalFuture async_send_goal(const Goal& goal, const SendGoalOptions& options = {}) {
    auto handle = std::make_shared<GoalHandle>(options.feedback_callback);
    auto answer = std::make_shared<GoalAnswer>();
    GoalFuture sent{answer->future(), 0, node(), callback_group()};
    if (goal_client_ == nullptr) {
      return sent;
    }
    goals().add(handle);
    typename SendGoal::Request request;
    request.goal_id.uuid = handle->get_goal_id();
    request.goal = goal;
    sent.request_id =
        goal_client_
            ->async_send_request(request,
                                 [self = weak(), handle, answer,
                                  options](typename Client<SendGoal>::SharedFuture future) {
                                   accept(self, handle, *answer, options, future.get());
                                 })
            .request_id;
    return sent;
  }

  /// The same future however often it is asked for.
  ResultFuture async_get_result(const typename GoalHandle::SharedPtr& goal,
                                ResultCallback callback = {}) {
    if (goal == nullptr) {
      return {detail::Answer<WrappedResult>().future(), 0, node(), callback_group()};
    }
    ResultFuture asked{goal->result_.future(), 0, node(), callback_group()};
    if (goal->want_result(std::move(callback))) {
      asked.request_id = ask_result(goal);
    }
    return asked;
  }

  CancelFuture async_cancel_goal(const typename GoalHandle::SharedPtr& goal,
                                 CancelCallback callback = {}) {
    return cancel(goal->get_goal_id(), Time(), std::move(callback));
  }

 private:
  using SendGoal = typename T::Impl::SendGoalService;
  using GetResult = typename T::Impl::GetResultService;
  using FeedbackMessage = typename T::Impl::FeedbackMessage;
  using GoalAnswer = detail::Answer<typename GoalHandle::SharedPtr>;
  using Weak = std::weak_ptr<ActionClient>;

  using ActionClientBase::ActionClientBase;

  [[nodiscard]] Weak weak() {
    return std::static_pointer_cast<ActionClient>(this->shared_from_this());
  }

  void open(Node& node, const Weak& self) {
    if (get_action_name().empty()) {
      return;  // told when it was resolved
    }
    open_common(node);
    detail::note_type(node.state(), detail::action_table<T>());
    const std::string prefix = get_action_name() + "/_action/";
    goal_client_ =
        node.create_client<SendGoal>(prefix + "send_goal", ServicesQoS(), callback_group());
    result_client_ =
        node.create_client<GetResult>(prefix + "get_result", ServicesQoS(), callback_group());
    open_feedback(node, prefix + "feedback", self);
  }

  /// Last: its events use the other ends. It is volatile, so that the edge is its publisher only
  /// while a server is out there; of the states it stays one for who joins late.
  void open_feedback(Node& node, const std::string& name, const Weak& self) {
    SubscriptionOptions options;
    options.callback_group = callback_group();
    options.event_callbacks.matched_callback = [self](MatchedInfo& info) {
      if (const auto client = self.lock()) {
        client->on_matched(info);
      }
    };
    feedback_subscription_ = node.create_subscription<FeedbackMessage>(
        name, QoS(10),
        [self](Sample<FeedbackMessage> sample) {
          if (const auto client = self.lock()) {
            client->on_feedback(sample);
          }
        },
        options);
  }

  static void accept(const Weak& self, const typename GoalHandle::SharedPtr& handle,
                     GoalAnswer& answer, const SendGoalOptions& options,
                     const std::shared_ptr<typename SendGoal::Response>& response) {
    const bool runs = response != nullptr && response->accepted;
    if (runs) {
      handle->set_accepted(Time(response->stamp));
    }
    answer.give(runs ? handle : nullptr);
    if (options.goal_response_callback) {
      options.goal_response_callback(runs ? handle : nullptr);
    }
    const auto client = self.lock();
    if (!runs || client == nullptr) {
      return;
    }
    handle->start_feedback(handle);
    if (options.result_callback) {
      (void)client->async_get_result(handle, options.result_callback);
    }
  }

  std::int64_t ask_result(const typename GoalHandle::SharedPtr& goal) {
    if (result_client_ == nullptr) {
      goal->finish({goal->get_goal_id(), ResultCode::unknown, nullptr});
      return 0;
    }
    typename GetResult::Request request;
    request.goal_id.uuid = goal->get_goal_id();
    return result_client_
        ->async_send_request(request,
                             [goal](typename Client<GetResult>::SharedFuture future) {
                               goal->finish(wrapped(*goal, future.get()));
                             })
        .request_id;
  }

  [[nodiscard]] static WrappedResult wrapped(
      const GoalHandle& goal, const std::shared_ptr<typename GetResult::Response>& response) {
    WrappedResult result{goal.get_goal_id(), ResultCode::unknown, nullptr};
    const GoalStatus status =
        response == nullptr ? GoalStatus::unknown : detail::goal_status_of(response->status);
    if (is_terminal(status)) {
      result.code = static_cast<ResultCode>(status);
      result.result = std::shared_ptr<typename T::Result>(response, &response->result);
    }
    return result;
  }

  /// Of goals of other clients, only the id is read.
  void on_feedback(const Sample<FeedbackMessage>& sample) {
    const auto handle = std::static_pointer_cast<GoalHandle>(
        goals().find(detail::goal_id_of(sample->goal_id().uuid())));
    if (handle == nullptr || !handle->is_feedback_aware()) {
      return;
    }
    auto message = std::make_shared<FeedbackMessage>();
    if (MessageTraits<FeedbackMessage>::deserialize(sample.bytes(), *message)) {
      handle->take(handle, {message, &message->feedback});
    }
  }

  void give_up() override {
    ActionClientBase::give_up();
    (void)goal_client_->prune_pending_requests();
    (void)result_client_->prune_pending_requests();
  }

  std::shared_ptr<Client<SendGoal>> goal_client_;
  std::shared_ptr<Client<GetResult>> result_client_;
  std::shared_ptr<Subscription<FeedbackMessage>> feedback_subscription_;
};

template <typename T>
std::shared_ptr<ActionClient<T>> Node::create_action_client(const std::string& name,
                                                            const CallbackGroup::SharedPtr& group) {
  return ActionClient<T>::create(*this, name, group);
}

}  // namespace ligament
