// SPDX-License-Identifier: Apache-2.0
/// What `ligament bench uma` measures of a card, on the twin of one.
#include "../../../benchmarks/uma/bandwidth.hpp"

#include <gtest/gtest.h>

#include "fixture.hpp"

namespace ligament::gpu::test {
namespace {

struct OnTwin {
  std::optional<uma::Bandwidth> found;
  std::uint64_t copies = 0;
};

/// Of the twin of a card, `setup` as choose_drivers() takes it; five times each.
OnTwin bandwidth_on_twin(const char* setup, std::size_t size) {
  choose_drivers(Where::cuda_twin, setup);
  const std::uint64_t before = cuda_twin_copies();
  auto found =
      uma::bandwidth_of(settings_of({"", Where::cuda_twin, Model::standard_copy}), size, 5);
  choose_drivers(Where::opencl);
  return {std::move(found), cuda_twin_copies() - before};
}

TEST(UmaBandwidth, a_cards_copies_are_timed_beside_bare_ones) {
  const auto [found, copies] = bandwidth_on_twin("discrete", std::size_t{1} << 20);
  ASSERT_TRUE(found);
  EXPECT_EQ(copies, 2 * (1 + 5) + 2 * 5U);
  for (const auto* times :
       {&found->ours.in, &found->ours.out, &found->pinned.in, &found->pinned.out}) {
    EXPECT_EQ(times->size(), 5U);
  }
}

/// A sample may only be read: then the host copies it in pieces, from which the card does.
TEST(UmaBandwidth, what_goes_in_is_a_sample_as_a_node_has_it) {
  const auto [found, copies] = bandwidth_on_twin("discrete no-read-only", std::size_t{3} << 20);
  ASSERT_TRUE(found);
  EXPECT_EQ(copies, (3 + 1) * (1 + 5) + 2 * 5U);
  EXPECT_EQ(found->ours.in.size(), 5U);
}

TEST(UmaBandwidth, a_real_cards_copies_are_timed_too) {
  choose_drivers(Where::cuda);
  if (const std::string lack = lacks_gpu(); !lack.empty()) {
    GTEST_SKIP() << lack;
  }
  const auto found = uma::bandwidth_of(settings_of({"", Where::cuda, Model::standard_copy}),
                                       std::size_t{16} << 20, 5);
  if (!found) {
    GTEST_SKIP() << "the GPU here shares the host's memory: nothing is transferred";
  }
  for (const auto* times :
       {&found->ours.in, &found->ours.out, &found->pinned.in, &found->pinned.out}) {
    ASSERT_EQ(times->size(), 5U);
    EXPECT_GT(times->front(), 0);
  }
}

TEST(UmaBandwidth, where_memory_is_one_there_is_nothing_to_measure) {
  EXPECT_FALSE(uma::bandwidth_of(settings_of({"", Where::opencl, Model::standard_copy}), 4096, 1));
  choose_drivers(Where::cuda_twin, "");
  EXPECT_FALSE(uma::bandwidth_of(settings_of({"", Where::cuda_twin, Model::zero_copy}), 4096, 1));
  choose_drivers(Where::opencl);
}

}  // namespace
}  // namespace ligament::gpu::test
