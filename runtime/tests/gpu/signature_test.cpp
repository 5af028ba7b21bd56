// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/signature.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ligament::gpu::cuda {
namespace {

using testing::ElementsAre;

std::vector<std::string> names_of(std::string_view text) {
  std::vector<std::string> names;
  for (const Signature& one : signatures_of(text)) {
    names.push_back(one.name);
  }
  return names;
}

std::vector<std::string> types_of(std::string_view text) {
  std::vector<std::string> types;
  const auto found = signatures_of(text);
  for (const Parameter& one : found.at(0).parameters) {
    types.push_back(one.type + " " + one.name + (one.is_buffer ? " buffer" : ""));
  }
  return types;
}

TEST(CudaSignature, types_and_names_are_found_beside_qualifiers) {
  EXPECT_THAT(
      types_of("__kernel void f(const __global uchar* in, volatile __global ushort *out,\n"
               "                unsigned int n, __constant float* restrict t) {}"),
      ElementsAre("uchar* in buffer", "ushort* out buffer", "unsigned int n", "float* t buffer"));
  EXPECT_THAT(types_of("extern \"C\" __global__ __launch_bounds__(256) void f(const float* "
                       "__restrict__ a, double b) {}"),
              ElementsAre("float* a buffer", "double b"));
}

TEST(CudaSignature, numbers_have_their_type) {
  const auto found =
      signatures_of("__kernel void f(uchar a, unsigned long b, float c, struct s d) {}");
  EXPECT_EQ(found.at(0).parameters[0].number, NumberType::uint8);
  EXPECT_EQ(found.at(0).parameters[1].number, NumberType::uint64);
  EXPECT_EQ(found.at(0).parameters[2].number, NumberType::float32);
  EXPECT_EQ(found.at(0).parameters[3].number, NumberType::none);
}

TEST(CudaSignature, what_is_no_code_defines_no_kernel) {
  EXPECT_THAT(names_of("// __kernel void a(int x) {}\n/* __kernel void b(int x) {} */\n"
                       "#define K __kernel void c(int x)\nconst char* t = \"__kernel void d(\";\n"
                       "void helper(int x) {}\n__kernel void e(void) {}\n__kernel void f() {}"),
              ElementsAre("e", "f"));
  EXPECT_TRUE(signatures_of("__kernel void e(void) {}").at(0).parameters.empty());
}

TEST(CudaSignature, any_text_is_read_to_its_end) {
  for (const char* text :
       {"__kernel", "__kernel void", "__kernel void f(", "__kernel void f(int", "\"", "/*", "//",
        "#", "__kernel void f(int a,,) {", "__global__ void ("}) {
    (void)signatures_of(text);
  }
  EXPECT_TRUE(names_of("__kernel int f(int a) {}").empty());
}

}  // namespace
}  // namespace ligament::gpu::cuda
