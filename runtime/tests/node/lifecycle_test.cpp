// SPDX-License-Identifier: Apache-2.0
#include <ligament/lifecycle_msgs/msg/transition_event.hpp>
#include <ligament/lifecycle_msgs/srv/change_state.hpp>
#include <ligament/lifecycle_msgs/srv/get_available_states.hpp>
#include <ligament/lifecycle_msgs/srv/get_available_transitions.hpp>
#include <ligament/lifecycle_msgs/srv/get_state.hpp>
#include <ligament/std_msgs/msg/string.hpp>
#include <map>
#include <stdexcept>

#include "fixture.hpp"

namespace ligament {
namespace {

using lifecycle_msgs::srv::ChangeState;
using lifecycle_msgs::srv::GetAvailableStates;
using lifecycle_msgs::srv::GetAvailableTransitions;
using lifecycle_msgs::srv::GetState;
using std_msgs::msg::String;
using testing::errors_of;

/// Notes which callback ran after which state, and returns what it is told to.
class Managed : public LifecycleNode {
 public:
  explicit Managed(const NodeOptions& options) : LifecycleNode("managed", options) {}

  CallbackReturn on_configure(const LifecycleState& previous) override {
    publisher = create_publisher<String>("out", QoS(10));
    return note("configure", previous);
  }
  CallbackReturn on_cleanup(const LifecycleState& previous) override {
    return note("cleanup", previous);
  }
  CallbackReturn on_shutdown(const LifecycleState& previous) override {
    return note("shutdown", previous);
  }
  CallbackReturn on_activate(const LifecycleState& previous) override {
    (void)LifecycleNode::on_activate(previous);
    return note("activate", previous);
  }
  CallbackReturn on_deactivate(const LifecycleState& previous) override {
    (void)LifecycleNode::on_deactivate(previous);
    return note("deactivate", previous);
  }
  CallbackReturn on_error(const LifecycleState& previous) override {
    return note("error", previous, CallbackReturn::failure);
  }

  std::map<std::string, CallbackReturn> answers;
  std::string throws_in;
  std::string seen;
  std::shared_ptr<LifecyclePublisher<String>> publisher;

 private:
  CallbackReturn note(const std::string& what, const LifecycleState& previous,
                      CallbackReturn otherwise = CallbackReturn::success) {
    seen += what + "<" + previous.label + " ";
    if (throws_in == what) {
      throw std::runtime_error("no lens");
    }
    const auto found = answers.find(what);
    return found == answers.end() ? otherwise : found->second;
  }
};

class Lifecycles : public testing::WithContext {
 protected:
  void SetUp() override {
    WithContext::SetUp();
    node_ = std::make_shared<Managed>(options());
  }
  std::string state() { return node_->get_current_state().label; }
  std::shared_ptr<Managed> node_;
};

String some_text() {
  String message;
  message.data = "x";
  return message;
}

TEST_F(Lifecycles, GoThroughAllStates) {
  EXPECT_EQ(node_->get_current_state(), (LifecycleState{1, "unconfigured"}));
  EXPECT_EQ(node_->configure().label, "inactive");
  EXPECT_EQ(node_->activate().label, "active");
  EXPECT_EQ(node_->deactivate().label, "inactive");
  EXPECT_EQ(node_->cleanup().label, "unconfigured");
  EXPECT_EQ(node_->shutdown().label, "finalized");
  EXPECT_EQ(node_->seen,
            "configure<unconfigured activate<inactive deactivate<active cleanup<inactive "
            "shutdown<unconfigured ");
  EXPECT_TRUE(node_->get_available_transitions().empty());
}

TEST_F(Lifecycles, RefuseWhatIsNoTransitionFromTheirState) {
  EXPECT_EQ(node_->trigger_transition("activate").error(),
            "there is no transition 'activate' from the state 'unconfigured'");
  EXPECT_FALSE(node_->trigger_transition(3));
  EXPECT_FALSE(node_->trigger_transition(10)) << "a step of the machine itself";
  EXPECT_FALSE(node_->trigger_transition(""));
  EXPECT_EQ(node_->activate().label, "unconfigured");
  EXPECT_EQ(node_->seen, "");
}

TEST_F(Lifecycles, FailureGoesBackAndErrorIsAskedAbout) {
  node_->answers["configure"] = CallbackReturn::failure;
  EXPECT_EQ(*node_->trigger_transition("configure"), CallbackReturn::failure);
  EXPECT_EQ(state(), "unconfigured");
  node_->answers = {{"configure", CallbackReturn::error}, {"error", CallbackReturn::success}};
  EXPECT_EQ(*node_->trigger_transition("configure"), CallbackReturn::error);
  EXPECT_EQ(state(), "unconfigured") << "on_error() mended it";
  EXPECT_NE(node_->seen.find("error<unconfigured"), std::string::npos);
  node_->answers = {{"activate", CallbackReturn::error}};
  node_->configure();
  EXPECT_EQ(node_->activate().label, "finalized") << "on_error() did not";
}

TEST_F(Lifecycles, AnExceptionIsAnErrorWithItsText) {
  node_->throws_in = "configure";
  EXPECT_EQ(node_->configure().label, "finalized");
  EXPECT_NE(errors_of(*node_).find("while 'configuring', a callback of node '/managed' threw: no "
                                   "lens"),
            std::string::npos)
      << errors_of(*node_);
}

TEST_F(Lifecycles, PublishersAreSilentWhileNotActive) {
  auto listener = std::make_shared<Node>("listener", options());
  std::size_t heard = 0;
  auto subscription =
      listener->create_subscription<String>("out", QoS(10), [&](const String&) { ++heard; });
  node_->configure();
  testing::wait_for([&] { return node_->publisher->get_subscription_count() == 1; });
  EXPECT_EQ(node_->publisher->publish(some_text()).error(), PublishError::inactive);
  EXPECT_EQ(to_string(PublishError::inactive), "its lifecycle node is not active");
  EXPECT_EQ(node_->publisher->statistics().published, 0U);
  node_->activate();
  EXPECT_TRUE(node_->publisher->is_activated());
  ASSERT_TRUE(node_->publisher->publish(some_text()));
  ASSERT_TRUE(node_->publisher->publish(std::make_unique<String>(some_text())));
  node_->deactivate();
  EXPECT_FALSE(node_->publisher->publish(some_text()));
  spin_until(
      listener, [&] { return heard == 2; }, std::chrono::nanoseconds(-1));
  EXPECT_EQ(node_->publisher->statistics().published, 2U);
  EXPECT_EQ(errors_of(*node_), "") << "silence is no error";
}

/// The steps as others see them.
TEST_F(Lifecycles, ServicesAndEventsTellTheSame) {
  auto asker = std::make_shared<Node>("asker", options());
  executors::SingleThreadedExecutor executor({.context = context_});
  ASSERT_TRUE(executor.add_node(node_));
  ASSERT_TRUE(executor.add_node(asker));
  std::string steps;
  const auto began_ns = static_cast<std::uint64_t>(node_->now().nanoseconds());
  auto events = asker->create_subscription<lifecycle_msgs::msg::TransitionEvent>(
      "/managed/transition_event", QoS(10), [&](const lifecycle_msgs::msg::TransitionEvent& event) {
        steps += event.start_state.label + ">" + event.goal_state.label + " ";
        EXPECT_GE(event.timestamp, began_ns) << "when it was, by the node's clock";
      });
  testing::wait_for([&] { return events->get_publisher_count() == 1; });
  const auto ask = [&]<typename T>(const std::string& name, const typename T::Request& request) {
    auto client = asker->create_client<T>("/managed/" + name);
    EXPECT_TRUE(client->wait_for_service());
    auto sent = client->template async_send_request(request);
    EXPECT_EQ(executor.spin_until_future_complete(sent), FutureReturnCode::success);
    return *sent.get();
  };
  const auto change = [&](std::uint8_t id, const std::string& label) {
    ChangeState::Request request;
    request.transition.id = id;
    request.transition.label = label;
    return ask.operator()<ChangeState>("change_state", request).success;
  };
  EXPECT_TRUE(change(1, ""));
  EXPECT_TRUE(change(0, "activate")) << "a label is stronger than the id";
  EXPECT_FALSE(change(3, ""));
  EXPECT_FALSE(change(0, "fly"));
  EXPECT_EQ(ask.operator()<GetState>("get_state", {}).current_state.label, "active");
  EXPECT_EQ(ask.operator()<GetAvailableStates>("get_available_states", {}).available_states.size(),
            11U);
  const auto now = ask.operator()<GetAvailableTransitions>("get_available_transitions", {})
                       .available_transitions;
  ASSERT_EQ(now.size(), 2U);
  EXPECT_EQ(now[0].transition.label, "deactivate");
  EXPECT_EQ(now[1].transition.id, 7);
  EXPECT_EQ(ask.operator()<GetAvailableTransitions>("get_transition_graph", {})
                .available_transitions.size(),
            25U);
  executor.spin_until([&] { return steps.size() > 80; }, std::chrono::seconds(10));
  EXPECT_EQ(steps,
            "unconfigured>configuring configuring>inactive inactive>activating "
            "activating>active ");
}

TEST_F(Lifecycles, OfTwoTransitionsAtOnceOneIsRefused) {
  std::string refused;
  class Eager : public LifecycleNode {
   public:
    Eager(const NodeOptions& options, std::string& refused)
        : LifecycleNode("eager", options), refused_(refused) {}
    CallbackReturn on_configure(const LifecycleState& /*previous*/) override {
      refused_ = trigger_transition("activate").error();
      return CallbackReturn::success;
    }

   private:
    std::string& refused_;
  };
  Eager eager(options(), refused);
  EXPECT_EQ(eager.configure().label, "inactive");
  EXPECT_EQ(refused, "there is no transition 'activate' from the state 'configuring'");
}

}  // namespace
}  // namespace ligament
