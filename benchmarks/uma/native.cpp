// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include <iostream>
#include <ligament/detail/pool.hpp>
#include <utility>

#include "runs.hpp"

namespace uma {
namespace {

namespace gpu = ligament::gpu;

/// Pages of its own, touched, as a device wants them.
class Memory {
 public:
  explicit Memory(std::size_t words)
      : words_(words),
        base_(::mmap(nullptr, words * sizeof(std::uint32_t), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0)) {
    if (base_ == MAP_FAILED) {
      give_up("there is no memory for the matrix");
    }
  }
  ~Memory() { ::munmap(base_, words_ * sizeof(std::uint32_t)); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  [[nodiscard]] Words words() const { return {static_cast<std::uint32_t*>(base_), words_}; }

 private:
  std::size_t words_;
  void* base_;
};

class Native : public Runner {
 public:
  explicit Native(const Setup& setup)
      : setup_(setup),
        first_{setup.size.words()},
        second_{setup.size.words()},
        first_made_{setup.size.words()},
        second_made_{answer_words(setup.workload, setup.size)} {
    gpu::Settings settings;
    settings.model = setup.model == "zero_copy" ? gpu::Model::zero_copy : gpu::Model::standard_copy;
    auto program = gpu::Program::open(kernels(), settings);
    if (!program) {
      give_up(program.error().text);
    }
    program_ = std::move(*program);
  }

  std::int64_t run() override {
    fill(first_.words());
    fill(second_.words());
    const std::int64_t begin = ligament::pool::monotonic_now_ns();
    if (setup_.workload == Workload::cache) {
      for (std::int64_t step = 0; step < setup_.steps; ++step) {
        cache_step();
      }
    } else {
      concurrent_steps();
    }
    const std::int64_t end = ligament::pool::monotonic_now_ns();
    check();
    return end - begin;
  }

  Copies copies() const override { return {0, program_->statistics().copies}; }
  std::string device() const override { return program_->device().name; }

  std::vector<std::int64_t> launch_times(int count) override {
    const Size one{.rows = 1, .columns = 1, .cpu_repeats = 1, .gpu_repeats = 1};
    const auto arguments =
        arguments_of(one, first_.words().first(1), second_made_.words().first(1));
    const std::array launches{launch_of(setup_.workload, one, arguments)};
    std::vector<std::int64_t> times;
    for (int i = 0; i < count; ++i) {
      auto nothing = std::make_unique<Nothing>();
      const std::int64_t begin = ligament::pool::monotonic_now_ns();
      program_->submit(launches, std::move(nothing));
      times.push_back(ligament::pool::monotonic_now_ns() - begin);
      program_->drain();
    }
    return times;
  }

 private:
  struct Nothing : gpu::Completion {
    void ended(const gpu::Result<void>& result) override {
      if (!result) {
        give_up(result.error().text);
      }
    }
  };

  void launch(ConstWords in, Words out) {
    const auto arguments = arguments_of(setup_.size, in, out);
    const auto done = program_->run(std::array{launch_of(setup_.workload, setup_.size, arguments)});
    if (!done) {
      give_up(done.error().text);
    }
  }

  void check() const {
    if (setup_.workload == Workload::cache) {
      if (sum_of(second_made_.words()) != sum_of(first_.words())) {
        give_up("the GPU's sum is wrong");
      }
      return;
    }
    const Memory& made = setup_.steps % 2 == 0 ? second_ : second_made_;
    if (made.words().back() !=
        word_after(static_cast<std::uint32_t>(setup_.size.words()), setup_.steps, setup_.size)) {
      give_up("the GPU's last tile is wrong");
    }
  }

  void cache_step() {
    work_on_one_address(first_.words(), setup_.size.cpu_repeats);
    launch(first_.words(), second_made_.words());
  }

  void concurrent_steps() {
    Memory* a[2] = {&first_, &first_made_};
    Memory* b[2] = {&second_, &second_made_};
    for (std::int64_t step = 0; step < setup_.steps; ++step) {
      const auto arguments = arguments_of(setup_.size, a[0]->words(), b[1]->words());
      program_->submit(std::array{launch_of(setup_.workload, setup_.size, arguments)},
                       std::make_unique<Nothing>());
      if (step + 1 < setup_.steps) {
        work_on_tile(b[0]->words(), a[1]->words(), setup_.size.cpu_repeats);
      }
      program_->drain();
      std::swap(a[0], a[1]);
      std::swap(b[0], b[1]);
    }
  }

  Setup setup_;
  Memory first_;
  Memory second_;
  Memory first_made_;
  Memory second_made_;
  std::unique_ptr<gpu::Program> program_;
};

}  // namespace

std::unique_ptr<Runner> without_ros(const Setup& setup) { return std::make_unique<Native>(setup); }

void give_up(const std::string& why) {
  std::cerr << "ligament-bench-uma: " << why << '\n';
  std::_Exit(1);
}

}  // namespace uma
