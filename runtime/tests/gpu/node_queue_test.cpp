// SPDX-License-Identifier: Apache-2.0
/// Nodes with kernels whose topic between them is a queue.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "chain_ends.hpp"
#include "fixture.hpp"

namespace ligament::gpu {
namespace {

using test::Message;
using test::Scale;
using testing::HasSubstr;

/// Messages of numbers through two kernels, and the topic between them.
class QueueNodes : public test::OnEachModel {
 protected:
  void SetUp() override {
    OnEachModel::SetUp();
    if (IsSkipped()) {
      return;
    }
    if (GetParam().where == test::Where::cuda && GetParam().model == Model::zero_copy) {
      if (const std::string lack = test::lacks_read_only_memory(); !lack.empty()) {
        GTEST_SKIP() << lack;
      }
    }
    static int number = 0;
    const std::string domain =
        "gpu-queue-" + std::to_string(::getpid()) + "-" + std::to_string(number++);
    context_ = Context::create({.domain = domain, .run_id = "run"}).value();
    ::setenv("LIGAMENT_GPU_BACKEND", test::is_opencl(GetParam().where) ? "opencl" : "cuda", 1);
  }
  void TearDown() override {
    ::unsetenv("LIGAMENT_GPU_BACKEND");
    OnEachModel::TearDown();
  }

  [[nodiscard]] NodeOptions options(const char* in, const char* out) const {
    NodeOptions options;
    options.context(context_).remap("in", in).remap("out", out);
    const bool is_asked = GetParam().model != Model::automatic;
    options.device_model(!is_asked                                  ? ""
                         : GetParam().model == Model::zero_copy     ? "zero_copy"
                         : GetParam().model == Model::standard_copy ? "standard_copy"
                                                                    : "unified_memory");
    for (const char* topic : {"/raw", "/between", "/done"}) {
      TopicOptions said;
      said.bound_bytes = std::size_t{1} << 20;
      said.device = true;
      said.queue = is_queue_ && topic == std::string("/between");
      options.topic(topic, said);
    }
    return options;
  }

  void start() {
    first_ = std::make_shared<Scale>("first", options("/raw", "/between"), 3);
    second_ = std::make_shared<Scale>("second", options("/between", "/done"), 5);
    ends_ = std::make_unique<test::ChainEnds>(context_, options("in", "out"));
    ends_->add(first_);
    ends_->add(second_);
    EXPECT_TRUE(ends_->eventually(
        [this] { return ends_->is_heard() && first_->is_matched() && second_->is_matched(); }));
  }
  void stop() {
    ends_.reset();
    first_.reset();
    second_.reset();
  }

  /// Sends the next message when the one before has come, or a node has refused it.
  void send_all(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t number = first; number <= last; ++number) {
      const std::size_t before = ends_->found().size();
      const std::uint64_t refused = first_->refused() + second_->refused();
      ends_->send(number);
      EXPECT_TRUE(ends_->eventually([&] {
        return ends_->found().size() > before || first_->refused() + second_->refused() > refused;
      })) << number;
    }
  }

  /// First words of what arrives for the messages 1, 2, 3, ...
  std::vector<std::uint64_t> run(std::uint64_t messages) {
    start();
    send_all(1, messages);
    return ends_->found();
  }

  /// The next launch is refused by the driver; or its kernel ends with the loss of the device.
  static void break_next(bool is_lost) {
    if (test::is_opencl(GetParam().where)) {
      test::opencl_fails(is_lost ? "kernel" : "clEnqueueNDRangeKernel", 0, is_lost ? -2 : -5);
    } else {
      cuda_twin_fail(is_lost ? "kernel" : "cuLaunchKernel", 0, is_lost ? 700 : 2);
    }
  }

  bool is_queue_ = true;
  std::shared_ptr<Context> context_;
  std::shared_ptr<Scale> first_;
  std::shared_ptr<Scale> second_;
  std::unique_ptr<test::ChainEnds> ends_;
};

TEST_P(QueueNodes, give_what_they_give_without_a_queue_and_copy_nothing_between) {
  constexpr std::uint64_t messages = 20;
  std::vector<std::uint64_t> expected;
  for (std::uint64_t i = 1; i <= messages; ++i) {
    expected.push_back(15 * i);
  }
  EXPECT_EQ(run(messages), expected);
  const std::uint64_t there = first_->model() == Model::zero_copy ? 0 : messages;
  EXPECT_EQ(first_->statistics().copies, there) << "in, and nothing out";
  EXPECT_EQ(second_->statistics().copies, there) << "out, and nothing in";
  stop();
  is_queue_ = false;
  EXPECT_EQ(run(messages), expected);
  EXPECT_EQ(first_->statistics().copies, 2 * there);
  const bool is_staged = !test::is_opencl(GetParam().where) &&
                         GetParam().model == Model::standard_copy &&
                         !test::lacks_read_only_memory().empty();
  EXPECT_EQ(first_->statistics().staged, is_staged ? messages : 0) << "in; out is registered";
  stop();
}

TEST_P(QueueNodes, a_launch_that_fails_costs_its_message_alone) {
  if (GetParam().where == test::Where::cuda) {
    GTEST_SKIP() << "faults are not injected into a real driver";
  }
  for (const bool is_queue : {true, false}) {
    is_queue_ = is_queue;
    start();
    send_all(1, 3);
    break_next(false);
    send_all(4, 4);
    send_all(5, 30);  // more than there are blocks
    std::vector<std::uint64_t> expected;
    for (std::uint64_t number = 1; number <= 30; ++number) {
      if (number != 4) {
        expected.push_back(15 * number);
      }
    }
    EXPECT_TRUE(ends_->eventually([&] { return ends_->found().size() == expected.size(); }));
    EXPECT_EQ(ends_->found(), expected);
    EXPECT_EQ(first_->refused(), 1U);
    stop();
  }
}

TEST_P(QueueNodes, a_device_that_is_lost_leaves_nobody_stuck) {
  if (GetParam().where == test::Where::cuda) {
    GTEST_SKIP() << "faults are not injected into a real driver";
  }
  is_queue_ = false;
  start();
  send_all(1, 3);
  break_next(true);
  for (std::uint64_t number = 4; number <= 30; ++number) {  // nobody holds what nobody can work on
    const std::uint64_t refused = first_->refused();
    ends_->send(number);
    EXPECT_TRUE(ends_->eventually([&] { return first_->refused() > refused; })) << number;
  }
  EXPECT_EQ(ends_->found(), (std::vector<std::uint64_t>{15, 30, 45}));
  ASSERT_FALSE(first_->errors().empty());
  EXPECT_THAT(first_->errors().back().text, HasSubstr("was given up before"));
  if (!test::is_opencl(GetParam().where)) {
    cuda_twin_repair();  // other processes' devices work on
  }
  stop();
}

INSTANTIATE_TEST_SUITE_P(Models, QueueNodes, test::each_model, test::name_of_model);

/// Payloads are not in the pool: nobody may take them for what they are not.
TEST(GpuQueueTopic, does_not_match_a_subscription_that_expects_payloads_in_the_pool) {
  auto context =
      Context::create({.domain = "gpu-queue-type-" + std::to_string(::getpid()), .run_id = "run"})
          .value();
  NodeOptions queue;
  TopicOptions said;
  said.queue = true;
  queue.context(context).topic("/between", said);
  NodeOptions plain;
  plain.context(context);
  Node sender("sender", queue);
  Node other("other", plain);
  Node same("same", queue);
  auto publisher = sender.create_publisher<Message>("/between", QoS(5));
  auto misled = other.create_subscription<Message>("/between", QoS(5), [](Sample<Message>) {});
  auto meant = same.create_subscription<Message>("/between", QoS(5), [](Sample<Message>) {});
  for (int i = 0; i < 10'000 && publisher->get_subscription_count() == 0; ++i) {
    ::usleep(1000);
  }
  EXPECT_EQ(publisher->get_subscription_count(), 1U);
}

}  // namespace
}  // namespace ligament::gpu
