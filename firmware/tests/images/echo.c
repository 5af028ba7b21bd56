/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest firmware: a channel "echo" that sends back what it gets. "crash" crashes it. */
#include <string.h>

#include "board.h"
#include "ligament/rpmsg.h"

static ligament_rpmsg_t link;
static uint8_t assembly[65536];
static uint8_t waiting[131072];
static size_t waiting_size;
static int is_waiting;

static int on_message(void* endpoint, uint32_t source, const uint8_t* data, size_t size) {
  (void)source;
  if (size == 5 && memcmp(data, "crash", 5) == 0) {
    board_print("crash");
    ligament_rpmsg_stop(&link, 1);
    return LIGAMENT_RPMSG_DONE;
  }
  if (!is_waiting && ligament_rpmsg_send(&link, endpoint, data, size) == LIGAMENT_RPMSG_FULL) {
    memcpy(waiting, data, size); /* until the host has made room */
    waiting_size = size;
    is_waiting = 1;
  }
  return LIGAMENT_RPMSG_DONE;
}

static ligament_rpmsg_endpoint_t echo = {"echo", 0, 0, on_message, &echo, NULL};

static void send_waiting(void) {
  if (is_waiting &&
      ligament_rpmsg_send(&link, &echo, waiting, waiting_size) != LIGAMENT_RPMSG_FULL) {
    is_waiting = 0;
  }
}

int main(void) {
  static const ligament_rpmsg_map_t map = LIGAMENT_BOARD_MAP;
  ligament_rpmsg_config_t config;
  memset(&config, 0, sizeof config);
  config.memory = (uint8_t*)(uintptr_t)map.base;
  config.map = map;
  config.features = LIGAMENT_RPMSG_F_NAME_SERVICE | LIGAMENT_RPMSG_F_RAW | LIGAMENT_RPMSG_F_LARGE;
  config.kick = board_kick;
  config.assembly = assembly;
  config.assembly_size = sizeof assembly;
  board_init(config.memory);
  if (ligament_rpmsg_start(&link, &config) != 0 || ligament_rpmsg_open(&link, &echo) != 0) {
    board_print("cannot start");
    return 1;
  }
  board_print("ready");
  for (;;) {
    while (ligament_rpmsg_poll(&link) > 0) {
    }
    send_waiting();
    board_wait(INT64_MAX);
  }
}
