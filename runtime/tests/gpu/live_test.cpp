// SPDX-License-Identifier: Apache-2.0
/// All that is made of the driver is given back: the twin (twin/twin.hpp) counts it, also in a
/// build without a leak checker.
#include <gtest/gtest.h>

#include "fixture.hpp"
#include "gpu/retain_until_exit.hpp"

namespace ligament::gpu::test {
namespace {

void expect_none_lives() {
  const CudaTwinLive live = cuda_twin_live();
  EXPECT_EQ(live.events, 0U);
  EXPECT_EQ(live.streams, 0U);
  EXPECT_EQ(live.modules, 0U);
  EXPECT_EQ(live.memories, 0U);
}

/// After the tests of this process, whichever they were.
class AtTheEnd : public testing::Environment {
 public:
  void TearDown() override {
    // What a device that was given up still works on lives on; the tests of that are not judged.
    if (retained_until_exit() == 0) {
      expect_none_lives();
    }
  }
};
const testing::Environment* const at_the_end =
    testing::AddGlobalTestEnvironment(new AtTheEnd);  // gtest's to delete

TEST(CudaTwin, counts_what_a_program_holds_until_it_is_closed) {
  constexpr const char* text = R"(
    __kernel void copy(const __global uchar* in, __global uchar* out) {
      out[get_global_id(0)] = in[get_global_id(0)];
    })";
  choose_drivers(Where::cuda_twin, "discrete");
  {
    auto program = Program::open(
        {{{"copy.cl", text}}, {{"copy", {ArgumentKind::input, ArgumentKind::output}}}},
        settings_on(Backend::cuda));
    ASSERT_TRUE(program) << program.error().text;
    const Bytes in;
    Bytes out;
    const std::array<Argument, 2> arguments{std::span<const std::byte>(in.data),
                                            std::span<std::byte>(out.data)};
    const auto done = (*program)->run(
        std::array{Launch{.kernel = 0, .global = {4096, 1, 1}, .arguments = arguments}});
    ASSERT_TRUE(done) << done.error().text;
    const CudaTwinLive live = cuda_twin_live();
    EXPECT_EQ(live.streams, 5U) << "in, kernels, out, told and clock";
    EXPECT_EQ(live.modules, 1U);
    EXPECT_GE(live.memories, 2U) << "one for each argument";
  }
  expect_none_lives();
  choose_drivers(Where::opencl);
}

}  // namespace
}  // namespace ligament::gpu::test
