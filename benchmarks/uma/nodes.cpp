// SPDX-License-Identifier: Apache-2.0
// Two nodes, by topics: a CPU node, which also says when a step is over, and a GPU node. A message
// without words asks whether the other is there.
#include <algorithm>
#include <chrono>
#include <ligament/std_msgs/msg/u_int32_multi_array.hpp>
#include <vector>

#include "ends.hpp"
#include "processors.hpp"
#include "two_nodes.hpp"

namespace uma {
namespace {

using Message = ligament::std_msgs::msg::UInt32MultiArray;
using Loan = ligament::LoanedMessage<Message>;
using Publisher = ligament::Publisher<Message>;
using Sample = ligament::Sample<Message>;
using ligament::nodes::parallel::Tally;

Loan lend(Publisher& publisher, std::size_t words) {
  ligament::MessageTraits<Message>::Shape shape;
  shape.data = words;
  auto loan = publisher.borrow_loaned_message(shape);
  if (!loan) {
    give_up("no memory was lent for a message");
  }
  return std::move(*loan);
}

Words words_of(Loan& loan) {
  const auto words = loan.get().data().span();
  return words ? *words : Words{};
}
ConstWords words_of(const Sample& sample) {
  const auto words = sample.view().data().span();
  return words ? *words : ConstWords{};
}

/// Works on each message of /to_gpu and answers on /to_cpu.
class GpuNode : public gpu::KernelNode {
 public:
  GpuNode(const Setup& setup, const ligament::NodeOptions& options)
      : KernelNode("gpu", options, kernels()), setup_(setup) {
    publisher_ =
        create_publisher<Message>("to_cpu", ligament::QoS(setup.history()), output_options());
    subscription_ = create_subscription<Message>(
        "to_gpu", input_qos(), [this](Sample sample) { came(std::move(sample)); }, input_options());
  }
  ~GpuNode() override { drain(); }
  GpuNode(const GpuNode&) = delete;
  GpuNode& operator=(const GpuNode&) = delete;

  [[nodiscard]] Copies copies() const { return copies_of(tally_.counts(), program()); }

 private:
  struct Work final : Job {
    Work(GpuNode& owner, Sample&& taken)
        : Job(owner, taken.info()),
          node(owner),
          sample(std::move(taken)),
          loan(lend(*owner.publisher_, answer_words(owner.setup_.workload, owner.setup_.size))) {}
    void publish() override {
      { const Sample done = std::move(sample); }  // its maker fills it again once it hears of this
      node.tally_.made(loan.is_copy());
      node.publisher_->publish(std::move(loan));
    }

    GpuNode& node;
    Sample sample;
    Loan loan;
  };

  void came(Sample&& sample) {
    if (words_of(sample).empty()) {
      publisher_->publish(lend(*publisher_, 0));
      return;
    }
    tally_.came(sample.is_copy());
    wait_for_room();
    auto work = std::make_unique<Work>(*this, std::move(sample));
    const auto arguments = arguments_of(setup_.size, words_of(work->sample), words_of(work->loan));
    submit(std::array{launch_of(setup_.workload, setup_.size, arguments)}, std::move(work));
  }

  Setup setup_;
  Tally tally_;
  std::shared_ptr<Publisher> publisher_;
  std::shared_ptr<ligament::SubscriptionBase> subscription_;
};

/// Does the CPU's part, and counts the steps.
class CpuNode : public ligament::Node {
 public:
  CpuNode(const Setup& setup, const ligament::NodeOptions& options)
      : Node("cpu", options), setup_(setup), part_(setup) {
    publisher_ = create_publisher<Message>("to_gpu", ligament::QoS(setup.history()));
    subscription_ = create_subscription<Message>("to_cpu", ligament::QoS(5).max_held(3),
                                                 [this](const Sample& sample) { came(sample); });
    hello_ = create_wall_timer(std::chrono::milliseconds(10),
                               [this] { publisher_->publish(lend(*publisher_, 0)); });
  }

  [[nodiscard]] bool is_ready() const { return is_answered_; }
  [[nodiscard]] bool is_done() const { return part_.is_done(); }
  [[nodiscard]] Copies copies() const { return copies_of(tally_.counts(), nullptr); }

  void begin() {
    hello_->cancel();
    part_.begin();
    send();
    if (part_.may_send()) {
      send();
    }
  }

 private:
  void came(const Sample& sample) {
    const ConstWords answer = words_of(sample);
    if (answer.empty()) {
      is_answered_ = true;
      return;
    }
    tally_.came(sample.is_copy());
    part_.answered(answer);
    if (part_.may_send()) {
      send();
    }
  }

  void send() {
    Loan loan = lend(*publisher_, setup_.size.words());
    part_.make(words_of(loan));
    tally_.made(loan.is_copy());
    publisher_->publish(std::move(loan));
  }

  Setup setup_;
  CpuPart part_;
  Tally tally_;
  bool is_answered_ = false;
  std::shared_ptr<Publisher> publisher_;
  std::shared_ptr<ligament::SubscriptionBase> subscription_;
  std::shared_ptr<ligament::TimerBase> hello_;
};

class TwoNodes : public Runner {
 public:
  TwoNodes(const Setup& setup, const Commands& commands)
      : setup_(setup),
        place_(setup, "cpu"),
        node_(std::make_shared<CpuNode>(setup, place_.options(setup))) {
    peers_.start(setup, commands, "gpu");
    spinner_.emplace(place_, node_, peers_);
    spinner_->until([this] { return node_->is_ready(); });
  }

  std::int64_t run() override {
    const Staying cpu(setup_, 0);
    const std::int64_t begin = ligament::pool::monotonic_now_ns();
    node_->begin();
    spinner_->until([this] { return node_->is_done(); });
    return ligament::pool::monotonic_now_ns() - begin;
  }

  Copies copies() override {
    Copies sum = node_->copies();
    sum += peers_.copies();
    return sum;
  }

 private:
  Setup setup_;
  Place place_;
  Peers peers_;
  std::shared_ptr<CpuNode> node_;
  std::optional<Spinner> spinner_;
};

}  // namespace

Served make_gpu_node(const Setup& setup, const Place& place) {
  auto node = std::make_shared<GpuNode>(setup, place.options(setup));
  return {node, [node] { return node->copies(); }};
}

std::unique_ptr<Runner> with_two_nodes(const Setup& setup, const Commands& commands) {
  return std::make_unique<TwoNodes>(setup, commands);
}

}  // namespace uma
