// SPDX-License-Identifier: Apache-2.0
/// \file What ROS 2's tools ask a node for, in a container that is told to offer it.
#include <ligament/ligament.hpp>
#include <ligament/rcl_interfaces/srv/list_parameters.hpp>

#include "process.hpp"

namespace ligament {
namespace {

using rcl_interfaces::srv::ListParameters;
using testing::config;
using testing::Json;
using testing::node;
using testing::Process;
using testing::TemporaryFolder;

TEST(ContainerServices, AreThereOnDemandAndCounted) {
  const TemporaryFolder folder;
  const std::string domain = testing::unique_name();
  const auto file =
      folder.write("c.json", config(domain, Json::array({node("listener", "Listener")})).dump());
  Process container({file, "--ros-tools"}, folder / "log");
  ASSERT_FALSE(container.next("ready").is_null());
  auto context = Context::create({.domain = domain, .run_id = "r"});
  ASSERT_TRUE(context) << context.error().text;
  const auto asker = std::make_shared<Node>("asker", NodeOptions().context(*context));
  auto client = asker->create_client<ListParameters>("/listener/list_parameters");
  ASSERT_TRUE(client->wait_for_service());
  auto sent = client->async_send_request(ListParameters::Request{});
  ASSERT_EQ(spin_until_future_complete(asker, sent), FutureReturnCode::success);
  EXPECT_EQ(
      sent.get()->result.names,
      (std::vector<std::string>{"count", "out", "start_type_description_service", "use_sim_time"}));
  container.signal(SIGTERM);
  const Json status = container.next("status");
  Json last = status;
  for (Json line = status; !line.is_null(); line = container.next("status")) {
    last = line;
  }
  const Json& services = last["nodes"][0]["services"];
  ASSERT_EQ(services.size(), 1U) << last.dump();
  EXPECT_EQ(services[0]["service"], "/listener/list_parameters");
  EXPECT_EQ(services[0]["requests"], 1);
  EXPECT_EQ(services[0]["replies"], 1);
  EXPECT_EQ(container.wait(), 0);
}

/// Topics that a node without publishers of its own has in a container with these arguments.
std::vector<std::string> published(const std::vector<std::string>& arguments) {
  const TemporaryFolder folder;
  const auto nodes = Json::array({node("listener", "Listener")});
  std::vector<std::string> words{
      folder.write("c.json", config(testing::unique_name(), nodes).dump())};
  words.insert(words.end(), arguments.begin(), arguments.end());
  Process container(words, folder / "log");
  EXPECT_FALSE(container.next("ready").is_null());
  container.signal(SIGTERM);
  std::vector<std::string> topics;
  const Json status = container.next("status");
  for (const Json& publisher : status["nodes"][0]["publishers"]) {
    topics.push_back(publisher["topic"]);
  }
  return topics;
}

TEST(ContainerServices, PublishNothingUnlessAskedFor) {
  EXPECT_EQ(published({}), std::vector<std::string>{});
  EXPECT_EQ(published({"--ros-tools"}), (std::vector<std::string>{"/rosout", "/parameter_events"}));
}

}  // namespace
}  // namespace ligament
