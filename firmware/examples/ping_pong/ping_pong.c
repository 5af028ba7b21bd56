/* SPDX-License-Identifier: Apache-2.0 */
/* A node that says each text of /ping back on /pong. */
#include "ligament/app.h"
#include "std_msgs/msg/string.h"

static ligament_node_t node;
static ligament_publisher_t pong;
static ligament_subscription_t ping;

/* The body of a text is the same in both directions: it is sent as it came. */
static void on_ping(void* context, ligament_cdr_t* body) {
  (void)context;
  (void)ligament_publish(&pong, body->bytes, body->size);
}

static int create(void* context, ligament_session_t* session) {
  const ligament_qos_t qos = ligament_qos_reliable(10);
  const ligament_message_callback_t callback = {on_ping, NULL};
  const char* type = STD_MSGS__MSG__STRING_TYPE;
  int result = ligament_node_create(&node, session, "/ping_pong");
  (void)context;
  result = result < 0 ? result : ligament_publisher_create(&pong, &node, "/pong", type, qos);
  return result < 0 ? result
                    : ligament_subscription_create(&ping, &node, "/ping", type, qos, callback);
}

int main(void) {
  static const ligament_app_t app = {"ping_pong", LIGAMENT_BOARD_MAP, 0x00000003, create, NULL,
                                     NULL};
  return ligament_app_run(&app);
}
