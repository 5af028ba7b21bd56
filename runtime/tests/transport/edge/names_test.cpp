// SPDX-License-Identifier: Apache-2.0
#include "transport/dds/names.hpp"

#include <gtest/gtest.h>

#include "capture.hpp"

namespace ligament::dds {
namespace {

TEST(Names, TopicsGoInBothDirections) {
  EXPECT_EQ(topic_to_dds("/a/b"), "rt/a/b");
  EXPECT_EQ(topic_from_dds("rt/a/b"), "/a/b");
}

TEST(Names, WhatIsNoRosTopicIsLeftAlone) {
  for (const char* name : {"", "rt", "rt/", "rt/a/", "a/b", "rq/aRequest", "rtx/a",
                           "ros_discovery_info", "DCPSPublication"}) {
    EXPECT_FALSE(topic_from_dds(name)) << name;
  }
}

TEST(Names, TypesGoInBothDirections) {
  for (const char* type : {"std_msgs/msg/String", "example_interfaces/srv/AddTwoInts_Request"}) {
    EXPECT_EQ(type_from_dds(type_to_dds(type)), type);
  }
  EXPECT_EQ(type_to_dds("std_msgs/msg/String"), "std_msgs::msg::dds_::String_");
}

TEST(Names, WhatIsNoRosTypeIsLeftAlone) {
  for (const char* type :
       {"", "String_", "std_msgs::msg::String_", "std_msgs::dds_::String_", "::msg::dds_::String_",
        "a::b::c::dds_::String_", "a::msg::dds_::_", "std_msgs::msg::dds_::String", "a::::dds_::X_",
        "a::msg::dds_::X/Y_", "a/b::msg::dds_::X_", "a::msg::dds_::X::Y_"}) {
    EXPECT_FALSE(type_from_dds(type)) << type;
  }
}

/// The text that a real endpoint of std_msgs/msg/String carries.
std::string string_hash() {
  return edge::captured("talker_listener_cyclonedds").find("rt/chatter", true)->user_data;
}

TEST(UserData, HashIsFoundWhereItIs) {
  const auto hash = hash_in_user_data(string_hash());
  ASSERT_TRUE(hash);
  EXPECT_EQ((*hash)[0], 0xdf);
  EXPECT_EQ((*hash)[31], 0x18);
  EXPECT_EQ(endpoint_user_data(*hash), string_hash());
  EXPECT_EQ(endpoint_user_data(*hash).size(), 81U);
  const std::string service = "serviceid=1.2.3.4.5.6.7.8.9.a.b.c.d.e.f.0;" + string_hash();
  EXPECT_EQ(hash_in_user_data(service), hash);
}

TEST(UserData, NoHashIsNoError) {
  const std::string cut = string_hash().substr(0, 79);
  std::string wrong = string_hash();
  wrong[20] = 'g';
  for (const std::string& text :
       {std::string(), std::string("enclave=/;"), cut, wrong, std::string("xtypehash=RIHS01_00"),
        std::string("typehash="), std::string("typehash=RIHS02_") + std::string(64, '0')}) {
    EXPECT_FALSE(hash_in_user_data(text)) << text;
  }
}

}  // namespace
}  // namespace ligament::dds
