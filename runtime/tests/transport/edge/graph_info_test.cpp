// SPDX-License-Identifier: Apache-2.0
/// Bytes that real ROS 2 nodes sent (Jazzy, captured on a loopback interface).
#include "transport/edge/graph_info.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string_view>

namespace ligament::edge {
namespace {

std::vector<std::byte> from_hex(std::string_view text) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

// demo_nodes_cpp's talker with rmw_cyclonedds while it starts: one reader, two writers.
constexpr std::string_view talker =
    "000100000110225e0105bb764e301a74000001c101000000020000002f0000000700000074616c6b657200000100"
    "00000110225e0105bb764e301a7400000804020000000110225e0105bb764e301a74000006030110225e0105bb76"
    "4e301a7400000703";

TEST(GraphInfo, ReadsWhatARealNodeSends) {
  const auto info = decode(from_hex(talker));
  ASSERT_TRUE(info);
  EXPECT_EQ(info->participant[0], 0x01);
  EXPECT_EQ(info->participant[15], 0xc1);
  ASSERT_EQ(info->nodes.size(), 1U);
  EXPECT_EQ(info->nodes[0].name_space, "/");
  EXPECT_EQ(info->nodes[0].name, "talker");
  ASSERT_EQ(info->nodes[0].readers.size(), 1U);
  ASSERT_EQ(info->nodes[0].writers.size(), 2U);
  EXPECT_EQ(info->nodes[0].writers[1][15], 0x03);
}

TEST(GraphInfo, WritesTheSameBytes) {
  const auto bytes = from_hex(talker);
  EXPECT_EQ(encode(*decode(bytes), GidForm::jazzy), bytes);
}

TEST(GraphInfo, HumbleFormGoesBothWays) {
  const auto info = decode(from_hex(talker));
  const auto humble = encode(*info, GidForm::humble);
  EXPECT_EQ(humble.size(), from_hex(talker).size() + 4 * 8);
  EXPECT_EQ(decode(humble), info);
}

TEST(GraphInfo, EveryTruncationIsRefused) {
  const auto bytes = from_hex(talker);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode({bytes.data(), size})) << size;
  }
}

TEST(GraphInfo, RandomBytesAreJudgedWithoutHarm) {
  std::mt19937 random(7);
  auto bytes = from_hex(talker);
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    auto broken = bytes;
    for (unsigned changes = 1 + random() % 8; changes != 0; --changes) {
      broken[random() % broken.size()] = static_cast<std::byte>(random());
    }
    refused += decode(broken) ? 0 : 1;
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace ligament::edge
