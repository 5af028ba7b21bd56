/* SPDX-License-Identifier: Apache-2.0 */
/* The node that says when a text has come: its first 16 letters become the core's clock, in
 * microseconds, in base 16. So both ways can be told apart; the rest is as in echo.c. */
#include "board.h"
#include "echo.h"

enum { LENGTH = 4, STAMP = 16 };

static ligament_node_t node;
static ligament_publisher_t pong;
static ligament_subscription_t ping;

static void on_ping(void* unused, ligament_cdr_t* body) {
  static const char digits[] = "0123456789abcdef";
  uint64_t now_us = (uint64_t)board_now_us();
  size_t at;
  (void)unused;
  if (body->size < LENGTH + STAMP) {
    return;
  }
  for (at = LENGTH + STAMP; at > LENGTH; now_us >>= 4) {
    body->bytes[--at] = (uint8_t)digits[now_us & 15];
  }
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
