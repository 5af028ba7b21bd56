// SPDX-License-Identifier: Apache-2.0
/// Questions about the graph, and the identities by which its ends are told from each other.
#include <rmw/get_node_info_and_types.h>
#include <rmw/get_service_names_and_types.h>
#include <rmw/get_topic_endpoint_info.h>
#include <rmw/get_topic_names_and_types.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <rosidl_typesupport_cpp/service_type_support.hpp>
#include <test_msgs/msg/basic_types.hpp>
#include <test_msgs/srv/basic_types.hpp>

#include "rmw_fixture.hpp"

namespace {

using test_msgs::msg::BasicTypes;
using Names = std::map<std::string, std::vector<std::string>>;
constexpr const char* message_type = "test_msgs/msg/BasicTypes";
constexpr const char* service_type = "test_msgs/srv/BasicTypes";

std::vector<std::string> texts(rcutils_string_array_t& array) {
  const std::vector<std::string> found(array.data, array.data + array.size);
  EXPECT_EQ(rcutils_string_array_fini(&array), RCUTILS_RET_OK);
  return found;
}

/// What `ask` answers.
template <typename Ask>
Names names(const Ask& ask) {
  auto found = rmw_get_zero_initialized_names_and_types();
  EXPECT_EQ(ask(&found), RMW_RET_OK) << taken_error();
  Names told;
  for (std::size_t i = 0; i < found.names.size; ++i) {
    told[found.names.data[i]] = {found.types[i].data, found.types[i].data + found.types[i].size};
  }
  EXPECT_EQ(rmw_names_and_types_fini(&found), RMW_RET_OK);
  return told;
}

/// A node with one end of each kind, beside the fixture's, which has none.
class Asked : public RmwTest {
 protected:
  void SetUp() override {
    RmwTest::SetUp();
    other_ = rmw_create_node(&context_, "other", "/deep/space");
    std::swap(node_, other_);
    publisher_ = publisher<BasicTypes>("/told");
    subscription_ = subscription<BasicTypes>("/heard");
    const auto* type =
        rosidl_typesupport_cpp::get_service_type_support_handle<test_msgs::srv::BasicTypes>();
    service_ = rmw_create_service(node_, type, "/served", &rmw_qos_profile_services_default);
    client_ = rmw_create_client(node_, type, "/called", &rmw_qos_profile_services_default);
    std::swap(node_, other_);
  }
  void TearDown() override {
    EXPECT_EQ(rmw_destroy_client(other_, client_), RMW_RET_OK);
    EXPECT_EQ(rmw_destroy_service(other_, service_), RMW_RET_OK);
    EXPECT_EQ(rmw_destroy_subscription(other_, subscription_), RMW_RET_OK);
    EXPECT_EQ(rmw_destroy_publisher(other_, publisher_), RMW_RET_OK);
    EXPECT_EQ(rmw_destroy_node(other_), RMW_RET_OK);
    RmwTest::TearDown();
  }
  using Count = rmw_ret_t (*)(const rmw_node_t*, const char*, std::size_t*);
  std::size_t count(Count ask, const char* name) {
    std::size_t found = 77;
    EXPECT_EQ(ask(node_, name, &found), RMW_RET_OK) << taken_error();
    return found;
  }
  using OfTopic = decltype(&rmw_get_publishers_info_by_topic);
  /// The only end of a topic, as it is told.
  template <typename Check>
  void look_at_end(OfTopic ask, const char* topic, bool no_mangle, const Check& check) {
    auto found = rmw_get_zero_initialized_topic_endpoint_info_array();
    ASSERT_EQ(ask(node_, &allocator_, topic, no_mangle, &found), RMW_RET_OK) << taken_error();
    ASSERT_EQ(found.size, 1U) << topic;
    check(found.info_array[0]);
    EXPECT_EQ(rmw_topic_endpoint_info_array_fini(&found, &allocator_), RMW_RET_OK);
  }

  rcutils_allocator_t allocator_ = rcutils_get_default_allocator();
  rmw_node_t* other_ = nullptr;
  rmw_publisher_t* publisher_ = nullptr;
  rmw_subscription_t* subscription_ = nullptr;
  rmw_service_t* service_ = nullptr;
  rmw_client_t* client_ = nullptr;
};

}  // namespace

TEST_F(Asked, WhichNodesThereAre) {
  auto* same = rmw_create_node(&context_, "other", "/deep/space");
  auto found = rcutils_get_zero_initialized_string_array();
  auto spaces = rcutils_get_zero_initialized_string_array();
  auto enclaves = rcutils_get_zero_initialized_string_array();
  ASSERT_EQ(rmw_get_node_names_with_enclaves(node_, &found, &spaces, &enclaves), RMW_RET_OK);
  EXPECT_EQ(texts(found), (std::vector<std::string>{"test", "other", "other"}));
  EXPECT_EQ(texts(spaces), (std::vector<std::string>{"/", "/deep/space", "/deep/space"}));
  EXPECT_EQ(texts(enclaves), (std::vector<std::string>{"/", "/", "/"}));
  EXPECT_EQ(rmw_destroy_node(same), RMW_RET_OK);
}

TEST_F(Asked, WhatANodeHas) {
  const char* name = "other";
  const char* space = "/deep/space";
  const auto ask = [&](auto function, auto... no_demangle) {
    return names(
        [&](auto* to) { return function(node_, &allocator_, name, space, no_demangle..., to); });
  };
  EXPECT_EQ(ask(rmw_get_publisher_names_and_types_by_node, false),
            (Names{{"/told", {message_type}}}));
  EXPECT_EQ(ask(rmw_get_subscriber_names_and_types_by_node, false),
            (Names{{"/heard", {message_type}}}));
  EXPECT_EQ(ask(rmw_get_service_names_and_types_by_node), (Names{{"/served", {service_type}}}));
  EXPECT_EQ(ask(rmw_get_client_names_and_types_by_node), (Names{{"/called", {service_type}}}));
  const Names as_dds = ask(rmw_get_publisher_names_and_types_by_node, true);
  EXPECT_EQ(as_dds.at("rt/told"), (std::vector<std::string>{"test_msgs::msg::dds_::BasicTypes_"}));
  EXPECT_TRUE(as_dds.contains("rq/calledRequest"));
  name = "test";
  space = "/";
  EXPECT_EQ(ask(rmw_get_publisher_names_and_types_by_node, false), Names{});
  EXPECT_EQ(ask(rmw_get_client_names_and_types_by_node), Names{});
}

TEST_F(Asked, ForANodeThatIsNotThere) {
  const auto ask = [&](const char* name, const char* space) {
    auto found = rmw_get_zero_initialized_names_and_types();
    const rmw_ret_t result =
        rmw_get_service_names_and_types_by_node(node_, &allocator_, name, space, &found);
    rmw_reset_error();
    return result;
  };
  EXPECT_EQ(ask("other", "/"), RMW_RET_NODE_NAME_NON_EXISTENT);
  EXPECT_EQ(ask("test", "/deep/space"), RMW_RET_NODE_NAME_NON_EXISTENT);
  EXPECT_EQ(ask("no name", "/"), RMW_RET_INVALID_ARGUMENT);
  EXPECT_EQ(ask("test", "no/root"), RMW_RET_INVALID_ARGUMENT);
  EXPECT_EQ(ask(nullptr, "/"), RMW_RET_INVALID_ARGUMENT);
}

TEST_F(Asked, WhichTopicsAndServicesThereAreAndHowManyEndsTheyHave) {
  EXPECT_EQ(
      names([&](auto* to) { return rmw_get_topic_names_and_types(node_, &allocator_, false, to); }),
      (Names{{"/heard", {message_type}}, {"/told", {message_type}}}));
  EXPECT_EQ(
      names([&](auto* to) { return rmw_get_service_names_and_types(node_, &allocator_, to); }),
      (Names{{"/called", {service_type}}, {"/served", {service_type}}}));
  EXPECT_EQ(count(rmw_count_publishers, "/told"), 1U);
  EXPECT_EQ(count(rmw_count_publishers, "/heard"), 0U);
  EXPECT_EQ(count(rmw_count_subscribers, "/told"), 0U);
  EXPECT_EQ(count(rmw_count_subscribers, "/heard"), 1U);
  EXPECT_EQ(count(rmw_count_services, "/served"), 1U);
  EXPECT_EQ(count(rmw_count_services, "/called"), 0U);
  EXPECT_EQ(count(rmw_count_clients, "/served"), 0U);
  EXPECT_EQ(count(rmw_count_clients, "/called"), 1U);
}

TEST_F(Asked, WhatTheEndOfATopicIs) {
  rmw_gid_t gid{};
  ASSERT_EQ(rmw_get_gid_for_publisher(publisher_, &gid), RMW_RET_OK);
  const auto* type = rosidl_typesupport_cpp::get_message_type_support_handle<BasicTypes>();
  const auto check = [&](const rmw_topic_endpoint_info_t& end) {
    EXPECT_STREQ(end.node_name, "other");
    EXPECT_STREQ(end.node_namespace, "/deep/space");
    EXPECT_STREQ(end.topic_type, message_type);
    EXPECT_EQ(std::memcmp(&end.topic_type_hash, type->get_type_hash_func(type),
                          sizeof(rosidl_type_hash_t)),
              0);
    EXPECT_EQ(end.qos_profile.reliability, RMW_QOS_POLICY_RELIABILITY_RELIABLE);
  };
  look_at_end(rmw_get_publishers_info_by_topic, "/told", false, [&](const auto& end) {
    check(end);
    EXPECT_EQ(end.endpoint_type, RMW_ENDPOINT_PUBLISHER);
    EXPECT_EQ(std::memcmp(end.endpoint_gid, gid.data, sizeof gid.data), 0);
  });
  look_at_end(rmw_get_subscriptions_info_by_topic, "/heard", false, [&](const auto& end) {
    check(end);
    EXPECT_EQ(end.endpoint_type, RMW_ENDPOINT_SUBSCRIPTION);
    EXPECT_NE(std::memcmp(end.endpoint_gid, gid.data, sizeof gid.data), 0);
  });
}

TEST_F(Asked, ForEndsByTheNamesOfDDS) {
  look_at_end(rmw_get_publishers_info_by_topic, "rt/told", true, [](const auto& end) {
    EXPECT_STREQ(end.topic_type, "test_msgs::msg::dds_::BasicTypes_");
  });
  look_at_end(rmw_get_subscriptions_info_by_topic, "rq/servedRequest", true, [](const auto& end) {
    EXPECT_STREQ(end.topic_type, "test_msgs::srv::dds_::BasicTypes_Request_");
  });
  auto found = rmw_get_zero_initialized_topic_endpoint_info_array();
  ASSERT_EQ(rmw_get_publishers_info_by_topic(node_, &allocator_, "/told", true, &found),
            RMW_RET_OK);
  EXPECT_EQ(found.size, 0U) << "a name of ROS";
  EXPECT_EQ(rmw_topic_endpoint_info_array_fini(&found, &allocator_), RMW_RET_OK);
}

TEST_F(Asked, WhatPeriodsAnEndHas) {
  rmw_qos_profile_t qos = rmw_qos_profile_default;
  qos.deadline = {1, 0};
  qos.lifespan = {2, 0};
  qos.liveliness_lease_duration = {3, 0};
  auto* timed = publisher<BasicTypes>("/timed", qos);
  look_at_end(rmw_get_publishers_info_by_topic, "/timed", false, [](const auto& end) {
    EXPECT_EQ(end.qos_profile.deadline.sec, 1U);
    EXPECT_EQ(end.qos_profile.lifespan.sec, 2U);
    EXPECT_EQ(end.qos_profile.liveliness_lease_duration.sec, 3U);
  });
  EXPECT_EQ(rmw_destroy_publisher(node_, timed), RMW_RET_OK);
}

TEST_F(Asked, AndToldOfEachChange) {
  auto* guard = rmw_node_get_graph_guard_condition(node_);
  auto* set = rmw_create_wait_set(&context_, 1);
  const auto wait = [&](rmw_time_t timeout) {
    void* entry = guard->data;
    rmw_guard_conditions_t wanted{1, &entry};
    return rmw_wait(nullptr, &wanted, nullptr, nullptr, nullptr, set, &timeout);
  };
  int earlier = 0;
  while (wait({0, 200'000'000}) == RMW_RET_OK) {  // what came before
    ASSERT_LT(++earlier, 100) << "a trigger is seen once";
  }
  // Behind the look that who sleeps takes by itself after a second.
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1200));
    EXPECT_EQ(rmw_destroy_publisher(node_, publisher<BasicTypes>("/short")), RMW_RET_OK);
  });
  EXPECT_EQ(wait({20, 0}), RMW_RET_OK);
  later.join();
  EXPECT_EQ(rmw_destroy_wait_set(set), RMW_RET_OK);
}

TEST_F(Asked, WhoPublishedWhat) {
  auto* second = publisher<BasicTypes>("/heard");
  auto* first = publisher<BasicTypes>("/heard");
  rmw_gid_t gids[2]{};
  ASSERT_EQ(rmw_get_gid_for_publisher(first, &gids[0]), RMW_RET_OK);
  ASSERT_EQ(rmw_get_gid_for_publisher(second, &gids[1]), RMW_RET_OK);
  bool is_equal = true;
  EXPECT_EQ(rmw_compare_gids_equal(&gids[0], &gids[1], &is_equal), RMW_RET_OK);
  EXPECT_FALSE(is_equal) << "two publishers of one process";
  for (auto* publisher : {first, second}) {
    const rmw_gid_t& own = gids[publisher == first ? 0 : 1];
    const BasicTypes message;
    ASSERT_EQ(rmw_publish(publisher, &message, nullptr), RMW_RET_OK);
    BasicTypes heard;
    bool taken = false;
    rmw_message_info_t info{};
    ASSERT_EQ(rmw_take_with_info(subscription_, &heard, &taken, &info, nullptr), RMW_RET_OK);
    ASSERT_TRUE(taken);
    EXPECT_EQ(rmw_compare_gids_equal(&info.publisher_gid, &own, &is_equal), RMW_RET_OK);
    EXPECT_TRUE(is_equal);
    EXPECT_GT(info.source_timestamp, 0);
    EXPECT_GE(info.received_timestamp, info.source_timestamp);
  }
  rmw_gid_t of_client{};
  EXPECT_EQ(rmw_get_gid_for_client(client_, &of_client), RMW_RET_OK);
  EXPECT_EQ(rmw_compare_gids_equal(&of_client, &gids[0], &is_equal), RMW_RET_OK);
  EXPECT_FALSE(is_equal);
  gids[0].implementation_identifier = "rmw_other_cpp";
  EXPECT_EQ(rmw_compare_gids_equal(&gids[0], &gids[1], &is_equal),
            RMW_RET_INCORRECT_RMW_IMPLEMENTATION);
  rmw_reset_error();
  EXPECT_EQ(rmw_destroy_publisher(node_, second), RMW_RET_OK);
  EXPECT_EQ(rmw_destroy_publisher(node_, first), RMW_RET_OK);
}
