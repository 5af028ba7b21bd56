// SPDX-License-Identifier: Apache-2.0
#include "gpu/model.hpp"

#include <gtest/gtest.h>

namespace ligament::gpu {
namespace {

TEST(GpuModel, follows_the_device_and_where_caches_are_off_the_kernels) {
  const MemoryFacts host{.is_host = true, .is_shared = true, .is_coherent = true};
  const MemoryFacts card{};
  const MemoryFacts coherent{.is_shared = true, .is_coherent = true};
  const MemoryFacts uncached{.is_shared = true};
  for (const Access access : {Access::streaming, Access::cached}) {
    EXPECT_EQ(choose_model(host, access).model, Model::zero_copy);
    EXPECT_EQ(choose_model(card, access).model, Model::standard_copy);
    EXPECT_EQ(choose_model(coherent, access).model, Model::zero_copy);
  }
  EXPECT_EQ(choose_model(uncached, Access::streaming).model, Model::zero_copy);
  EXPECT_EQ(choose_model(uncached, Access::cached).model, Model::standard_copy);
  EXPECT_NE(choose_model(uncached, Access::cached).why.find("caches are off"), std::string::npos);
}

}  // namespace
}  // namespace ligament::gpu
