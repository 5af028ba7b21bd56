// SPDX-License-Identifier: Apache-2.0
/// \file What ~/get_type_description tells; tool/tests/run/test_ros2.py compares it with its hash.
#include "node/type_descriptions.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <ligament/action_client.hpp>
#include <ligament/detail/composed_types.hpp>
#include <ligament/example_interfaces/action/fibonacci.hpp>
#include <ligament/rcl_interfaces/msg/parameter_descriptor.hpp>
#include <ligament/std_msgs/msg/header.hpp>
#include <ligament/type_description_interfaces/srv/get_type_description.hpp>
#include <map>
#include <string>

#include "node/node_state.hpp"
#include "service_fixture.hpp"

namespace ligament {
namespace {

using example_interfaces::action::Fibonacci;
using std_msgs::msg::Header;
using testing::Spinner;
using type_description_interfaces::msg::FieldType;
using type_description_interfaces::srv::GetTypeDescription;

class TypeDescriptions : public testing::Services {
 protected:
  std::shared_ptr<Node> make(bool wanted = true) {
    return std::make_shared<Node>(
        "camera", NodeOptions()
                      .context(server_context_)
                      .start_type_description_service(true)
                      .append_parameter_override("start_type_description_service", wanted));
  }
  GetTypeDescription::Response ask(const std::string& name, const TypeTable& table) {
    GetTypeDescription::Request request;
    request.type_name = name;
    request.type_hash = hash_text(table.type_hash);
    auto client = node_->create_client<GetTypeDescription>("/camera/get_type_description");
    EXPECT_TRUE(client->wait_for_service());
    auto sent = client->async_send_request(request);
    EXPECT_EQ(spin_until(sent), FutureReturnCode::success);
    return *sent.get();
  }
};

const TypeTable& header() { return MessageTraits<Header>::table(); }

TEST_F(TypeDescriptions, TellFieldsAndTheTypesInside) {
  auto camera = make();
  auto publisher = camera->create_publisher<Header>("stamps", QoS(1));
  Spinner spinner(server_context_);
  spinner.start(camera);
  const auto told = ask("std_msgs/msg/Header", header());
  ASSERT_TRUE(told.successful) << told.failure_reason;
  const auto& fields = told.type_description.type_description.fields;
  ASSERT_EQ(fields.size(), 2U);
  EXPECT_EQ(fields[0].name, "stamp");
  EXPECT_EQ(fields[0].type.type_id, FieldType::FIELD_TYPE_NESTED_TYPE);
  EXPECT_EQ(fields[0].type.nested_type_name, "builtin_interfaces/msg/Time");
  EXPECT_EQ(fields[1].type.type_id, FieldType::FIELD_TYPE_STRING);
  const auto& inside = told.type_description.referenced_type_descriptions;
  ASSERT_EQ(inside.size(), 1U);
  EXPECT_EQ(inside[0].type_name, "builtin_interfaces/msg/Time");
  EXPECT_EQ(inside[0].fields.size(), 2U);
}

TEST_F(TypeDescriptions, TellDefaults) {
  const auto told =
      detail::describe_type(MessageTraits<rcl_interfaces::msg::ParameterDescriptor>::table());
  std::map<std::string, std::string> defaults;
  for (const auto& field : told.type_description.fields) {
    if (!field.default_value.empty()) {
      defaults[field.name] = field.default_value;
    }
  }
  const std::map<std::string, std::string> expected{{"dynamic_typing", "False"},
                                                    {"read_only", "False"}};
  EXPECT_EQ(defaults, expected);
}

TEST_F(TypeDescriptions, TellServicesAndActionsWithTheirParts) {
  auto camera = make();
  auto client = camera->create_client<testing::AddTwoInts>("add");
  auto action = camera->create_action_client<Fibonacci>("count");
  Spinner spinner(server_context_);
  spinner.start(camera);
  const auto service = ask("", *detail::service_table<testing::AddTwoInts>()).type_description;
  EXPECT_EQ(service.type_description.type_name, "example_interfaces/srv/AddTwoInts");
  EXPECT_EQ(service.type_description.fields.size(), 3U);
  const auto told = ask("", *detail::action_table<Fibonacci>()).type_description;
  EXPECT_EQ(told.type_description.fields.at(3).name, "send_goal_service");
  const auto& inside = told.referenced_type_descriptions;
  EXPECT_TRUE(std::is_sorted(inside.begin(), inside.end(), [](const auto& a, const auto& b) {
    return a.type_name < b.type_name;
  }));
}

TEST_F(TypeDescriptions, RefuseWhatTheNodeDoesNotUse) {
  auto camera = make();
  Spinner spinner(server_context_);
  spinner.start(camera);
  const auto told = ask("std_msgs/msg/Header", header());
  EXPECT_FALSE(told.successful);
  EXPECT_THAT(told.failure_reason, ::testing::HasSubstr("uses no type with the hash 'RIHS01_"));
  const auto other = ask("std_msgs/msg/Header", *detail::service_table<GetTypeDescription>());
  EXPECT_EQ(other.failure_reason,
            "the hash is of type_description_interfaces/srv/GetTypeDescription, not of "
            "'std_msgs/msg/Header'");
}

TEST_F(TypeDescriptions, AreNotOfferedWhereTheParameterSaysSo) {
  auto camera = make(false);
  EXPECT_TRUE(camera->state().services.empty());
  EXPECT_FALSE(camera->get_parameter("start_type_description_service").as_bool());
}

}  // namespace
}  // namespace ligament
