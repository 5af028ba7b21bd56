// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <vector>

#include "ends.hpp"

namespace uma {
namespace {

ligament::NodeOptions options_for(const Setup& setup,
                                  const std::shared_ptr<ligament::Context>& context) {
  ligament::TopicOptions to_gpu;
  to_gpu.bound_bytes = setup.size.bytes() + room_for_fields;
  to_gpu.device = true;
  ligament::TopicOptions to_cpu = to_gpu;
  to_cpu.bound_bytes =
      answer_words(setup.workload, setup.size) * sizeof(std::uint32_t) + room_for_fields;
  ligament::NodeOptions options;
  options.context(context).topic("/to_gpu", to_gpu).topic("/to_cpu", to_cpu);
  return options;
}

/// Works on each message of /to_gpu and answers on /to_cpu.
class GpuNode : public gpu::KernelNode {
 public:
  GpuNode(const Setup& setup, const ligament::NodeOptions& options)
      : KernelNode("gpu", options, kernels()), setup_(setup) {
    publisher_ = create_publisher<Message>("/to_cpu", ligament::QoS(2), output_options());
    if (setup.way == Way::shared_memory) {
      subscription_ = create_subscription<Message>(
          "/to_gpu", input_qos(), [this](Sample sample) { work_on(std::move(sample)); },
          input_options());
    } else {
      subscription_ = create_subscription<Message>(
          "/to_gpu", ligament::QoS(5), [this](const Message& message) { work_on(message); });
    }
  }
  ~GpuNode() override { drain(); }
  GpuNode(const GpuNode&) = delete;
  GpuNode& operator=(const GpuNode&) = delete;

 private:
  struct Work final : Job {
    Work(GpuNode& owner, Sample&& taken)
        : Job(owner, taken.info()),
          node(owner),
          sample(std::move(taken)),
          loan(lend(*owner.publisher_, answer_words(owner.setup_.workload, owner.setup_.size))) {}
    void publish() override { node.publisher_->publish(std::move(loan)); }

    GpuNode& node;
    Sample sample;
    Loan loan;
  };

  void work_on(Sample&& sample) {
    wait_for_room();
    auto work = std::make_unique<Work>(*this, std::move(sample));
    const auto arguments = arguments_of(setup_.size, words_of(work->sample), words_of(work->loan));
    submit(std::array{launch_of(setup_.workload, setup_.size, arguments)}, std::move(work));
  }

  /// The copy of the middleware is this node's own: it works on that, waits, and copies once more.
  void work_on(const Message& message) {
    answer_.data.resize(answer_words(setup_.workload, setup_.size));
    const auto arguments = arguments_of(setup_.size, message.data, answer_.data);
    struct Copied final : Job {
      Copied(GpuNode& owner, const ligament::MessageInfo& info) : Job(owner, info), node(owner) {}
      void publish() override { node.publisher_->publish(node.answer_); }
      GpuNode& node;
    };
    static const ligament::pool::SampleInfo unknown{};
    submit(std::array{launch_of(setup_.workload, setup_.size, arguments)},
           std::make_unique<Copied>(*this, ligament::MessageInfo(unknown)));
    drain();  // the struct is reused for the next message
  }

  Setup setup_;
  Message answer_;
  std::shared_ptr<Publisher> publisher_;
  std::shared_ptr<ligament::SubscriptionBase> subscription_;
};

/// Does the CPU's part, and counts the steps.
class CpuNode : public ligament::Node {
 public:
  CpuNode(const Setup& setup, const ligament::NodeOptions& options)
      : Node("cpu", options), setup_(setup), own_(setup.size.words()) {
    // Two may be under way: what the first answer allows is sent while the second is worked on.
    publisher_ = create_publisher<Message>("/to_gpu", ligament::QoS(2));
    if (setup.way == Way::shared_memory) {
      subscription_ = create_subscription<Message>(
          "/to_cpu", ligament::QoS(5).max_held(3),
          [this](const Sample& sample) { answered(words_of(sample)); });
    } else {
      message_.data.resize(setup.size.words());
      subscription_ = create_subscription<Message>(
          "/to_cpu", ligament::QoS(5), [this](const Message& message) { answered(message.data); });
    }
  }

  [[nodiscard]] bool is_matched() const {
    return publisher_->get_subscription_count() == 1 && subscription_->get_publisher_count() == 1;
  }
  [[nodiscard]] bool is_done() const { return step_ == setup_.steps; }
  [[nodiscard]] std::uint64_t copies() const {
    return publisher_->statistics().serialised + subscription_->statistics().copies;
  }

  void begin() {
    step_ = 0;
    fill(own_);
    if (setup_.workload == Workload::cache) {
      send_matrix();
      return;
    }
    // Both tiles begin alike, so the second is known here.
    send([&](Words out) { std::copy(own_.begin(), own_.end(), out.begin()); });
    if (setup_.steps > 1) {
      send([&](Words out) { work_on_tile(own_, out, setup_.size.cpu_repeats); });
    }
  }

 private:
  void answered(ConstWords answer) {
    ++step_;
    if (setup_.workload == Workload::cache) {
      // The matrix that was sent: all as it was filled, but for the one address.
      if (sum_of(answer) != expected_) {
        give_up("the GPU node's sum is wrong in step " + std::to_string(step_));
      }
      if (!is_done()) {
        send_matrix();
      }
    } else if (step_ + 1 < setup_.steps) {
      send([&](Words out) { work_on_tile(answer, out, setup_.size.cpu_repeats); });
    } else if (is_done()) {
      check_tile(answer);
    }
  }

  void check_tile(ConstWords tile) const {
    for (const std::size_t i : {std::size_t{0}, tile.size() - 1}) {
      if (tile[i] != word_after(own_[i], setup_.steps, setup_.size)) {
        give_up("the GPU node's last tile is wrong");
      }
    }
  }

  template <typename Make>
  void send(const Make& make) {
    if (setup_.way == Way::copies) {
      make(message_.data);
      publisher_->publish(message_);
      return;
    }
    Loan loan = lend(*publisher_, setup_.size.words());
    make(words_of(loan));
    publisher_->publish(std::move(loan));
  }

  /// The blocks of one publisher keep their content, and all of them get the matrix in the warm-up;
  /// so the CPU touches nothing but its address, as in one memory without ROS.
  void send_matrix() {
    send([&](Words out) {
      if (out[out.size() - 1] != out.size()) {
        fill(out);
        rest_ = sum_of(out) - out[0];
      }
      out[0] = own_[0];
      work_on_one_address(out, setup_.size.cpu_repeats);
      own_[0] = out[0];
      expected_ = rest_ + out[0];
    });
  }

  Setup setup_;
  std::vector<std::uint32_t> own_;
  Message message_;
  std::int64_t step_ = 0;
  std::uint32_t rest_ = 0;
  std::uint32_t expected_ = 0;
  std::shared_ptr<Publisher> publisher_;
  std::shared_ptr<ligament::SubscriptionBase> subscription_;
};

class TwoNodes : public Runner {
 public:
  TwoNodes(const Setup& setup, const std::string& gpu_command)
      : process_(gpu_command),
        context_(join(setup)),
        node_(std::make_shared<CpuNode>(setup, options_for(setup, context_))),
        executor_({.context = context_, .wait = ligament::WaitStrategy::sleep()}) {
    for (const auto& error : node_->errors()) {
      give_up(error.text);
    }
    (void)executor_.add_node(node_);
    while (!node_->is_matched()) {
      if (process_.has_ended()) {
        give_up("the GPU node's process has ended");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  std::int64_t run() override {
    const std::int64_t begin = ligament::pool::monotonic_now_ns();
    node_->begin();
    while (!node_->is_done()) {
      (void)executor_.spin_once(std::chrono::seconds(1));
      if (process_.has_ended()) {
        give_up("the GPU node's process has ended");
      }
    }
    return ligament::pool::monotonic_now_ns() - begin;
  }

  Copies copies() const override { return {node_->copies(), 0}; }

 private:
  Process process_;
  std::shared_ptr<ligament::Context> context_;
  std::shared_ptr<CpuNode> node_;
  ligament::executors::SingleThreadedExecutor executor_;
};

}  // namespace

std::unique_ptr<Runner> with_two_nodes(const Setup& setup, const std::string& gpu_command) {
  return std::make_unique<TwoNodes>(setup, gpu_command);
}

int serve_gpu_node(const Setup& setup) {
  const auto context = join(setup);
  return serve(context, std::make_shared<GpuNode>(setup, options_for(setup, context)));
}

}  // namespace uma
