// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <ligament/names.hpp>
#include <string>

#include "node/nearest.hpp"

namespace ligament {
namespace {

const NodePlace place{"/left", "camera"};

TEST(Names, AreResolvedAsInRos) {
  EXPECT_EQ(expand_name("image", place).value(), "/left/image");
  EXPECT_EQ(expand_name("/image", place).value(), "/image");
  EXPECT_EQ(expand_name("~/image", place).value(), "/left/camera/image");
  EXPECT_EQ(expand_name("~", place).value(), "/left/camera");
  EXPECT_EQ(expand_name("a/b", place).value(), "/left/a/b");
  EXPECT_EQ(expand_name("{node}/raw", place).value(), "/left/camera/raw");
  EXPECT_EQ(expand_name("/{ns}/raw", place).value(), "/left/raw");
  EXPECT_EQ(expand_name("image", {"/", "camera"}).value(), "/image");
}

TEST(Names, AreRemappedAfterResolution) {
  RemapRules rules;
  ASSERT_TRUE(rules.add("image", "/camera/image_raw", place));
  ASSERT_TRUE(rules.add("~/state", "state", place));
  EXPECT_EQ(resolve_name("image", place, rules).value(), "/camera/image_raw");
  EXPECT_EQ(resolve_name("/left/image", place, rules).value(), "/camera/image_raw");
  EXPECT_EQ(resolve_name("/left/camera/state", place, rules).value(), "/left/state");
  EXPECT_EQ(resolve_name("other", place, rules).value(), "/left/other");
}

struct BadName {
  const char* name;
  NameFault fault;
  const char* text;
};

class BadTopicNames : public ::testing::TestWithParam<BadName> {};

TEST_P(BadTopicNames, AreRefusedWithPlaceAndReason) {
  const auto& bad = GetParam();
  const auto result = expand_name(bad.name, place);
  ASSERT_FALSE(result) << *result;
  EXPECT_EQ(result.error().fault, bad.fault);
  EXPECT_EQ(result.error().text, bad.text);
}

INSTANTIATE_TEST_SUITE_P(
    Each, BadTopicNames,
    ::testing::Values(
        BadName{"", NameFault::empty, "'' is no topic name: a name cannot be empty"},
        BadName{"a/", NameFault::ends_with_slash,
                "'a/' is no topic name: it must not end with / (character 2)"},
        BadName{"a//b", NameFault::repeated_slash,
                "'a//b' is no topic name: it must not contain // (character 3)"},
        BadName{"a__b", NameFault::repeated_underscore,
                "'a__b' is no topic name: it must not contain __ (two underscores are reserved) "
                "(character 2)"},
        BadName{"a/1b", NameFault::starts_with_digit,
                "'a/1b' is no topic name: '1b' starts with a digit (character 3)"},
        BadName{"a b", NameFault::bad_character,
                "'a b' is no topic name: 'a b' may only contain letters, digits and _ (character "
                "2)"},
        BadName{"~image", NameFault::misplaced_tilde,
                "'~image' is no topic name: ~ must be followed by / (character 2)"},
        BadName{"a/~b", NameFault::misplaced_tilde,
                "'a/~b' is no topic name: ~ may only stand at the start (character 3)"},
        BadName{"a/{nod}", NameFault::bad_substitution,
                "'a/{nod}' is no topic name: {nod} is unknown; there are {node}, {ns} and "
                "{namespace} (character 3)"},
        BadName{"a/{node", NameFault::bad_substitution,
                "'a/{node' is no topic name: its braces { } do not match (character 3)"}));

TEST(Names, HaveALimitAfterExpansionToo) {
  const std::string longest(max_topic_name_length - 6, 'a');  // "/left/" is 6 characters
  EXPECT_TRUE(expand_name(longest, place));
  const auto result = expand_name(longest + "a", place);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().fault, NameFault::too_long);
}

TEST(Names, OfNodesAndNamespaces) {
  EXPECT_TRUE(validate_node_name("camera_1"));
  EXPECT_FALSE(validate_node_name("1camera"));
  EXPECT_FALSE(validate_node_name("a/b"));
  EXPECT_FALSE(validate_node_name(""));
  EXPECT_FALSE(validate_node_name(std::string(max_node_name_length + 1, 'a')));
  EXPECT_TRUE(validate_namespace("/"));
  EXPECT_TRUE(validate_namespace("/a/b"));
  EXPECT_FALSE(validate_namespace("a"));
  EXPECT_FALSE(validate_namespace("/a/"));
  EXPECT_TRUE(validate_topic_name("{ns}/x"));
  EXPECT_FALSE(validate_topic_name("x y"));
}

TEST(Names, TwoLettersThatChangedPlacesAreOneMistake) {
  EXPECT_EQ(detail::edit_distance("imgae", "image"), 1U);
  EXPECT_EQ(detail::edit_distance("ab", "ca"), 2U);
  EXPECT_EQ(detail::edit_distance("ab", "bc"), 2U);
}

TEST(Names, HashIsFnv1a) {
  EXPECT_EQ(name_hash(""), 14695981039346656037ULL);
  EXPECT_EQ(name_hash("a"), 0xaf63dc4c8601ec8cULL);  // published test vector
}

}  // namespace
}  // namespace ligament
