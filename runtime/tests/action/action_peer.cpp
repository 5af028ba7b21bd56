// SPDX-License-Identifier: Apache-2.0
/// \file An action's server or client in a process of its own:
/// action_peer DOMAIN serve|ask|wait NAME
///
/// `serve` works until it is killed; it writes `ready` once the server exists. `ask` prints what
/// came of its goals as JSON. `wait` sends a goal without end, writes `ready` once it runs, and
/// exits with the code of its result. tool/tests/run/ros2_action_peer.py does the same with rclpy:
/// one number of the sequence each 20 ms, each with feedback; negative orders are refused.
#include "action_peer.hpp"

#include <chrono>
#include <cstdio>
#include <vector>

namespace {

using ligament::peer::Fibonacci;
using Handle = std::shared_ptr<ligament::ServerGoalHandle<Fibonacci>>;
using namespace std::chrono_literals;

struct Work {
  Handle goal;
  std::vector<std::int32_t> sequence;
};

/// Whether there is more to do.
bool step(Work& work) {
  Fibonacci::Result result;
  result.sequence = work.sequence;
  if (work.goal->is_canceling()) {
    (void)work.goal->canceled(result);
    return false;
  }
  if (work.sequence.size() == 1 &&
      work.goal->get_goal()->order == ligament::peer::order_that_fails) {
    (void)work.goal->abort(result);
    return false;
  }
  if (static_cast<std::int32_t>(work.sequence.size()) >= work.goal->get_goal()->order) {
    (void)work.goal->succeed(result);
    return false;
  }
  work.sequence.push_back(static_cast<std::int32_t>(work.sequence.size()));
  Fibonacci::Feedback feedback;
  feedback.sequence = work.sequence;
  (void)work.goal->publish_feedback(feedback);
  return true;
}

int serve(const std::shared_ptr<ligament::Node>& node, const std::string& name) {
  std::vector<Work> works;
  auto server = node->create_action_server<Fibonacci>(
      name,
      [](const ligament::GoalUUID&, const std::shared_ptr<const Fibonacci::Goal>& goal) {
        return goal->order < 0 ? ligament::GoalResponse::reject
                               : ligament::GoalResponse::accept_and_execute;
      },
      [](const Handle& goal) {
        return goal->get_goal()->order == ligament::peer::order_that_stays
                   ? ligament::CancelResponse::reject
                   : ligament::CancelResponse::accept;
      },
      [&works](Handle goal) {
        works.push_back({std::move(goal), {}});
      });
  auto timer = node->create_wall_timer(
      20ms, [&works] { std::erase_if(works, [](Work& work) { return !step(work); }); });
  if (!server->is_open()) {
    return 3;
  }
  std::puts("ready");
  std::fflush(stdout);
  return ligament::spin(node) ? 0 : 1;
}

int wait(const std::shared_ptr<ligament::Node>& node, const std::string& name) {
  auto client = node->create_action_client<Fibonacci>(name);
  if (!client->wait_for_action_server()) {
    return 64;
  }
  Fibonacci::Goal goal;
  goal.order = 1'000'000;
  ligament::ActionClient<Fibonacci>::SendGoalOptions options;
  options.feedback_callback = [](const auto&, const auto& feedback) {
    if (feedback->sequence.size() == 1) {
      std::puts("ready");
      std::fflush(stdout);
    }
  };
  int code = 65;
  options.result_callback = [&](const auto& result) { code = static_cast<int>(result.code); };
  auto sent = client->async_send_goal(goal, options);
  (void)ligament::spin_until(
      node, [&] { return code != 65; }, -1ns);
  return code;
}

}  // namespace

int main(int count, char** words) {
  if (count != 4 || !ligament::init({.domain = words[1], .run_id = "test"})) {
    return 64;
  }
  const auto node = std::make_shared<ligament::Node>(std::string("peer_") + words[2]);
  const std::string role = words[2];
  return role == "serve"  ? serve(node, words[3])
         : role == "wait" ? wait(node, words[3])
                          : ligament::peer::ask(node, words[3]);
}
