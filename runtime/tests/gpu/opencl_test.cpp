// SPDX-License-Identifier: Apache-2.0
/// What OpenCL has of its own, and its faults, behind the shim (opencl_shim.hpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <ligament/gpu.hpp>

#include "fixture.hpp"

namespace ligament::gpu::test {
namespace {

using testing::HasSubstr;
using Kind = ArgumentKind;

ProgramDescription description(Access access = Access::cached) {
  return {{{"triple.cl", times_three}}, {{"triple", {Kind::input, Kind::output}}}, access};
}

class OpenCl : public testing::Test {
 protected:
  void SetUp() override { opencl_repair(); }
  void TearDown() override { opencl_repair(); }

  static Result<std::unique_ptr<Program>> open(Model model = Model::automatic,
                                               Access access = Access::cached) {
    return Program::open(description(access), settings_of({"", Where::opencl, model}));
  }

  static Result<void> run_on(Program& program, Argument in, Argument out) {
    const std::array<Argument, 2> arguments{std::move(in), std::move(out)};
    return program.run(
        std::array{Launch{.kernel = 0, .global = {4096, 1, 1}, .arguments = arguments}});
  }
  Result<void> run(Program& program, std::byte value = std::byte{2}) {
    in_.data.fill(value);
    return run_on(program, std::span<const std::byte>(in_.data), std::span<std::byte>(out_.data));
  }
  [[nodiscard]] bool is_tripled(std::byte value = std::byte{2}) const {
    return std::all_of(out_.data.begin(), out_.data.end(), [&](std::byte one) {
      return one == static_cast<std::byte>(3 * static_cast<int>(value));
    });
  }

  Bytes in_;
  Bytes out_;
};

TEST_F(OpenCl, the_device_and_the_kernels_decide_how_payloads_go) {
  struct Case {
    Looks looks;
    Access access;
    Model model;
    const char* why;
  };
  for (const Case& one :
       {Case{Looks::itself, Access::cached, Model::zero_copy, "the host's processors"},
        Case{Looks::integrated, Access::cached, Model::zero_copy, "caches stay on"},
        Case{Looks::incoherent, Access::streaming, Model::zero_copy, "touch each byte once"},
        Case{Looks::incoherent, Access::cached, Model::standard_copy, "caches are off"},
        Case{Looks::card, Access::streaming, Model::standard_copy, "memory of its own"}}) {
    opencl_looks(one.looks);
    const auto program = open(Model::automatic, one.access);
    ASSERT_TRUE(program) << program.error().text;
    EXPECT_EQ((*program)->device().model, one.model) << one.why;
    EXPECT_THAT((*program)->device().why, HasSubstr(one.why));
    ASSERT_TRUE(run(**program));
    EXPECT_TRUE(is_tripled()) << one.why;
    EXPECT_EQ((*program)->statistics().copies, one.model == Model::zero_copy ? 0U : 2U);
  }
}

TEST_F(OpenCl, a_card_has_no_zero_copy_and_says_what_works) {
  opencl_looks(Looks::card);
  const auto refused = open(Model::zero_copy);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::setting);
  EXPECT_THAT(refused.error().text, HasSubstr("standard_copy works"));
}

/// Content that changes between launches gets to a driver's copy, and back, each time.
TEST_F(OpenCl, memory_in_place_is_handed_to_the_device_and_back) {
  opencl_looks(Looks::integrated);
  const auto program = open(Model::zero_copy);
  ASSERT_TRUE(program) << program.error().text;
  for (int value = 1; value < 20; ++value) {
    out_.data.fill({});
    ASSERT_TRUE(run(**program, static_cast<std::byte>(value)));
    ASSERT_TRUE(is_tripled(static_cast<std::byte>(value))) << value;
  }
  EXPECT_EQ((*program)->statistics().imported, 2U);
}

/// A subscription's memory: a driver that wrote to it would end the process.
TEST_F(OpenCl, what_may_only_be_read_is_never_written_back) {
  opencl_looks(Looks::integrated);
  const auto program = open(Model::zero_copy);
  ASSERT_TRUE(program) << program.error().text;
  void* memory = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  std::fill_n(static_cast<std::byte*>(memory), 4096, std::byte{2});
  ASSERT_EQ(::mprotect(memory, 4096, PROT_READ), 0);
  const std::span in(static_cast<const std::byte*>(memory), 4096);
  for (int time = 0; time < 2; ++time) {
    ASSERT_TRUE(run_on(**program, in, std::span<std::byte>(out_.data)));
    EXPECT_TRUE(is_tripled());
  }
  const auto refused = run_on(**program, std::span<const std::byte>(in_.data),
                              std::span(static_cast<std::byte*>(memory), 4096));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("not memory of this process that it may write"));
  ::munmap(memory, 4096);
}

TEST_F(OpenCl, foreign_payloads_are_refused_before_a_kernel_can_fault_and_unaligned_ones_copied) {
  const auto program = open(Model::zero_copy);
  ASSERT_TRUE(program) << program.error().text;
  const auto said = [&](std::span<const std::byte> in) {
    const auto done = run_on(**program, in, std::span<std::byte>(out_.data));
    return done ? std::string() : done.error().text;
  };
  void* gone = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ::munmap(gone, 4096);
  EXPECT_THAT(said(std::span(static_cast<const std::byte*>(gone), 4096)),
              HasSubstr("not memory of this process that it may read"));
  EXPECT_EQ(said(in_.data), "");
  EXPECT_EQ((*program)->statistics().copies, 0U);
  const std::vector<std::byte> moved(in_.data.size() + 1, std::byte{2});
  EXPECT_EQ(said(std::span(moved).subspan(1)), "");
  EXPECT_TRUE(is_tripled());
  EXPECT_EQ((*program)->statistics().copies, 1U);
}

TEST_F(OpenCl, a_topic_may_have_a_model_of_its_own) {
  for (const Model model : {Model::zero_copy, Model::standard_copy, Model::unified_memory}) {
    Settings settings = settings_of({"", Where::opencl, model});
    settings.topic_models = {{"/in", Model::zero_copy}, {"/out", Model::standard_copy}};
    const auto program = Program::open(description(), settings);
    ASSERT_TRUE(program) << program.error().text;
    in_.data.fill(std::byte{2});
    out_.data.fill({});
    ASSERT_TRUE(run_on(**program, Reading{in_.data, Model::zero_copy},
                       Writing{out_.data, Model::standard_copy}));
    EXPECT_TRUE(is_tripled());
    EXPECT_EQ((*program)->statistics().copies, 1U) << "out alone";
    EXPECT_EQ((*program)->statistics().imported, 1U) << "in alone";
  }
  opencl_looks(Looks::card);
  Settings settings = settings_of({"", Where::opencl, Model::standard_copy});
  settings.topic_models = {{"/in", Model::zero_copy}};
  const auto refused = Program::open(description(), settings);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("no zero_copy on it"));
}

TEST_F(OpenCl, a_device_that_is_lost_in_mid_run_loses_nothing_else) {
  for (const Model model : {Model::zero_copy, Model::standard_copy, Model::unified_memory}) {
    const auto program = open(model);
    ASSERT_TRUE(program) << program.error().text;
    ASSERT_TRUE(run(**program));
    opencl_fails("kernel", 0, -2);  // CL_DEVICE_NOT_AVAILABLE
    const auto lost = run(**program);
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().code, ErrorCode::device_lost);
    EXPECT_EQ(lost.error().text, "kernel 'triple': the device is not available (-2)");
    const auto after = run(**program);
    ASSERT_FALSE(after);
    EXPECT_THAT(after.error().text, HasSubstr("was given up before"));
    const auto fresh = open(model);  // whoever starts again
    ASSERT_TRUE(fresh) << fresh.error().text;
    EXPECT_TRUE(run(**fresh));
  }
}

/// Each of these calls may fail once; the launch is given up, the next one works.
TEST_F(OpenCl, any_call_may_fail_and_the_next_launch_works) {
  for (const Target& target : {Target{"", Where::opencl, Model::zero_copy},
                               Target{"", Where::opencl, Model::standard_copy},
                               Target{"", Where::opencl, Model::unified_memory},
                               Target{"", Where::opencl_integrated, Model::zero_copy}}) {
    for (const char* call :
         {"clCreateBuffer", "clSVMAlloc", "clSetKernelArg", "clEnqueueWriteBuffer",
          "clEnqueueReadBuffer", "clEnqueueSVMMemcpy", "clEnqueueFillBuffer",
          "clEnqueueNDRangeKernel", "clEnqueueMapBuffer", "clEnqueueUnmapMemObject",
          "clEnqueueMarkerWithWaitList", "clSetEventCallback", "kernel"}) {
      SCOPED_TRACE(testing::Message() << call << ", " << static_cast<int>(target.model));
      choose_drivers(target.where);
      const auto program = Program::open(description(), settings_of(target));
      ASSERT_TRUE(program) << program.error().text;
      for (const int skipped : {1, 0, 0}) {  // in new memory, and in that which is known
        opencl_fails(call, skipped, -4);     // CL_MEM_OBJECT_ALLOCATION_FAILURE
        out_.data.fill({});
        if (const auto done = run(**program); !done) {
          EXPECT_EQ(done.error().code, ErrorCode::out_of_memory) << done.error().text;
        } else {
          EXPECT_TRUE(is_tripled());
        }
      }
      opencl_fails(call, 0, 0);
      out_.data.fill({});
      const auto next = run(**program, std::byte{7});
      EXPECT_TRUE(next) << next.error().text;
      EXPECT_TRUE(is_tripled(std::byte{7}));
    }
  }
}

TEST(GpuTopicModels, are_read_from_the_words_of_files_and_the_environment) {
  const auto settings = settings_for("standard_copy,/image=zero_copy");
  ASSERT_TRUE(settings) << settings.error().text;
  EXPECT_EQ(settings->model, Model::standard_copy);
  EXPECT_EQ(settings->topic_models, (std::map<std::string, Model>{{"/image", Model::zero_copy}}));
  ::setenv("LIGAMENT_GPU_MODEL", "unified_memory", 1);
  const auto asked = settings_for("standard_copy,/image=zero_copy");
  ASSERT_TRUE(asked) << asked.error().text;
  EXPECT_EQ(asked->model, Model::unified_memory);
  EXPECT_TRUE(asked->topic_models.empty()) << "the environment is for all topics";
  ::unsetenv("LIGAMENT_GPU_MODEL");
  const auto refused = settings_for("/image=zero");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("'zero'; there are automatic, zero_copy"));
}

}  // namespace
}  // namespace ligament::gpu::test
