// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <ligament/example_interfaces/srv/add_two_ints.hpp>
#include <ligament/rosgraph_msgs/msg/clock.hpp>
#include <ligament/std_msgs/msg/string.hpp>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>

#include "../node/fixture.hpp"
#include "node/node_state.hpp"

namespace ligament {
namespace {

using example_interfaces::srv::AddTwoInts;
using executors::MultiThreadedExecutor;
using std_msgs::msg::String;
using testing::errors_of;
using testing::wait_for;
using namespace std::chrono_literals;

String saying(const std::string& data) {
  String message;
  message.data = data;
  return message;
}

/// Counts who is inside at once, and remembers the most.
class Crowd {
 public:
  class Visit {
   public:
    explicit Visit(Crowd& crowd) : crowd_(crowd) {
      const int now = ++crowd_.inside_;
      int most = crowd_.most_;
      while (now > most && !crowd_.most_.compare_exchange_weak(most, now)) {
      }
    }
    ~Visit() { --crowd_.inside_; }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    Crowd& crowd_;
  };
  [[nodiscard]] int inside() const { return inside_; }
  [[nodiscard]] int most() const { return most_; }

 private:
  std::atomic<int> inside_{0};
  std::atomic<int> most_{0};
};

class MultiThreaded : public testing::WithContext {
 protected:
  static constexpr std::size_t threads = 4;

  std::shared_ptr<Node> make(const std::string& name) {
    auto node = std::make_shared<Node>(name, options());
    EXPECT_TRUE(executor().add_node(node));
    return node;
  }
  MultiThreadedExecutor& executor() {
    if (!executor_) {
      executor_.emplace(ExecutorOptions{.context = context_}, threads);
    }
    return *executor_;
  }
  expected<void, ExecutorError> stop() {
    executor().cancel();
    return join();
  }
  expected<void, ExecutorError> join() {
    if (spinning_) {
      spinning_->join();
      spinning_.reset();
    }
    return result_;
  }
  /// Spins until it is destroyed: before what the callbacks use.
  class Spin {
   public:
    explicit Spin(MultiThreaded& test) : test_(test) {
      test_.spinning_.emplace([&test] { test.result_ = test.executor().spin(); });
    }
    ~Spin() {
      if (test_.spinning_) {
        EXPECT_TRUE(test_.stop());
      }
    }
    Spin(const Spin&) = delete;
    Spin& operator=(const Spin&) = delete;

   private:
    MultiThreaded& test_;
  };
  SubscriptionOptions in_group(const CallbackGroup::SharedPtr& group) {
    SubscriptionOptions options;
    options.callback_group = group;
    return options;
  }

  std::optional<MultiThreadedExecutor> executor_;
  std::optional<std::thread> spinning_;
  expected<void, ExecutorError> result_;
};

TEST_F(MultiThreaded, CallbacksOfANodeThatNamesNoGroupNeverRunAtTheSameTime) {
  auto node = make("n");
  Crowd crowd;
  std::atomic<int> ran{0};
  const auto visit = [&] {
    const Crowd::Visit here(crowd);
    std::this_thread::sleep_for(200us);
    ++ran;
  };
  auto publisher = node->create_publisher<String>("chat", QoS(1000).reliable());
  auto a = node->create_subscription<String>("chat", QoS(1000), [&](const String&) { visit(); });
  auto b = node->create_subscription<String>("chat", QoS(1000), [&](const String&) { visit(); });
  auto timer = node->create_wall_timer(100us, visit);
  wait_for([&] { return publisher->get_subscription_count() == 2; });
  const Spin spin(*this);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(publisher->publish(saying("x")));
  }
  wait_for([&] { return a->statistics().taken == 100 && b->statistics().taken == 100; });
  wait_for([&] { return ran >= 300; });
  EXPECT_EQ(crowd.most(), 1);
}

TEST_F(MultiThreaded, GroupsRunBesideEachOther) {
  auto node = make("n");
  Crowd crowd;
  std::atomic<bool> open{false};
  const auto meet = [&] {
    const Crowd::Visit here(crowd);
    wait_for([&] { return open.load(); });
  };
  std::vector<std::shared_ptr<TimerBase>> timers;
  for (std::size_t i = 0; i < threads; ++i) {
    timers.push_back(node->create_wall_timer(
        1ms, meet, node->create_callback_group(CallbackGroupType::mutually_exclusive)));
  }
  const Spin spin(*this);
  wait_for([&] { return crowd.inside() == static_cast<int>(threads); });
  open = true;
}

TEST_F(MultiThreaded, AReentrantSubscriptionRunsBesideItself) {
  auto node = make("n");
  Crowd crowd;
  std::atomic<bool> open{false};
  std::mutex mutex;
  std::multiset<std::string> seen;
  const auto group = node->create_callback_group(CallbackGroupType::reentrant);
  auto publisher = node->create_publisher<String>("chat", QoS(10));
  auto subscription = node->create_subscription<String>(
      "chat", QoS(10),
      [&](const String& message) {  // the form whose message is reused
        const Crowd::Visit here(crowd);
        wait_for([&] { return open.load(); });
        const std::lock_guard lock(mutex);
        seen.insert(message.data);
      },
      in_group(group));
  wait_for([&] { return publisher->get_subscription_count() == 1; });
  const Spin spin(*this);
  for (const char* data : {"a", "b", "c", "d"}) {
    ASSERT_TRUE(publisher->publish(saying(data)));
  }
  wait_for([&] { return crowd.inside() == static_cast<int>(threads); });
  open = true;
  wait_for([&] { return crowd.inside() == 0; });
  EXPECT_EQ(seen, (std::multiset<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(node->state().figures.callbacks, 4U);
  EXPECT_EQ(errors_of(*node), "");
}

TEST_F(MultiThreaded, NothingIsLostAndEachIsHandledOnce) {
  constexpr int count = 2000;
  auto node = make("n");
  auto other = make("m");
  const auto group = node->create_callback_group(CallbackGroupType::reentrant);
  std::vector<std::atomic<int>> seen(count);
  std::atomic<int> all{0};
  auto publisher = other->create_publisher<String>("chat", QoS(count));
  auto subscription = node->create_subscription<String>(
      "chat", QoS(count),
      [&](const String& message) {
        ++seen[static_cast<std::size_t>(std::stoi(message.data))];
        ++all;
      },
      in_group(group));
  wait_for([&] { return publisher->get_subscription_count() == 1; });
  const Spin spin(*this);
  for (int i = 0; i < count; ++i) {
    ASSERT_TRUE(publisher->publish(saying(std::to_string(i))));
  }
  wait_for([&] { return all == count; });
  for (const auto& one : seen) {
    ASSERT_EQ(one, 1);
  }
  EXPECT_EQ(subscription->statistics().lost, 0U);
}

TEST_F(MultiThreaded, SeveralThreadsShareOnePublisher) {
  constexpr int each = 200;
  auto node = make("n");
  const auto group = node->create_callback_group(CallbackGroupType::reentrant);
  auto publisher = node->create_publisher<String>("out", QoS(1));
  std::vector<std::shared_ptr<TimerBase>> timers;
  std::atomic<int> sent{0};
  for (std::size_t i = 0; i < threads; ++i) {
    timers.push_back(node->create_wall_timer(
        10us,
        [&] {
          if (publisher->publish(saying(std::string(5000, 'x')))) {
            ++sent;
          }
        },
        group));
  }
  const Spin spin(*this);
  wait_for([&] { return sent >= each; });
  ASSERT_TRUE(stop());
  EXPECT_EQ(errors_of(*node), "") << "a publisher lends two messages, which threads take in turn";
}

TEST_F(MultiThreaded, ACallbackMayWaitForAResponseThatAnotherGroupBrings) {
  auto node = make("n");
  auto service = node->create_service<AddTwoInts>(
      "add",
      [](const AddTwoInts::Request::SharedPtr& request,
         const AddTwoInts::Response::SharedPtr& response) {
        response->sum = request->a + request->b;
      },
      ServicesQoS(), node->create_callback_group(CallbackGroupType::mutually_exclusive));
  auto client = node->create_client<AddTwoInts>(
      "add", ServicesQoS(), node->create_callback_group(CallbackGroupType::mutually_exclusive));
  ASSERT_TRUE(client->wait_for_service(10s));
  std::atomic<std::int64_t> sum{0};
  auto timer = node->create_wall_timer(1ms, [&] {
    AddTwoInts::Request request;
    request.a = 2;
    request.b = 3;
    auto sent = client->async_send_request(request);
    if (const auto response = sent.get()) {
      sum = response->sum;
    }
  });
  const Spin spin(*this);
  wait_for([&] { return sum == 5; });
  EXPECT_TRUE(stop()) << "a callback that waits is answered while the executor drains";
  EXPECT_EQ(errors_of(*node), "");
}

TEST_F(MultiThreaded, SimulatedTimeGoesOnBesideACallback) {
  auto node =
      std::make_shared<Node>("n", options().append_parameter_override("use_sim_time", true));
  ASSERT_TRUE(executor().add_node(node));
  auto other = make("m");
  auto clock = other->create_publisher<rosgraph_msgs::msg::Clock>("/clock", QoS(1));
  std::atomic<bool> waits{false};
  std::atomic<std::int64_t> seen{0};
  auto timer = node->create_wall_timer(1ms, [&] {
    waits = true;
    for (int i = 0; i < 30'000 && node->now() < Time(7, 0); ++i) {
      std::this_thread::sleep_for(1ms);
    }
    std::int64_t nothing = 0;
    seen.compare_exchange_strong(nothing, std::max<std::int64_t>(1, node->now().nanoseconds()));
  });
  const Spin spin(*this);
  wait_for([&] { return waits && clock->get_subscription_count() == 1; });
  rosgraph_msgs::msg::Clock message;
  message.clock = Time(7, 0);
  ASSERT_TRUE(clock->publish(message));
  wait_for([&] { return seen != 0; });
  EXPECT_EQ(seen, 7'000'000'000);
  EXPECT_TRUE(stop());
}

TEST_F(MultiThreaded, WaitingForWhatTheOwnGroupBringsIsRefused) {
  auto node = make("n");
  auto other = make("m");
  auto service = other->create_service<AddTwoInts>(
      "add", [](const AddTwoInts::Request::SharedPtr&, const AddTwoInts::Response::SharedPtr&) {});
  auto client = node->create_client<AddTwoInts>("add");
  ASSERT_TRUE(client->wait_for_service(10s));
  std::atomic<bool> ended{false};
  auto timer = node->create_wall_timer(1ms, [&] {
    auto sent = client->async_send_request(AddTwoInts::Request());
    sent.wait();
    ended = true;
  });
  const Spin spin(*this);
  wait_for([&] { return ended.load(); });
  ASSERT_TRUE(stop());
  EXPECT_NE(
      errors_of(*node).find("inside a callback of the callback group that would have to bring "
                            "it: the wait would never end and is refused"),
      std::string::npos)
      << errors_of(*node);
}

TEST_F(MultiThreaded, TheGroupOfAnotherNodeIsRefused) {
  auto node = make("n");
  auto other = make("m");
  auto timer = node->create_wall_timer(
      1ms, [] {}, other->create_callback_group(CallbackGroupType::reentrant));
  EXPECT_NE(errors_of(*node).find("was given a callback group of another node"), std::string::npos);
}

TEST_F(MultiThreaded, AnExceptionEndsAllThreadsAndNamesTheNode) {
  auto node = make("n");
  auto other = make("m");
  const auto group = other->create_callback_group(CallbackGroupType::reentrant);
  auto busy = other->create_wall_timer(
      10us, [] {}, group);
  auto timer = node->create_wall_timer(1ms, [] { throw std::runtime_error("broken"); });
  const Spin spin(*this);
  const auto ended = join();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ExecutorErrorCode::callback);
  EXPECT_EQ(ended.error().text, "a callback of node '/n' threw: broken");
}

TEST_F(MultiThreaded, WhatHasArrivedIsHandledBeforeItEnds) {
  auto node = make("n");
  std::atomic<int> seen{0};
  std::atomic<bool> began{false};
  auto publisher = node->create_publisher<String>("chat", QoS(20));
  auto subscription = node->create_subscription<String>("chat", QoS(20), [&](const String&) {
    began = true;
    std::this_thread::sleep_for(2ms);
    ++seen;
  });
  wait_for([&] { return publisher->get_subscription_count() == 1; });
  const Spin spin(*this);
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(publisher->publish(saying("x")));
  }
  wait_for([&] { return began.load(); });
  ASSERT_TRUE(stop());
  EXPECT_EQ(seen, 10);
  EXPECT_EQ(executor().state(), ExecutorState::stopped);
}

TEST_F(MultiThreaded, ACycleOfTopicsDoesNotKeepItFromEnding) {
  auto node = make("n");
  const auto group = node->create_callback_group(CallbackGroupType::reentrant);
  auto publisher = node->create_publisher<String>("chat", QoS(5));
  std::atomic<int> rounds{0};
  auto subscription = node->create_subscription<String>(
      "chat", QoS(5),
      [&](const String& message) {
        ++rounds;
        (void)publisher->publish(message);
      },
      in_group(group));
  wait_for([&] { return publisher->get_subscription_count() == 1; });
  const Spin spin(*this);
  ASSERT_TRUE(publisher->publish(saying("x")));
  wait_for([&] { return rounds >= 20; });
  EXPECT_TRUE(stop());
}

TEST_F(MultiThreaded, RemovingANodeWaitsForItsCallback) {
  auto node = make("n");
  auto other = make("m");
  std::atomic<bool> inside{false};
  auto timer = node->create_wall_timer(1ms, [&] {
    inside = true;
    std::this_thread::sleep_for(20ms);
    inside = false;
  });
  const Spin spin(*this);
  for (int i = 0; i < 5; ++i) {
    wait_for([&] { return inside.load(); });
    executor().remove_node(node);
    ASSERT_FALSE(inside) << "its callback ended before remove_node() returned";
    ASSERT_TRUE(executor().add_node(node));
  }
}

TEST_F(MultiThreaded, NodesComeAndGoWhileItSpins) {
  auto first = make("first");
  const Spin spin(*this);
  std::atomic<int> ran{0};
  for (int i = 0; i < 20; ++i) {
    auto node = std::make_shared<Node>("n" + std::to_string(i), options());
    auto timer = node->create_wall_timer(50us, [&, mine = std::make_shared<int>(i)] {
      EXPECT_EQ(*mine, i);
      ++ran;
    });
    const int before = ran;
    ASSERT_TRUE(executor().add_node(node));
    wait_for([&] { return ran > before; });
    executor().remove_node(node);
  }
}

TEST_F(MultiThreaded, CannotSpinInsideACallback) {
  auto node = make("n");
  std::optional<ExecutorErrorCode> code;
  std::atomic<bool> ended{false};
  auto timer = node->create_wall_timer(1ms, [&] {
    const auto spun = executor().spin();
    if (!ended && !spun) {
      code = spun.error().code;
      ended = true;
    }
  });
  const Spin spin(*this);
  wait_for([&] { return ended.load(); });
  ASSERT_TRUE(stop());
  EXPECT_EQ(code, ExecutorErrorCode::inside_callback);
}

TEST_F(MultiThreaded, HasAsManyThreadsAsAskedForOrTwoAtLeast) {
  EXPECT_EQ(MultiThreadedExecutor({.context = context_}, 3).get_number_of_threads(), 3U);
  EXPECT_GE(MultiThreadedExecutor({.context = context_}).get_number_of_threads(), 2U);
  EXPECT_EQ(MultiThreadedExecutor({.context = context_}, 1000).get_number_of_threads(), 64U);
}

TEST_F(MultiThreaded, SpinsAgainAfterItEnded) {
  auto node = make("n");
  std::atomic<int> ran{0};
  auto timer = node->create_wall_timer(1ms, [&] { ++ran; });
  for (int i = 0; i < 3; ++i) {
    const Spin spin(*this);
    const int before = ran;
    wait_for([&] { return ran > before; });
    ASSERT_TRUE(stop());
  }
}

TEST_F(MultiThreaded, RunsWithEachWaitStrategy) {
  for (const WaitStrategy wait : {WaitStrategy::poll(), WaitStrategy::spin_then_sleep(20'000)}) {
    executor_.emplace(ExecutorOptions{.context = context_, .wait = wait}, 2);
    auto node = make("n");
    std::atomic<int> ran{0};
    auto timer = node->create_wall_timer(1ms, [&] { ++ran; });
    const Spin spin(*this);
    wait_for([&] { return ran >= 5; });
    ASSERT_TRUE(stop());
  }
}

}  // namespace
}  // namespace ligament
