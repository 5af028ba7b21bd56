// SPDX-License-Identifier: Apache-2.0
/// \file What the executor does beside messages and timers: events of QoS, held samples that are
/// released elsewhere, nodes that come and go while it spins.
#include <atomic>
#include <ligament/std_msgs/msg/string.hpp>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "../node/fixture.hpp"

namespace ligament {
namespace {

using executors::SingleThreadedExecutor;
using std_msgs::msg::String;
using testing::errors_of;
using testing::wait_for;
using namespace std::chrono_literals;

class Events : public testing::WithContext {
 protected:
  void SetUp() override {
    WithContext::SetUp();
    executor_.emplace(ExecutorOptions{.context = context_});
    node_ = make("n");
  }
  std::shared_ptr<Node> make(const std::string& name) {
    auto node = std::make_shared<Node>(name, options());
    EXPECT_TRUE(executor_->add_node(node));
    return node;
  }
  template <typename Condition>
  void spin_until(const Condition& condition) {
    while (!condition()) {
      ASSERT_TRUE(executor_->spin_once(1ms));
    }
  }
  std::shared_ptr<Subscription<String>> subscribe(const QoS& qos,
                                                  const SubscriptionOptions& options = {}) {
    return node_->create_subscription<String>(
        "chat", qos, [this](const String&) { ++taken_; }, options);
  }
  std::optional<SingleThreadedExecutor> executor_;
  std::shared_ptr<Node> node_;
  int taken_ = 0;
};

TEST_F(Events, ADeadlineIsMissedAtBothEndsOnTheExecutorsThread) {
  std::uint64_t offered = 0;
  std::uint64_t requested = 0;
  const auto here = std::this_thread::get_id();
  PublisherOptions of_publisher;
  of_publisher.event_callbacks.deadline_callback = [&](QOSDeadlineOfferedInfo& event) {
    EXPECT_EQ(std::this_thread::get_id(), here);
    offered += event.total_count_change;
    EXPECT_EQ(event.total_count, offered);
  };
  SubscriptionOptions of_subscription;
  of_subscription.event_callbacks.deadline_callback = [&](QOSDeadlineRequestedInfo& event) {
    EXPECT_EQ(std::this_thread::get_id(), here);
    requested += event.total_count_change;
    EXPECT_EQ(event.total_count, requested);
  };
  auto publisher = node_->create_publisher<String>("chat", QoS(1).deadline(20ms), of_publisher);
  auto subscription = subscribe(QoS(1).deadline(20ms), of_subscription);
  wait_for([&] { return publisher->get_subscription_count() == 1; });
  ASSERT_TRUE(publisher->publish(String()));
  spin_until([&] { return taken_ == 1 && offered >= 2 && requested >= 2; });
  EXPECT_GE(publisher->statistics().deadline_missed, offered);
  EXPECT_GE(subscription->statistics().deadline_missed, requested);
}

TEST_F(Events, LivelinessByTopicIsAssertedAndLost) {
  const auto qos =
      QoS(1).liveliness(LivelinessPolicy::manual_by_topic).liveliness_lease_duration(30ms);
  std::uint64_t lost = 0;
  std::uint64_t became_alive = 0;
  QOSLivelinessChangedInfo newest;
  PublisherOptions of_publisher;
  of_publisher.event_callbacks.liveliness_callback = [&](QOSLivelinessLostInfo& event) {
    lost = event.total_count;
  };
  SubscriptionOptions of_subscription;
  of_subscription.event_callbacks.liveliness_callback = [&](QOSLivelinessChangedInfo& event) {
    newest = event;
    became_alive += event.alive_count_change > 0 ? 1U : 0U;
  };
  auto publisher = node_->create_publisher<String>("chat", qos, of_publisher);
  auto subscription = subscribe(qos, of_subscription);
  wait_for([&] { return publisher->get_subscription_count() == 1; });
  while (became_alive == 0) {
    ASSERT_TRUE(publisher->assert_liveliness());
    ASSERT_TRUE(executor_->spin_once(1ms));
  }
  spin_until([&] { return lost >= 1 && newest.not_alive_count == 1; });  // nobody asserts any more
  EXPECT_EQ(newest.alive_count, 0U);
}

TEST_F(Events, EndsThatDoNotFitTellEachOtherWhy) {
  IncompatibleQoSInfo offered;
  IncompatibleQoSInfo requested;
  PublisherOptions of_publisher;
  of_publisher.event_callbacks.incompatible_qos_callback =
      [&](QOSOfferedIncompatibleQoSInfo& event) { offered = event; };
  SubscriptionOptions of_subscription;
  of_subscription.event_callbacks.incompatible_qos_callback =
      [&](QOSRequestedIncompatibleQoSInfo& event) { requested = event; };
  auto publisher = node_->create_publisher<String>("chat", QoS(1).best_effort(), of_publisher);
  auto subscription = subscribe(QoS(1).reliable(), of_subscription);
  spin_until([&] { return offered.total_count == 1 && requested.total_count == 1; });
  EXPECT_EQ(offered.last_policy_kind, QosPolicyKind::reliability);
  EXPECT_EQ(requested.last_policy_kind, QosPolicyKind::reliability);
  EXPECT_EQ(publisher->get_subscription_count(), 0U);
}

TEST_F(Events, MatchesComeAndGoAndLossIsTold) {
  MatchedInfo matched;
  std::uint64_t lost = 0;
  PublisherOptions of_publisher;
  of_publisher.event_callbacks.matched_callback = [&](MatchedInfo& event) { matched = event; };
  SubscriptionOptions of_subscription;
  of_subscription.event_callbacks.message_lost_callback = [&](QOSMessageLostInfo& event) {
    lost = event.total_count;
  };
  auto publisher = node_->create_publisher<String>("chat", QoS(1), of_publisher);
  auto subscription = subscribe(QoS(1), of_subscription);
  spin_until([&] { return matched.current_count == 1; });
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(publisher->publish(String()));
  }
  spin_until([&] { return lost == 4; });
  EXPECT_EQ(taken_, 1);
  EXPECT_EQ(subscription->statistics().lost, 4U);
  subscription.reset();
  spin_until([&] { return matched.current_count == 0; });
  EXPECT_EQ(matched.total_count, 1U);
  EXPECT_EQ(matched.current_count_change, -1);
}

TEST_F(Events, ARoundWithAnEventIsFollowedByAnother) {
  int first = 0;
  int second = 0;
  auto of_first = node_->create_subscription<String>("first", 5, [](const String&) {});
  auto of_second = node_->create_subscription<String>("second", 5, [](const String&) {});
  PublisherOptions options;
  options.event_callbacks.matched_callback = [&](MatchedInfo&) { ++first; };
  auto publisher = node_->create_publisher<String>("first", QoS(1), options);
  options.event_callbacks.matched_callback = [&](MatchedInfo&) {
    ++second;
    of_first.reset();  // an event of the other, which has had its turn in this round
    wait_for([&] { return publisher->get_subscription_count() == 0; });
  };
  auto other = node_->create_publisher<String>("second", QoS(1), options);
  wait_for([&] {
    return publisher->get_subscription_count() == 1 && other->get_subscription_count() == 1;
  });
  ASSERT_TRUE(executor_->spin_some());
  EXPECT_EQ(second, 1);
  EXPECT_EQ(first, 2);
}

TEST_F(Events, AStalledSubscriptionIsToldWithItsNameAndMovesAgain) {
  StalledInfo stalled;
  PublisherOptions of_publisher;
  of_publisher.event_callbacks.stalled_callback = [&](StalledInfo& event) { stalled = event; };
  // Its executor does not run: nobody takes.
  const auto made = Context::create({.domain = domain_, .run_id = "test"});
  ASSERT_TRUE(made);
  const auto& sleeper_context = *made;
  auto sleeper = std::make_shared<Node>("sleeper", NodeOptions().context(sleeper_context));
  int slept = 0;
  auto subscription = sleeper->create_subscription<String>("chat", QoS(KeepAll(2)),
                                                           [&](const String&) { ++slept; });
  auto publisher = node_->create_publisher<String>("chat", QoS(KeepAll(2)), of_publisher);
  wait_for([&] { return publisher->get_subscription_count() == 1; });
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(publisher->publish(String()));
  }
  spin_until([&] { return stalled.current_count == 1; });
  EXPECT_EQ(publisher->statistics().waits, 1U);
  EXPECT_EQ(publisher->statistics().overrun, 2U);
  EXPECT_EQ(publisher->statistics().stalled, 1U);
  ASSERT_EQ(publisher->statistics().stalled_by.size(), 1U);
  EXPECT_EQ(publisher->statistics().stalled_by[0].node, "/sleeper");
  EXPECT_TRUE(publisher->statistics().stalled_by[0].now);
  EXPECT_NE(errors_of(*node_).find("on '/chat' of node '/n' has 1 stalled of its keep-all "
                                   "subscriptions (/sleeper in process " +
                                   std::to_string(::getpid()) + ")"),
            std::string::npos)
      << errors_of(*node_);
  SingleThreadedExecutor late({.context = sleeper_context});
  ASSERT_TRUE(late.add_node(sleeper));
  while (slept < 2) {
    ASSERT_TRUE(late.spin_once(1ms));
  }
  EXPECT_EQ(subscription->statistics().lost, 2U);
  ASSERT_TRUE(publisher->publish(String()));
  spin_until([&] { return stalled.current_count == 0; });
  EXPECT_EQ(stalled.total_count, 1U);
}

TEST_F(Events, MessagesBeyondTheirLifespanAreCountedNotDelivered) {
  auto publisher = node_->create_publisher<String>("chat", QoS(10).lifespan(5ms));
  auto subscription = subscribe(QoS(10));
  wait_for([&] { return publisher->get_subscription_count() == 1; });
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(publisher->publish(String()));
  }
  const auto newest = pool::monotonic_now_ns();
  wait_for([&] { return pool::monotonic_now_ns() - newest > 6'000'000; });
  spin_until([&] { return subscription->statistics().expired == 3; });
  EXPECT_EQ(taken_, 0);
}

// --- held samples --------------------------------------------------------------------------------

TEST_F(Events, ASampleReleasedElsewhereWakesTheExecutorWhichSleepsUntilThen) {
  auto publisher = node_->create_publisher<String>("chat", QoS(10));
  std::mutex mutex;
  std::vector<Sample<String>> kept;
  std::atomic<int> count{0};
  auto subscription =
      node_->create_subscription<String>("chat", QoS(10).max_held(2), [&](Sample<String> sample) {
        const std::lock_guard lock(mutex);
        kept.push_back(std::move(sample));
        ++count;
      });
  wait_for([&] { return publisher->get_subscription_count() == 1; });
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(publisher->publish(String()));
  }
  std::thread spinning([&] { EXPECT_TRUE(executor_->spin()); });
  wait_for([&] { return subscription->statistics().refused != 0; });
  const auto refused = subscription->statistics().refused;
  const auto sleeps = pool::system_calls().futex_waits;
  std::this_thread::sleep_for(200ms);  // a look each 200 us would be a thousand
  EXPECT_LE(subscription->statistics().refused, refused + 20);
  EXPECT_LE(pool::system_calls().futex_waits, sleeps + 20);
  EXPECT_EQ(count, 2);
  {
    const std::lock_guard lock(mutex);
    kept.erase(kept.begin());
  }
  wait_for([&] { return count == 3; });
  EXPECT_LE(pool::system_calls().futex_waits, sleeps + 20);
  executor_->cancel();
  spinning.join();
}

// --- the executor's own list ---------------------------------------------------------------------

TEST_F(Events, NodesComeAndGoWhileItSpins) {
  std::atomic<int> calls{0};
  std::thread spinning([&] { EXPECT_TRUE(executor_->spin()); });
  for (int i = 0; i < 200; ++i) {
    auto node = make("guest");
    auto timer = node->create_wall_timer(0ns, [&] { ++calls; });
    const int before = calls;
    wait_for([&] { return calls != before; });
    executor_->remove_node(node);
  }
  executor_->cancel();
  spinning.join();
  EXPECT_GE(calls, 200);
}

TEST_F(Events, ASecondExceptionIsNotBlamedOnTheFirstNode) {
  auto first = make("first");
  auto second = make("second");
  auto timer = first->create_wall_timer(0ns, [] { throw std::runtime_error("one"); });
  EXPECT_EQ(executor_->spin().error().text, "a callback of node '/first' threw: one");
  timer->cancel();
  timer = second->create_wall_timer(0ns, [] { throw std::runtime_error("two"); });
  // The order in which nodes are looked at must not matter either.
  executor_->remove_node(first);
  ASSERT_TRUE(executor_->add_node(first));
  EXPECT_EQ(executor_->spin().error().text, "a callback of node '/second' threw: two");
}

TEST_F(Events, NeverIsAPeriodToo) {
  int calls = 0;
  auto wall = node_->create_wall_timer(std::chrono::nanoseconds::max(), [&] { ++calls; });
  auto own = node_->create_timer(std::chrono::nanoseconds::max(), [&] { ++calls; });
  ASSERT_TRUE(executor_->spin_once(1ms));
  wall->reset();
  std::thread other([&] {
    wait_for([&] { return executor_->state() == ExecutorState::running; });
    executor_->cancel();
  });
  ASSERT_TRUE(executor_->spin());
  other.join();
  EXPECT_EQ(calls, 0);
  EXPECT_GT(wall->time_until_trigger(), std::chrono::hours(24 * 365));
}

}  // namespace
}  // namespace ligament
