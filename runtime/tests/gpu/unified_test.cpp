// SPDX-License-Identifier: Apache-2.0
// Unified memory: what the host writes and the device's driver moves.
#include <gtest/gtest.h>

#include <array>
#include <ligament/gpu.hpp>
#include <numeric>
#include <vector>

namespace ligament::gpu {
namespace {

constexpr const char* doubling = R"(
__kernel void twice(const __global uint* in, __global uint* out, uint count) {
  const uint i = get_global_id(0);
  if (i < count) out[i] = 2 * in[i];
}
)";

std::unique_ptr<Program> open(Model model) {
  using enum ArgumentKind;
  Settings settings;
  settings.model = model;
  auto program =
      Program::open({{{"twice.cl", doubling}}, {{"twice", {input, output, number}}}}, settings);
  EXPECT_TRUE(program) << program.error().text;
  return program ? std::move(*program) : nullptr;
}

Result<void> twice(Program& program, std::span<const std::uint32_t> in,
                   std::span<std::uint32_t> out) {
  const auto count = static_cast<std::int64_t>(out.size());
  const std::array<Argument, 3> arguments{std::as_bytes(in), std::as_writable_bytes(out), count};
  return program.run(
      std::array{Launch{.kernel = 0, .global = {count, 1, 1}, .arguments = arguments}});
}

TEST(UnifiedMemory, GivesWhatTheOtherModelsGive) {
  std::vector<std::uint32_t> in(100'000);
  std::iota(in.begin(), in.end(), 1U);
  std::vector<std::vector<std::uint32_t>> results;
  for (const Model model : {Model::zero_copy, Model::standard_copy, Model::unified_memory}) {
    const auto program = open(model);
    ASSERT_NE(program, nullptr);
    EXPECT_EQ(program->device().model, model);
    results.emplace_back(in.size());
    for (int i = 0; i < 3; ++i) {  // the second time in memory that is there
      ASSERT_TRUE(twice(*program, in, results.back()));
    }
    EXPECT_EQ(program->statistics().copies, model == Model::zero_copy ? 0U : 6U);
  }
  EXPECT_EQ(results[0].back(), 200'000U);
  EXPECT_EQ(results[1], results[0]);
  EXPECT_EQ(results[2], results[0]);
}

TEST(UnifiedMemory, IsRefusedBeyondTheDevicesMemory) {
  const auto program = open(Model::unified_memory);
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

}  // namespace
}  // namespace ligament::gpu
