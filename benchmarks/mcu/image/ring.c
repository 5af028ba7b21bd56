/* SPDX-License-Identifier: Apache-2.0 */
/* The link alone: what comes goes back, without client and agent. RING_RAW: without RPMsg's
 * headers, and the longest message in a buffer. */
#include <string.h>

#include "board.h"
#include "ligament/rpmsg.h"

#ifdef RING_RAW
enum { FEATURES = LIGAMENT_RPMSG_F_RAW };
#define MAP \
  { LIGAMENT_BOARD_AREA, 16u, 65536u, 0u, 0u }
#else
enum { FEATURES = LIGAMENT_RPMSG_F_NAME_SERVICE | LIGAMENT_RPMSG_F_LARGE };
#define MAP LIGAMENT_BOARD_MAP
#endif

static ligament_rpmsg_t link;
static uint8_t assembly[65536];

/* One message is in flight at a time: its answer finds room. */
static int on_message(void* endpoint, uint32_t source, const uint8_t* data, size_t size) {
  (void)source;
  return ligament_rpmsg_send(&link, endpoint, data, size) == LIGAMENT_RPMSG_FULL
             ? LIGAMENT_RPMSG_LATER
             : LIGAMENT_RPMSG_DONE;
}

static ligament_rpmsg_endpoint_t echo = {"echo", 0, 0, on_message, &echo, NULL};

int main(void) {
  static const ligament_rpmsg_map_t map = MAP;
  ligament_rpmsg_config_t config;
  memset(&config, 0, sizeof config);
  config.memory = (uint8_t*)(uintptr_t)map.base;
  config.map = map;
  config.features = FEATURES;
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
    board_wait(INT64_MAX);
  }
}
