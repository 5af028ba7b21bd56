// SPDX-License-Identifier: Apache-2.0
/// \file Quality of service from the configuration to the figures, between two containers.
#include "process.hpp"

namespace ligament::testing {
namespace {

class ContainerQos : public ::testing::Test {
 protected:
  /// A container whose topic /chat has this QoS.
  std::string write(const std::string& name, Json node, const Json& topic) {
    Json content = config(domain_, {std::move(node)});
    content["topics"]["/chat"].update(topic);
    return folder_.write(name + ".json", content.dump());
  }
  std::string log(const std::string& name) { return folder_ / (name + ".log"); }

  TemporaryFolder folder_;
  std::string domain_ = unique_name();
};

const Json& publisher_of(const Json& status) { return status["nodes"][0]["publishers"][0]; }
const Json& subscription_of(const Json& status) { return status["nodes"][0]["subscriptions"][0]; }

TEST_F(ContainerQos, KeepAllLosesNothingAndThePublisherWaits) {
  const Json topic = {{"qos", {{"history", "keep_all"}, {"depth", 4}}}};
  Process slow({write("b", node("slow", "Slow", {{"count", 200}}), topic)}, log("b"));
  Process flood({write("a", node("flood", "Flood", {{"count", 200}}), topic)}, log("a"));
  ASSERT_FALSE(slow.next("done").is_null()) << folder_.read("b.log");
  slow.signal(SIGTERM);
  flood.signal(SIGTERM);
  const Json took = slow.next("status");
  EXPECT_EQ(subscription_of(took)["taken"], 200);
  EXPECT_EQ(subscription_of(took)["lost"], 0);
  Json gave;
  for (Json line = flood.next("status"); !line.is_null(); line = flood.next("status")) {
    gave = line;
  }
  EXPECT_EQ(publisher_of(gave)["published"], 200);
  EXPECT_GE(publisher_of(gave)["waits"], 1);
  EXPECT_EQ(publisher_of(gave)["overrun"], 0);
  EXPECT_EQ(publisher_of(gave)["stalled"], 0);
  // The ring keeps the last ones, so some of the publisher's blocks are in use.
  EXPECT_GE(publisher_of(gave)["blocks"], 4);
  EXPECT_LT(publisher_of(gave)["blocks_free"], publisher_of(gave)["blocks"]);
  EXPECT_GT(publisher_of(gave)["memory_bytes"], 0);
  EXPECT_EQ(slow.wait(), 0);
  EXPECT_EQ(folder_.read("b.log").find("expected "), std::string::npos);
}

TEST_F(ContainerQos, ARingForADeeperSubscriptionKeepsABurst) {
  const Json shallow = {{"qos", {{"depth", 2}}}, {"ring", 200}};
  Json deep = node("slow", "Slow", {{"count", 200}});
  deep["qos"] = {{"text", {{"depth", 200}}}};
  Process slow({write("b", deep, shallow)}, log("b"));
  Process flood({write("a", node("flood", "Flood", {{"count", 200}}), shallow)}, log("a"));
  ASSERT_FALSE(slow.next("done").is_null()) << folder_.read("b.log");
  slow.signal(SIGTERM);
  EXPECT_EQ(subscription_of(slow.next("status"))["lost"], 0);
}

TEST_F(ContainerQos, ExpiredMessagesAndMissedDeadlinesAreInTheStatus) {
  const Json topic = {{"qos", {{"depth", 100}, {"lifespan_ms", 2}, {"deadline_ms", 20}}}};
  Json slow_node = node("slow", "Slow", {{"count", 1000}, {"work_ms", 10}});
  Process slow({write("b", slow_node, topic)}, log("b"));
  Process flood({write("a", node("flood", "Flood", {{"count", 20}}), topic)}, log("a"));
  ASSERT_FALSE(flood.next("done").is_null()) << folder_.read("a.log");
  Json took = slow.next("status");
  const auto seen = [&took] {
    const Json& it = subscription_of(took);
    return it["taken"].get<int>() + it["expired"].get<int>() == 20 && it["deadline_missed"] != 0;
  };
  while (!took.is_null() && !seen()) {
    took = slow.next("status");
  }
  ASSERT_FALSE(took.is_null());
  EXPECT_GE(subscription_of(took)["expired"], 1);
  EXPECT_EQ(subscription_of(took)["lost"], 0);
  Json gave = flood.next("status");
  while (!gave.is_null() && publisher_of(gave)["deadline_missed"] == 0) {
    gave = flood.next("status");
  }
  EXPECT_FALSE(gave.is_null());
}

TEST_F(ContainerQos, EndsThatDoNotFitAreErrorsOfTheirOwnNodes) {
  const Json strict = {{"qos", {{"deadline_ms", 10}}}};
  const Json lax = {{"qos", {{"deadline_ms", 50}}}};
  Process slow({write("b", node("slow", "Slow"), strict)}, log("b"));
  Process flood({write("a", node("flood", "Flood"), lax)}, log("a"));
  for (auto* process : {&slow, &flood}) {
    const Json error = process->next("error");
    ASSERT_FALSE(error.is_null());
    EXPECT_EQ(error["node"], process == &slow ? "/slow" : "/flood");
    EXPECT_NE(error["text"].get<std::string>().find("deadline"), std::string::npos);
  }
}

}  // namespace
}  // namespace ligament::testing
