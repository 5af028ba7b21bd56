// SPDX-License-Identifier: Apache-2.0
// Three nodes: a scheduler in this process, and a CPU and a GPU node in processes of their own.
//
// Each node publishes what it makes on a topic of its own, which all others read in place; so the
// scheduler has every result without moving one. It says `go` when all results of a step are there.
#include <algorithm>
#include <chrono>
#include <deque>
#include <ligament/std_msgs/msg/u_int32.hpp>
#include <optional>
#include <vector>

#include "ends.hpp"

namespace uma {
namespace {

using Go = ligament::std_msgs::msg::UInt32;

/// The scheduler cannot see whether the two others have found each other: who comes late is given
/// what was published last.
ligament::QoS part_qos() { return ligament::QoS(2).transient_local(); }

/// Publications of a node so far; the first is number 1.
std::uint64_t number_of(const Sample& sample) {
  return sample.info().publication_sequence_number();
}

ligament::NodeOptions options_for(const Setup& setup,
                                  const std::shared_ptr<ligament::Context>& context) {
  ligament::TopicOptions matrix;
  matrix.bound_bytes = setup.size.bytes() + room_for_fields;
  matrix.device = true;
  ligament::TopicOptions answer = matrix;
  answer.bound_bytes =
      answer_words(setup.workload, setup.size) * sizeof(std::uint32_t) + room_for_fields;
  ligament::NodeOptions options;
  options.context(context).topic("/cpu_part", matrix).topic("/gpu_part", answer);
  return options;
}

/// `go` number n of a workload, counted from 1: whose turn it is, and which result it needs.
///
/// concurrent: 1 asks both for their first tiles; each further one for new tiles from the other's
/// last. cache: odd ones ask the CPU for the matrix, even ones the GPU for its sums.
struct Turn {
  bool cpu = false;
  bool gpu = false;
  std::uint64_t needed = 0;  ///< number of the other's publication; 0: none

  static Turn of(Workload workload, std::uint32_t go) {
    if (workload == Workload::concurrent) {
      return {true, true, go - 1};
    }
    return {go % 2 == 1, go % 2 == 0, go % 2 == 0 ? go / 2 : 0};
  }
};

/// What a worker has been asked for and what has come from the other: go and the sample that it
/// needs come on two topics, in either order, and a fast peer's next sample before this one's turn.
class Inbox {
 public:
  /// A turn that can begin, with the sample that it needs.
  struct Begun {
    Turn turn;
    std::optional<Sample> other;
  };

  void asked(std::uint32_t go) { go_ = go; }
  void came(Sample&& sample) {
    others_.push_back(std::move(sample));
    if (others_.size() > 2) {
      others_.pop_front();
    }
  }
  /// Each turn is given once.
  [[nodiscard]] std::optional<Begun> take(Workload workload) {
    if (go_ == 0) {
      return std::nullopt;
    }
    Begun begun{Turn::of(workload, go_), std::nullopt};
    if (begun.turn.needed != 0) {
      const auto found = std::find_if(others_.begin(), others_.end(), [&](const Sample& sample) {
        return number_of(sample) == begun.turn.needed;
      });
      if (found == others_.end()) {
        return std::nullopt;
      }
      begun.other.emplace(std::move(*found));
      others_.erase(found);
    }
    go_ = 0;
    return begun;
  }

 private:
  std::uint32_t go_ = 0;
  std::deque<Sample> others_;
};

class CpuWorker : public ligament::Node {
 public:
  CpuWorker(const Setup& setup, const ligament::NodeOptions& options)
      : Node("cpu", options), setup_(setup), first_(1) {
    fill(first_);
    publisher_ = create_publisher<Message>("/cpu_part", part_qos());
    part_ =
        create_subscription<Message>("/gpu_part", part_qos().max_held(4), [this](Sample sample) {
          inbox_.came(std::move(sample));
          work();
        });
    go_ = create_subscription<Go>("/go", ligament::QoS(5), [this](const Go& go) {
      inbox_.asked(go.data);
      work();
    });
  }

 private:
  void work() {
    const auto begun = inbox_.take(setup_.workload);
    if (!begun || !begun->turn.cpu) {
      return;
    }
    Loan loan = lend(*publisher_, setup_.size.words());
    const Words out = words_of(loan);
    if (setup_.workload == Workload::cache) {
      if (out.back() != out.size()) {
        fill(out);
      }
      out[0] = first_[0];
      work_on_one_address(out, setup_.size.cpu_repeats);
      first_[0] = out[0];
    } else if (!begun->other) {
      fill(out);
    } else {
      work_on_tile(words_of(*begun->other), out, setup_.size.cpu_repeats);
    }
    publisher_->publish(std::move(loan));
  }

  Setup setup_;
  std::vector<std::uint32_t> first_;  ///< cache: the address's value from step to step
  Inbox inbox_;
  std::shared_ptr<Publisher> publisher_;
  std::shared_ptr<ligament::SubscriptionBase> part_;
  std::shared_ptr<ligament::SubscriptionBase> go_;
};

class GpuWorker : public gpu::KernelNode {
 public:
  GpuWorker(const Setup& setup, const ligament::NodeOptions& options)
      : KernelNode("gpu", options, kernels()), setup_(setup) {
    publisher_ = create_publisher<Message>("/gpu_part", part_qos(), output_options());
    part_ = create_subscription<Message>(
        "/cpu_part", input_qos(2).transient_local(),
        [this](Sample sample) {
          inbox_.came(std::move(sample));
          work();
        },
        input_options());
    go_ = create_subscription<Go>("/go", ligament::QoS(5), [this](const Go& go) {
      inbox_.asked(go.data);
      work();
    });
  }
  ~GpuWorker() override { drain(); }
  GpuWorker(const GpuWorker&) = delete;
  GpuWorker& operator=(const GpuWorker&) = delete;

 private:
  struct Work final : Job {
    Work(GpuWorker& owner, Sample&& taken)
        : Job(owner, taken.info()),
          node(owner),
          sample(std::move(taken)),
          loan(lend(*owner.publisher_, answer_words(owner.setup_.workload, owner.setup_.size))) {}
    void publish() override { node.publisher_->publish(std::move(loan)); }

    GpuWorker& node;
    Sample sample;
    Loan loan;
  };

  void work() {
    auto begun = inbox_.take(setup_.workload);
    if (!begun || !begun->turn.gpu) {
      return;
    }
    if (!begun->other) {
      Loan loan = lend(*publisher_, setup_.size.words());
      fill(words_of(loan));
      publisher_->publish(std::move(loan));
      return;
    }
    wait_for_room();
    auto work = std::make_unique<Work>(*this, std::move(*begun->other));
    const auto arguments = arguments_of(setup_.size, words_of(work->sample), words_of(work->loan));
    submit(std::array{launch_of(setup_.workload, setup_.size, arguments)}, std::move(work));
  }

  Setup setup_;
  Inbox inbox_;
  std::shared_ptr<Publisher> publisher_;
  std::shared_ptr<ligament::SubscriptionBase> part_;
  std::shared_ptr<ligament::SubscriptionBase> go_;
};

class Scheduler : public ligament::Node {
 public:
  Scheduler(const Setup& setup, const ligament::NodeOptions& options)
      : Node("scheduler", options), setup_(setup) {
    publisher_ = create_publisher<Go>("/go", ligament::QoS(5));
    cpu_ = create_subscription<Message>("/cpu_part", part_qos(),
                                        [this](const Sample& sample) { came(sample, true); });
    gpu_ = create_subscription<Message>("/gpu_part", part_qos(),
                                        [this](const Sample& sample) { came(sample, false); });
  }

  /// All three, and the two that read each other's parts.
  [[nodiscard]] bool is_matched() const {
    return publisher_->get_subscription_count() == 2 && cpu_->get_publisher_count() == 1 &&
           gpu_->get_publisher_count() == 1;
  }
  [[nodiscard]] bool is_done() const { return goes_left_ == 0 && missing_ == 0; }
  [[nodiscard]] std::uint64_t copies() const {
    return cpu_->statistics().copies + gpu_->statistics().copies;
  }

  void begin() {
    const bool cache = setup_.workload == Workload::cache;
    // The first tiles are made once, before the first run's steps.
    goes_left_ = cache ? 2 * setup_.steps : setup_.steps + (go_ == 0 ? 1 : 0);
    go();
  }

 private:
  void go() {
    --goes_left_;
    const Turn turn = Turn::of(setup_.workload, ++go_);
    missing_ = (turn.cpu ? 1 : 0) + (turn.gpu ? 1 : 0);
    if (setup_.workload == Workload::concurrent && go_ > 1) {
      const std::uint32_t first = first_;
      work_on_tile({&second_, 1}, {&first_, 1}, setup_.size.cpu_repeats);
      work_on_tile({&first, 1}, {&second_, 1}, setup_.size.gpu_repeats);
    }
    Go message;
    message.data = go_;
    publisher_->publish(message);
  }

  void came(const Sample& sample, bool from_cpu) {
    if (setup_.workload == Workload::cache) {
      check_sums(words_of(sample), from_cpu);
    } else if (!from_cpu && words_of(sample)[0] != second_) {
      give_up("the GPU node's tile is wrong at go " + std::to_string(go_));
    }
    if (--missing_ == 0 && goes_left_ != 0) {
      go();
    }
  }

  void check_sums(ConstWords words, bool from_cpu) {
    if (from_cpu) {
      if (rest_ == 0) {
        rest_ = sum_of(words) - words[0];
      }
      expected_ = rest_ + words[0];
    } else if (sum_of(words) != expected_) {
      give_up("the GPU node's sum is wrong at go " + std::to_string(go_));
    }
  }

  Setup setup_;
  std::uint32_t go_ = 0;
  std::int64_t goes_left_ = 0;
  int missing_ = 0;
  std::uint32_t rest_ = 0;
  std::uint32_t expected_ = 0;
  std::uint32_t first_ = 1;   ///< what the first word of the CPU's tile must be
  std::uint32_t second_ = 1;  ///< and of the GPU's
  std::shared_ptr<ligament::Publisher<Go>> publisher_;
  std::shared_ptr<ligament::SubscriptionBase> cpu_;
  std::shared_ptr<ligament::SubscriptionBase> gpu_;
};

class ThreeNodes : public Runner {
 public:
  ThreeNodes(const Setup& setup, const std::string& cpu_command, const std::string& gpu_command)
      : cpu_(cpu_command),
        gpu_(gpu_command),
        context_(join(setup)),
        node_(std::make_shared<Scheduler>(setup, options_for(setup, context_))),
        executor_({.context = context_, .wait = ligament::WaitStrategy::sleep()}) {
    for (const auto& error : node_->errors()) {
      give_up(error.text);
    }
    (void)executor_.add_node(node_);
    while (!node_->is_matched()) {
      stop_if_ended();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  std::int64_t run() override {
    const std::int64_t begin = ligament::pool::monotonic_now_ns();
    node_->begin();
    while (!node_->is_done()) {
      (void)executor_.spin_once(std::chrono::seconds(1));
      stop_if_ended();
    }
    return ligament::pool::monotonic_now_ns() - begin;
  }

  Copies copies() const override { return {node_->copies(), 0}; }

 private:
  void stop_if_ended() const {
    if (cpu_.has_ended() || gpu_.has_ended()) {
      give_up("a node's process has ended");
    }
  }

  Process cpu_;
  Process gpu_;
  std::shared_ptr<ligament::Context> context_;
  std::shared_ptr<Scheduler> node_;
  ligament::executors::SingleThreadedExecutor executor_;
};

}  // namespace

std::unique_ptr<Runner> with_three_nodes(const Setup& setup, const std::string& cpu_command,
                                         const std::string& gpu_command) {
  return std::make_unique<ThreeNodes>(setup, cpu_command, gpu_command);
}

int serve_cpu_worker(const Setup& setup) {
  const auto context = join(setup);
  return serve(context, std::make_shared<CpuWorker>(setup, options_for(setup, context)));
}

int serve_gpu_worker(const Setup& setup) {
  const auto context = join(setup);
  return serve(context, std::make_shared<GpuWorker>(setup, options_for(setup, context)));
}

}  // namespace uma
