// SPDX-License-Identifier: Apache-2.0
/// Bytes that real ROS 2 nodes sent (Jazzy, captured on a loopback interface).
#include "transport/edge/graph_info.hpp"

#include <gtest/gtest.h>

#include <random>

#include "capture.hpp"

namespace ligament::edge {
namespace {

/// Of demo_nodes_cpp's talker with rmw_cyclonedds, while it starts.
std::vector<std::byte> talker() {
  for (const auto& sample : captured("talker_listener_cyclonedds").samples(graph_info_topic)) {
    const auto info = decode(bytes_of(sample.payload));
    if (info && info->nodes.size() == 1 && info->nodes[0].name == "talker" &&
        info->nodes[0].readers.size() == 1 && info->nodes[0].writers.size() == 2) {
      return bytes_of(sample.payload);
    }
  }
  return {};
}

TEST(GraphInfo, ReadsWhatARealNodeSends) {
  const auto info = decode(talker());
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

TEST(GraphInfo, WritesTheBytesOfRos) {
  std::size_t messages = 0;
  for (const char* name : {"talker_listener_cyclonedds", "service_cyclonedds"}) {
    for (const auto& sample : captured(name).samples(graph_info_topic)) {
      const auto info = decode(bytes_of(sample.payload));
      ASSERT_TRUE(info) << name << " " << sample.number;
      EXPECT_EQ(text_of(encode(*info, GidForm::jazzy)), sample.payload);
      ++messages;
    }
  }
  EXPECT_GE(messages, 30U);  // nodes that start, and end
}

TEST(GraphInfo, HumbleFormGoesInBothDirections) {
  const auto info = decode(talker());
  const auto humble = encode(*info, GidForm::humble);
  EXPECT_EQ(humble.size(), talker().size() + 4 * 8);
  EXPECT_EQ(decode(humble), info);
}

TEST(GraphInfo, EveryTruncationIsRefused) {
  const auto bytes = talker();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode({bytes.data(), size})) << size;
  }
}

TEST(GraphInfo, RandomBytesAreJudgedWithoutHarm) {
  std::mt19937 random(7);
  auto bytes = talker();
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
