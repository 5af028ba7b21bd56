// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <future>
#include <ligament/rosgraph_msgs/msg/clock.hpp>
#include <ligament/sensor_msgs/msg/image.hpp>
#include <ligament/std_msgs/msg/string.hpp>
#include <optional>
#include <stdexcept>

#include "../node/fixture.hpp"

namespace ligament {
namespace {

using executors::SingleThreadedExecutor;
using sensor_msgs::msg::Image;
using std_msgs::msg::String;
using testing::errors_of;
using testing::wait_for;
using namespace std::chrono_literals;

class Executors : public testing::WithContext {
 protected:
  std::shared_ptr<Node> make(const std::string& name) {
    auto node = std::make_shared<Node>(name, options());
    EXPECT_TRUE(executor().add_node(node));
    return node;
  }
  SingleThreadedExecutor& executor() {
    if (!executor_) {
      executor_.emplace(ExecutorOptions{.context = context_});
    }
    return *executor_;
  }
  /// Runs rounds until the condition holds.
  template <typename Condition>
  void spin_until(const Condition& condition) {
    while (!condition()) {
      ASSERT_TRUE(executor().spin_once(1ms));
    }
  }
  template <typename Endpoint>
  void wait_matched(const Endpoint& publisher, std::size_t count = 1) {
    wait_for([&] { return publisher->get_subscription_count() == count; });
  }
  std::optional<SingleThreadedExecutor> executor_;
};

String text(const std::string& data) {
  String message;
  message.data = data;
  return message;
}

TEST_F(Executors, CallBackInEveryForm) {
  auto node = make("n");
  auto publisher = node->create_publisher<String>("chat", 10);
  std::string seen;
  std::uint64_t sequence = 0;
  auto a =
      node->create_subscription<String>("chat", 10, [&](const String& m) { seen += "a" + m.data; });
  auto b = node->create_subscription<String>(
      "chat", 10, [&](std::shared_ptr<const String> m) { seen += "b" + m->data; });
  auto c = node->create_subscription<String>(
      "chat", 10, [&](std::unique_ptr<String> m) { seen += "c" + m->data; });
  auto d =
      node->create_subscription<String>("chat", 10, [&](Sample<String> m, const MessageInfo& info) {
        seen += "d" + std::string(m.view().data());
        sequence = info.publication_sequence_number();
      });
  auto e =
      node->create_subscription<String>("chat", 10, [&](const String& m, const MessageInfo& info) {
        seen += "e" + m.data;
        EXPECT_EQ(info.publisher_id(), publisher->id());
        EXPECT_GT(info.source_timestamp(), Time(1'000'000, 0));
      });
  auto f = node->create_subscription<String>(
      "chat", 10, [&](const String::ConstSharedPtr& m) { seen += "f" + m->data; });
  wait_matched(publisher, 6);
  ASSERT_TRUE(publisher->publish(text("1")));
  spin_until([&] { return seen.size() == 12; });
  EXPECT_EQ(seen, "a1b1c1d1e1f1");
  EXPECT_EQ(sequence, 1U);
  EXPECT_EQ(publisher->statistics().serialised, 1U);
  EXPECT_EQ(d->statistics().copies, 0U);
  EXPECT_EQ(a->statistics().copies, 1U);
  EXPECT_EQ(a->statistics().bytes_copied, a->statistics().bytes);
}

TEST_F(Executors, LoanedMessagesArriveWhereTheyLie) {
  auto node = make("n");
  auto publisher = node->create_publisher<Image>("image", 10);
  const std::uint8_t* written = nullptr;
  bool same_bytes = false;
  std::size_t alignment = 1;
  auto subscription = node->create_subscription<Image>("image", 10, [&](Sample<Image> sample) {
    const auto pixels = sample->data();
    same_bytes = pixels.size() == 500 && pixels[499] == 99 && sample->encoding() == "mono8";
    alignment = reinterpret_cast<std::uintptr_t>(pixels.data()) % 128;
  });
  wait_matched(publisher);
  Publisher<Image>::Shape shape;
  shape.encoding = 5;
  shape.data = 1000;
  auto loan = publisher->borrow_loaned_message(shape);
  ASSERT_TRUE(loan);
  loan->get().set_encoding("mono8");
  loan->get().data()[499] = 99;
  written = loan->get().data().data();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(written) % 128, 0U);
  ASSERT_TRUE(loan->get().finish(500));  // the last array may be shortened
  ASSERT_TRUE(publisher->publish(std::move(*loan)));
  spin_until([&] { return subscription->statistics().taken == 1; });
  EXPECT_TRUE(same_bytes);
  EXPECT_EQ(alignment, 0U);
  EXPECT_EQ(subscription->statistics().copies, 0U);
}

TEST_F(Executors, KeptSamplesStayValidAndMaxHeldIsSaid) {
  auto node = make("n");
  auto publisher = node->create_publisher<String>("chat", QoS(10));
  std::vector<Sample<String>> kept;
  auto subscription = node->create_subscription<String>(
      "chat", QoS(10).max_held(2),
      [&](Sample<String> sample) { kept.push_back(std::move(sample)); });
  wait_matched(publisher);
  for (const char* data : {"a", "b", "c"}) {
    ASSERT_TRUE(publisher->publish(text(data)));
  }
  spin_until([&] { return subscription->statistics().refused != 0; });
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[0].view().data(), "a");
  EXPECT_EQ(kept[1].view().data(), "b");
  EXPECT_NE(errors_of(*node).find("holds 2 samples, all that its max_held allows"),
            std::string::npos);
  kept.erase(kept.begin());
  spin_until([&] { return kept.size() == 2; });
  EXPECT_EQ(kept[1].view().data(), "c");
}

TEST_F(Executors, GiveEachSourceItsTurn) {
  auto node = make("n");
  auto publisher_a = node->create_publisher<String>("a", 100);
  auto publisher_b = node->create_publisher<String>("b", 100);
  std::string order;
  auto a = node->create_subscription<String>("a", 100, [&](const String&) { order += "a"; });
  auto b = node->create_subscription<String>("b", 100, [&](const String&) { order += "b"; });
  wait_matched(publisher_a);
  wait_matched(publisher_b);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(publisher_a->publish(text("")));
  }
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(publisher_b->publish(text("")));
  }
  spin_until([&] { return order.size() == 10; });
  EXPECT_EQ(order, "ababababab");
}

TEST_F(Executors, RunTimersOnTheirGrid) {
  auto node = make("n");
  int fast = 0;
  int slow = 0;
  auto first = node->create_wall_timer(1ms, [&] { ++fast; });
  auto second = node->create_timer(5ms, [&] { ++slow; });
  spin_until([&] { return slow == 4; });
  EXPECT_GE(fast, 4);
  first->cancel();
  const int at_cancel = fast;
  spin_until([&] { return slow == 6; });
  EXPECT_EQ(fast, at_cancel);
  first->reset();
  spin_until([&] { return fast > at_cancel; });
}

TEST_F(Executors, LateTimersRunOnceNotOncePerPeriod) {
  auto node = make("n");
  int calls = 0;
  auto timer = node->create_wall_timer(1ms, [&] { ++calls; });
  std::this_thread::sleep_for(20ms);
  ASSERT_TRUE(executor().spin_once(0ms));
  EXPECT_EQ(calls, 1);
}

TEST_F(Executors, FollowSimulatedTime) {
  auto node =
      std::make_shared<Node>("n", options().append_parameter_override("use_sim_time", true));
  ASSERT_TRUE(executor().add_node(node));
  auto clock = node->create_publisher<rosgraph_msgs::msg::Clock>("/clock", QoS(1));
  int calls = 0;
  auto timer = node->create_timer(1s, [&] { ++calls; });
  wait_matched(clock);
  EXPECT_EQ(node->now(), Time(0));
  const auto set = [&](std::int32_t seconds) {
    rosgraph_msgs::msg::Clock message;
    message.clock = Time(seconds, 0);
    ASSERT_TRUE(clock->publish(message));
    spin_until([&] { return node->now() == Time(seconds, 0); });
    ASSERT_TRUE(executor().spin_once(0ms));
  };
  set(100);
  EXPECT_EQ(calls, 1);
  set(100);
  EXPECT_EQ(calls, 1);
  set(101);
  EXPECT_EQ(calls, 2);
}

TEST_F(Executors, StopDrainsWhatHasArrived) {
  auto node = make("n");
  auto publisher = node->create_publisher<String>("chat", 10);
  int taken = 0;
  auto subscription = node->create_subscription<String>("chat", 10, [&](const String&) {
    if (++taken == 1) executor().cancel();
  });
  wait_matched(publisher);
  for (int i = 0; i < 7; ++i) {
    ASSERT_TRUE(publisher->publish(text("")));
  }
  ASSERT_TRUE(executor().spin());
  EXPECT_EQ(taken, 7);
  EXPECT_EQ(executor().state(), ExecutorState::stopped);
}

TEST_F(Executors, DrainEndsEvenInACycle) {
  auto node = make("n");
  auto publisher = node->create_publisher<String>("chat", 10);
  int taken = 0;
  auto subscription = node->create_subscription<String>("chat", QoS(3), [&](const String& message) {
    ++taken;
    publisher->publish(message);  // each message makes the next one
    if (taken == 5) executor().cancel();
  });
  wait_matched(publisher);
  ASSERT_TRUE(publisher->publish(text("")));
  ASSERT_TRUE(executor().spin());
  EXPECT_GE(taken, 5);
  EXPECT_LE(taken, 5 + 3);
}

TEST_F(Executors, AreWokenFromOtherThreads) {
  auto node = make("n");
  std::atomic<bool> called{false};
  std::thread other([&] {
    wait_for([&] { return executor().state() == ExecutorState::running; });
    auto timer = node->create_wall_timer(1ms, [&] { called = true; });
    wait_for([&] { return called.load(); });
    context_->shutdown();
    wait_for([&] { return executor().state() == ExecutorState::stopped; });
  });
  ASSERT_TRUE(executor().spin());
  other.join();
  EXPECT_TRUE(called);
}

TEST_F(Executors, TurnExceptionsIntoAnErrorThatNamesTheNode) {
  make("calm");
  auto node = make("angry");
  auto timer = node->create_wall_timer(1ms, [] { throw std::runtime_error("the lens fell off"); });
  const auto result = executor().spin();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ExecutorErrorCode::callback);
  EXPECT_EQ(result.error().text, "a callback of node '/angry' threw: the lens fell off");
}

TEST_F(Executors, RunANodeThatIsAddedLate) {
  auto node = std::make_shared<Node>("late", options());
  bool ran = false;
  auto timer = node->create_wall_timer(1ms, [&ran] { ran = true; });
  ASSERT_TRUE(executor().spin_once(1ms));  // it has looked at everything that there is
  ASSERT_TRUE(executor().add_node(node));
  spin_until([&ran] { return ran; });
}

TEST_F(Executors, ANodeOfAnotherExecutorIsNotSpunToAnEnd) {
  auto node = make("n");
  const auto ended = ligament::spin_until(
      node, [] { return true; }, 1ms);
  EXPECT_EQ(ended, FutureReturnCode::interrupted);
  EXPECT_NE(errors_of(*node).find("is run by an executor already"), std::string::npos);
}

TEST_F(Executors, RefuseNodesThatAreNotTheirs) {
  auto node = make("n");
  EXPECT_EQ(executor().add_node(node).error().code, ExecutorErrorCode::already_added);
  auto other = Context::create({.domain = testing::unique_domain(), .run_id = "test"});
  ASSERT_TRUE(other);
  auto stranger = std::make_shared<Node>("s", NodeOptions().context(*other));
  EXPECT_EQ(executor().add_node(stranger).error().code, ExecutorErrorCode::other_context);
  SingleThreadedExecutor without;
  EXPECT_EQ(without.spin().error().code, ExecutorErrorCode::no_context);
  EXPECT_EQ(without.add_node(node).error().code, ExecutorErrorCode::no_context);
  executor().remove_node(node);
  EXPECT_TRUE(executor().add_node(node));
}

TEST_F(Executors, ForgetWhatTheNodeDropped) {
  auto node = make("n");
  auto publisher = node->create_publisher<String>("chat", 10);
  int taken = 0;
  auto subscription =
      node->create_subscription<String>("chat", 10, [&](const String&) { ++taken; });
  wait_matched(publisher);
  subscription.reset();
  ASSERT_TRUE(publisher->publish(text("")));
  ASSERT_TRUE(executor().spin_once(1ms));
  EXPECT_EQ(taken, 0);
}

TEST_F(Executors, ACallbackMayDropItsOwnSubscription) {
  auto node = make("n");
  auto publisher = node->create_publisher<String>("chat", 10);
  int taken = 0;
  std::shared_ptr<Subscription<String>> subscription;
  subscription = node->create_subscription<String>("chat", 10, [&](const String&) {
    ++taken;
    subscription.reset();
  });
  wait_matched(publisher);
  ASSERT_TRUE(publisher->publish(text("")));
  spin_until([&] { return taken == 1; });
  EXPECT_EQ(subscription, nullptr);
}

TEST_F(Executors, PollingAndSpinningWaitDeliverToo) {
  for (const auto wait : {WaitStrategy::poll(), WaitStrategy::spin_then_sleep(20'000)}) {
    SingleThreadedExecutor own({.context = context_, .wait = wait});
    auto node = std::make_shared<Node>("n", options());
    ASSERT_TRUE(own.add_node(node));
    auto publisher = node->create_publisher<String>("chat", 10);
    auto subscription =
        node->create_subscription<String>("chat", 10, [&](const String&) { own.cancel(); });
    wait_matched(publisher);
    auto timer = node->create_wall_timer(1ms, [&] { publisher->publish(text("x")); });
    ASSERT_TRUE(own.spin());
    EXPECT_GE(subscription->statistics().taken, 1U);
  }
}

TEST_F(Executors, AnInterruptedWaitForAFutureInterruptsNoLaterOne) {
  std::promise<void> answer;
  auto future = answer.get_future();
  auto node = make("n");
  auto timer = node->create_wall_timer(1ms, [&] { answer.set_value(); });
  executor().cancel();
  EXPECT_EQ(executor().spin_until_future_complete(future), FutureReturnCode::interrupted);
  EXPECT_EQ(executor().spin_until_future_complete(future), FutureReturnCode::success);
}

}  // namespace
}  // namespace ligament
