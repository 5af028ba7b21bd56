// SPDX-License-Identifier: Apache-2.0
// Unified memory: what the host writes and the device's driver moves.
#include <gtest/gtest.h>

#include <array>
#include <ligament/gpu.hpp>
#include <numeric>
#include <vector>

#include "fixture.hpp"

namespace ligament::gpu {
namespace {

constexpr const char* doubling = R"(
__kernel void twice(const __global uint* in, __global uint* out, uint count) {
  const uint i = get_global_id(0);
  if (i < count) out[i] = 2 * in[i];
}
)";

Result<void> twice(Program& program, std::span<const std::uint32_t> in,
                   std::span<std::uint32_t> out) {
  const auto count = static_cast<std::int64_t>(out.size());
  const std::array<Argument, 3> arguments{std::as_bytes(in), std::as_writable_bytes(out), count};
  return program.run(
      std::array{Launch{.kernel = 0, .global = {count, 1, 1}, .arguments = arguments}});
}

struct alignas(4096) Words {  // in place, devices want them aligned
  std::array<std::uint32_t, 100'000> data{};
};

class UnifiedMemory : public test::OnEachModel {
 protected:
  static std::unique_ptr<Program> open_as(Model model) {
    using enum ArgumentKind;
    return open({{{"twice.cl", doubling}}, {{"twice", {input, output, number}}}},
                test::settings_of({"", GetParam().where, model}));
  }
};

TEST_P(UnifiedMemory, GivesWhatTheOtherModelsGive) {
  static Words in;  // never freed: a device may keep what it worked on in place
  static std::array<Words, 3> results;
  std::iota(in.data.begin(), in.data.end(), 1U);
  std::size_t place = 0;
  for (const Model model : {Model::zero_copy, Model::standard_copy, Model::unified_memory}) {
    const auto program = open_as(model);
    ASSERT_NE(program, nullptr);
    EXPECT_EQ(program->device().model, model);
    for (int i = 0; i < 3; ++i) {  // the second time in memory that is there
      ASSERT_TRUE(twice(*program, in.data, results.at(place).data));
    }
    EXPECT_EQ(program->statistics().copies, model == Model::zero_copy ? 0U : 6U);
    ++place;
  }
  EXPECT_EQ(results[0].data.back(), 200'000U);
  EXPECT_EQ(results[1].data, results[0].data);
  EXPECT_EQ(results[2].data, results[0].data);
}

TEST_P(UnifiedMemory, IsRefusedBeyondTheDevicesMemory) {
  const auto program = open_as(Model::unified_memory);
  ASSERT_NE(program, nullptr);
  std::vector<std::uint32_t> in(10, 1);
  std::vector<std::uint32_t> out(10);
  // Never touched: it is refused by its size.
  const std::span<const std::uint32_t> huge(in.data(), std::size_t{1} << 50);
  const auto refused = twice(*program, huge, out);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::out_of_memory);
  EXPECT_NE(refused.error().text.find("unified memory of "), std::string::npos);
  EXPECT_NE(refused.error().text.find("is more than the "), std::string::npos);
  // The next one works.
  ASSERT_TRUE(twice(*program, in, out));
  EXPECT_EQ(out[9], 2U);
}

INSTANTIATE_TEST_SUITE_P(
    Devices, UnifiedMemory,
    testing::Values(test::Target{"opencl", test::Where::opencl, Model::unified_memory},
                    test::Target{"cuda_twin", test::Where::cuda_twin, Model::unified_memory},
                    test::Target{"cuda", test::Where::cuda, Model::unified_memory}),
    test::name_of_model);

}  // namespace
}  // namespace ligament::gpu
