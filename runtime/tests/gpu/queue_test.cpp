// SPDX-License-Identifier: Apache-2.0
/// Payloads that stay on the device from one program to the next.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ligament/detail/residents.hpp>
#include <ligament/gpu.hpp>
#include <memory>

#include "fixture.hpp"

namespace ligament::gpu {
namespace {

using test::Bytes;
using testing::HasSubstr;
using Kind = ArgumentKind;

constexpr const char* text = R"(
__kernel void scale(const __global uchar* in, __global uchar* out, uchar factor) {
  out[get_global_id(0)] = (uchar)(in[get_global_id(0)] * factor);
}
)";

ProgramDescription description() {
  return {{{"scale.cl", text}}, {{"scale", {Kind::input, Kind::output, Kind::number}}}};
}

struct Nothing : Completion {
  void ended(const Result<void>& /*result*/) override {}
};

class GpuQueue : public test::OnEachModel {
 protected:
  void SetUp() override {
    OnEachModel::SetUp();
    if (!IsSkipped()) {
      first_ = open(description());
      second_ = open(description());
      ASSERT_TRUE(first_ != nullptr && second_ != nullptr);
    }
  }
  void TearDown() override {
    first_.reset();
    second_.reset();
    OnEachModel::TearDown();
  }

  static std::array<Argument, 3> arguments(Argument in, Argument out, std::int64_t factor) {
    return {std::move(in), std::move(out), factor};
  }
  static Launch launch_of(std::span<const Argument> arguments) {
    return {.kernel = 0, .global = {4096, 1, 1}, .arguments = arguments};
  }

  std::unique_ptr<Program> first_;
  std::unique_ptr<Program> second_;
  Bytes in_;
  Bytes between_;
  Bytes out_;
};

TEST_P(GpuQueue, a_second_program_reads_what_the_first_is_going_to_write) {
  auto resident = first_->make_resident();
  constexpr int times = 20;
  for (int time = 1; time <= times; ++time) {
    in_.data.fill(static_cast<std::byte>(time));
    out_.data.fill({});
    const auto one = arguments(std::span<const std::byte>(in_.data),
                               Leaving{std::span<std::byte>(between_.data), resident}, 3);
    const auto other = arguments(Arriving{std::span<const std::byte>(between_.data), resident},
                                 std::span<std::byte>(out_.data), 5);
    first_->submit(std::array{launch_of(one)}, std::make_unique<Nothing>());
    const auto done = second_->run(std::array{launch_of(other)});  // the first is not waited for
    ASSERT_TRUE(done) << done.error().text;
    ASSERT_TRUE(std::all_of(out_.data.begin(), out_.data.end(), [&](std::byte value) {
      return value == static_cast<std::byte>(15 * time);
    })) << time;
  }
  first_->drain();
  const bool in_place = first_->device().model == Model::zero_copy;
  EXPECT_EQ(first_->statistics().copies, in_place ? 0U : 1U * times) << "the output came back";
  EXPECT_EQ(second_->statistics().copies, in_place ? 0U : 1U * times) << "the input went again";
}

TEST_P(GpuQueue, what_was_not_written_is_not_read) {
  const auto resident = first_->make_resident();
  const auto wrong = arguments(std::span<const std::byte>(in_.data),
                               Leaving{std::span<std::byte>(between_.data), resident}, 1000);
  EXPECT_FALSE(first_->run(std::array{launch_of(wrong)}));  // does not fit a uchar
  const auto other = arguments(Arriving{std::span<const std::byte>(between_.data), resident},
                               std::span<std::byte>(out_.data), 5);
  const auto refused = second_->run(std::array{launch_of(other)});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::launch_failed);
  const auto nowhere = arguments(Arriving{std::span<const std::byte>(between_.data), nullptr},
                                 std::span<std::byte>(out_.data), 5);
  EXPECT_FALSE(second_->run(std::array{launch_of(nowhere)}));
}

INSTANTIATE_TEST_SUITE_P(Models, GpuQueue, test::each_model, test::name_of_model);

struct Nobody : Resident {};

TEST(GpuResidents, are_known_by_message_until_their_block_is_used_again) {
  Residents& all = Residents::instance();
  std::array<std::byte, 2> blocks{};
  const auto one = std::make_shared<Nobody>();
  all.add(blocks.data(), 7, one, [] { return std::uint64_t{1}; });
  EXPECT_EQ(all.find(7, 1), one);
  EXPECT_EQ(all.find(7, 2), nullptr);
  EXPECT_EQ(all.find(8, 1), nullptr);
  EXPECT_EQ(all.of_block(blocks.data()), nullptr) << "somebody else has it";
  EXPECT_EQ(all.find(7, 1), nullptr);
  auto other = std::make_shared<Nobody>();
  const auto* address = other.get();
  all.add(blocks.data(), 7, std::move(other), [] { return std::uint64_t{2}; });
  EXPECT_EQ(all.of_block(blocks.data()).get(), address) << "nobody else has it";
  all.add(&blocks[1], 7, one, [] { return std::uint64_t{0}; });  // was not sent
  EXPECT_EQ(all.of_block(&blocks[1]), nullptr);
  all.add(&blocks[1], 7, one, [] { return std::uint64_t{3}; });
  all.forget_publisher(7);
  EXPECT_EQ(all.find(7, 3), nullptr);
}

}  // namespace
}  // namespace ligament::gpu
