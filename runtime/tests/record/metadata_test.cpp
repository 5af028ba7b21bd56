// SPDX-License-Identifier: Apache-2.0
#include "record/metadata.hpp"

#include <gtest/gtest.h>

namespace ligament::record {
namespace {

QoSProfile unusual() {
  QoSProfile qos;
  qos.history = HistoryPolicy::keep_all;
  qos.reliability = ReliabilityPolicy::best_effort;
  qos.durability = DurabilityPolicy::transient_local;
  qos.liveliness = LivelinessPolicy::manual_by_topic;
  qos.depth = 7;
  qos.deadline_ns = 1'500'000'000;
  qos.lifespan_ns = 2;
  qos.liveliness_lease_ns = 3'000'000'000;
  return qos;
}

TEST(MetadataTest, ProfilesComeBack) {
  const std::vector<QoSProfile> profiles{QoSProfile{}, unusual()};
  EXPECT_EQ(parse_qos(qos_text(profiles)), profiles);
}

/// As rosbag2 of Humble has it: numbers, and what DDS does not tell is 0.
TEST(MetadataTest, ProfilesOfOlderVersionsAreRead) {
  const std::string text =
      "- history: 3\n  depth: 0\n  reliability: 2\n  durability: 1\n  deadline:\n"
      "    sec: 9223372036\n    nsec: 854775807\n  lifespan:\n    sec: 2147483647\n"
      "    nsec: 4294967295\n  liveliness: 1\n  liveliness_lease_duration:\n"
      "    sec: 1\n    nsec: 5\n  avoid_ros_namespace_conventions: false\n";
  QoSProfile expected;
  expected.reliability = ReliabilityPolicy::best_effort;
  expected.durability = DurabilityPolicy::transient_local;
  expected.liveliness_lease_ns = 1'000'000'005;
  EXPECT_EQ(parse_qos(text), std::vector<QoSProfile>{expected});
}

TEST(MetadataTest, NonsenseIsNoProfile) {
  for (const char* text : {"", "x", "[1, 2]", "{a: b", "- [", "- {depth: x, deadline: 3}",
                           "- {deadline: {sec: -1, nsec: x}, depth: 99999999999999999999}"}) {
    for (const QoSProfile& profile : parse_qos(text)) {
      EXPECT_EQ(profile, QoSProfile{}) << text;
    }
  }
}

TEST(MetadataTest, WhatAllOfferedIsOffered) {
  QoSProfile first;
  first.deadline_ns = 5;
  const QoSProfile offer = common_offer({first, unusual()});
  EXPECT_EQ(offer.reliability, ReliabilityPolicy::best_effort);
  EXPECT_EQ(offer.durability, DurabilityPolicy::volatile_);
  EXPECT_EQ(offer.deadline_ns, 1'500'000'000);
  EXPECT_EQ(offer.lifespan_ns, 0);
  EXPECT_EQ(offer.depth, 10U);
  EXPECT_EQ(common_offer({}), QoSProfile{});
}

TEST(MetadataTest, HashesComeBack) {
  TypeHash hash{};
  hash[0] = 0xAB;
  hash[31] = 0x01;
  EXPECT_EQ(parse_hash(hash_text(hash)), hash);
  EXPECT_FALSE(parse_hash("RIHS01_12"));
  EXPECT_FALSE(parse_hash("RIHS02" + hash_text(hash).substr(6)));
  EXPECT_FALSE(parse_hash(hash_text(hash).replace(10, 1, "g")));
}

}  // namespace
}  // namespace ligament::record
