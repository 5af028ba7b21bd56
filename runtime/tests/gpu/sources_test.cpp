// SPDX-License-Identifier: Apache-2.0
#include "gpu/sources.hpp"

#include <gtest/gtest.h>

namespace ligament::gpu {
namespace {

TEST(GpuSources, a_compiler_names_the_file_as_it_is_called) {
  EXPECT_EQ(with_line({"a.cl", "int x;"}), "#line 1 \"a.cl\"\nint x;\n");
  EXPECT_EQ(with_line({R"(my "b"\c.cl)", ""}), "#line 1 \"my \\\"b\\\"\\\\c.cl\"\n\n");
}

TEST(GpuSources, are_cudas_by_their_ending_and_named_together) {
  const Source cuda{"a.cu", ""};
  const Source opencl{"cu.cl", ""};
  EXPECT_TRUE(is_cuda(cuda));
  EXPECT_FALSE(is_cuda(opencl));
  EXPECT_EQ(names_of({cuda, opencl}), "a.cu, cu.cl");
  EXPECT_EQ(names_of({}), "");
}

}  // namespace
}  // namespace ligament::gpu
