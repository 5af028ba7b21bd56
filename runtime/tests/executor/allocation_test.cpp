// SPDX-License-Identifier: Apache-2.0
/// \file Loan, publish, take and a Sample callback allocate nothing and make no needless system
/// call.
#include <ligament/detail/pool.hpp>
#include <ligament/sensor_msgs/msg/image.hpp>
#include <ligament/std_msgs/msg/string.hpp>

#include "../node/fixture.hpp"
#include "container/heap_counter.hpp"

namespace ligament {
namespace {

using sensor_msgs::msg::Image;

class SteadyState : public testing::WithContext {
 protected:
  void SetUp() override {
    WithContext::SetUp();
    count_ = container::allocation_counter();
    if (count_ == nullptr) {
      GTEST_SKIP() << "a sanitizer has its own allocator: allocations are not counted";
    }
  }
  detail::AllocationCounter count_ = nullptr;
};

constexpr int warm_up = 100;
constexpr int messages = 1000;

TEST_F(SteadyState, LoanToSampleCallbackAllocatesNothing) {
  executors::SingleThreadedExecutor executor({.context = context_});
  auto node = std::make_shared<Node>("n", options());
  ASSERT_TRUE(executor.add_node(node));
  auto publisher = node->create_publisher<Image>("image", 4);
  int taken = 0;
  auto subscription = node->create_subscription<Image>(
      "image", 4, [&](Sample<Image> sample) { taken += sample->data()[0] == 7 ? 1 : 0; });
  testing::wait_for([&] { return publisher->get_subscription_count() == 1; });
  Publisher<Image>::Shape shape;
  shape.encoding = 5;
  shape.data = 4096;
  const auto send = [&] {
    auto loan = publisher->borrow_loaned_message(shape);
    loan->get().data()[0] = 7;
    loan->get().set_encoding("mono8");
    publisher->publish(std::move(*loan));
  };
  const auto rounds = [&](int count) {
    for (int i = 0; i < count; ++i) {
      send();
      (void)executor.spin_once(std::chrono::nanoseconds(0));
    }
  };
  rounds(warm_up);
  const auto allocations = count_();
  const auto calls = pool::system_calls();
  rounds(messages);
  EXPECT_EQ(count_() - allocations, 0U);
  const auto after = pool::system_calls();
  EXPECT_EQ(after.futex_wakes, calls.futex_wakes);
  EXPECT_EQ(after.futex_waits, calls.futex_waits);
  EXPECT_EQ(after.growths, calls.growths);
  EXPECT_EQ(taken, warm_up + messages);
}

TEST_F(SteadyState, StructsOfTheSameSizeAllocateNothingToo) {
  executors::SingleThreadedExecutor executor({.context = context_});
  auto node = std::make_shared<Node>("n", options());
  ASSERT_TRUE(executor.add_node(node));
  auto publisher = node->create_publisher<std_msgs::msg::String>("chat", 4);
  int taken = 0;
  auto subscription = node->create_subscription<std_msgs::msg::String>(
      "chat", 4, [&](const std_msgs::msg::String&) { ++taken; });
  testing::wait_for([&] { return publisher->get_subscription_count() == 1; });
  std_msgs::msg::String message;
  message.data = std::string(100, 'x');
  const auto rounds = [&](int count) {
    for (int i = 0; i < count; ++i) {
      publisher->publish(message);
      (void)executor.spin_once(std::chrono::nanoseconds(0));
    }
  };
  rounds(warm_up);
  const auto allocations = count_();
  rounds(messages);
  EXPECT_EQ(count_() - allocations, 0U);
  EXPECT_EQ(taken, warm_up + messages);
}

/// The counter itself works: a test that cannot fail shows nothing.
TEST_F(SteadyState, AllocationsAreSeen) {
  const auto allocations = count_();
  auto something = std::make_unique<std::string>(200, 'x');
  EXPECT_EQ(count_() - allocations, 2U);
}

}  // namespace
}  // namespace ligament
