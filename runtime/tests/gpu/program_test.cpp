// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ligament/gpu.hpp>

#include "bad_kernels.hpp"
#include "fixture.hpp"
#include "memory/os/system.hpp"

namespace ligament::gpu {
namespace {

using testing::HasSubstr;

constexpr const char* triple_text = R"(
__kernel void triple(const __global uchar* in, __global uchar* out, ushort factor) {
  out[get_global_id(0)] = (uchar)(in[get_global_id(0)] * factor);
}
__kernel void scale(__global float* values, float factor, long count) {
  if (get_global_id(0) < count) values[get_global_id(0)] = get_global_id(0) * factor;
}
)";

using test::Bytes;
using Kind = ArgumentKind;

ProgramDescription triple() {
  return {{{"triple.cl", triple_text}},
          {{"triple", {Kind::input, Kind::output, Kind::number}},
           {"scale", {Kind::output, Kind::number, Kind::number}}}};
}

class GpuProgram : public test::OnEachModel {
 protected:
  std::unique_ptr<Program> open() { return OnEachModel::open(triple()); }
};

TEST_P(GpuProgram, kernels_work_on_the_bytes_they_are_given) {
  const auto program = open();
  ASSERT_NE(program, nullptr);
  Bytes in;
  Bytes out;
  for (std::size_t i = 0; i < in.data.size(); ++i) {
    in.data[i] = static_cast<std::byte>(i);
  }
  const std::array<Argument, 3> arguments{std::span<const std::byte>(in.data),
                                          std::span<std::byte>(out.data), std::int64_t{3}};
  const std::array launches{Launch{.kernel = 0, .global = {4096, 1, 1}, .arguments = arguments}};
  for (int run = 0; run < 3; ++run) {
    ASSERT_TRUE(program->run(launches));
    for (std::size_t i = 0; i < in.data.size(); ++i) {
      ASSERT_EQ(out.data[i], static_cast<std::byte>(3 * i)) << i;
    }
    out.data.fill({});
  }
  const Statistics& statistics = program->statistics();
  EXPECT_EQ(statistics.launches, 3U);
  const bool in_place = program->device().model == Model::zero_copy;
  EXPECT_EQ(statistics.copies, in_place ? 0U : 6U);
  EXPECT_EQ(statistics.bytes_copied, in_place ? 0U : 6U * 4096);
  if (program->device().backend == Backend::opencl) {
    EXPECT_EQ(statistics.imported, in_place ? 2U : 0U);  // at first use only
  } else {                                               // once per process
    EXPECT_LE(statistics.imported, 2U);
  }
  EXPECT_GT(statistics.kernel_ns, 0);
}

TEST_P(GpuProgram, a_later_kernel_of_a_run_sees_what_an_earlier_one_wrote) {
  const auto program = open();
  ASSERT_NE(program, nullptr);
  Bytes in;
  Bytes between;
  Bytes out;
  in.data.fill(std::byte{2});
  const std::array<Argument, 3> first{std::span<const std::byte>(in.data),
                                      std::span<std::byte>(between.data), std::int64_t{3}};
  const std::array<Argument, 3> second{std::span<const std::byte>(between.data),
                                       std::span<std::byte>(out.data), std::int64_t{5}};
  const std::array launches{Launch{.kernel = 0, .global = {4096, 1, 1}, .arguments = first},
                            Launch{.kernel = 0, .global = {4096, 1, 1}, .arguments = second}};
  ASSERT_TRUE(program->run(launches));
  EXPECT_EQ(between.data.back(), std::byte{6});
  EXPECT_EQ(out.data.back(), std::byte{30});
  // The second kernel's input is on the device already: written once, read back twice.
  const bool in_place = program->device().model == Model::zero_copy;
  EXPECT_EQ(program->statistics().copies, in_place ? 0U : 3U);
}

TEST_P(GpuProgram, a_fraction_is_given_as_the_kernels_own_type) {
  const auto program = open();
  ASSERT_NE(program, nullptr);
  Bytes values;
  const auto* numbers = reinterpret_cast<const float*>(values.data.data());
  const std::array<Argument, 3> arguments{std::span<std::byte>(values.data), 2.5,
                                          std::int64_t{512}};
  const std::array launches{Launch{.kernel = 1, .global = {1024, 1, 1}, .arguments = arguments}};
  ASSERT_TRUE(program->run(launches));
  EXPECT_EQ(numbers[511], 511 * 2.5F);
  EXPECT_EQ(numbers[512], 0);
}

class GpuMemory : public test::OnEachModel {};

/// New memory may get the old address; a device would go on seeing the old pages.
TEST_P(GpuMemory, what_is_unmapped_is_no_longer_imported) {
  const auto program = open(triple());
  ASSERT_NE(program, nullptr);
  if (program->device().model != Model::zero_copy) {
    GTEST_SKIP() << "the OpenCL device here copies messages: nothing is imported";
  }
  // OpenCL takes each payload, CUDA the whole of the memory that they lie in.
  const std::uint64_t pieces = program->device().backend == Backend::opencl ? 2 : 1;
  const std::uint64_t before = program->statistics().forgotten;
  const auto run_on_new_memory = [&](std::byte value) {
    const auto memory = pool::os::create_shared("gpu-test", 8192, {});
    ASSERT_TRUE(memory);
    const std::span bytes(memory->mapping.base(), 8192);
    std::fill_n(bytes.begin(), 4096, value);
    const std::array<Argument, 3> arguments{std::span<const std::byte>(bytes.first(4096)),
                                            bytes.last(4096), std::int64_t{3}};
    const std::array launches{Launch{.kernel = 0, .global = {4096, 1, 1}, .arguments = arguments}};
    ASSERT_TRUE(program->run(launches));
    EXPECT_EQ(bytes[8191], static_cast<std::byte>(3 * static_cast<int>(value)));
  };
  run_on_new_memory(std::byte{2});
  EXPECT_EQ(program->statistics().imported, pieces);
  EXPECT_EQ(program->statistics().forgotten - before, pieces);
  run_on_new_memory(std::byte{5});
  EXPECT_EQ(program->statistics().imported, 2 * pieces);
  EXPECT_EQ(program->statistics().forgotten - before, 2 * pieces);
}

INSTANTIATE_TEST_SUITE_P(InPlace, GpuMemory, test::each_in_place, test::name_of_model);

/// Sizes that never repeat fill the list of known places. It is emptied between runs, never between
/// the arguments of one kernel: the input of the last run was known long before its output.
TEST_P(GpuProgram, payloads_of_ever_new_sizes_find_their_input) {
  const auto program = open();
  ASSERT_NE(program, nullptr);
  Bytes in;
  Bytes out;
  in.data.fill(std::byte{2});
  for (std::size_t size = 1; size <= out.data.size(); ++size) {
    const std::array<Argument, 3> arguments{std::span<const std::byte>(in.data),
                                            std::span(out.data).first(size), std::int64_t{3}};
    const std::array launches{Launch{.kernel = 0, .global = {1, 1, 1}, .arguments = arguments}};
    out.data[0] = {};
    ASSERT_TRUE(program->run(launches)) << size;
    ASSERT_EQ(out.data[0], std::byte{6}) << size;
  }
}

TEST_P(GpuProgram, an_empty_index_space_launches_nothing) {
  const auto program = open();
  ASSERT_NE(program, nullptr);
  Bytes out;
  const std::array<Argument, 3> arguments{std::span<const std::byte>(),
                                          std::span<std::byte>(out.data), std::int64_t{3}};
  const std::array launches{Launch{.kernel = 0, .global = {0, 1, 1}, .arguments = arguments}};
  EXPECT_TRUE(program->run(launches));
  EXPECT_EQ(program->statistics().launches, 0U);
}

TEST_P(GpuProgram, a_number_that_does_not_fit_is_refused_and_the_next_launch_works) {
  const auto program = open();
  ASSERT_NE(program, nullptr);
  Bytes in;
  Bytes out;
  std::array<Argument, 3> arguments{std::span<const std::byte>(in.data),
                                    std::span<std::byte>(out.data), std::int64_t{65536}};
  const std::array launches{Launch{.kernel = 0, .global = {16, 1, 1}, .arguments = arguments}};
  const auto refused = program->run(launches);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::launch_failed);
  EXPECT_THAT(refused.error().text, HasSubstr("65536 does not fit parameter 3 of kernel 'triple'"));
  arguments[2] = 1.5;
  const auto fraction = program->run(launches);
  ASSERT_FALSE(fraction);
  EXPECT_EQ(fraction.error().code, ErrorCode::kernel_mismatch);
  arguments[2] = std::int64_t{1};
  EXPECT_TRUE(program->run(launches));
}

TEST_P(GpuProgram, a_local_size_that_divides_nothing_is_an_error_of_the_launch) {
  const auto program = open();
  ASSERT_NE(program, nullptr);
  Bytes in;
  Bytes out;
  const std::array<Argument, 3> arguments{std::span<const std::byte>(in.data),
                                          std::span<std::byte>(out.data), std::int64_t{3}};
  const std::array launches{
      Launch{.kernel = 0, .global = {16, 1, 1}, .local = {1 << 30, 1, 1}, .arguments = arguments}};
  const auto refused = program->run(launches);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::launch_failed);
}

INSTANTIATE_TEST_SUITE_P(Models, GpuProgram, test::each_model, test::name_of_model);

Error error_of(const ProgramDescription& description,
               const Settings& settings = test::settings_on(Backend::opencl)) {
  const auto program = Program::open(description, settings);
  EXPECT_FALSE(program);
  return program ? Error{} : program.error();
}

TEST(GpuOpen, a_compile_error_names_the_kernels_own_file_and_line) {
  const Error error = error_of(test::undeclared_name());
  EXPECT_EQ(error.code, ErrorCode::not_compiled);
  EXPECT_THAT(error.text, HasSubstr("folder/blur.cl:2:"));
}

TEST(GpuOpen, each_source_counts_its_own_lines) {
  EXPECT_THAT(error_of(test::fault_in_second_source()).text, HasSubstr("bad.cl:1:"));
}

TEST(GpuOpen, signatures_are_compared_with_the_manifest) {
  auto description = triple();
  description.kernels[0].name = "tripel";
  EXPECT_THAT(error_of(description).text, HasSubstr("define no kernel 'tripel'; there are: "));
  description = triple();
  description.kernels[0].arguments.pop_back();
  EXPECT_THAT(error_of(description).text,
              HasSubstr("kernel 'triple' has 3 parameters, and the manifest gives 2 arguments"));
  description = triple();
  description.kernels[0].arguments[2] = Kind::input;
  EXPECT_THAT(error_of(description).text,
              HasSubstr("parameter 3 ('factor') of kernel 'triple' is a ushort, and the manifest "
                        "gives bytes that it reads"));
  description = triple();
  description.kernels[0].arguments[0] = Kind::number;
  EXPECT_EQ(error_of(description).code, ErrorCode::kernel_mismatch);
}

TEST(GpuOpen, an_unknown_device_is_refused_with_those_that_there_are) {
  const Error error = error_of(triple(), test::settings_on(Backend::opencl, "no such device"));
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_THAT(error.text, HasSubstr("there are: 0:0 '"));
}

/// In a process of its own: the loader looks for drivers once.
TEST(GpuOpenDeathTest, without_a_driver_it_is_said_what_to_install) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto open_without = [] {
    ::setenv("OCL_ICD_VENDORS", "/nowhere/", 1);
    const Error error = error_of(triple());
    std::fputs(error.text.c_str(), stderr);
    std::_Exit(error.code == ErrorCode::unavailable ? 0 : 1);
  };
  EXPECT_EXIT(open_without(), testing::ExitedWithCode(0), "there is no OpenCL device here");
}

TEST(GpuSettings, come_from_the_environment_and_an_unknown_model_is_refused) {
  ::setenv("LIGAMENT_GPU_MODEL", "standard_copy", 1);
  ::setenv("LIGAMENT_GPU_DEVICE", "0:0", 1);
  ::setenv("LIGAMENT_GPU_BACKEND", "opencl", 1);
  const auto settings = settings_from_environment();
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->model, Model::standard_copy);
  EXPECT_EQ(settings->device, "0:0");
  EXPECT_EQ(settings->backend, Backend::opencl);
  ::setenv("LIGAMENT_GPU_MODEL", "zero", 1);
  const auto refused = settings_from_environment();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::setting);
  ::unsetenv("LIGAMENT_GPU_MODEL");
  ::setenv("LIGAMENT_GPU_BACKEND", "vulkan", 1);
  EXPECT_FALSE(settings_from_environment());
  ::unsetenv("LIGAMENT_GPU_BACKEND");
  ::unsetenv("LIGAMENT_GPU_DEVICE");
}

}  // namespace
}  // namespace ligament::gpu
