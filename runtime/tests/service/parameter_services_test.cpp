// SPDX-License-Identifier: Apache-2.0
/// \file A node's parameters through its six services, /parameter_events and /rosout.
#include <ligament/rcl_interfaces/msg/log.hpp>
#include <ligament/rcl_interfaces/msg/parameter_event.hpp>
#include <ligament/rcl_interfaces/srv/describe_parameters.hpp>
#include <ligament/rcl_interfaces/srv/get_parameter_types.hpp>
#include <ligament/rcl_interfaces/srv/get_parameters.hpp>
#include <ligament/rcl_interfaces/srv/list_parameters.hpp>
#include <ligament/rcl_interfaces/srv/set_parameters.hpp>
#include <ligament/rcl_interfaces/srv/set_parameters_atomically.hpp>
#include <vector>

#include "node/parameter_interface.hpp"
#include "node/parameter_messages.hpp"
#include "service_fixture.hpp"

namespace ligament {
namespace {

using namespace rcl_interfaces::srv;  // NOLINT: the six service types
using rcl_interfaces::msg::Log;
using rcl_interfaces::msg::ParameterEvent;
using testing::Spinner;
using testing::wait_for;
using Names = std::vector<std::string>;

class ParameterServices : public testing::Services {
 protected:
  void SetUp() override {
    Services::SetUp();
    camera_ = std::make_shared<Node>("camera", "rig",
                                     NodeOptions()
                                         .context(server_context_)
                                         .start_parameter_services(true)
                                         .start_parameter_event_publisher(true)
                                         .enable_rosout(true));
    ParameterDescriptor range;
    range.description = "Pictures per second.";
    range.floating_point_range = {{1.0, 60.0, 0.0}};
    camera_->declare_parameter("rate_hz", 30.0, range);
    camera_->declare_parameter("lens.zoom", 2);
    camera_->declare_parameter("lens.cap.on", false);
    ParameterDescriptor fixed;
    fixed.read_only = true;
    camera_->declare_parameter("serial", "A7", fixed);
    camera_->declare_parameter("gains", std::vector<double>{1.5, 2.5});
  }
  void start() { spinner_.emplace(server_context_).start(camera_); }

  template <typename T>
  typename T::Response call(const std::string& name, const typename T::Request& request) {
    auto client = node_->create_client<T>("/rig/camera/" + name);
    EXPECT_TRUE(client->wait_for_service());
    auto sent = client->async_send_request(request);
    EXPECT_EQ(spin_until(sent), FutureReturnCode::success);
    return *sent.get();
  }
  static rcl_interfaces::msg::Parameter parameter(const std::string& name,
                                                  const ParameterValue& value) {
    return detail::to_message(Parameter(name, value));
  }

  std::shared_ptr<Node> camera_;
  std::optional<Spinner> spinner_;
};

TEST_F(ParameterServices, Get) {
  start();
  GetParameters::Request request;
  request.names = {"rate_hz", "serial", "gains"};
  const auto values = call<GetParameters>("get_parameters", request).values;
  ASSERT_EQ(values.size(), 3U);
  EXPECT_EQ(detail::from_message(values[0]), ParameterValue(30.0));
  EXPECT_EQ(detail::from_message(values[1]), ParameterValue("A7"));
  EXPECT_EQ(detail::from_message(values[2]), ParameterValue(std::vector<double>{1.5, 2.5}));
  request.names = {"rate_hz", "nothing"};
  EXPECT_TRUE(call<GetParameters>("get_parameters", request).values.empty());
}

TEST_F(ParameterServices, GetTypes) {
  start();
  GetParameterTypes::Request request;
  request.names = {"lens.zoom", "lens.cap.on", "gains"};
  EXPECT_EQ(call<GetParameterTypes>("get_parameter_types", request).types,
            (std::vector<std::uint8_t>{2, 1, 8}));
}

TEST_F(ParameterServices, Describe) {
  start();
  DescribeParameters::Request request;
  request.names = {"rate_hz", "serial"};
  const auto found = call<DescribeParameters>("describe_parameters", request).descriptors;
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, "rate_hz");
  EXPECT_EQ(found[0].type, 3);
  EXPECT_EQ(found[0].description, "Pictures per second.");
  ASSERT_EQ(found[0].floating_point_range.size(), 1U);
  EXPECT_EQ(found[0].floating_point_range[0].to_value, 60.0);
  EXPECT_FALSE(found[0].read_only);
  EXPECT_TRUE(found[1].read_only);
}

TEST_F(ParameterServices, List) {
  start();
  const auto result = call<ListParameters>("list_parameters", {}).result;
  EXPECT_EQ(result.names, (Names{"gains", "lens.cap.on", "lens.zoom", "rate_hz", "serial",
                                 "start_type_description_service", "use_sim_time"}));
  EXPECT_EQ(result.prefixes, (Names{"lens.cap", "lens"}));
}

TEST(ParameterMessages, NameTheChoicesThatThereAre) {
  ParameterDescriptor descriptor;
  const auto text = [&descriptor] {
    return detail::to_message("mode", ParameterType::string, descriptor).additional_constraints;
  };
  EXPECT_EQ(text(), "");
  descriptor.choices = {"slow", "quick"};
  EXPECT_EQ(text(), "one of 'slow', 'quick'");
}

TEST(ParameterListing, FollowsPrefixesAndDepth) {
  const Names names{"a", "a.b", "a.b.c", "ab", "d.e"};
  EXPECT_EQ(detail::list_parameters(names, {}, 1).names, (Names{"a", "ab"}));
  EXPECT_EQ(detail::list_parameters(names, {}, 2).names, (Names{"a", "a.b", "ab", "d.e"}));
  EXPECT_EQ(detail::list_parameters(names, {"a"}, 0).names, (Names{"a", "a.b", "a.b.c"}));
  EXPECT_EQ(detail::list_parameters(names, {"a"}, 1).names, (Names{"a", "a.b"}));
  EXPECT_EQ(detail::list_parameters(names, {"d", "ab"}, 0).names, (Names{"ab", "d.e"}));
  EXPECT_EQ(detail::list_parameters(names, {"x"}, 0).names, Names{});
}

TEST_F(ParameterServices, SetEachAndTellOfIt) {
  std::vector<ParameterEvent> events;
  auto subscription = node_->create_subscription<ParameterEvent>(
      "/parameter_events", ParameterEventsQoS(),
      [&](const ParameterEvent& event) { events.push_back(event); });
  wait_for([&] { return subscription->get_publisher_count() == 1; });
  camera_->declare_parameter("late", 7);
  camera_->declare_parameter("late", 8);  // refused, and so not told
  start();
  SetParameters::Request request;
  request.parameters = {parameter("rate_hz", 15), parameter("rate_hz", 100.0),
                        parameter("serial", "B8"), parameter("nothing", 1),
                        parameter("lens.zoom", "far")};
  const auto results = call<SetParameters>("set_parameters", request).results;
  ASSERT_EQ(results.size(), 5U);
  EXPECT_TRUE(results[0].successful);
  EXPECT_EQ(results[1].reason, "parameter 'rate_hz' is 100.0, expected 1 to 60");
  EXPECT_EQ(results[2].reason, "parameter 'serial' is read-only");
  EXPECT_FALSE(results[3].successful);
  EXPECT_EQ(results[4].reason, "parameter 'lens.zoom' is 'far', expected an integer");
  EXPECT_EQ(camera_->get_parameter("rate_hz").as_double(), 15.0);
  wait_for([&] {
    (void)spin_some(node_);
    return events.size() >= 2;
  });
  EXPECT_EQ(events[0].node, "/rig/camera");
  ASSERT_EQ(events[0].new_parameters.size(), 1U);
  EXPECT_EQ(events[0].new_parameters[0].name, "late");
  ASSERT_EQ(events[1].changed_parameters.size(), 1U);
  EXPECT_EQ(detail::from_message(events[1].changed_parameters[0].value), ParameterValue(15.0));
}

TEST_F(ParameterServices, SetAllOrNone) {
  start();
  SetParametersAtomically::Request request;
  request.parameters = {parameter("lens.zoom", 3), parameter("serial", "B8")};
  EXPECT_FALSE(
      call<SetParametersAtomically>("set_parameters_atomically", request).result.successful);
  EXPECT_EQ(camera_->get_parameter("lens.zoom").as_int(), 2);
  request.parameters.pop_back();
  EXPECT_TRUE(
      call<SetParametersAtomically>("set_parameters_atomically", request).result.successful);
  EXPECT_EQ(camera_->get_parameter("lens.zoom").as_int(), 3);
}

TEST_F(ParameterServices, AreAbsentWhereNobodySaysSo) {
  auto client = node_->create_client<ListParameters>("/server/list_parameters");
  EXPECT_FALSE(client->wait_for_service(std::chrono::milliseconds(20)));
  EXPECT_TRUE(server_->state().services.empty());
  EXPECT_TRUE(server_->state().publishers.empty());
}

TEST_F(ParameterServices, LogLinesReachWhoJoinsLate) {
  LIGAMENT_WARN(camera_->get_logger(), "the lens is {}", "foggy");
  std::vector<Log> lines;
  auto subscription = node_->create_subscription<Log>(
      "/rosout", RosoutQoS(), [&](const Log& line) { lines.push_back(line); });
  wait_for([&] {
    (void)spin_some(node_);
    return lines.size() == 1;
  });
  LIGAMENT_INFO(camera_->get_logger().get_child("lens"), "wiped");
  LIGAMENT_DEBUG(camera_->get_logger(), "below the level");
  LIGAMENT_ERROR(camera_->get_logger(), "it is cracked");
  LIGAMENT_FATAL(camera_->get_logger(), "it is gone");
  wait_for([&] {
    (void)spin_some(node_);
    return lines.size() >= 4;
  });
  EXPECT_EQ(lines[0].msg, "the lens is foggy");
  EXPECT_EQ(lines[0].level, Log::WARN);
  EXPECT_EQ(lines[0].name, "rig.camera");
  EXPECT_GT(lines[0].stamp.sec, 0);
  EXPECT_EQ(lines[1].name, "rig.camera.lens");
  EXPECT_EQ(lines[1].level, Log::INFO);
  EXPECT_EQ(lines[2].level, Log::ERROR);
  EXPECT_EQ(lines[3].level, Log::FATAL);
}

}  // namespace
}  // namespace ligament
