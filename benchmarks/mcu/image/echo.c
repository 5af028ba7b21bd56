/* SPDX-License-Identifier: Apache-2.0 */
#include "echo.h"

static ligament_node_t node;
static ligament_publisher_t pong;
static ligament_subscription_t ping;

/* The body is the same in both directions: it is sent as it came. */
static void on_ping(void* unused, ligament_cdr_t* body) {
  (void)unused;
  (void)ligament_publish(&pong, body->bytes, body->size);
}

int echo_create(void* unused, ligament_session_t* session) {
  const ligament_qos_t qos = ligament_qos_reliable(10);
  const ligament_message_callback_t callback = {on_ping, NULL};
  const char* type = "std_msgs::msg::dds_::String_";
  int result = ligament_node_create(&node, session, "/bench_core");
  (void)unused;
  result = result < 0 ? result : ligament_publisher_create(&pong, &node, "/pong", type, qos);
  return result < 0 ? result
                    : ligament_subscription_create(&ping, &node, "/ping", type, qos, callback);
}
