// SPDX-License-Identifier: Apache-2.0
/// A device's times on the host's clock: right to within their bound, or not told.
#include "gpu/opencl/clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ligament/gpu.hpp>
#include <string>
#include <vector>

#include "fixture.hpp"
#include "ligament/detail/pool.hpp"

namespace ligament::gpu {
namespace {

using opencl::offset_of;
using opencl::Stamps;
using opencl::Timed;

/// Enqueued between these readings of the host's clock.
Timed timed(std::int64_t before, std::int64_t after) {
  return {.name = "blur", .before_ns = before, .after_ns = after};
}

TEST(GpuClock, the_offset_is_what_all_commands_allow) {
  // The device is 10,000 ahead: stamped at 1,010 and 1,100 of the host.
  const std::vector commands{timed(1'000, 1'030), timed(1'060, 1'110)};
  const std::vector<Stamps> stamps{{11'010, 0, 0}, {11'100, 0, 0}};
  const auto offset = offset_of(commands, stamps);
  ASSERT_TRUE(offset);
  EXPECT_LE(std::abs(offset->ns + 10'000), offset->bound_ns);
  // The second ends 10 after its stamp, the first begins 10 before; and the clock's resolution.
  EXPECT_LE(offset->bound_ns, 1'012);
}

TEST(GpuClock, contradicting_commands_allow_none) {
  const std::vector commands{timed(1'000, 1'030), timed(1'060, 1'110)};
  EXPECT_FALSE(offset_of(commands, std::vector<Stamps>{{11'010, 0, 0}, {19'100, 0, 0}}));
  EXPECT_FALSE(offset_of({}, {}));
}

TEST(GpuClock, what_was_known_before_narrows_a_wide_interval) {
  // A thread that lost its core within the call, 1 ms after a narrow one: 500 ns of slew at most.
  const auto narrow =
      offset_of(std::vector{timed(1'000, 1'030)}, std::vector<Stamps>{{11'010, 0, 0}});
  ASSERT_TRUE(narrow);
  const std::vector wide{timed(1'000'000, 9'000'000)};
  const std::vector<Stamps> stamps{{1'011'010, 0, 0}};
  EXPECT_GE(offset_of(wide, stamps)->bound_ns, 3'000'000);
  const auto offset = offset_of(wide, stamps, narrow);
  ASSERT_TRUE(offset);
  EXPECT_LE(offset->bound_ns, 1'600);
  EXPECT_LE(std::abs(offset->ns + 10'000), offset->bound_ns);
  // A clock that was set: what was known before is wrong.
  const auto set = offset_of(std::vector{timed(1'000'000, 1'000'020)},
                             std::vector<Stamps>{{5'000'010, 0, 0}}, narrow);
  ASSERT_TRUE(set);
  EXPECT_LE(std::abs(set->ns + 4'000'000), 1'020);
}

TEST(GpuClock, work_is_placed_where_it_was) {
  const std::vector commands{timed(1'000, 1'030)};
  const auto work = opencl::Clock().work_of(commands, std::vector<Stamps>{{11'010, 12'000, 14'500}},
                                            "a GPU", 6'000);
  ASSERT_EQ(work.size(), 1U);
  EXPECT_EQ(work[0].name, "blur");
  EXPECT_EQ(work[0].device, "a GPU");
  EXPECT_EQ(work[0].end_ns - work[0].begin_ns, 2'500);
  EXPECT_LE(std::abs(work[0].begin_ns - 2'000), work[0].bound_ns);
  EXPECT_LE(work[0].bound_ns, 1'020);
}

TEST(GpuClock, times_that_cannot_be_true_are_not_told) {
  const std::vector commands{timed(1'000, 1'030)};
  const auto told = [&](const Stamps& stamps, std::int64_t now) {
    return !opencl::Clock().work_of(commands, std::vector{stamps}, "a GPU", now).empty();
  };
  EXPECT_TRUE(told({11'010, 12'000, 14'500}, 6'000));
  EXPECT_FALSE(told({11'010, 8'000, 14'500}, 6'000)) << "before it was enqueued";
  EXPECT_FALSE(told({11'010, 12'000, 14'500}, 2'000)) << "after the host knew of its end";
  EXPECT_FALSE(told({11'010, 14'500, 12'000}, 6'000)) << "its end before its begin";
}

/// What was told of a submit; texts are the program's.
struct Told {
  std::vector<trace::DeviceWork> work;
  std::string names;
  std::int64_t ended_ns = 0;
};

struct Watching : Completion {
  Watching(bool wanted, Told& into) : wants(wanted), told(into) {}
  [[nodiscard]] bool wants_times() const override { return wants; }
  void worked(const trace::DeviceWork& work) override {
    told.names += std::string(work.device) + ": " + std::string(work.name) + "\n";
    told.work.push_back(work);
  }
  void ended(const Result<void>& result) override {
    EXPECT_TRUE(result);
    told.ended_ns = pool::monotonic_now_ns();
  }
  bool wants;
  Told& told;
};

class GpuTimes : public test::OnEachModel {};

constexpr const char* text = R"(
__kernel void sum(const __global uchar* in, __global uchar* out) {
  uchar all = 0;
  for (int i = 0; i < 4096; ++i) all += in[(i + get_global_id(0)) & 4095];
  out[get_global_id(0)] = all;
}
)";

TEST_P(GpuTimes, lie_within_what_the_host_saw) {
  const auto program =
      open({{{"sum.cl", text}}, {{"sum", {ArgumentKind::input, ArgumentKind::output}}}});
  ASSERT_NE(program, nullptr);
  test::Bytes in;
  test::Bytes out;
  const std::array<Argument, 2> arguments{std::span<const std::byte>(in.data),
                                          std::span<std::byte>(out.data)};
  const std::array launches{Launch{.kernel = 0, .global = {4096, 1, 1}, .arguments = arguments}};
  Told unwanted;
  program->submit(launches, std::make_unique<Watching>(false, unwanted));
  program->drain();
  EXPECT_TRUE(unwanted.work.empty());

  Told told;
  const std::int64_t begun_ns = pool::monotonic_now_ns();
  program->submit(launches, std::make_unique<Watching>(true, told));
  program->drain();
  // Unified memory: the driver may move it unasked, or be asked to.
  const Model model = program->device().model;
  const bool copies =
      model == Model::standard_copy || (model == Model::unified_memory && told.work.size() != 1);
  const std::string device = program->device().name + ": ";
  EXPECT_EQ(told.names, copies ? device + "copy in\n" + device + "sum\n" + device + "copy out\n"
                               : device + "sum\n");
  ASSERT_EQ(told.work.size(), copies ? 3U : 1U);
  for (const trace::DeviceWork& one : told.work) {
    EXPECT_GE(one.begin_ns + one.bound_ns, begun_ns);
    EXPECT_LE(one.end_ns - one.bound_ns, told.ended_ns);
    EXPECT_GE(one.end_ns, one.begin_ns);
    EXPECT_EQ(one.base, trace::TimeBase::device);
  }
  EXPECT_EQ(told.work[copies ? 1 : 0].category, trace::Category::compute);
  EXPECT_EQ(told.work.front().category, copies ? trace::Category::copy : trace::Category::compute);
}

INSTANTIATE_TEST_SUITE_P(Models, GpuTimes, test::each_model, test::name_of_model);

}  // namespace
}  // namespace ligament::gpu
