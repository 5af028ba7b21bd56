// SPDX-License-Identifier: Apache-2.0
/// A kernel and the host on two parts of one memory, at the same time.
#include "ligament/in_place.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "fixture.hpp"

namespace ligament::gpu::test {
namespace {

using Kind = ArgumentKind;

/// Waits for the host, which so has to work while the kernel does.
constexpr const char* text = R"(
__kernel void follow(volatile __global uint* turn, __global uint* own) {
  own[0] = 1;
  turn[0] = 1;
  while (turn[1] == 0) {}
  own[1] = own[0] + turn[1];
}
)";

enum class End : std::uint8_t { none, good, bad };

struct Noting : Completion {
  explicit Noting(std::atomic<End>& told) : end(told) {}
  void ended(const Result<void>& result) override { end = result ? End::good : End::bad; }
  std::atomic<End>& end;
};

class GpuInPlace : public OnEachModel {};

TEST_P(GpuInPlace, a_kernel_and_the_host_change_their_parts_at_the_same_time) {
  const auto program = open({{{"follow.cl", text}}, {{"follow", {Kind::output, Kind::output}}}});
  ASSERT_NE(program, nullptr);
  if (program->device().model != Model::zero_copy) {
    GTEST_SKIP()
        << "the OpenCL device here copies messages: it sees nothing of the host's meanwhile";
  }
  constexpr std::size_t part = 4096 / sizeof(std::uint32_t);
  const auto memory = InPlace<std::uint32_t, true>::create("gpu-in-place", 3 * part).value();
  const auto turn = InPlace<std::uint32_t, true>::create("gpu-in-place-turn", part).value();
  const auto signals =
      turn.change(0, part);  // one party's: kernel and host take turns on its words
  std::atomic<End> end{End::none};
  {
    const auto device = memory.change(part, part);
    const std::array<Argument, 2> arguments{signals.bytes(), device.bytes()};
    program->submit(std::array{Launch{.kernel = 0, .arguments = arguments}},
                    std::make_unique<Noting>(end));
    volatile std::uint32_t* const words = signals.span().data();
    while (words[0] == 0 && end == End::none) {
      std::this_thread::yield();
    }
    const auto mine = memory.change(0, part);
    mine[0] = 41;
    words[1] = mine[0];
    program->drain();
  }
  ASSERT_EQ(end, End::good);
  EXPECT_EQ(memory.look(part, part)[1], 42U);
  EXPECT_EQ(program->statistics().copies, 0U);
}

INSTANTIATE_TEST_SUITE_P(InPlace, GpuInPlace, each_in_place, name_of_model);

}  // namespace
}  // namespace ligament::gpu::test
