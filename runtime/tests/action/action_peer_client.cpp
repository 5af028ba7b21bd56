// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "action_peer.hpp"

namespace ligament::peer {
namespace {

using Json = nlohmann::json;
using Action = ActionClient<Fibonacci>;
using Goal = ClientGoalHandle<Fibonacci>::SharedPtr;
using CancelGoal = Fibonacci::Impl::CancelGoalService;
using GetResult = Fibonacci::Impl::GetResultService;

/// The client's node, and what it can wait for.
class Asker {
 private:
  static Fibonacci::Goal order(std::int32_t value) {
    Fibonacci::Goal goal;
    goal.order = value;
    return goal;
  }
  template <typename Future>
  auto wait_for(Future& future) {
    (void)spin_until_future_complete(node_, future);
    return future.get();
  }
  Goal send(std::int32_t value, const Action::SendGoalOptions& options = {}) {
    auto sent = client_->async_send_goal(order(value), options);
    return wait_for(sent);
  }
  WrappedResult<Fibonacci> result_of(const Goal& goal) {
    auto asked = client_->async_get_result(goal);
    return wait_for(asked);
  }
  std::shared_ptr<CancelGoal::Response> cancel(const Goal& goal) {
    auto sent = client_->async_cancel_goal(goal);
    return wait_for(sent);
  }
  std::shared_ptr<GetResult::Response> raw_result(const GoalUUID& id) {
    auto client = node_->create_client<GetResult>(name_ + "/_action/get_result");
    (void)client->wait_for_service();
    GetResult::Request request;
    request.goal_id.uuid = id;
    auto sent = client->async_send_request(request);
    return wait_for(sent);
  }

 public:
  Asker(std::shared_ptr<Node> node, std::string name)
      : node_(std::move(node)), name_(std::move(name)) {
    client_ = node_->create_action_client<Fibonacci>(name_);
  }

  [[nodiscard]] bool wait() const { return client_->wait_for_action_server(); }

  Json follow() {
    std::vector<std::size_t> lengths;
    Action::SendGoalOptions options;
    options.feedback_callback = [&](const Goal&, const auto& feedback) {
      lengths.push_back(feedback->sequence.size());
    };
    const Goal goal = send(5, options);
    const auto result = result_of(goal);
    const auto again = result_of(goal);
    const auto raw = raw_result(goal->get_goal_id());
    return {{"code", result.code},
            {"sequence", result.result->sequence},
            {"again", again.code},
            {"from_elsewhere", raw->status},
            {"feedback", lengths},
            {"status", goal->get_status()},
            {"cancel_after", cancel(goal)->return_code}};
  }

  Json refuse() { return {{"accepted", send(-1) != nullptr}}; }

  Json fail() {
    const auto result = result_of(send(order_that_fails));
    return {{"code", result.code}, {"length", result.result->sequence.size()}};
  }

  Json cancel_one() {
    const Goal goal = send(500);
    const auto answer = cancel(goal);
    const auto result = result_of(goal);
    return {{"return_code", answer->return_code},
            {"canceling", answer->goals_canceling.size()},
            {"code", result.code},
            {"ended_early", result.result->sequence.size() < 500}};
  }

  Json cancel_refused() {
    const Goal goal = send(order_that_stays);
    const auto answer = cancel(goal);
    return {{"return_code", answer->return_code}, {"code", result_of(goal).code}};
  }

  /// Of three goals, the first two by a stamp; then all that are left.
  Json cancel_several() {
    std::vector<Goal> goals{send(500), send(500)};
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    goals.push_back(send(500));
    // rcl stamps a goal again after it has answered: a little later than what the answer says.
    auto before = client_->async_cancel_goals_before(goals[1]->get_goal_stamp() +
                                                     Duration(std::chrono::milliseconds(50)));
    const auto two = wait_for(before);
    auto all = client_->async_cancel_all_goals();
    const auto rest = wait_for(all);
    Json codes = Json::array();
    for (const auto& goal : goals) {
      codes.push_back(result_of(goal).code);
    }
    return {{"before", two->goals_canceling.size()},
            {"all", rest->goals_canceling.size()},
            {"codes", codes}};
  }

  Json unknown() {
    auto client = node_->create_client<CancelGoal>(name_ + "/_action/cancel_goal");
    (void)client->wait_for_service();
    CancelGoal::Request request;
    request.goal_info.goal_id.uuid.fill(7);
    auto sent = client->async_send_request(request);
    return {{"cancel", wait_for(sent)->return_code},
            {"result", raw_result(request.goal_info.goal_id.uuid)->status}};
  }

  Json many(int count) {
    std::vector<Action::GoalFuture> sent;
    sent.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      sent.push_back(client_->async_send_goal(order(3)));
    }
    int succeeded = 0;
    for (auto& one : sent) {
      succeeded += result_of(wait_for(one)).code == ResultCode::succeeded ? 1 : 0;
    }
    return {{"succeeded", succeeded}};
  }

  /// What who joins late is told of goals that have ended.
  Json latched() {
    std::vector<int> statuses;
    auto subscription = node_->create_subscription<Fibonacci::Impl::GoalStatusMessage>(
        name_ + "/_action/status", QoS(1).transient_local(),
        [&](const Fibonacci::Impl::GoalStatusMessage& all) {
          for (const auto& one : all.status_list) {
            statuses.push_back(one.status);
          }
        });
    (void)spin_until(
        node_, [&] { return !statuses.empty(); }, std::chrono::nanoseconds(-1));
    return {
        {"terminal", std::all_of(statuses.begin(), statuses.end(), [](int s) { return s >= 4; })}};
  }

 private:
  std::shared_ptr<Node> node_;
  std::string name_;
  std::shared_ptr<Action> client_;
};

}  // namespace

int ask(const std::shared_ptr<Node>& node, const std::string& name) {
  Asker asker(node, name);
  if (!asker.wait()) {
    return 2;
  }
  Json told;
  told["follow"] = asker.follow();
  told["refuse"] = asker.refuse();
  told["fail"] = asker.fail();
  told["cancel_one"] = asker.cancel_one();
  told["cancel_refused"] = asker.cancel_refused();
  told["cancel_several"] = asker.cancel_several();
  told["unknown"] = asker.unknown();
  told["many"] = asker.many(8);
  told["latched"] = asker.latched();
  std::puts(told.dump().c_str());
  return 0;
}

}  // namespace ligament::peer
