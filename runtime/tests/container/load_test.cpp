// SPDX-License-Identifier: Apache-2.0
/// \file Loading and unloading nodes of a running container by ROS 2's services.
#include <filesystem>
#include <ligament/composition_interfaces/srv/list_nodes.hpp>
#include <ligament/composition_interfaces/srv/load_node.hpp>
#include <ligament/composition_interfaces/srv/unload_node.hpp>
#include <ligament/ligament.hpp>
#include <ligament/sensor_msgs/msg/image.hpp>
#include <ligament/std_msgs/msg/string.hpp>
#include <optional>
#include <thread>

#include "process.hpp"

namespace ligament {
namespace {

using composition_interfaces::srv::ListNodes;
using composition_interfaces::srv::LoadNode;
using composition_interfaces::srv::UnloadNode;
using testing::config;
using testing::Json;
using testing::node;
using testing::Process;
using testing::TemporaryFolder;

rcl_interfaces::msg::Parameter parameter(const std::string& name, std::int64_t value) {
  rcl_interfaces::msg::Parameter made;
  made.name = name;
  made.value.type = static_cast<std::uint8_t>(ParameterType::integer);
  made.value.integer_value = value;
  return made;
}

class Loading : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    auto listener = node("listener", "Listener");
    listener["parameter_rules"] = {{"count", {{"range", {1, 1000}}}}};
    auto file = config(domain_, Json::array({listener}));
    file["executor_threads"] = GetParam();
    container_.emplace(
        std::vector<std::string>{folder_.write("c.json", file.dump()), "--ros-tools"},
        folder_ / "log");
    ASSERT_FALSE(container_->next("ready").is_null());
    auto context = Context::create({.domain = domain_, .run_id = "r"});
    ASSERT_TRUE(context) << context.error().text;
    asker_ = std::make_shared<Node>("asker", NodeOptions().context(*context));
    load_ = asker_->create_client<LoadNode>("/one_container/_container/load_node");
    unload_ = asker_->create_client<UnloadNode>("/one_container/_container/unload_node");
    list_ = asker_->create_client<ListNodes>("/one_container/_container/list_nodes");
    ASSERT_TRUE(load_->wait_for_service() && unload_->wait_for_service() &&
                list_->wait_for_service());
  }
  void TearDown() override {
    container_->signal(SIGTERM);
    EXPECT_EQ(container_->wait(), 0);
  }

  template <typename T>
  typename T::Response ask(const std::shared_ptr<Client<T>>& client,
                           const typename T::Request& request) {
    auto sent = client->async_send_request(request);
    EXPECT_EQ(spin_until_future_complete(asker_, sent), FutureReturnCode::success);
    return *sent.get();
  }
  LoadNode::Response load(const LoadNode::Request& request) { return ask(load_, request); }
  UnloadNode::Response unload(std::uint64_t number) {
    UnloadNode::Request request;
    request.unique_id = number;
    return ask(unload_, request);
  }
  std::map<std::uint64_t, std::string> list() {
    const auto answer = ask(list_, ListNodes::Request{});
    std::map<std::uint64_t, std::string> all;
    for (std::size_t i = 0; i < answer.unique_ids.size(); ++i) {
      all[answer.unique_ids[i]] = answer.full_node_names.at(i);
    }
    return all;
  }
  static LoadNode::Request request(const std::string& class_name, const std::string& name) {
    LoadNode::Request asked;
    asked.plugin_name = class_name;
    asked.node_name = name;
    return asked;
  }
  /// What is said against a request.
  std::string refusal(const LoadNode::Request& asked) {
    const auto answer = load(asked);
    EXPECT_FALSE(answer.success);
    EXPECT_EQ(answer.unique_id, 0U);
    EXPECT_EQ(answer.full_node_name, "");
    return answer.error_message;
  }

  TemporaryFolder folder_;
  std::string domain_ = testing::unique_name();
  std::optional<Process> container_;
  std::shared_ptr<Node> asker_;
  std::shared_ptr<Client<LoadNode>> load_;
  std::shared_ptr<Client<UnloadNode>> unload_;
  std::shared_ptr<Client<ListNodes>> list_;
};

TEST_P(Loading, ALoadedNodeWorksAndIsGoneWhenUnloaded) {
  EXPECT_EQ(list(), (std::map<std::uint64_t, std::string>{{1, "/listener"}}));
  std::vector<std::string> heard;
  auto subscription = asker_->create_subscription<std_msgs::msg::String>(
      "/elsewhere", QoS(100).transient_local(),
      [&](const std_msgs::msg::String& text) { heard.push_back(text.data); });
  auto images = asker_->create_subscription<sensor_msgs::msg::Image>(
      "/rig/image", QoS(100).transient_local(), [](const sensor_msgs::msg::Image&) {});
  auto asked = request("test_nodes::Talker", "second");
  asked.node_namespace = "/rig";
  asked.remap_rules = {"text:=/elsewhere"};
  asked.parameters = {parameter("count", 3)};
  const auto loaded = load(asked);
  ASSERT_TRUE(loaded.success) << loaded.error_message;
  EXPECT_EQ(loaded.full_node_name, "/rig/second");
  EXPECT_EQ(loaded.unique_id, 2U);
  EXPECT_EQ(list(), (std::map<std::uint64_t, std::string>{{1, "/listener"}, {2, "/rig/second"}}));
  spin_until(
      asker_, [&] { return heard.size() == 3; }, std::chrono::nanoseconds(-1));
  EXPECT_EQ(heard.back(), "message 2");
  Json status = container_->next("status");
  while (status["nodes"].size() != 2) {
    status = container_->next("status");
  }
  EXPECT_EQ(status["nodes"][1]["id"], "/rig/second");

  EXPECT_TRUE(unload(2).success);
  EXPECT_EQ(list(), (std::map<std::uint64_t, std::string>{{1, "/listener"}}));
  while (subscription->get_publisher_count() != 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  while (status["nodes"].size() != 1) {
    status = container_->next("status");
  }
}

/// As those of the class that the graph has.
TEST_P(Loading, TheRulesOfTheClassHold) {
  auto asked = request("test_nodes::Listener", "second");
  asked.parameters = {parameter("count", 1001)};
  const std::string told = refusal(asked);
  EXPECT_NE(told.find("'count'"), std::string::npos) << told;
  EXPECT_NE(told.find("1000"), std::string::npos) << told;
  asked.parameters = {parameter("count", 1000)};
  EXPECT_TRUE(load(asked).success);
  asked = request("test_nodes::Talker", "third");  // another class, whose manifest is not known
  asked.parameters = {parameter("count", 1001)};
  EXPECT_TRUE(load(asked).success);
}

TEST_P(Loading, NodesComeAndGoOften) {
  for (std::uint64_t i = 0; i < 30; ++i) {
    const auto loaded = load(request("test_nodes::Flood", "passing"));
    ASSERT_TRUE(loaded.success) << loaded.error_message;
    EXPECT_EQ(loaded.unique_id, i + 2);
    ASSERT_TRUE(unload(loaded.unique_id).success);
  }
}

TEST_P(Loading, SaysWhatIsWrongWithARequest) {
  EXPECT_NE(refusal(request("test_nodes::Talkr", "a")).find("did you mean 'test_nodes::Talker'?"),
            std::string::npos);
  EXPECT_NE(refusal(request("test_nodes::Talker", "listener")).find("unique id 1"),
            std::string::npos);
  EXPECT_NE(refusal(request("test_nodes::Talker", "no name")).find("no name"), std::string::npos);
  EXPECT_NE(refusal(request("test_nodes::BadEndpoints", "a")).find("not a name"),
            std::string::npos);
  auto asked = request("test_nodes::Talker", "a");
  asked.parameters = {parameter("cuont", 3)};
  EXPECT_NE(refusal(asked).find("did you mean 'count'?"), std::string::npos);
  asked.parameters = {};
  asked.remap_rules = {"text"};
  EXPECT_EQ(refusal(asked), "the remap rule 'text' has not the form FROM:=TO");
  asked.remap_rules = {"other:text:=/a"};
  EXPECT_NE(refusal(asked).find("names a node"), std::string::npos);
  asked.remap_rules = {};
  asked.log_level = 10;
  EXPECT_NE(refusal(asked).find("of the whole container"), std::string::npos);
  asked.log_level = 0;
  asked.extra_arguments = {parameter("use_intra_process_comms", 1)};
  EXPECT_NE(refusal(asked).find("expected true or false"), std::string::npos);
  asked.extra_arguments = {parameter("hurry", 1)};
  EXPECT_NE(refusal(asked).find("there is no extra argument 'hurry'"), std::string::npos);
  asked.extra_arguments = {};
  asked.package_name = "../etc";
  EXPECT_NE(refusal(asked).find("is no package name"), std::string::npos);
  asked = request("test_nodes::Misbehaving", "a");
  rcl_interfaces::msg::Parameter when;
  when.name = "when";
  when.value.type = static_cast<std::uint8_t>(ParameterType::string);
  when.value.string_value = "start";
  asked.parameters = {when};
  EXPECT_NE(refusal(asked).find("threw: the lens fell off"), std::string::npos);
  EXPECT_NE(unload(77).error_message.find("unique id 77"), std::string::npos);
  EXPECT_EQ(list(), (std::map<std::uint64_t, std::string>{{1, "/listener"}})) << "none stayed";
}

TEST_P(Loading, NodesOfTheConfigurationCanBeUnloadedToo) {
  EXPECT_TRUE(unload(1).success);
  EXPECT_TRUE(list().empty());
  EXPECT_FALSE(unload(1).success);
}

INSTANTIATE_TEST_SUITE_P(Threads, Loading, ::testing::Values(1, 3));

/// A package in an ament index, whose library this container has not opened.
TEST(LoadingPackages, AreFoundInTheAmentIndex) {
  const TemporaryFolder folder;
  const std::string domain = testing::unique_name();
  const std::filesystem::path prefix = folder / "prefix";
  const auto index = prefix / "share/ament_index/resource_index/ligament_components";
  std::filesystem::create_directories(index);
  std::filesystem::create_directories(prefix / "lib");
  std::filesystem::copy(LIGAMENT_TEST_NODES, prefix / "lib/libnodes.so");
  std::ofstream(index / "my_package") << "test_nodes::Talker;lib/libnodes.so\n"
                                      << "test_nodes::Gone;lib/libgone.so\n";
  ::setenv("AMENT_PREFIX_PATH", ("/nowhere:" + prefix.string()).c_str(), 1);
  Process container({folder.write("c.json", config(domain, Json::array()).dump()), "--ros-tools"},
                    folder / "log");
  ::unsetenv("AMENT_PREFIX_PATH");
  ASSERT_FALSE(container.next("ready").is_null());
  auto context = Context::create({.domain = domain, .run_id = "r"});
  ASSERT_TRUE(context) << context.error().text;
  auto asker = std::make_shared<Node>("asker", NodeOptions().context(*context));
  auto client = asker->create_client<LoadNode>("/one_container/_container/load_node");
  ASSERT_TRUE(client->wait_for_service());
  const auto ask = [&](const std::string& package, const std::string& class_name) {
    LoadNode::Request request;
    request.package_name = package;
    request.plugin_name = class_name;
    auto sent = client->async_send_request(request);
    EXPECT_EQ(spin_until_future_complete(asker, sent), FutureReturnCode::success);
    return *sent.get();
  };
  EXPECT_NE(ask("other", "test_nodes::Talker").error_message.find("lists the package 'other'"),
            std::string::npos);
  EXPECT_NE(ask("my_package", "test_nodes::Tlker").error_message.find("'test_nodes::Talker'?"),
            std::string::npos);
  EXPECT_NE(ask("my_package", "test_nodes::Gone").error_message.find("there is no library"),
            std::string::npos);
  const auto loaded = ask("my_package", "test_nodes::Talker");
  EXPECT_TRUE(loaded.success) << loaded.error_message;
  EXPECT_EQ(loaded.full_node_name, "/talker");
  container.signal(SIGTERM);
  EXPECT_EQ(container.wait(), 0);
}

/// A container that nobody supervises ends when all its nodes have done their work: those it has.
TEST(LoadingAlone, ANodeThatWasUnloadedDoesNotCountAmongThoseThatAreDone) {
  const TemporaryFolder folder;
  const std::string domain = testing::unique_name();
  auto file = config(domain, Json::array({node("listener", "Listener")}));
  file["executor_threads"] = 2;
  Process container({folder.write("c.json", file.dump()), "--ros-tools"}, folder / "log", false);
  auto context = Context::create({.domain = domain, .run_id = "r"});
  ASSERT_TRUE(context) << context.error().text;
  auto asker = std::make_shared<Node>("asker", NodeOptions().context(*context));
  auto load = asker->create_client<LoadNode>("/one_container/_container/load_node");
  auto unload = asker->create_client<UnloadNode>("/one_container/_container/unload_node");
  ASSERT_TRUE(load->wait_for_service() && unload->wait_for_service());
  LoadNode::Request wanted;
  wanted.plugin_name = "test_nodes::Meeting";
  auto loaded = load->async_send_request(wanted);
  ASSERT_EQ(spin_until_future_complete(asker, loaded), FutureReturnCode::success);
  const std::uint64_t number = loaded.get()->unique_id;
  EXPECT_EQ(number, 2U);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // it is done by then
  UnloadNode::Request gone;
  gone.unique_id = number;
  auto unloaded = unload->async_send_request(gone);
  ASSERT_EQ(spin_until_future_complete(asker, unloaded), FutureReturnCode::success);
  EXPECT_TRUE(unloaded.get()->success);
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));  // it looks once a second
  EXPECT_FALSE(container.has_ended()) << "the listener has not done its work";
  container.signal(SIGTERM);
  EXPECT_EQ(container.wait(), 0);
}

}  // namespace
}  // namespace ligament
