// SPDX-License-Identifier: Apache-2.0
/// \file Containers as real processes: their life, their ends, and what they say.
#include <fcntl.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "process.hpp"

namespace ligament::testing {
namespace {

class Containers : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const Json& content) {
    return folder_.write(name + ".json", content.dump());
  }
  std::string log(const std::string& name) { return folder_ / (name + ".log"); }

  TemporaryFolder folder_;
  std::string domain_ = unique_name();
};

TEST_F(Containers, TwoExchangeStringsAndImages) {
  const auto talker = write("a", config(domain_, {node("talker", "Talker", {{"count", 50}})}));
  const auto listener = write(
      "b",
      config(domain_, {node("listener", "Listener", {{"count", 50}, {"out", folder_ / "out"}})}));
  Process a({talker}, log("a"));
  Process b({listener}, log("b"));
  EXPECT_EQ(a.next("ready")["pid"], a.pid());
  EXPECT_EQ(a.next("done")["node"], "/talker");
  EXPECT_EQ(b.next("done")["node"], "/listener");
  const auto status = b.next("status");
  ASSERT_FALSE(status.is_null());
  const auto& subscriptions = status["nodes"][0]["subscriptions"];
  EXPECT_EQ(subscriptions[0]["taken"], 50);
  EXPECT_EQ(subscriptions[0]["copies"], 50);
  EXPECT_EQ(subscriptions[1]["copies"], 0);
  EXPECT_EQ(subscriptions[1]["lost"], 0);
  EXPECT_GE(status["nodes"][0]["callbacks"], 100);
  a.signal(SIGTERM);
  b.signal(SIGINT);
  EXPECT_FALSE(a.next("stopped").is_null());
  EXPECT_FALSE(b.next("stopped").is_null());
  EXPECT_EQ(a.wait(), 0);
  EXPECT_EQ(b.wait(), 0);
  const auto out = folder_.read("out");
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 100);
  EXPECT_NE(out.find("message 49\n"), std::string::npos);
  EXPECT_NE(out.find("image 49 ok\n"), std::string::npos);
  EXPECT_EQ(out.find("BROKEN"), std::string::npos);
}

TEST_F(Containers, OneProcessEndsByItselfWithoutASupervisor) {
  const auto path =
      write("a", config(domain_, {node("talker", "Talker"), node("listener", "Listener")}));
  Process container({path}, log("a"), false);
  EXPECT_EQ(container.wait(), 0);
}

TEST_F(Containers, RunCallbackGroupsInAsManyThreadsAsTheyAreTold) {
  auto several = config(domain_, {node("meeting", "Meeting")});
  several["executor_threads"] = 2;
  Process container({write("a", several)}, log("a"));
  EXPECT_EQ(container.next("done")["node"], "/meeting");
  const auto status = container.next("status");
  EXPECT_GE(status["nodes"][0]["callbacks"], 2);
  container.signal(SIGTERM);
  EXPECT_EQ(container.wait(), 0);
}

TEST_F(Containers, StopWhenTheReaderOfTheStatusIsGone) {
  Process container({write("a", config(domain_, {node("listener", "Listener")}))}, log("a"));
  ASSERT_FALSE(container.next("ready").is_null());
  container.close_status();
  EXPECT_EQ(container.wait(), 0);
}

TEST_F(Containers, WriteALastStatusAndStoppedAtTheEnd) {
  Process container({write("a", config(domain_, {node("listener", "Listener")}))}, log("a"));
  ASSERT_FALSE(container.next("ready").is_null());
  container.signal(SIGTERM);
  ASSERT_FALSE(container.next("stopped").is_null());
  EXPECT_EQ(container.events(), (std::vector<std::string>{"ready", "status", "stopped"}));
  EXPECT_EQ(container.wait(), 0);
}

TEST_F(Containers, GoOnReportingWhileANodeHangs) {
  Process container(
      {write("a", config(domain_, {node("misbehaving", "Misbehaving", {{"how", "hang"}})}))},
      log("a"));
  std::int64_t last = 0;
  for (int i = 0; i < 2; ++i) {
    const auto running =
        container.next("status")["nodes"][0]["callback_running_ns"].get<std::int64_t>();
    EXPECT_GT(running, last);
    last = running;
  }
  // The second one ends it. One that comes while another is pending merges with that.
  while (!container.has_ended()) {
    container.signal(SIGTERM);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(container.wait(), 1);
}

TEST_F(Containers, NameTheNodeThatThrewAndExitOne) {
  for (const char* when : {"run", "start"}) {
    Process container(
        {write("a", config(unique_name(), {node("misbehaving", "Misbehaving",
                                                {{"how", "throw"}, {"when", when}})}))},
        log("a"));
    const auto error = container.next("error");
    ASSERT_FALSE(error.is_null()) << when;
    EXPECT_NE(error["text"].get<std::string>().find("the lens fell off"), std::string::npos);
    EXPECT_EQ(container.wait(), 1);
    EXPECT_NE(folder_.read("a.log").find("the lens fell off"), std::string::npos);
  }
}

TEST_F(Containers, CrashesAreSeenByTheStarter) {
  Process exits(
      {write("a", config(domain_, {node("misbehaving", "Misbehaving", {{"how", "exit"}})}))},
      log("a"));
  EXPECT_EQ(exits.wait(), 7);
  Process aborts({write("b", config(domain_, {node("misbehaving", "Misbehaving",
                                                   {{"how", "abort"}, {"when", "start"}})}))},
                 log("b"));
  EXPECT_EQ(aborts.wait(), -SIGABRT);
}

TEST_F(Containers, EndWithTheirSupervisorAloneUnlessTheyAreToldOtherwise) {
  const auto path =
      write("a", config(domain_, {node("misbehaving", "Misbehaving",
                                       {{"how", "tell_death_signal"}, {"when", "start"}})}));
  EXPECT_EQ(Process({path}, log("a")).wait(), SIGTERM);
  EXPECT_EQ(Process({path}, log("b"), true, SIGKILL).wait(), SIGKILL);
  EXPECT_EQ(Process({path}, log("c"), false).wait(), 0);
}

TEST_F(Containers, RefuseASecondRunOfTheirGraph) {
  Process first({write("a", config(domain_, {node("listener", "Listener")}))}, log("a"));
  ASSERT_FALSE(first.next("ready").is_null());
  auto other = config(domain_, {node("listener", "Listener")});
  other["run_id"] = "another";
  Process second({write("b", other)}, log("b"));
  const auto error = second.next("error");
  ASSERT_FALSE(error.is_null());
  EXPECT_NE(error["text"].get<std::string>().find(domain_), std::string::npos) << error;
  EXPECT_EQ(second.wait(), 2);
}

TEST_F(Containers, TellWhenQualitiesOfServiceDoNotMatch) {
  auto talker = config(domain_, {node("talker", "Talker")});
  talker["topics"]["/chat"]["qos"] = {{"reliability", "best_effort"}};
  Process a({write("a", talker)}, log("a"));
  Process b({write("b", config(domain_, {node("listener", "Listener")}))}, log("b"));
  const auto error = a.next("error");
  ASSERT_FALSE(error.is_null());
  const auto text = error["text"].get<std::string>();
  EXPECT_NE(text.find("/talker"), std::string::npos) << text;
  EXPECT_NE(text.find("/listener"), std::string::npos) << text;
  EXPECT_EQ(error["node"], "/talker");
}

TEST_F(Containers, GiveAPortTheQualityThatTheGraphWantsForIt) {
  auto talker = config(domain_, {node("talker", "Talker")});
  talker["nodes"][0]["qos"] = {{"text", {{"reliability", "best_effort"}}}};
  Process a({write("a", talker)}, log("a"));
  Process b({write("b", config(domain_, {node("listener", "Listener")}))}, log("b"));
  const auto error = a.next("error");
  ASSERT_FALSE(error.is_null());
  EXPECT_NE(error["text"].get<std::string>().find("/listener"), std::string::npos) << error;
}

TEST_F(Containers, TellWhenAMessageIsBeyondItsBound) {
  auto talker =
      config(domain_, {node("talker", "Talker", {{"width", 4096}}), node("listener", "Listener")});
  talker["topics"]["/img"]["bound_bytes"] = 1000;
  Process container({write("a", talker)}, log("a"));
  const auto error = container.next("error");
  ASSERT_FALSE(error.is_null());
  EXPECT_NE(error["text"].get<std::string>().find("larger than the topic's bound_bytes"),
            std::string::npos);
  EXPECT_EQ(error["node"], "/talker");
}

// --- bad configurations: exit 2 and the sentence ------------------------------------------------

struct BadConfig {
  const char* name;
  const char* patch;  ///< JSON patch of a good configuration with a talker
  const char* text;   ///< part of an error
};

void PrintTo(const BadConfig& bad, std::ostream* out) { *out << bad.name; }

class BadConfigs : public Containers, public ::testing::WithParamInterface<BadConfig> {};

TEST_P(BadConfigs, ExitTwoAndSayWhy) {
  const auto good = config(domain_, {node("talker", "Talker")});
  Process container({write("a", good.patch(Json::parse(GetParam().patch)))}, log("a"));
  const auto error = container.next("error");
  ASSERT_FALSE(error.is_null());
  EXPECT_NE(error["text"].get<std::string>().find(GetParam().text), std::string::npos) << error;
  EXPECT_TRUE(container.next("ready").is_null());
  EXPECT_EQ(container.wait(), 2);
  EXPECT_NE(folder_.read("a.log").find(GetParam().text), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Each, BadConfigs,
    ::testing::Values(
        BadConfig{"schema", R"([{"op":"replace","path":"/schema","value":"ligament/container/2"}])",
                  "/schema: expected 'ligament/container/1', found 'ligament/container/2'"},
        BadConfig{"missing", R"([{"op":"remove","path":"/domain"}])", "'domain' is missing"},
        BadConfig{"unknown_key", R"([{"op":"add","path":"/exectuor_threads","value":1}])",
                  "/exectuor_threads: there is no 'exectuor_threads' here (did you mean "
                  "'executor_threads'?)"},
        BadConfig{"unknown_node_key", R"([{"op":"add","path":"/nodes/0/clas","value":1}])",
                  "/nodes/0/clas: there is no 'clas' here (did you mean 'class'?)"},
        BadConfig{"wrong_type", R"([{"op":"replace","path":"/nodes/0/library","value":3}])",
                  "/nodes/0/library: expected a string, found 3"},
        BadConfig{"nodes_no_list", R"([{"op":"replace","path":"/nodes","value":{}}])",
                  "/nodes: expected a list, found {}"},
        BadConfig{"node_no_object", R"([{"op":"replace","path":"/nodes/0","value":7}])",
                  "/nodes/0: expected an object, found 7"},
        BadConfig{"threads", R"([{"op":"replace","path":"/executor_threads","value":65}])",
                  "/executor_threads: expected a whole number from 1 to 64, found 65"},
        BadConfig{"strategy", R"([{"op":"replace","path":"/wait/strategy","value":"nap"}])",
                  "/wait/strategy: expected one of 'poll', 'spin', 'sleep', found \"nap\""},
        BadConfig{"spin", R"([{"op":"replace","path":"/wait/spin_us","value":-1}])",
                  "/wait/spin_us: expected a number, at least 0, found -1"},
        BadConfig{"level", R"([{"op":"replace","path":"/log_level","value":"loud"}])",
                  "/log_level: expected one of 'debug'"},
        BadConfig{"trace", R"([{"op":"replace","path":"/trace","value":"perf"}])",
                  "/trace: expected one of 'ligament', 'ros2', found \"perf\""},
        BadConfig{"depth", R"([{"op":"replace","path":"/topics/~1chat/qos/depth","value":0}])",
                  "/topics/~1chat/qos/depth: expected a whole number from 1 to 65536, found 0"},
        BadConfig{"bound", R"([{"op":"replace","path":"/topics/~1img/bound_bytes","value":0}])",
                  "/topics/~1img/bound_bytes: expected a whole number"},
        BadConfig{"qos",
                  R"([{"op":"add","path":"/topics/~1chat/qos/reliability","value":"maybe"}])",
                  "/topics/~1chat/qos/reliability: expected one of 'best_effort', 'reliable'"},
        BadConfig{"remap", R"([{"op":"add","path":"/nodes/0/remap/x","value":1}])",
                  "/nodes/0/remap/x: expected a topic name, found 1"},
        BadConfig{"null_parameter",
                  R"([{"op":"add","path":"/nodes/0/parameters/count","value":null}])",
                  "/nodes/0/parameters/count: expected true or false, a number"},
        BadConfig{"mixed_parameter",
                  R"([{"op":"add","path":"/nodes/0/parameters/count","value":[1,"a"]}])",
                  "/nodes/0/parameters/count: expected true or false, a number"},
        BadConfig{"id", R"([{"op":"replace","path":"/nodes/0/id","value":"/other"}])",
                  "/nodes/0/id: expected namespace and name together, '/talker', found '/other'"},
        BadConfig{"twice", R"([{"op":"copy","from":"/nodes/0","path":"/nodes/1"}])",
                  "/nodes/1/id: '/talker' is also /nodes/0"},
        BadConfig{"domain", R"([{"op":"replace","path":"/domain","value":"a b"}])", "a b"},
        BadConfig{"library",
                  R"([{"op":"replace","path":"/nodes/0/library","value":"/nowhere/lib.so"}])",
                  "there is no library '/nowhere/lib.so'"},
        BadConfig{"no_library", R"([{"op":"replace","path":"/nodes/0/library","value":"a.json"}])",
                  "cannot be loaded"},
        BadConfig{"class",
                  R"([{"op":"replace","path":"/nodes/0/class","value":"test_nodes::Talkr"}])",
                  "registers no class 'test_nodes::Talkr' (did you mean 'test_nodes::Talker'?)"},
        BadConfig{"parameter", R"([{"op":"add","path":"/nodes/0/parameters/cuont","value":3}])",
                  "there is no parameter 'cuont' (did you mean 'count'?)"},
        BadConfig{"parameter_type",
                  R"([{"op":"add","path":"/nodes/0/parameters/count","value":"x"}])",
                  "parameter 'count' is 'x', expected an integer"},
        BadConfig{"parameter_range",
                  R"([{"op":"add","path":"/nodes/0/parameters/width","value":5000}])",
                  "parameter 'width' is 5000, expected 1 to 4096"},
        BadConfig{"parameter_file",
                  R"([{"op":"add","path":"/nodes/0/parameter_files/0","value":"no.yaml"}])",
                  "no.yaml cannot be read"},
        BadConfig{
            "message",
            R"([{"op":"replace","path":"/topics/~1chat/message","value":"std_msgs/msg/Int32"}])",
            "topic '/chat' carries std_msgs/msg/Int32, but node '/talker' uses it with "
            "std_msgs/msg/String"},
        BadConfig{
            "endpoint",
            R"([{"op":"replace","path":"/nodes/0/class","value":"test_nodes::BadEndpoints"}])",
            "'not a name' is no topic name"},
        BadConfig{"stubborn",
                  R"([{"op":"replace","path":"/nodes/0/class","value":"test_nodes::Stubborn"}])",
                  "its constructor must hand the NodeOptions on to Node"},
        BadConfig{"ring", R"([{"op":"add","path":"/topics/~1chat/ring","value":0}])",
                  "expected a whole number from 1 to 65536, found 0"},
        BadConfig{"device", R"([{"op":"add","path":"/topics/~1chat/device","value":true}])",
                  "a device topic needs a 'bound_bytes'"}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST_F(Containers, TellAllMistakesOfAFileAtOnce) {
  auto bad = config(domain_, {node("talker", "Talker")});
  bad["graph"] = 1;
  bad["variant"] = 2;
  Process container({write("a", bad)}, log("a"));
  EXPECT_NE(container.next("error")["text"].get<std::string>().find("/graph"), std::string::npos);
  EXPECT_NE(container.next("error")["text"].get<std::string>().find("/variant"), std::string::npos);
  EXPECT_EQ(container.wait(), 2);
}

TEST_F(Containers, RefuseFilesThatAreNoJson) {
  Process broken({folder_.write("a.json", "{\"schema\": ")}, log("a"));
  EXPECT_NE(broken.next("error")["text"].get<std::string>().find("not JSON"), std::string::npos);
  EXPECT_EQ(broken.wait(), 2);
  Process missing({folder_ / "nowhere.json"}, log("b"));
  EXPECT_NE(missing.next("error")["text"].get<std::string>().find("cannot be read"),
            std::string::npos);
  EXPECT_EQ(missing.wait(), 2);
}

TEST_F(Containers, RefuseWrongArguments) {
  EXPECT_EQ(Process({"--no-such-option"}, log("a"), false).wait(), 2);
  EXPECT_EQ(Process({}, log("b"), false).wait(), 2);
  const auto path = write("a", config(domain_, {node("talker", "Talker")}));
  EXPECT_EQ(Process({path, "--status-fd", "77"}, log("c"), false).wait(), 2);
  EXPECT_NE(folder_.read("c.log").find("no such open descriptor"), std::string::npos);
  EXPECT_EQ(Process({path, "--trace", "perf"}, log("d"), false).wait(), 2);
  EXPECT_NE(folder_.read("d.log").find("there is no trace provider 'perf'"), std::string::npos);
}

TEST_F(Containers, AnswerWhichClassesALibraryHas) {
  EXPECT_EQ(
      Process({LIGAMENT_TEST_NODES, "--has-class", "test_nodes::Talker"}, log("a"), false).wait(),
      0);
  EXPECT_EQ(Process({LIGAMENT_TEST_NODES, "--has-class", "Talker"}, log("b"), false).wait(), 2);
  EXPECT_NE(folder_.read("b.log").find("'test_nodes::Talker'"), std::string::npos);
}

}  // namespace
}  // namespace ligament::testing
