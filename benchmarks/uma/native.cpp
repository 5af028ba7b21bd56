// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <ligament/detail/pool.hpp>
#include <ligament/detail/unmap_watch.hpp>
#include <thread>
#include <utility>

#include "driver_time.hpp"
#include "processors.hpp"
#include "runs.hpp"

namespace uma {
namespace {

namespace gpu = ligament::gpu;

/// Shared pages, touched, as the pool's are: what a driver does for these it does for them too.
class Memory {
 public:
  explicit Memory(std::size_t words)
      : words_(words),
        base_(::mmap(nullptr, words * sizeof(std::uint32_t), PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0)) {
    if (base_ == MAP_FAILED) {
      give_up("there is no memory for the matrix");
    }
  }
  ~Memory() {
    // A driver may have these pages: what is mapped here later is other memory.
    ligament::pool::tell_unmap_watches(std::as_bytes(words()));
    ::munmap(base_, words_ * sizeof(std::uint32_t));
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  [[nodiscard]] Words words() const { return {static_cast<std::uint32_t*>(base_), words_}; }

 private:
  std::size_t words_;
  void* base_;
};

/// Threads that do the CPU's parts, but for the first, which is the caller's.
class Crew {
 public:
  explicit Crew(const Setup& setup) {
    for (std::uint32_t member = 1; member < setup.cpus; ++member) {
      threads_.emplace_back([this, setup, member] {
        stay_with(setup, {member});
        serve(member);
      });
    }
  }
  ~Crew() {
    work_ = nullptr;
    turn_.fetch_add(1);
    turn_.notify_all();
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// All do their part; returns when all are done.
  void run(const std::function<void(std::uint32_t member)>& work) {
    work_ = &work;
    left_ = static_cast<std::uint32_t>(threads_.size());
    if (!threads_.empty()) {
      turn_.fetch_add(1);
      turn_.notify_all();
    }
    work(0);
    for (std::uint32_t left = left_; left != 0; left = left_) {
      left_.wait(left);
    }
  }

 private:
  void serve(std::uint32_t member) {
    for (std::uint32_t turn = 0;;) {
      turn_.wait(turn);
      turn = turn_;
      if (work_ == nullptr) {
        return;
      }
      (*work_)(member);
      left_.fetch_sub(1);
      left_.notify_one();
    }
  }

  // The counters order everything else (sequentially consistent).
  const std::function<void(std::uint32_t member)>* work_ = nullptr;
  std::atomic<std::uint32_t> turn_{0};
  std::atomic<std::uint32_t> left_{0};
  std::vector<std::thread> threads_;
};

class Native : public Runner {
 public:
  explicit Native(const Setup& setup) : setup_(setup), crew_(setup) {
    for (std::uint32_t worker = 0; worker < setup.workers(); ++worker) {
      const bool is_sum = setup.workload == Workload::cache && worker >= setup.cpus;
      const std::size_t words =
          is_sum ? answer_words(setup.workload, setup.size) : setup.size.words();
      last_.push_back(std::make_unique<Memory>(words));
      made_.push_back(std::make_unique<Memory>(words));
    }
    open_programs();
  }

  std::int64_t run() override {
    const Staying first_member(setup_, 0);
    for (const auto& tile : last_) {
      fill(tile->words());
    }
    const std::int64_t begin = ligament::pool::monotonic_now_ns();
    for (std::int64_t step = 1; step <= setup_.steps; ++step) {
      setup_.workload == Workload::cache ? cache_step() : concurrent_step(step);
    }
    const std::int64_t end = ligament::pool::monotonic_now_ns();
    check();
    return end - begin;
  }

  Copies copies() override {
    Copies copies;
    for (const auto& program : programs_) {
      copies.device += program->statistics().copies;
    }
    return copies;
  }
  std::string device() const override { return programs_[0]->device().name; }

  LaunchTimes launch_times(int count) override {
    const Size one{.rows = 1, .columns = 1, .cpu_repeats = 1, .gpu_repeats = 1};
    const auto arguments =
        arguments_of(one, last_[0]->words().first(1), last_.back()->words().first(1));
    const std::array launches{launch_of(setup_.workload, one, arguments)};
    LaunchTimes times;
    for (int i = 0; i < count; ++i) {
      auto nothing = std::make_unique<Nothing>();
      (void)take_driver_ns();
      const std::int64_t begin = ligament::pool::monotonic_now_ns();
      programs_[0]->submit(launches, std::move(nothing));
      times.all_ns.push_back(ligament::pool::monotonic_now_ns() - begin);
      times.own_ns.push_back(times.all_ns.back() - take_driver_ns());
      programs_[0]->drain();
    }
    return times;
  }

 private:
  /// Threads that a driver starts for its devices are the GPUs', in their order.
  void open_programs() {
    const std::vector<int> before = threads_now();
    for (std::uint32_t gpu = 0; gpu < setup_.gpus; ++gpu) {
      programs_.push_back(open(setup_));
    }
    std::uint32_t gpu = 0;
    for (const int thread : threads_now()) {
      if (!std::binary_search(before.begin(), before.end(), thread)) {
        keep_thread_with(setup_, thread, setup_.cpus + gpu++ % setup_.gpus);
      }
    }
  }

  struct Nothing : gpu::Completion {
    void ended(const gpu::Result<void>& result) override {
      if (!result) {
        give_up(result.error().text);
      }
    }
  };

  static std::unique_ptr<gpu::Program> open(const Setup& setup) {
    auto settings = gpu::settings_from_environment();
    if (!settings) {
      give_up(settings.error().text);
    }
    settings->model = setup.model;
    auto program = gpu::Program::open(kernels(), *settings);
    if (!program) {
      give_up(program.error().text);
    }
    return std::move(*program);
  }

  void launch(std::uint32_t gpu, ConstWords in, Words out) {
    const auto arguments = arguments_of(setup_.size, in, out);
    programs_[gpu]->submit(std::array{launch_of(setup_.workload, setup_.size, arguments)},
                           std::make_unique<Nothing>());
  }
  void wait_for_gpus() {
    for (const auto& program : programs_) {
      program->drain();
    }
  }

  void cache_step() {
    crew_.run([this](std::uint32_t cpu) {
      work_on_one_address(last_[cpu]->words(), setup_.size.cpu_repeats);
    });
    for (std::uint32_t gpu = 0; gpu < setup_.gpus; ++gpu) {
      const std::uint32_t worker = setup_.cpus + gpu;
      launch(gpu, last_[setup_.matrix_of(worker)]->words(), last_[worker]->words());
    }
    wait_for_gpus();
  }

  /// Where there is no scheduler, nobody needs the CPU's last tile.
  void concurrent_step(std::int64_t step) {
    for (std::uint32_t gpu = 0; gpu < setup_.gpus; ++gpu) {
      const std::uint32_t worker = setup_.cpus + gpu;
      launch(gpu, last_[setup_.before(worker)]->words(), made_[worker]->words());
    }
    if (setup_.has_scheduler || step < setup_.steps) {
      crew_.run([this](std::uint32_t cpu) {
        work_on_tile(last_[setup_.before(cpu)]->words(), made_[cpu]->words(),
                     setup_.size.cpu_repeats);
      });
    }
    wait_for_gpus();
    std::swap(last_, made_);
  }

  void check() const {
    for (std::uint32_t worker = setup_.cpus; worker < setup_.workers(); ++worker) {
      const Words words = last_[worker]->words();
      const bool is_right =
          setup_.workload == Workload::cache
              ? sum_of(words) == sum_of(last_[setup_.matrix_of(worker)]->words())
              : words.back() ==
                    ring_after(setup_, static_cast<std::uint32_t>(words.size()))[worker];
      if (!is_right) {
        give_up("without ROS: what GPU " + std::to_string(worker - setup_.cpus) + " made is wrong");
      }
    }
  }

  Setup setup_;
  Crew crew_;
  std::vector<std::unique_ptr<Memory>> last_;  ///< by worker: tiles; cache: matrices and sums
  std::vector<std::unique_ptr<Memory>> made_;
  std::vector<std::unique_ptr<gpu::Program>> programs_;
};

}  // namespace

std::unique_ptr<Runner> without_ros(const Setup& setup) { return std::make_unique<Native>(setup); }

std::vector<std::uint32_t> ring_after(const Setup& setup, std::uint32_t word) {
  std::vector<std::uint32_t> words(setup.workers(), word);
  for (std::int64_t step = 0; step < setup.steps; ++step) {
    const std::vector<std::uint32_t> before = words;
    for (std::uint32_t worker = 0; worker < setup.workers(); ++worker) {
      work_on_tile({&before[setup.before(worker)], 1}, {&words[worker], 1},
                   setup.repeats_of(worker));
    }
  }
  return words;
}

}  // namespace uma
