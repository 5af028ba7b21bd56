// SPDX-License-Identifier: Apache-2.0
/// What CUDA has of its own, and its faults, on the twin (twin/twin.hpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <ligament/gpu.hpp>
#include <numeric>

#include "fixture.hpp"

namespace ligament::gpu::test {
namespace {

using testing::HasSubstr;
using Kind = ArgumentKind;

constexpr const char* text = R"(
__kernel void triple(const __global uchar* in, __global uchar* out) {
  out[get_global_id(0)] = in[get_global_id(0)] * 3;
}
__kernel void sizes(__global uint* out) {
  out[get_global_id(2) * 1000 + get_global_id(1) * 100 + get_global_id(0)] =
      get_global_size(0) + get_global_size(1) + get_global_size(2);
}
)";

ProgramDescription description() {
  return {{{"triple.cl", text}},
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
  }
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
  EXPECT_THAT(refused.error().text, HasSubstr("more than the 536870912 that the device has free"));
  EXPECT_TRUE(run(**program));
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

TEST_F(Cuda, memory_that_may_only_be_read_is_registered_as_such_or_refused_by_name) {
  const auto run_on_read_only = [this](Program& program) {
    void* memory = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    std::memset(memory, 2, 4096);
    EXPECT_EQ(::mprotect(memory, 4096, PROT_READ), 0);
    const std::array<Argument, 2> arguments{std::span(static_cast<const std::byte*>(memory), 4096),
                                            std::span<std::byte>(out_.data)};
    return program.run(
        std::array{Launch{.kernel = 0, .global = {4096, 1, 1}, .arguments = arguments}});
  };
  auto program = open("");
  ASSERT_TRUE(program) << program.error().text;
  const auto done = run_on_read_only(**program);
  EXPECT_TRUE(done) << done.error().text;
  EXPECT_TRUE(is_tripled());

  program = open("no-read-only");
  ASSERT_TRUE(program) << program.error().text;
  const auto refused = run_on_read_only(**program);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("may only read"));
  auto copying = open("no-read-only", Model::standard_copy);
  ASSERT_TRUE(copying) << copying.error().text;
  EXPECT_TRUE(run_on_read_only(**copying));
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
  void* gone = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ::munmap(gone, 4096);
  EXPECT_THAT(run_on(std::span(static_cast<const std::byte*>(gone), 16)),
              HasSubstr("not memory of this process"));
  EXPECT_EQ(run_on(std::span(in_.data).subspan(16, 16)), "");
  EXPECT_EQ((*program)->statistics().copies, 0U);
  EXPECT_EQ(run_on(std::span(in_.data).subspan(1, 16)), "");
  EXPECT_EQ((*program)->statistics().copies, 1U);
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
    for (const char* call : {"cuMemAlloc", "cuMemHostRegister", "cuEventCreate", "cuEventRecord",
                             "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync", "cuMemsetD8Async",
                             "cuStreamWaitEvent", "cuLaunchKernel", "cuLaunchHostFunc"}) {
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
  const auto unknown = Program::open(description(), settings_on(Backend::cuda, "no such device"));
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().text, HasSubstr("there are: cuda:0 'CUDA twin'"));
}

TEST_F(Cuda, kernels_of_cuda_alone_are_refused_by_opencl_with_the_way_out) {
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
