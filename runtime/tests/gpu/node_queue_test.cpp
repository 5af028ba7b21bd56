// SPDX-License-Identifier: Apache-2.0
/// Nodes with kernels whose topic between them is a queue: as generated ones, written by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <ligament/gpu_node.hpp>
#include <ligament/ligament.hpp>
#include <ligament/std_msgs/msg/u_int64_multi_array.hpp>

#include "fixture.hpp"

namespace ligament::gpu {
namespace {

using Message = std_msgs::msg::UInt64MultiArray;
using testing::HasSubstr;

constexpr const char* text = R"(
__kernel void scale(const __global ulong* in, __global ulong* out, ulong factor) {
  out[get_global_id(0)] = in[get_global_id(0)] * factor;
}
)";
constexpr std::size_t words = 100'000;

class Scale : public KernelNode {
 public:
  Scale(const std::string& name, const NodeOptions& options, std::int64_t factor)
      : KernelNode(
            name, options,
            {{{"scale.cl", text}},
             {{"scale", {ArgumentKind::input, ArgumentKind::output, ArgumentKind::number}}}}),
        factor_(factor) {
    publisher_ = create_publisher<Message>("out", QoS(5), output_options());
    subscription_ = create_subscription<Message>(
        "in", input_qos(), [this](Sample<Message> sample) { handle(std::move(sample)); },
        input_options());
  }
  ~Scale() override { drain(); }
  Scale(const Scale&) = delete;
  Scale& operator=(const Scale&) = delete;

  [[nodiscard]] Statistics statistics() const { return program()->statistics(); }
  [[nodiscard]] bool is_matched() const { return publisher_->get_subscription_count() == 1; }
  [[nodiscard]] Model model() const { return program()->device().model; }

 private:
  struct Work final : Job {
    Work(Scale& owner, Sample<Message>&& taken)
        : Job(owner, taken.info()), node(owner), sample(std::move(taken)) {}
    void publish() override {
      if (loan) {
        node.publisher_->publish(std::move(*loan));
      }
    }
    Scale& node;
    Sample<Message> sample;
    std::optional<LoanedMessage<Message>> loan;
  };

  void handle(Sample<Message>&& sample) {
    wait_for_room();
    auto work = std::make_unique<Work>(*this, std::move(sample));
    const auto& in = work->sample.view();
    if (!arrives(*subscription_, work->sample)) {
      return refuse("the payload of a queue topic is not on the device");
    }
    MessageTraits<Message>::Shape shape;
    shape.data = words;
    auto loan = publisher_->borrow_loaned_message(shape);
    ASSERT_TRUE(loan);
    std::optional<LoanedMessage<Message>> queued;
    auto& place = is_queue(publisher_->get_topic_name()) ? queued : work->loan;
    place.emplace(std::move(*loan));
    const auto payload = std::as_writable_bytes(place->get().data().span().value());
    if (queued) {
      leaves(payload);
    }
    const std::array<Argument, 3> arguments{in.chosen_bytes(), std::span<std::byte>(payload),
                                            factor_};
    submit(std::array{Launch{.kernel = 0,
                             .global = {static_cast<std::int64_t>(words), 1, 1},
                             .arguments = arguments}},
           std::move(work));
    if (queued) {
      send(*publisher_, std::move(*queued), payload);
    }
  }

  std::int64_t factor_;
  std::shared_ptr<Publisher<Message>> publisher_;
  std::shared_ptr<Subscription<Message>> subscription_;
};

/// Messages of numbers through two kernels, and the topic between them.
class QueueNodes : public test::OnEachModel {
 protected:
  void SetUp() override {
    OnEachModel::SetUp();
    if (IsSkipped()) {
      return;
    }
    static int number = 0;
    const std::string domain =
        "gpu-queue-" + std::to_string(::getpid()) + "-" + std::to_string(number++);
    context_ = Context::create({.domain = domain, .run_id = "run"}).value();
    ::setenv("LIGAMENT_GPU_BACKEND", GetParam().where == test::Where::opencl ? "opencl" : "cuda",
             1);
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

  /// First words of what arrives for the messages 1, 2, 3, ...
  std::vector<std::uint64_t> run(std::uint64_t messages) {
    first_ = std::make_shared<Scale>("first", options("/raw", "/between"), 3);
    second_ = std::make_shared<Scale>("second", options("/between", "/done"), 5);
    auto ends = std::make_shared<Node>("ends", options("in", "out"));
    auto publisher = ends->create_publisher<Message>("/raw", QoS(5));
    std::vector<std::uint64_t> found;
    auto subscription = ends->create_subscription<Message>("/done", QoS(5), [&](Sample<Message> s) {
      const auto data = s.view().data();
      found.push_back(data[0] == data[words - 1] ? data[0] : 0);
    });
    executors::SingleThreadedExecutor executor({.context = context_});
    for (const std::shared_ptr<Node>& node :
         {std::shared_ptr<Node>(first_), std::shared_ptr<Node>(second_), ends}) {
      EXPECT_TRUE(executor.add_node(node));
      for (const NodeError& error : node->errors()) {
        ADD_FAILURE() << error.text;
      }
    }
    for (std::uint64_t sent = 0, turn = 0; found.size() < messages && turn < 60'000; ++turn) {
      const bool is_matched =
          publisher->get_subscription_count() == 1 && first_->is_matched() && second_->is_matched();
      if (is_matched && sent == found.size()) {
        Message message;
        message.data.assign(words, ++sent);
        EXPECT_TRUE(publisher->publish(message));
      }
      (void)executor.spin_once(std::chrono::milliseconds(1));
    }
    return found;
  }

  bool is_queue_ = true;
  std::shared_ptr<Context> context_;
  std::shared_ptr<Scale> first_;
  std::shared_ptr<Scale> second_;
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
  first_.reset();
  second_.reset();
  is_queue_ = false;
  EXPECT_EQ(run(messages), expected);
  EXPECT_EQ(first_->statistics().copies, 2 * there);
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
