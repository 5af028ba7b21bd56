// SPDX-License-Identifier: Apache-2.0
/// Who meets whom, and names and options that are refused, each with its sentence.
#include <rmw/discovery_options.h>
#include <rmw/security_options.h>

#include <cstdlib>
#include <ligament/detail/edge_name.hpp>
#include <rosidl_typesupport_cpp/service_type_support.hpp>
#include <test_msgs/msg/basic_types.hpp>
#include <test_msgs/srv/basic_types.hpp>

#include "rmw_fixture.hpp"

namespace {

using test_msgs::msg::BasicTypes;

/// A context of its own; null options are refused by `make`.
class OwnContext {
 public:
  OwnContext() {
    EXPECT_EQ(rmw_init_options_init(&options, rcutils_get_default_allocator()), RMW_RET_OK);
    options.enclave = rcutils_strdup("/own", rcutils_get_default_allocator());
    options.discovery_options.automatic_discovery_range = RMW_AUTOMATIC_DISCOVERY_RANGE_OFF;
  }
  ~OwnContext() {
    if (context.impl != nullptr) {
      EXPECT_EQ(rmw_shutdown(&context), RMW_RET_OK);
      EXPECT_EQ(rmw_context_fini(&context), RMW_RET_OK);
    }
    EXPECT_EQ(rmw_init_options_fini(&options), RMW_RET_OK);
  }
  OwnContext(const OwnContext&) = delete;
  OwnContext& operator=(const OwnContext&) = delete;
  /// The sentence with which it is refused; empty: it was made.
  std::string make() {
    const rmw_ret_t result = rmw_init(&options, &context);
    EXPECT_TRUE(result == RMW_RET_OK || result == RMW_RET_INVALID_ARGUMENT);
    return result == RMW_RET_OK ? std::string() : taken_error();
  }
  rmw_init_options_t options = rmw_get_zero_initialized_init_options();
  rmw_context_t context = rmw_get_zero_initialized_context();
};

std::vector<std::string> nodes_and_enclaves(const rmw_node_t* node) {
  rcutils_string_array_t arrays[3];
  for (auto& array : arrays) {
    array = rcutils_get_zero_initialized_string_array();
  }
  EXPECT_EQ(rmw_get_node_names_with_enclaves(node, &arrays[0], &arrays[1], &arrays[2]), RMW_RET_OK);
  std::vector<std::string> found;
  for (std::size_t i = 0; i < arrays[0].size; ++i) {
    found.push_back(std::string(arrays[0].data[i]) + " " + arrays[2].data[i]);
  }
  for (auto& array : arrays) {
    EXPECT_EQ(rcutils_string_array_fini(&array), RCUTILS_RET_OK);
  }
  return found;
}

using Refused = RmwTest;

}  // namespace

TEST(Contexts, OfDomainsThatDDSDoesNotKnowAreRefused) {
  for (const std::size_t id : {std::size_t{0}, std::size_t{232}}) {
    OwnContext own;
    own.options.domain_id = id;
    EXPECT_EQ(own.make(), "");
    EXPECT_EQ(own.context.actual_domain_id, id);
  }
  for (const std::size_t id : {std::size_t{233}, std::size_t{255}, std::size_t{100'000}}) {
    OwnContext own;
    own.options.domain_id = id;
    EXPECT_NE(own.make().find("ROS_DOMAIN_ID must be 0 to 232, but is " + std::to_string(id)),
              std::string::npos);
  }
}

TEST(Contexts, ThatNobodyCanServeAreRefused) {
  OwnContext unset;
  unset.options.discovery_options.automatic_discovery_range = RMW_AUTOMATIC_DISCOVERY_RANGE_NOT_SET;
  EXPECT_NE(unset.make().find("do not say how far to look"), std::string::npos);
  OwnContext secure;
  secure.options.security_options.enforce_security = RMW_SECURITY_ENFORCEMENT_ENFORCE;
  EXPECT_NE(secure.make().find("ROS_SECURITY_STRATEGY=Enforce"), std::string::npos);
}

TEST(Contexts, OfOneDomainMeetUnlessTheirRangeIsOff) {
  ::setenv("LIGAMENT_RMW_EDGE", "off", 1);
  const std::size_t domain_id = 170 + static_cast<std::size_t>(::getpid()) % 60;
  constexpr auto off = RMW_AUTOMATIC_DISCOVERY_RANGE_OFF;
  constexpr auto local = RMW_AUTOMATIC_DISCOVERY_RANGE_LOCALHOST;
  OwnContext contexts[3];
  rmw_node_t* nodes[3];
  for (int i = 0; i < 3; ++i) {
    contexts[i].options.domain_id = domain_id;
    contexts[i].options.discovery_options.automatic_discovery_range = i == 0 ? off : local;
    ASSERT_EQ(contexts[i].make(), "");
    nodes[i] = rmw_create_node(&contexts[i].context, ("node" + std::to_string(i)).c_str(), "/");
  }
  using Found = std::vector<std::string>;
  EXPECT_EQ(nodes_and_enclaves(nodes[0]), (Found{"node0 /own"}));
  EXPECT_EQ(nodes_and_enclaves(nodes[1]), (Found{"node1 /own", "node2 /own"}));
  for (rmw_node_t* node : nodes) {
    EXPECT_EQ(rmw_destroy_node(node), RMW_RET_OK);
  }
}

TEST(Contexts, WhoseRangeIsOffStartNoEdge) {
  ::unsetenv("LIGAMENT_RMW_EDGE");
  OwnContext own;
  own.options.domain_id = 7;
  ASSERT_EQ(own.make(), "");
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // one would be there by then
  EXPECT_FALSE(ligament::detail::edge_is_there("ros.7.alone." + std::to_string(::getpid())));
}

TEST_F(Refused, NamesOfTopics) {
  const auto* type = rosidl_typesupport_cpp::get_message_type_support_handle<BasicTypes>();
  const auto publisher_options = rmw_get_default_publisher_options();
  const auto subscription_options = rmw_get_default_subscription_options();
  const auto refuses = [&](const char* topic, const rmw_qos_profile_t& qos, const char* sentence) {
    EXPECT_EQ(rmw_create_publisher(node_, type, topic, &qos, &publisher_options), nullptr);
    EXPECT_NE(taken_error().find(sentence), std::string::npos) << topic;
    EXPECT_EQ(rmw_create_subscription(node_, type, topic, &qos, &subscription_options), nullptr);
    EXPECT_NE(taken_error().find(sentence), std::string::npos) << topic;
  };
  for (const char* topic : {"", "relative", "/with space", "/two//slashes", "/ends/", "/1st"}) {
    refuses(topic, rmw_qos_profile_default, "is no full name of a topic");
  }
  rmw_qos_profile_t qos = rmw_qos_profile_default;
  qos.avoid_ros_namespace_conventions = true;
  refuses("", qos, "name is empty");
  auto* to = subscription<BasicTypes>("no/ROS name", qos);
  auto* from = publisher<BasicTypes>("no/ROS name", qos);
  await_match(from);
  EXPECT_EQ(rmw_destroy_publisher(node_, from), RMW_RET_OK);
  EXPECT_EQ(rmw_destroy_subscription(node_, to), RMW_RET_OK);
}

TEST_F(Refused, UnknownPolicies) {
  const auto* type = rosidl_typesupport_cpp::get_message_type_support_handle<BasicTypes>();
  const auto options = rmw_get_default_publisher_options();
  rmw_qos_profile_t unknown[4] = {rmw_qos_profile_default, rmw_qos_profile_default,
                                  rmw_qos_profile_default, rmw_qos_profile_default};
  unknown[0].history = RMW_QOS_POLICY_HISTORY_UNKNOWN;
  unknown[1].reliability = RMW_QOS_POLICY_RELIABILITY_UNKNOWN;
  unknown[2].durability = RMW_QOS_POLICY_DURABILITY_UNKNOWN;
  unknown[3].liveliness = RMW_QOS_POLICY_LIVELINESS_UNKNOWN;
  for (const auto& qos : unknown) {
    EXPECT_EQ(rmw_create_publisher(node_, type, "/topic", &qos, &options), nullptr);
    EXPECT_NE(taken_error().find("'unknown', which no endpoint can have"), std::string::npos);
  }
}

TEST_F(Refused, NamesOfServicesAndNodes) {
  const auto* type =
      rosidl_typesupport_cpp::get_service_type_support_handle<test_msgs::srv::BasicTypes>();
  const auto& qos = rmw_qos_profile_services_default;
  EXPECT_EQ(rmw_create_service(node_, type, "relative", &qos), nullptr);
  EXPECT_NE(taken_error().find("is no full name of a topic"), std::string::npos);
  EXPECT_EQ(rmw_create_client(node_, type, "/two//slashes", &qos), nullptr);
  EXPECT_NE(taken_error().find("is no full name of a topic"), std::string::npos);
  for (const char* space : {"", "relative", "/ends/", "/with space"}) {
    EXPECT_EQ(rmw_create_node(&context_, "fine", space), nullptr) << space;
    EXPECT_NE(taken_error().find("is no namespace"), std::string::npos) << space;
  }
  EXPECT_EQ(rmw_create_node(&context_, "a/b", "/"), nullptr);
  EXPECT_NE(taken_error().find("is no name of a node"), std::string::npos);
}

TEST_F(Refused, AFilterThatIsGivenAtTheBeginning) {
  auto allocator = rcutils_get_default_allocator();
  const auto* type = rosidl_typesupport_cpp::get_message_type_support_handle<BasicTypes>();
  auto options = rmw_get_default_subscription_options();
  for (const char* text : {"nothing = 1", "uint8_value > 1"}) {
    auto filter = rmw_get_zero_initialized_content_filter_options();
    ASSERT_EQ(rmw_subscription_content_filter_options_init(text, 0, nullptr, &allocator, &filter),
              RMW_RET_OK);
    options.content_filter_options = &filter;
    options.ignore_local_publications = true;
    auto* made = rmw_create_subscription(node_, type, "/topic", &rmw_qos_profile_default, &options);
    EXPECT_EQ(rmw_subscription_content_filter_options_fini(&filter, &allocator), RMW_RET_OK);
    if (*text == 'n') {
      EXPECT_EQ(made, nullptr);
      EXPECT_NE(taken_error().find("nothing"), std::string::npos);
      continue;
    }
    ASSERT_NE(made, nullptr) << taken_error();
    EXPECT_TRUE(made->is_cft_enabled);
    // Wanted by the filter, but of this process.
    auto* from = publisher<BasicTypes>("/topic");
    BasicTypes message;
    message.uint8_value = 2;
    ASSERT_EQ(rmw_publish(from, &message, nullptr), RMW_RET_OK);
    bool taken = true;
    EXPECT_EQ(rmw_take(made, &message, &taken, nullptr), RMW_RET_OK);
    EXPECT_FALSE(taken);
    EXPECT_EQ(rmw_destroy_publisher(node_, from), RMW_RET_OK);
    EXPECT_EQ(rmw_destroy_subscription(node_, made), RMW_RET_OK);
  }
}
