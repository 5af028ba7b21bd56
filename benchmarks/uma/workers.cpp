// SPDX-License-Identifier: Apache-2.0
// A scheduler in this process, CPU and GPU workers in others: the nodes of nodes/parallel with the
// workloads in them.
#include <algorithm>
#include <array>
#include <vector>

#include "common/scheduler.hpp"
#include "common/worker.hpp"
#include "ends.hpp"

namespace uma {
namespace {

namespace parallel = ligament::nodes::parallel;
using parallel::Part;
using parallel::PartId;
using parallel::Parts;
using Loan = ligament::LoanedMessage<Part>;

Words words_of(Loan& loan) {
  const auto bytes = loan.get().data();
  return {reinterpret_cast<std::uint32_t*>(bytes.data()), bytes.size() / sizeof(std::uint32_t)};
}
ConstWords words_of(const parallel::PartSample& sample) {
  const auto bytes = sample->view().data();
  return {reinterpret_cast<const std::uint32_t*>(bytes.data()),
          bytes.size() / sizeof(std::uint32_t)};
}

/// What a worker of either kind needs of the others.
std::vector<PartId> parts_for(const Setup& setup, std::uint32_t worker, std::uint32_t step) {
  if (setup.workload == Workload::cache) {
    return worker < setup.cpus ? std::vector<PartId>{}
                               : std::vector<PartId>{{setup.matrix_of(worker), step}};
  }
  return step == 1 ? std::vector<PartId>{} : std::vector<PartId>{{setup.before(worker), step - 1}};
}

class CpuWorker : public parallel::CpuWorker {
 public:
  CpuWorker(const Setup& setup, std::uint32_t worker, const ligament::NodeOptions& options)
      : parallel::CpuWorker("cpu" + std::to_string(worker), {setup.plan(), worker, setup.history()},
                            options),
        setup_(setup),
        own_(setup.size.words()) {
    fill(own_);
    join();
  }

 private:
  std::vector<PartId> needs(std::uint32_t step) const override {
    return parts_for(setup_, membership().worker, step);
  }

  bool reads_parts() const override { return setup_.workload != Workload::cache; }

  void work(std::uint32_t step, const Parts& parts) override {
    auto loan = lend(step, setup_.size.bytes());
    if (!loan) {
      return;  // told by the publisher
    }
    const Words out = words_of(*loan);
    if (setup_.workload == Workload::cache) {
      // See CpuPart: a block that had the matrix still has it.
      if (loan->is_copy() || out.back() != out.size()) {
        std::copy(own_.begin(), own_.end(), out.begin());
      }
      out[0] = own_[0];
      work_on_one_address(out, setup_.size.cpu_repeats);
      own_[0] = out[0];
    } else if (parts.empty()) {
      fill(out);
    } else {
      work_on_tile(words_of(parts[0]), out, setup_.size.cpu_repeats);
    }
    publish(std::move(*loan));
  }

  Setup setup_;
  std::vector<std::uint32_t> own_;
};

class GpuWorker : public parallel::GpuWorker {
 public:
  GpuWorker(const Setup& setup, std::uint32_t worker, const ligament::NodeOptions& options)
      : parallel::GpuWorker("gpu" + std::to_string(worker), {setup.plan(), worker, setup.history()},
                            options, kernels()),
        setup_(setup) {
    join();
  }
  ~GpuWorker() override { drain(); }
  GpuWorker(const GpuWorker&) = delete;
  GpuWorker& operator=(const GpuWorker&) = delete;

  [[nodiscard]] Copies all_copies() const { return copies_of(counts(), program()); }

 private:
  struct Work final : Job {
    Work(GpuWorker& owner, parallel::PartSample taken, Loan&& lent)
        : Job(owner, taken->info()), node(owner), sample(std::move(taken)), loan(std::move(lent)) {}
    void publish() override {
      sample.reset();  // its worker fills it again once it hears of this part
      node.publish(std::move(loan));
    }

    GpuWorker& node;
    parallel::PartSample sample;
    Loan loan;
  };

  std::vector<PartId> needs(std::uint32_t step) const override {
    return parts_for(setup_, membership().worker, step);
  }

  void work(std::uint32_t step, const Parts& parts) override {
    wait_for_room();
    auto loan = lend(step, answer_words(setup_.workload, setup_.size) * sizeof(std::uint32_t));
    if (!loan) {
      return;
    }
    if (parts.empty()) {
      fill(words_of(*loan));
      publish(std::move(*loan));
      return;
    }
    auto work = std::make_unique<Work>(*this, parts[0], std::move(*loan));
    const auto arguments = arguments_of(setup_.size, words_of(work->sample), words_of(work->loan));
    submit(std::array{launch_of(setup_.workload, setup_.size, arguments)}, std::move(work));
  }

  Setup setup_;
};

/// Has all parts of a step, and checks them.
class Scheduler : public parallel::Scheduler {
 public:
  Scheduler(const Setup& setup, const ligament::NodeOptions& options)
      : parallel::Scheduler("scheduler", setup.plan(), options),
        setup_(setup),
        expected_(setup.workers(), 1) {}

 private:
  void merged(std::uint32_t step, const std::vector<parallel::PartSample>& parts) override {
    if (setup_.workload == Workload::cache) {
      check_sums(step, parts);
    } else {
      check_tiles(step, parts);
    }
  }

  /// The first word of each tile must be this.
  void check_tiles(std::uint32_t step, const std::vector<parallel::PartSample>& parts) {
    if (step > 1) {
      const std::vector<std::uint32_t> before = expected_;
      for (std::uint32_t worker = 0; worker < setup_.workers(); ++worker) {
        work_on_tile({&before[setup_.before(worker)], 1}, {&expected_[worker], 1},
                     setup_.repeats_of(worker));
      }
    }
    for (std::uint32_t worker = 0; worker < setup_.workers(); ++worker) {
      const ConstWords words = words_of(parts[worker]);
      if (words.size() != setup_.size.words() || words[0] != expected_[worker]) {
        give_up("the tile of worker " + std::to_string(worker) + " is wrong in step " +
                std::to_string(step));
      }
    }
  }

  /// The CPUs' turn, then the GPUs'.
  void check_sums(std::uint32_t step, const std::vector<parallel::PartSample>& parts) {
    if (parallel::id_of(*parts[0])->worker == 0) {
      for (std::uint32_t cpu = 0; cpu < setup_.cpus; ++cpu) {
        const ConstWords words = words_of(parts[cpu]);
        rest_ = rest_ == 0 ? sum_of(words) - words[0] : rest_;
        expected_[cpu] = rest_ + words[0];
      }
      return;
    }
    for (std::uint32_t gpu = 0; gpu < setup_.gpus; ++gpu) {
      if (sum_of(words_of(parts[gpu])) != expected_[setup_.matrix_of(setup_.cpus + gpu)]) {
        give_up("a GPU node's sum is wrong in step " + std::to_string(step));
      }
    }
  }

  Setup setup_;
  std::vector<std::uint32_t> expected_;  ///< tiles: by worker; matrices: by CPU
  std::uint32_t rest_ = 0;
};

class Workers : public Runner {
 public:
  Workers(const Setup& setup, const Commands& commands)
      : place_(setup, "scheduler"),
        node_(std::make_shared<Scheduler>(setup, place_.options(setup))),
        steps_(setup.steps) {
    for (std::uint32_t worker = 0; worker < setup.workers(); ++worker) {
      peers_.start(setup, commands, "worker:" + std::to_string(worker));
    }
    spinner_.emplace(place_, node_, peers_);
    spinner_->until([this] { return node_->is_ready(); });
  }

  std::int64_t run() override {
    const std::int64_t begin = ligament::pool::monotonic_now_ns();
    node_->begin(steps_);
    spinner_->until([this] { return node_->is_done(); });
    return ligament::pool::monotonic_now_ns() - begin;
  }

  Copies copies() override {
    Copies sum = copies_of(node_->counts(), nullptr);
    sum += peers_.copies();
    return sum;
  }

 private:
  Place place_;
  Peers peers_;
  std::shared_ptr<Scheduler> node_;
  std::int64_t steps_;
  std::optional<Spinner> spinner_;
};

}  // namespace

Served make_worker(const Setup& setup, std::uint32_t worker, const Place& place) {
  if (worker < setup.cpus) {
    auto node = std::make_shared<CpuWorker>(setup, worker, place.options(setup));
    return {node, [node] { return copies_of(node->counts(), nullptr); }};
  }
  auto node = std::make_shared<GpuWorker>(setup, worker, place.options(setup));
  return {node, [node] { return node->all_copies(); }};
}

std::unique_ptr<Runner> with_workers(const Setup& setup, const Commands& commands) {
  return std::make_unique<Workers>(setup, commands);
}

}  // namespace uma
