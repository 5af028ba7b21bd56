/* SPDX-License-Identifier: Apache-2.0 */
/* Our client over the four functions that micro-ROS's would call: each text of /ping comes back on
 * /pong. (The real one was tried by hand; its sources are not here.) */
#include "microros.h"

#include <string.h>

#include "board.h"
#include "ligament/xrce.h"
#include "rpmsg_port.h"

enum { MTU = 512, OUT_SLOTS = 4, IN_SLOTS = 4 };
#define TEXT "std_msgs::msg::dds_::String_"

static ligament_rpmsg_t link;
static uint8_t parts[MTU];
static uint8_t memory[LIGAMENT_MEMORY_SIZE(MTU, OUT_SLOTS, IN_SLOTS)];
static uint8_t assembly[2048];
static ligament_session_t session;
static ligament_node_t node;
static ligament_publisher_t pong;
static ligament_subscription_t ping;

static void wait(void* unused, uint32_t most_ms) {
  (void)unused;
  board_wait(board_now_us() + (int64_t)most_ms * 1000);
}
static int64_t now_us(void* unused) {
  (void)unused;
  return board_now_us();
}
static ligament_rpmsg_port_t xrce = {.link = &link, .wait = wait, .now_us = now_us};

static bool is_connected(void) {
  while (ligament_rpmsg_poll(&link) > 0) {
  }
  return ligament_rpmsg_port_connection(&xrce) != 0;
}

static int send(void* unused, const uint8_t* message, size_t size) {
  uint8_t error = 0;
  (void)unused;
  return ligament_microros_write(NULL, message, size, &error) == size && error == 0 ? 0 : -1;
}

static int receive(void* unused, uint8_t* message, size_t capacity, uint32_t wait_ms) {
  uint8_t error = 0;
  const size_t size = ligament_microros_read(NULL, message, capacity, (int)wait_ms, &error);
  (void)unused;
  return error != 0 ? -1 : (int)size;
}

static void on_ping(void* unused, ligament_cdr_t* body) {
  (void)unused;
  (void)ligament_publish(&pong, body->bytes, body->size);
}

static int start_link(void) {
  static const ligament_rpmsg_map_t map = LIGAMENT_BOARD_MAP;
  ligament_rpmsg_config_t config;
  memset(&config, 0, sizeof config);
  config.memory = (uint8_t*)(uintptr_t)map.base;
  config.map = map;
  config.features = LIGAMENT_RPMSG_F_NAME_SERVICE | LIGAMENT_RPMSG_F_LARGE;
  config.kick = board_kick;
  config.assembly = parts;
  config.assembly_size = sizeof parts;
  board_init(config.memory);
  const int result = ligament_rpmsg_start(&link, &config);
  return result != 0 ? result : ligament_rpmsg_port_open(&xrce);
}

static int start_session(void) {
  const ligament_port_t functions = {NULL, send, receive, now_us, NULL, NULL, NULL, NULL, NULL};
  const ligament_message_callback_t callback = {on_ping, NULL};
  const ligament_qos_t qos = ligament_qos_reliable(10);
  ligament_session_options_t options = ligament_session_defaults(functions, 0x00000004);
  options.memory = memory;
  options.mtu = MTU;
  options.out_slots = OUT_SLOTS;
  options.in_slots = IN_SLOTS;
  options.assembly = assembly;
  options.assembly_size = sizeof assembly;
  int result = ligament_session_open(&session, &options);
  result = result < 0 ? result : ligament_node_create(&node, &session, "/ping_pong");
  result = result < 0 ? result : ligament_publisher_create(&pong, &node, "/pong", TEXT, qos);
  return result < 0 ? result
                    : ligament_subscription_create(&ping, &node, "/ping", TEXT, qos, callback);
}

int main(void) {
  if (start_link() != 0) {
    return 1;
  }
  const ligament_port_t port = ligament_rpmsg_port(&xrce);
  ligament_microros_use(&port, is_connected);
  while (!ligament_microros_open(NULL)) {
    board_print("no agent yet");
  }
  if (start_session() < 0) {
    board_print("no session");
    return 1;
  }
  board_print("ready");
  while (ligament_session_run(&session, 1000) >= 0) {
  }
  return !ligament_microros_close(NULL);
}
