// SPDX-License-Identifier: Apache-2.0
#include "common/hash.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace ligament::nodes::image {
namespace {

std::uint64_t hash_of(std::string_view text, std::uint64_t seed = 0) {
  return xxh64({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, seed);
}

// Values of the reference implementation (xxhsum -H64).
TEST(Xxh64, AgreesWithTheReferenceImplementation) {
  EXPECT_EQ(hash_of(""), 0xEF46DB3751D8E999U);
  EXPECT_EQ(hash_of("a"), 0xD24EC4F1A98C6E5BU);
  EXPECT_EQ(hash_of("abc"), 0x44BC2CF5AD770999U);
  EXPECT_EQ(hash_of("Nobody inspects the spammish repetition"), 0xFBCEA83C8A378BF1U);
}

TEST(Xxh64, DependsOnEachByteAndOnTheSeed) {
  std::vector<std::uint8_t> bytes(100, 7);
  const std::uint64_t before = xxh64(bytes);
  for (auto& byte : bytes) {
    byte ^= 1;
    EXPECT_NE(xxh64(bytes), before);
    byte ^= 1;
  }
  EXPECT_NE(xxh64(bytes, 1), before);
}

}  // namespace
}  // namespace ligament::nodes::image
