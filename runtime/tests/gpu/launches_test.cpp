// SPDX-License-Identifier: Apache-2.0
/// What launches are given beside payloads, several in flight at once, and those that do not end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <ligament/gpu.hpp>
#include <thread>
#include <vector>

#include "fixture.hpp"

namespace ligament::gpu {
namespace {

using test::Bytes;
using testing::HasSubstr;
using Kind = ArgumentKind;

/// `table` makes what `look_up` uses, and counts how often it was made in its first place.
constexpr const char* table_text = R"(
__kernel void table(const __global int* factors, int count, __global int* table) {
  for (int i = 0; i < count; ++i) table[i + 1] = factors[i] * 10;
  ++table[0];
}
__kernel void look_up(const __global int* table, __global int* out) {
  out[get_global_id(0)] = table[get_global_id(0)];
}
__kernel void wait(volatile __global int* go, __global int* out) {
  while (go[0] == 0) {}
  out[0] = 1;
}
__kernel void triple(const __global uchar* in, __global uchar* out, ushort factor) {
  out[get_global_id(0)] = (uchar)(in[get_global_id(0)] * factor);
}
)";

class GpuLaunches : public test::OnEachModel {};

ProgramDescription tables() {
  return {{{"table.cl", table_text}},
          {{"table", {Kind::values, Kind::number, Kind::buffer}},
           {"look_up", {Kind::buffer, Kind::output}},
           {"wait", {Kind::output, Kind::output}},
           {"triple", {Kind::input, Kind::output, Kind::number}}}};
}

/// Makes the table of these factors if it is not made yet, and returns it.
std::array<int, 4> look_up(Program& program, const std::array<int, 3>& factors) {
  Bytes out;
  const Kept kept{.place = 0, .bytes = 16};
  const std::array<Argument, 3> table{Values{std::as_bytes(std::span(factors))}, std::int64_t{3},
                                      kept};
  const std::array<Argument, 2> result{kept, std::span<std::byte>(out.data).first(16)};
  const auto done =
      program.run(std::array{Launch{.kernel = 0, .arguments = table, .when_changed = true},
                             Launch{.kernel = 1, .global = {4, 1, 1}, .arguments = result}});
  EXPECT_TRUE(done) << done.error().text;
  std::array<int, 4> found{};
  std::memcpy(found.data(), out.data.data(), sizeof found);
  return found;
}

TEST_P(GpuLaunches, a_kernel_for_changes_runs_when_its_arguments_have_changed) {
  const auto program = open(tables());
  ASSERT_NE(program, nullptr);
  EXPECT_EQ(look_up(*program, {1, 2, 3}), (std::array{1, 10, 20, 30}));
  EXPECT_EQ(look_up(*program, {1, 2, 3}), (std::array{1, 10, 20, 30}));
  EXPECT_EQ(look_up(*program, {1, 2, 4}), (std::array{2, 10, 20, 40}));
  EXPECT_EQ(look_up(*program, {1, 2, 4}), (std::array{2, 10, 20, 40}));
  EXPECT_EQ(look_up(*program, {1, 2, 3}), (std::array{3, 10, 20, 30}));
  // What is copied with the launch is no payload.
  EXPECT_EQ(program->statistics().copies, program->device().model == Model::zero_copy ? 0U : 5U);
}

TEST_P(GpuLaunches, a_kernel_for_changes_takes_no_payload) {
  const auto program = open(tables());
  ASSERT_NE(program, nullptr);
  Bytes out;
  const std::array<Argument, 2> arguments{Kept{.place = 0, .bytes = 16},
                                          std::span<std::byte>(out.data)};
  const auto refused =
      program->run(std::array{Launch{.kernel = 1, .arguments = arguments, .when_changed = true}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kernel_mismatch);
}

TEST_P(GpuLaunches, too_many_values_and_empty_buffers_are_refused) {
  const auto program = open(tables());
  ASSERT_NE(program, nullptr);
  const std::array<std::byte, most_value_bytes + 1> many{};
  std::array<Argument, 3> arguments{Values{many}, std::int64_t{3}, Kept{.place = 0, .bytes = 16}};
  const auto refused = program->run(std::array{Launch{.kernel = 0, .arguments = arguments}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("an array of 4097 bytes is too large"));
  arguments[0] = Values{std::span(many).first(12)};
  arguments[2] = Kept{.place = 0, .bytes = 0};
  const auto empty = program->run(std::array{Launch{.kernel = 0, .arguments = arguments}});
  ASSERT_FALSE(empty);
  EXPECT_THAT(empty.error().text, HasSubstr("the size of a buffer is below 1"));
}

/// More than any device has; the message is given up, the next one is worked on.
TEST_P(GpuLaunches, out_of_device_memory_is_an_error_of_the_launch) {
  const auto program = open(tables());
  ASSERT_NE(program, nullptr);
  const std::array<int, 3> factors{1, 2, 3};
  std::array<Argument, 3> arguments{Values{std::as_bytes(std::span(factors))}, std::int64_t{3},
                                    Kept{.place = 0, .bytes = std::int64_t{1} << 50}};
  const std::array launches{Launch{.kernel = 0, .arguments = arguments, .when_changed = true}};
  for (int time = 0; time < 2; ++time) {  // nothing of the first try is taken for done
    const auto refused = program->run(launches);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::out_of_memory) << refused.error().text;
  }
  EXPECT_EQ(look_up(*program, factors), (std::array{1, 10, 20, 30}));
}

/// Notes its number when it has ended.
struct Noting : Completion {
  Noting(std::vector<int>& list, int number) : noted(list), own(number) {}
  void ended(const Result<void>& result) override { noted.push_back(result ? own : -own); }
  std::vector<int>& noted;
  int own;
};

TEST_P(GpuLaunches, submits_return_at_once_and_end_in_their_order) {
  const auto program = open(tables());
  ASSERT_NE(program, nullptr);
  Bytes in;
  std::array<Bytes, 8> out;
  in.data.fill(std::byte{2});
  std::vector<int> ended;
  for (std::size_t i = 1; i <= 8; ++i) {
    const std::array<Argument, 3> arguments{
        std::span<const std::byte>(in.data), std::span<std::byte>(out.at(i - 1).data),
        i == 3 ? std::int64_t{1} << 20 : static_cast<std::int64_t>(i)};
    program->submit(std::array{Launch{.kernel = 3, .global = {4096, 1, 1}, .arguments = arguments}},
                    std::make_unique<Noting>(ended, static_cast<int>(i)));
  }
  program->drain();
  EXPECT_EQ(ended, (std::vector{1, 2, -3, 4, 5, 6, 7, 8}));  // 1 << 20 fits no ushort
  for (std::size_t i = 1; i <= 8; ++i) {
    EXPECT_EQ(out.at(i - 1).data[4095], static_cast<std::byte>(i == 3 ? 0 : 2 * i)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, GpuLaunches, test::each_model, test::name_of_model);

/// Counts those that exist, and keeps the error.
struct Held : Completion {
  Held(std::atomic<int>& alive, std::atomic<ErrorCode>& found) : count(alive), code(found) {
    ++count;
  }
  ~Held() override { --count; }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  void ended(const Result<void>& result) override { code = result.error().code; }

  std::atomic<int>& count;
  std::atomic<ErrorCode>& code;
};

class GpuDeadline : public test::OnEachModel {};

/// The device waits for the host here, which only one that shares its memory can.
TEST_P(GpuDeadline, a_kernel_that_does_not_end_loses_the_device_and_nothing_else) {
  Settings settings = test::settings_of(GetParam());
  auto first = open(tables(), settings);
  ASSERT_NE(first, nullptr);
  if (first->device().model != Model::zero_copy) {
    GTEST_SKIP() << "the OpenCL device here copies messages: its kernel could never be ended";
  }
  // They outlive the kernel, which nobody waits for.
  auto& go = *new Bytes;
  static auto* const kept = new std::vector<Bytes*>;
  kept->push_back(&go);
  auto& out = *kept->emplace_back(new Bytes);
  const std::array<Argument, 2> arguments{std::span<std::byte>(go.data),
                                          std::span<std::byte>(out.data)};
  const std::array launches{Launch{.kernel = 2, .arguments = arguments}};
  // A driver compiles at the first launch. What is late below is the kernel and not its compiler,
  // which would still work when the process ends.
  go.data[0] = std::byte{1};
  ASSERT_TRUE(first->run(launches));
  first.reset();
  go.data[0] = out.data[0] = std::byte{0};
  settings.deadline = std::chrono::milliseconds(20);
  auto program = open(tables(), settings);
  ASSERT_NE(program, nullptr);
  static std::atomic<int> alive{0};
  alive = 0;
  std::atomic<ErrorCode> code{};
  program->submit(launches, std::make_unique<Held>(alive, code));
  program->drain();
  EXPECT_EQ(code, ErrorCode::device_lost);
  EXPECT_EQ(alive, 1) << "given back, although the device may still work on it";
  const auto after = program->run(launches);
  ASSERT_FALSE(after);
  EXPECT_EQ(after.error().code, ErrorCode::device_lost);
  program.reset();  // does not wait for the kernel
  std::atomic_ref(go.data[0]).store(std::byte{1});
  for (int i = 0; i < 60'000 && std::atomic_ref(out.data[0]).load() == std::byte{0}; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // a watchdog
  }
  EXPECT_NE(std::atomic_ref(out.data[0]).load(), std::byte{0});
}

INSTANTIATE_TEST_SUITE_P(InPlace, GpuDeadline, test::each_in_place, test::name_of_model);

}  // namespace
}  // namespace ligament::gpu
