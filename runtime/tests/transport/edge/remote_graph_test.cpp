// SPDX-License-Identifier: Apache-2.0
/// What the processes of a pool are shown of the ROS graph elsewhere.
#include "transport/edge/remote_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ligament::edge {
namespace {

Gid gid(std::uint8_t participant, std::uint8_t entity) {
  Gid made{};
  made[0] = participant;
  made[15] = entity;
  return made;
}

dds::RemoteEndpoint endpoint(std::uint8_t participant, std::uint8_t entity, std::string topic,
                             bool is_writer = true) {
  dds::RemoteEndpoint made;
  made.gid = gid(participant, entity);
  made.participant = gid(participant, 0xc1);
  made.is_writer = is_writer;
  made.topic = std::move(topic);
  made.type = "std_msgs::msg::dds_::String_";
  return made;
}

/// Of a participant with one node, whose writer is entity 1.
std::vector<std::byte> info(std::uint8_t participant, std::vector<NodeInfo> nodes) {
  return encode({gid(participant, 0xc1), std::move(nodes)}, GidForm::jazzy);
}

std::vector<std::byte> talker(std::uint8_t participant) {
  return info(participant, {{"/ns", "talker", {}, {gid(participant, 1)}}});
}

std::vector<std::string> nodes_in(const std::vector<Shown>& shown) {
  std::vector<std::string> names;
  for (const Shown& one : shown) {
    if (one.description.topic == "~") {
      names.push_back(one.description.node);
    }
  }
  return names;
}

TEST(RemoteGraph, ShowsNodesAndWhoseTheirEndsAre) {
  RemoteGraph graph;
  ASSERT_TRUE(graph.take(talker(1), gid(1, 3)));
  const auto shown =
      graph.describe({endpoint(1, 1, "rt/chatter"), endpoint(1, 2, "rq/callRequest")});
  ASSERT_EQ(shown.size(), 3U);
  EXPECT_EQ(nodes_in(shown), std::vector<std::string>{"/ns/talker"});
  EXPECT_EQ(shown[1].description.topic, "~/chatter");
  EXPECT_EQ(shown[1].description.type_name, "std_msgs/msg/String");
  EXPECT_EQ(shown[1].description.node, "/ns/talker@01000000000000000000000000000001");
  EXPECT_EQ(shown[1].kind, pool::EndpointKind::writer);
  EXPECT_EQ(shown[2].description.topic, "~rq/callRequest");
  EXPECT_EQ(shown[2].description.node, "@01000000000000000000000000000002");
}

TEST(RemoteGraph, ForgetsAParticipantWithItsEnds) {
  RemoteGraph graph;
  ASSERT_TRUE(graph.take(talker(1), gid(1, 3)));
  EXPECT_TRUE(graph.describe({}).empty()) << "its ends are not known yet";
  const auto ends = {endpoint(1, 3, graph_info_topic)};
  EXPECT_EQ(nodes_in(graph.describe(ends)).size(), 1U);
  EXPECT_TRUE(graph.describe({}).empty());
  EXPECT_TRUE(nodes_in(graph.describe(ends)).empty()) << "who comes back says it again";
}

TEST(RemoteGraph, TakesTheLastWordOfEachParticipant) {
  RemoteGraph graph;
  const auto version = graph.version();
  ASSERT_TRUE(graph.take(talker(1), gid(1, 3)));
  ASSERT_TRUE(graph.take(talker(2), gid(2, 3)));
  ASSERT_TRUE(graph.take(info(1, {}), gid(1, 3)));
  EXPECT_NE(graph.version(), version);
  const auto shown = graph.describe({endpoint(1, 1, "rt/a"), endpoint(2, 1, "rt/a")});
  EXPECT_EQ(nodes_in(shown).size(), 1U);
}

TEST(RemoteGraph, NobodySpeaksForAnother) {
  RemoteGraph graph;
  EXPECT_FALSE(graph.take(talker(1), gid(2, 3)));
  ASSERT_TRUE(graph.take(info(1, {{"/", "thief", {}, {gid(2, 1)}}}), gid(1, 3)));
  const auto shown = graph.describe({endpoint(1, 3, graph_info_topic), endpoint(2, 1, "rt/a")});
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_TRUE(shown[1].description.node.starts_with("@02"));
}

TEST(RemoteGraph, PassesOverWhatIsNoName) {
  RemoteGraph graph;
  const std::string longest(120, 'n');
  ASSERT_TRUE(graph.take(info(1, {{"/", "two words", {}, {}},
                                  {"no_slash", "node", {}, {}},
                                  {"/", "", {}, {}},
                                  {"/", "a@b", {}, {}},
                                  {"/namespace", longest, {}, {}},
                                  {"/", longest, {}, {gid(1, 1)}},
                                  {"/", "_hidden", {}, {}}}),
                         gid(1, 3)));
  const auto shown = graph.describe({endpoint(1, 1, "rt/a")});
  EXPECT_EQ(nodes_in(shown), (std::vector<std::string>{"/" + longest, "/_hidden"}));
  EXPECT_EQ(shown.back().description.node, "/" + longest) << "there is no room for the gid";
}

TEST(RemoteGraph, IsBounded) {
  RemoteGraph graph;
  EXPECT_FALSE(graph.take(info(1, std::vector<NodeInfo>(most_remote_nodes + 1)), gid(1, 3)));
  EXPECT_FALSE(graph.take({}, gid(1, 3)));
  const std::vector<dds::RemoteEndpoint> many(most_shown_endpoints + 5, endpoint(1, 1, "rt/a"));
  EXPECT_EQ(graph.describe(many).size(), most_shown_endpoints);
  EXPECT_TRUE(graph.describe({endpoint(1, 1, "rt/" + std::string(255, 'a'))}).empty());
  // Of participants that nobody has seen the newest ones are kept.
  for (std::size_t i = 0; i < 2 * most_remote_participants; ++i) {
    Gid participant = gid(static_cast<std::uint8_t>(i), 0xc1);
    participant[1] = static_cast<std::uint8_t>(i >> 8);
    Gid writer = participant;
    writer[15] = 3;
    EXPECT_TRUE(graph.take(encode({participant, {}}, GidForm::jazzy), writer)) << i;
  }
}

}  // namespace
}  // namespace ligament::edge
