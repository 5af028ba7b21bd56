// SPDX-License-Identifier: Apache-2.0
#include "lifecycle/bring_up.hpp"

#include <algorithm>
#include <ligament/executor.hpp>
#include <ligament/lifecycle_msgs/msg/state.hpp>
#include <ligament/lifecycle_msgs/msg/transition.hpp>
#include <ligament/lifecycle_msgs/srv/change_state.hpp>
#include <ligament/lifecycle_msgs/srv/get_state.hpp>
#include <thread>
#include <utility>

namespace ligament::lifecycle {
namespace {

using lifecycle_msgs::srv::ChangeState;
using lifecycle_msgs::srv::GetState;
using State = lifecycle_msgs::msg::State;
using Transition = lifecycle_msgs::msg::Transition;
using Outcome = expected<void, BringUpError>;

/// One step of all nodes.
struct Step {
  std::uint8_t transition;
  const char* label;
  std::uint8_t from;
  std::uint8_t to;
};
constexpr Step configure{Transition::TRANSITION_CONFIGURE, "configure",
                         State::PRIMARY_STATE_UNCONFIGURED, State::PRIMARY_STATE_INACTIVE};
constexpr Step activate{Transition::TRANSITION_ACTIVATE, "activate", State::PRIMARY_STATE_INACTIVE,
                        State::PRIMARY_STATE_ACTIVE};

using Clock = std::chrono::steady_clock;
/// How long an answer is waited for before the question is put again.
constexpr std::chrono::nanoseconds between_questions = std::chrono::seconds(1);
constexpr std::chrono::nanoseconds between_looks = std::chrono::milliseconds(50);
constexpr std::chrono::nanoseconds between_requests = std::chrono::seconds(5);

/// Asks one node.
class Managed {
 public:
  Managed(std::shared_ptr<Node> asker, std::string name, std::chrono::nanoseconds patience)
      : asker_(std::move(asker)),
        name_(std::move(name)),
        patience_(patience),
        state_(asker_->create_client<GetState>(name_ + "/get_state")),
        change_(asker_->create_client<ChangeState>(name_ + "/change_state")) {}

  [[nodiscard]] const std::string& name() const { return name_; }

  [[nodiscard]] Outcome is_there() const {
    if (state_->wait_for_service(patience_) && change_->wait_for_service(patience_)) {
      return {};
    }
    return failure("node '" + name_ + "' has no service '" + name_ + "/change_state' after " +
                   seconds() +
                   ": either it does not run, or it is no lifecycle node (then its node.yaml "
                   "must not say `lifecycle: true`)");
  }

  /// Asked again where no answer comes: to ask changes nothing.
  [[nodiscard]] expected<State, BringUpError> state() const {
    const auto end = Clock::now() + patience_;
    do {
      if (const auto answer = ask(state_, GetState::Request{}, between_questions)) {
        return answer->current_state;
      }
    } while (Clock::now() < end);
    return unexpected<BringUpError>(silence("get_state"));
  }

  [[nodiscard]] Outcome follow(const Step& step) const {
    const auto before = state();
    if (!before) {
      return unexpected<BringUpError>(before.error());
    }
    if (before->id != step.from) {
      // Active already, or where somebody else has brought it meanwhile.
      return before->id == step.to || before->id == State::PRIMARY_STATE_ACTIVE
                 ? Outcome()
                 : failure("node '" + name_ + "' cannot " + step.label + ": it is " +
                           before->label);
    }
    return change(step);
  }

 private:
  /// A request or its answer may be lost on a network where ends have just met. So the state is
  /// asked for as well, and while it has not changed, the request is sent again.
  [[nodiscard]] Outcome change(const Step& step) const {
    ChangeState::Request request;
    request.transition.id = step.transition;
    const auto end = Clock::now() + patience_;
    bool send = true;
    do {
      const auto answer = send ? ask(change_, request, between_requests) : nullptr;
      const auto now = state();
      if ((answer != nullptr && answer->success) || (now && now->id == step.to)) {
        return {};
      }
      if (answer != nullptr) {
        return failure("node '" + name_ + "' did not " + step.label + ": its callback said no" +
                       (now ? ", and it is " + now->label : std::string()) +
                       "; its log says why, if it does");
      }
      send = now && now->id == step.from;
      if (!send) {
        std::this_thread::sleep_for(between_looks);
      }
    } while (Clock::now() < end);
    return unexpected<BringUpError>(silence(step.label));
  }

  [[nodiscard]] std::string seconds() const {
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(patience_).count()) +
           " s";
  }
  [[nodiscard]] BringUpError silence(const std::string& what) const {
    return {name_, "node '" + name_ + "' has not answered '" + what + "' after " + seconds() +
                       ": a callback of it hangs or takes longer (then raise the time limit)"};
  }
  [[nodiscard]] Outcome failure(std::string text) const {
    return unexpected<BringUpError>(BringUpError{name_, std::move(text)});
  }
  /// Null: no answer in time.
  template <typename T>
  std::shared_ptr<typename T::Response> ask(const std::shared_ptr<Client<T>>& client,
                                            const typename T::Request& request,
                                            std::chrono::nanoseconds longest) const {
    auto sent = client->async_send_request(request);
    return spin_until_future_complete(asker_, sent, std::min(longest, patience_)) ==
                   FutureReturnCode::success
               ? sent.get()
               : nullptr;
  }

  std::shared_ptr<Node> asker_;
  std::string name_;
  std::chrono::nanoseconds patience_;
  std::shared_ptr<Client<GetState>> state_;
  std::shared_ptr<Client<ChangeState>> change_;
};

}  // namespace

expected<void, BringUpError> bring_up(const std::shared_ptr<Node>& asker,
                                      const BringUpRequest& request) {
  std::vector<Managed> nodes;
  for (const std::string& name : request.nodes) {
    nodes.emplace_back(asker, name, request.patience);
  }
  for (const Managed& node : nodes) {
    if (auto there = node.is_there(); !there) {
      return there;
    }
  }
  for (const Step& step : {configure, activate}) {
    for (const Managed& node : nodes) {
      if (auto followed = node.follow(step); !followed) {
        return followed;
      }
      if (const auto state = node.state(); state && request.told) {
        request.told(node.name(), state->label);
      }
    }
  }
  return {};
}

}  // namespace ligament::lifecycle
