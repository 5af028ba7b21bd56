// SPDX-License-Identifier: Apache-2.0
/// A process that is killed: victim DOMAIN_ID NAME. It talks with all its like, as fast as it can,
/// and asks and answers, until then.
#include <rcutils/strdup.h>
#include <rmw/error_handling.h>
#include <rmw/rmw.h>

#include <cstdio>
#include <cstdlib>
#include <rosidl_typesupport_cpp/message_type_support.hpp>
#include <rosidl_typesupport_cpp/service_type_support.hpp>
#include <test_msgs/msg/strings.hpp>
#include <test_msgs/srv/basic_types.hpp>

namespace {

using Strings = test_msgs::msg::Strings;
using Call = test_msgs::srv::BasicTypes;

template <typename Made>
Made* require(Made* made) {
  if (made == nullptr) {
    std::fprintf(stderr, "victim: %s\n", rmw_get_error_string().str);
    std::exit(1);
  }
  return made;
}

rmw_context_t open_context(std::size_t domain_id) {
  rmw_context_t context = rmw_get_zero_initialized_context();
  rmw_init_options_t options = rmw_get_zero_initialized_init_options();
  if (rmw_init_options_init(&options, rcutils_get_default_allocator()) != RMW_RET_OK) {
    std::exit(1);
  }
  options.enclave = rcutils_strdup("/", rcutils_get_default_allocator());
  options.domain_id = domain_id;
  options.discovery_options.automatic_discovery_range = RMW_AUTOMATIC_DISCOVERY_RANGE_LOCALHOST;
  require(rmw_init(&options, &context) == RMW_RET_OK ? &context : nullptr);
  return context;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    return 2;
  }
  rmw_context_t context = open_context(static_cast<std::size_t>(std::atoi(argv[1])));
  rmw_node_t* node = require(rmw_create_node(&context, argv[2], "/victims"));
  const auto* type = rosidl_typesupport_cpp::get_message_type_support_handle<Strings>();
  const auto* call = rosidl_typesupport_cpp::get_service_type_support_handle<Call>();
  const auto publisher_options = rmw_get_default_publisher_options();
  const auto options = rmw_get_default_subscription_options();
  auto* publisher = require(rmw_create_publisher(node, type, "/victims/talk",
                                                 &rmw_qos_profile_default, &publisher_options));
  auto* subscription = require(
      rmw_create_subscription(node, type, "/victims/talk", &rmw_qos_profile_default, &options));
  require(rmw_create_service(node, call, "/victims/call", &rmw_qos_profile_services_default));
  auto* client =
      require(rmw_create_client(node, call, "/victims/call", &rmw_qos_profile_services_default));
  std::puts("ready");
  std::fflush(stdout);
  Strings message;
  Strings heard;
  Call::Request request;
  for (std::size_t number = 0;; ++number) {
    message.string_value = std::string(number % 5000, 'x');
    bool taken = false;
    std::int64_t sent = 0;
    if (rmw_publish(publisher, &message, nullptr) != RMW_RET_OK ||
        rmw_take(subscription, &heard, &taken, nullptr) != RMW_RET_OK ||
        (number % 64 == 0 && rmw_send_request(client, &request, &sent) != RMW_RET_OK)) {
      rmw_reset_error();  // all blocks may be held by those who were killed
    }
  }
}
