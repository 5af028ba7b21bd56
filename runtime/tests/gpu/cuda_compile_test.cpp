// SPDX-License-Identifier: Apache-2.0
/// Kernels through NVIDIA's own compiler, which needs no GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "bad_kernels.hpp"
#include "gpu/cuda/compiler.hpp"
#include "gpu/cuda/driver.hpp"

namespace ligament::gpu::cuda {
namespace {

using testing::HasSubstr;
using Kind = ArgumentKind;

class CudaCompile : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::ifstream(NVRTC_LIBRARY)) {
      GTEST_SKIP() << "Python's package nvidia-cuda-nvrtc-cu12 is not installed (dev/setup --test)";
    }
    ::setenv("LIGAMENT_NVRTC", NVRTC_LIBRARY, 1);
  }
  void TearDown() override { ::unsetenv("LIGAMENT_NVRTC"); }

  static Error error_of(const ProgramDescription& description) {
    const auto compiled = compile(description, 87);
    EXPECT_FALSE(compiled);
    return compiled ? Error{} : compiled.error();
  }
};

constexpr const char* triple = R"(
__constant int offsets[2] = {1, 2};
int helper(const __global uchar* in, int n) { return in[0] * n + offsets[n & 1]; }
__kernel void triple(const __global uchar* in, __global uchar* out, ushort factor) {
  __local int shared[4];
  const size_t i = get_global_id(0) + get_global_size(0) * get_global_id(1);
  shared[0] = convert_short_sat_rte(0.5f) + max(3, (int)get_local_id(0));
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = (uchar)(in[i] * factor + shared[0] + helper(in, clamp(7, 1, 3)));
}
)";

ProgramDescription description_of(const std::string& path, const std::string& text) {
  return {{{path, text}}, {{"triple", {Kind::input, Kind::output, Kind::number}}}};
}

TEST_F(CudaCompile, one_opencl_text_becomes_machine_code_for_each_device) {
  for (const Architecture architecture : {53, 62, 72, 75, 87, 90}) {
    const auto compiled = compile(description_of("triple.cl", triple), architecture);
    ASSERT_TRUE(compiled) << compiled.error().text;
    const std::string_view image(compiled->image.data(), compiled->image.size());
    EXPECT_TRUE(
        image.starts_with("\x7f"
                          "ELF"));
    EXPECT_THAT(std::string(image), HasSubstr("ligament_entry_triple"));
    ASSERT_EQ(compiled->kernels.size(), 1U);
    EXPECT_TRUE(compiled->kernels[0].takes_sizes);
  }
}

TEST_F(CudaCompile, a_device_newer_than_the_compiler_gets_code_to_be_translated) {
  const auto compiled = compile(description_of("triple.cl", triple), 999);
  ASSERT_TRUE(compiled) << compiled.error().text;
  EXPECT_THAT(std::string(compiled->image.data()), HasSubstr(".target sm_"));
}

TEST_F(CudaCompile, an_error_names_the_kernels_own_file_and_line) {
  const Error error = error_of(test::undeclared_name());
  EXPECT_EQ(error.code, ErrorCode::not_compiled);
  EXPECT_THAT(error.text, HasSubstr("folder/blur.cl(2): error"));
}

TEST_F(CudaCompile, each_source_counts_its_own_lines) {
  EXPECT_THAT(error_of(test::fault_in_second_source()).text, HasSubstr("bad.cl(1): error"));
}

TEST_F(CudaCompile, signatures_are_compared_with_the_manifest) {
  auto description = description_of("triple.cl", triple);
  description.kernels[0].name = "tripel";
  EXPECT_THAT(error_of(description).text,
              HasSubstr("triple.cl: the sources define no kernel 'tripel'; there are: triple"));
  description = description_of("triple.cl", triple);
  description.kernels[0].arguments[2] = Kind::input;
  EXPECT_THAT(error_of(description).text,
              HasSubstr("parameter 3 ('factor') of kernel 'triple' is a ushort, and the manifest "
                        "gives bytes that it reads"));
}

TEST_F(CudaCompile, a_kernel_of_cuda_stands_before_the_one_for_all_devices) {
  auto description = description_of("triple.cl", "no kernel at all");
  description.sources.push_back(
      {"triple.cu",
       "__global__ void triple(const unsigned char* in, unsigned char* out, unsigned short f) {\n"
       "  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
       "  out[i] = in[i] * f;\n}\n"});
  const auto compiled = compile(description, 87);
  ASSERT_TRUE(compiled) << compiled.error().text;
  EXPECT_FALSE(compiled->kernels[0].takes_sizes);
  EXPECT_THAT(compiled->kernels[0].entry, HasSubstr("triple"));
  EXPECT_NE(compiled->kernels[0].entry, "triple") << "C++ names carry their types";
}

TEST_F(CudaCompile, without_a_compiler_it_is_said_what_to_install) {
  ::setenv("LIGAMENT_NVRTC", "/nowhere/libnvrtc.so", 1);
  const Error error = error_of(description_of("triple.cl", triple));
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_THAT(error.text, HasSubstr("nvidia-cuda-nvrtc-cu12"));
}

}  // namespace
}  // namespace ligament::gpu::cuda
