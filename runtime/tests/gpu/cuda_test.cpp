// SPDX-License-Identifier: Apache-2.0
/// What CUDA has of its own, and its faults, on the twin (twin/twin.hpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <ligament/detail/unmap_watch.hpp>
#include <ligament/gpu.hpp>
#include <numeric>
#include <vector>

#include "fixture.hpp"

namespace ligament::gpu::test {
namespace {

using testing::HasSubstr;
using Kind = ArgumentKind;

constexpr const char* sizes_text = R"(
__kernel void sizes(__global uint* out) {
  out[get_global_id(2) * 1000 + get_global_id(1) * 100 + get_global_id(0)] =
      get_global_size(0) + get_global_size(1) + get_global_size(2);
}
)";

ProgramDescription description() {
  return {{{"triple.cl", std::string(times_three) + sizes_text}},
          {{"triple", {Kind::input, Kind::output}}, {"sizes", {Kind::output}}}};
}

class Cuda : public testing::Test {
 protected:
  void TearDown() override {
    cuda_twin_repair();
    choose_drivers(Where::opencl);
  }

  static Result<std::unique_ptr<Program>> open(const char* setup, Model model = Model::automatic) {
    choose_drivers(Where::cuda_twin, setup);
    return Program::open(description(), settings_of({"", Where::cuda_twin, model}));
  }

  Result<void> run(Program& program) {
    in_.data.fill(std::byte{2});
    const std::array<Argument, 2> arguments{std::span<const std::byte>(in_.data),
                                            std::span<std::byte>(out_.data)};
    return program.run(
        std::array{Launch{.kernel = 0, .global = {4096, 1, 1}, .arguments = arguments}});
  }
  [[nodiscard]] bool is_tripled() const {
    return std::all_of(out_.data.begin(), out_.data.end(),
                       [](std::byte one) { return one == std::byte{6}; });
  }

  Bytes in_;
  Bytes out_;
};

TEST_F(Cuda, an_integrated_device_works_in_place_and_a_card_copies_once_each_way) {
  auto integrated = open("");
  ASSERT_TRUE(integrated) << integrated.error().text;
  EXPECT_EQ((*integrated)->device().model, Model::zero_copy);
  unsigned long before = cuda_twin_copies();  // NOLINT(google-runtime-int): C
  ASSERT_TRUE(run(**integrated));
  EXPECT_TRUE(is_tripled());
  EXPECT_EQ(cuda_twin_copies(), before);
  EXPECT_EQ((*integrated)->statistics().copies, 0U);

  auto card = open("discrete");
  ASSERT_TRUE(card) << card.error().text;
  EXPECT_EQ((*card)->device().model, Model::standard_copy);
  before = cuda_twin_copies();
  ASSERT_TRUE(run(**card));
  EXPECT_TRUE(is_tripled());
  EXPECT_EQ(cuda_twin_copies(), before + 2);
  EXPECT_EQ((*card)->statistics().copies, 2U);
  EXPECT_EQ((*card)->statistics().bytes_copied, 2U * 4096);
}

/// An executor's thread may be that of somebody who works with CUDA himself.
TEST_F(Cuda, a_threads_own_context_is_there_again_after_every_call) {
  choose_drivers(Where::cuda_twin, "discrete");
  const auto driver = cuda::load_driver();
  ASSERT_TRUE(driver) << driver.error().text;
  int somebody = 0;
  auto* const own = reinterpret_cast<cuda::Context>(&somebody);  // the driver of the twin compares
  const auto is_there = [&] {
    cuda::Context current = nullptr;
    return (*driver)->get_current(&current) == cuda::status::success && current == own;
  };
  ASSERT_EQ((*driver)->set_current(own), cuda::status::success);
  auto program = open("discrete");
  EXPECT_TRUE(is_there());
  ASSERT_TRUE(program) << program.error().text;
  EXPECT_TRUE(run(**program));
  EXPECT_TRUE(is_tripled());
  EXPECT_TRUE(is_there());
  cuda_twin_fail("cuCtxSetCurrent", 0, 201);
  const auto refused = run(**program);
  ASSERT_FALSE(refused) << "its calls would have gone to somebody else's context";
  EXPECT_THAT(refused.error().text, HasSubstr("cuCtxSetCurrent"));
  EXPECT_TRUE(is_there());
  EXPECT_TRUE(run(**program));
  program->reset();
  EXPECT_TRUE(is_there());
  ASSERT_EQ((*driver)->set_current(nullptr), cuda::status::success);
}

TEST_F(Cuda, where_caches_are_off_the_kernels_say_what_is_better) {
  choose_drivers(Where::cuda_twin, "uncached");
  auto kernels = description();
  kernels.access = Access::streaming;
  const auto streaming = Program::open(kernels, settings_on(Backend::cuda));
  ASSERT_TRUE(streaming) << streaming.error().text;
  EXPECT_EQ((*streaming)->device().model, Model::zero_copy);
  kernels.access = Access::cached;
  const auto cached = Program::open(kernels, settings_on(Backend::cuda));
  ASSERT_TRUE(cached) << cached.error().text;
  EXPECT_EQ((*cached)->device().model, Model::standard_copy);
  EXPECT_THAT((*cached)->device().why, HasSubstr("caches are off"));
}

TEST_F(Cuda, unified_memory_that_only_one_may_use_at_a_time_works_too) {
  auto program = open("exclusive", Model::unified_memory);
  ASSERT_TRUE(program) << program.error().text;
  for (int time = 0; time < 3; ++time) {
    out_.data.fill({});
    ASSERT_TRUE(run(**program));
    EXPECT_TRUE(is_tripled());
    EXPECT_EQ(cuda_twin_attached(), 0U);
  }
  cuda_twin_fail("cuLaunchKernel", 0, 2);
  EXPECT_FALSE(run(**program));
  EXPECT_EQ(cuda_twin_attached(), 0U) << "the next message is written there by the host";
}

TEST_F(Cuda, unified_memory_beyond_the_cards_own_is_refused) {
  auto program = open("", Model::unified_memory);
  ASSERT_TRUE(program) << program.error().text;
  constexpr std::size_t size = std::size_t{768} << 20;  // the twin has 512 MB free
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const std::array<Argument, 1> arguments{std::span(static_cast<std::byte*>(memory), size)};
  const auto refused = (*program)->run(std::array{Launch{.kernel = 1, .arguments = arguments}});
  ::munmap(memory, size);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::out_of_memory);
  EXPECT_THAT(refused.error().text, HasSubstr("(536870912 bytes are free)"));
  EXPECT_TRUE(run(**program));
}

/// What was given out counts before anybody has touched it: the driver still calls it free.
TEST_F(Cuda, unified_memory_is_refused_beyond_the_cards_own_all_programs_together) {
  auto program = open("small", Model::unified_memory);  // 4 MB free
  ASSERT_TRUE(program) << program.error().text;
  constexpr std::size_t size = std::size_t{3} << 20;
  std::vector<std::byte> one(size);
  std::vector<std::byte> other(size);
  const auto sizes_into = [](Program& on, std::initializer_list<std::span<std::byte>> all) {
    std::vector<Argument> arguments(all.begin(), all.end());
    std::vector<Launch> launches;
    launches.reserve(arguments.size());
    for (const Argument& argument : arguments) {
      launches.push_back({.kernel = 1, .arguments = {&argument, 1}});
    }
    return on.run(launches);
  };
  const auto refused = sizes_into(**program, {one, other});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::out_of_memory);
  EXPECT_THAT(refused.error().text, HasSubstr("beside 3145728 that this process has of it"));
  EXPECT_TRUE(sizes_into(**program, {other}));
  auto second = open("small", Model::unified_memory);
  ASSERT_TRUE(second) << second.error().text;
  EXPECT_FALSE(sizes_into(**second, {one}));
  program->reset();
  const auto done = sizes_into(**second, {one});
  EXPECT_TRUE(done) << done.error().text;
}

/// CUDA's grids are whole blocks; the kernel sees OpenCL's exact space.
TEST_F(Cuda, an_index_space_is_exact_in_each_dimension) {
  auto program = open("");
  ASSERT_TRUE(program) << program.error().text;
  struct alignas(4096) Numbers {
    std::array<std::uint32_t, 4096> data{};
  };
  Numbers numbers;
  const std::array<Argument, 1> arguments{
      std::span<std::byte>(std::as_writable_bytes(std::span(numbers.data)))};
  ASSERT_TRUE((*program)->run(
      std::array{Launch{.kernel = 1, .global = {33, 9, 3}, .arguments = arguments}}));
  std::uint32_t written = 0;
  for (std::size_t i = 0; i < numbers.data.size(); ++i) {
    const bool is_inside = i % 100 < 33 && i / 100 % 10 < 9 && i / 1000 < 3;
    EXPECT_EQ(numbers.data.at(i), is_inside ? 45U : 0U) << i;
    written += is_inside ? 1 : 0;
  }
  EXPECT_EQ(written, 33U * 9 * 3);
}

/// As a subscription maps the pool, when it is protected; unmapped as the pool's is.
class SharedPages {
 public:
  explicit SharedPages(std::size_t bytes)
      : bytes_(static_cast<std::byte*>(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                              MAP_SHARED | MAP_ANONYMOUS, -1, 0)),
               bytes) {}
  SharedPages(const SharedPages&) = delete;
  SharedPages& operator=(const SharedPages&) = delete;
  ~SharedPages() {
    pool::tell_unmap_watches(bytes_);
    ::munmap(bytes_.data(), bytes_.size());
  }
  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }
  void protect(int protection) const {
    ASSERT_EQ(::mprotect(bytes_.data(), bytes_.size(), protection), 0);
  }

 private:
  std::span<std::byte> bytes_;
};

Result<void> triple(Program& program, std::span<const std::byte> in, std::span<std::byte> out) {
  const std::array<Argument, 2> arguments{in, out};
  const auto count = static_cast<std::int64_t>(in.size());
  return program.run(
      std::array{Launch{.kernel = 0, .global = {count, 1, 1}, .arguments = arguments}});
}

TEST_F(Cuda, sizes_beyond_those_of_every_device_are_named_before_the_launch) {
  auto program = open("");
  ASSERT_TRUE(program) << program.error().text;
  const std::array<Argument, 1> arguments{std::span<std::byte>(out_.data)};
  using Sizes = std::array<std::int64_t, 3>;
  const auto error_of = [&](const Sizes& global, const Sizes& local) {
    const auto done = (*program)->run(
        std::array{Launch{.kernel = 1, .global = global, .local = local, .arguments = arguments}});
    return done ? std::string() : done.error().text;
  };
  EXPECT_THAT(error_of({1, 1, 65536}, {}),
              HasSubstr("global size 1 x 1 x 65536 with the local size 1 x 1 x 1"));
  EXPECT_THAT(error_of({64, 64, 1}, {64, 32, 1}), HasSubstr("local size 64 x 32 x 1"));
  EXPECT_THAT(error_of({1, 1, 128}, {1, 1, 128}), HasSubstr("the third at most 64"));
  EXPECT_THAT(error_of({10, 1, 1}, {3, 1, 1}), HasSubstr("divides"));
  EXPECT_EQ(error_of({10, 1, 1}, {5, 1, 1}), "");
}

TEST_F(Cuda, memory_that_may_only_be_read_is_registered_as_such_or_refused_by_name) {
  const SharedPages in(4096);
  std::memset(in.bytes().data(), 2, 4096);
  in.protect(PROT_READ);
  auto program = open("");
  ASSERT_TRUE(program) << program.error().text;
  const auto done = triple(**program, in.bytes(), out_.data);
  EXPECT_TRUE(done) << done.error().text;
  EXPECT_TRUE(is_tripled());
  pool::tell_unmap_watches(in.bytes());

  program = open("no-read-only", Model::zero_copy);
  ASSERT_TRUE(program) << program.error().text;
  const auto refused = triple(**program, in.bytes(), out_.data);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("may only read"));
  program = open("no-read-only");
  ASSERT_TRUE(program) << program.error().text;
  EXPECT_EQ((*program)->device().model, Model::standard_copy);
  EXPECT_THAT((*program)->device().why, HasSubstr("not what a process may only read"));
  EXPECT_TRUE(triple(**program, in.bytes(), out_.data));
}

/// A driver's copy of memory that it has not pinned would wait for the stream, and tell nobody.
TEST_F(Cuda, what_a_card_does_not_register_the_host_copies_once_more_and_it_is_counted) {
  auto card = open("discrete no-read-only");
  ASSERT_TRUE(card) << card.error().text;
  EXPECT_THAT((*card)->device().why, HasSubstr("the host copies each input once more"));
  constexpr std::size_t size = (std::size_t{3} << 20) + 4096;  // three pieces and a rest
  const SharedPages in(size);
  const SharedPages out(size);
  for (std::size_t i = 0; i < size; ++i) {
    in.bytes()[i] = static_cast<std::byte>(i * 7 + (i >> 12));
  }
  in.protect(PROT_READ);
  const unsigned long before = cuda_twin_pageable_copies();  // NOLINT(google-runtime-int): C
  for (std::uint64_t time = 1; time <= 3; ++time) {
    std::memset(out.bytes().data(), 0, size);
    const auto done = triple(**card, in.bytes(), out.bytes());
    ASSERT_TRUE(done) << done.error().text;
    for (std::size_t i = 0; i < size; ++i) {
      ASSERT_EQ(out.bytes()[i], static_cast<std::byte>(3 * std::to_integer<int>(in.bytes()[i])));
    }
    const Statistics found = (*card)->statistics();
    EXPECT_EQ(found.copies, 2 * time) << "one transfer each way";
    EXPECT_EQ(found.bytes_copied, 2 * time * size);
    EXPECT_EQ(found.staged, time) << "in; what is written is registered";
    EXPECT_EQ(found.bytes_staged, time * size);
  }
  static Bytes mine;  // private memory that nobody has worked on in place, in and out
  static Bytes made;
  mine.data.fill(std::byte{2});
  ASSERT_TRUE(triple(**card, mine.data, made.data));
  EXPECT_EQ(made.data.back(), std::byte{6});
  EXPECT_EQ((*card)->statistics().staged, 5U);
  EXPECT_EQ(cuda_twin_pageable_copies(), before);
}

TEST_F(Cuda, what_is_refused_is_asked_about_again_when_the_pool_has_new_memory_there) {
  auto card = open("discrete no-read-only");
  ASSERT_TRUE(card) << card.error().text;
  const SharedPages in(4096);
  const SharedPages out(4096);
  const auto staged = [&] {
    EXPECT_TRUE(triple(**card, in.bytes(), out.bytes()));
    return (*card)->statistics().staged;
  };
  in.protect(PROT_READ);
  EXPECT_EQ(staged(), 1U);
  in.protect(PROT_READ | PROT_WRITE);
  EXPECT_EQ(staged(), 2U) << "not per message";
  pool::tell_unmap_watches(in.bytes());
  EXPECT_EQ(staged(), 2U);
  EXPECT_EQ(staged(), 2U);
}

TEST_F(Cuda, foreign_payloads_are_refused_before_a_kernel_can_fault_and_unaligned_ones_copied) {
  auto program = open("");
  ASSERT_TRUE(program) << program.error().text;
  const auto run_on = [&](std::span<const std::byte> in) {
    const std::array<Argument, 2> arguments{in, std::span<std::byte>(out_.data)};
    const auto done = (*program)->run(
        std::array{Launch{.kernel = 0, .global = {16, 1, 1}, .arguments = arguments}});
    return done ? std::string() : done.error().text;
  };
  void* const place = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const std::span foreign(static_cast<const std::byte*>(place), 16);
  EXPECT_THAT(run_on(foreign), HasSubstr("not memory of this process"));
  EXPECT_EQ(run_on(std::span(in_.data).subspan(16, 16)), "");
  EXPECT_EQ((*program)->statistics().copies, 0U);
  EXPECT_EQ(run_on(std::span(in_.data).subspan(1, 16)), "");
  EXPECT_EQ((*program)->statistics().copies, 1U);

  auto card = open("discrete");
  ASSERT_TRUE(card) << card.error().text;
  const auto refused = triple(**card, foreign, out_.data);
  ::munmap(place, 4096);
  ASSERT_FALSE(refused) << "where the host copies, it would fault";
  EXPECT_THAT(refused.error().text, HasSubstr("not memory of this process"));
}

TEST_F(Cuda, a_fault_of_a_kernel_loses_the_device_and_nothing_else) {
  auto program = open("discrete");
  ASSERT_TRUE(program) << program.error().text;
  ASSERT_TRUE(run(**program));
  cuda_twin_fail("kernel", 0, 700);
  const auto lost = run(**program);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, ErrorCode::device_lost);
  EXPECT_THAT(lost.error().text, HasSubstr("an illegal memory access"));
  cuda_twin_repair();  // another process's device works on
  const auto after = run(**program);
  ASSERT_FALSE(after);
  EXPECT_THAT(after.error().text, HasSubstr("was given up before"));
}

/// Each of these calls may fail once; the launch is given up, the next one works.
TEST_F(Cuda, any_call_may_fail_and_the_next_launch_works) {
  for (const Model model : {Model::zero_copy, Model::standard_copy, Model::unified_memory}) {
    for (const char* call :
         {"cuMemAlloc", "cuMemHostAlloc", "cuMemHostRegister", "cuEventCreate", "cuEventRecord",
          "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync", "cuMemsetD8Async", "cuStreamWaitEvent",
          "cuLaunchKernel", "cuLaunchHostFunc"}) {
      for (int skipped = 0; skipped < 4; ++skipped) {
        SCOPED_TRACE(testing::Message() << call << " after " << skipped);
        auto program = open("discrete", model);
        ASSERT_TRUE(program) << program.error().text;
        cuda_twin_fail(call, skipped, 2);
        if (const auto done = run(**program); !done) {
          EXPECT_EQ(done.error().code, ErrorCode::out_of_memory) << done.error().text;
        } else {
          EXPECT_TRUE(is_tripled());
        }
        cuda_twin_repair();
        out_.data.fill({});
        const auto next = run(**program);
        EXPECT_TRUE(next) << next.error().text;
        EXPECT_TRUE(is_tripled());
      }
    }
  }
}

TEST_F(Cuda, what_cannot_be_opened_says_why) {
  for (const auto& [call, sentence] :
       {std::pair{"cuStreamCreate", "cuStreamCreate: out of memory (2)"},
        std::pair{"cuModuleLoadData", "triple.cl: cuModuleLoadData: out of memory (2)"}}) {
    choose_drivers(Where::cuda_twin);
    cuda_twin_fail(call, 0, 2);
    const auto program = Program::open(description(), settings_on(Backend::cuda));
    ASSERT_FALSE(program);
    EXPECT_EQ(program.error().text, sentence);
  }
}

TEST_F(Cuda, without_a_device_or_a_driver_it_is_said_and_opencl_is_taken) {
  const auto none = open("no-device");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::unavailable);
  EXPECT_THAT(none.error().text, HasSubstr("finds no device"));
  const auto instead = Program::open(description(), {});
  ASSERT_TRUE(instead) << instead.error().text;
  EXPECT_EQ((*instead)->device().backend, Backend::opencl);

  ::setenv("LIGAMENT_CUDA_DRIVER", "/nowhere/libcuda.so.1", 1);
  const auto program = Program::open(description(), settings_on(Backend::cuda));
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, ErrorCode::unavailable);
  EXPECT_THAT(program.error().text, HasSubstr("there is no CUDA driver here"));
}

TEST_F(Cuda, where_it_is_complete_it_is_taken_unless_a_device_is_named_in_opencls_words) {
  choose_drivers(Where::cuda_twin);
  const auto program = Program::open(description(), {});
  ASSERT_TRUE(program) << program.error().text;
  EXPECT_EQ((*program)->device().backend, Backend::cuda);
  const auto named = Program::open(description(), settings_on(Backend::automatic, "0:0"));
  ASSERT_TRUE(named) << named.error().text;
  EXPECT_EQ((*named)->device().backend, Backend::opencl);
  const auto by_name = Program::open(description(), settings_on(Backend::automatic, "CUDA tw"));
  ASSERT_TRUE(by_name) << by_name.error().text;
  EXPECT_EQ((*by_name)->device().backend, Backend::cuda);
  const auto neither = Program::open(description(), settings_on(Backend::automatic, "no such"));
  ASSERT_FALSE(neither);
  EXPECT_THAT(neither.error().text, HasSubstr("no OpenCL device is called 'no such'"));
  const auto unknown = Program::open(description(), settings_on(Backend::cuda, "no such device"));
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().text, HasSubstr("there are: cuda:0 'CUDA twin'"));
}

TEST_F(Cuda, kernels_of_cuda_alone_are_refused_by_opencl_with_the_remedy) {
  const ProgramDescription own{{{"own.cu", "__global__ void own(int* out) { out[0] = 1; }"}},
                               {{"own", {Kind::output}}}};
  const auto refused = Program::open(own, settings_on(Backend::opencl));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("own.cu: CUDA C++, which no OpenCL device takes"));
  choose_drivers(Where::cuda_twin);
  const auto program = Program::open(own, {});
  ASSERT_TRUE(program) << program.error().text;
  const std::array<Argument, 1> arguments{std::span<std::byte>(out_.data)};
  ASSERT_TRUE((*program)->run(std::array{Launch{.kernel = 0, .arguments = arguments}}));
  EXPECT_EQ(out_.data[0], std::byte{1});
}

}  // namespace
}  // namespace ligament::gpu::test
