/* SPDX-License-Identifier: Apache-2.0 */
/* The node as a program of this computer, or with another port on a board of its own.
 *
 *   imu HOST PORT [SECONDS]
 */
#include "posix.h"

#include <stdio.h>
#include <stdlib.h>

#include "imu.h"
#include "ligament/xrce.h"

enum { MTU = 512, OUT_SLOTS = 8, IN_SLOTS = 4 };

static uint8_t memory[LIGAMENT_MEMORY_SIZE(MTU, OUT_SLOTS, IN_SLOTS)];
static ligament_session_t session;

/* Until it is over. An agent that is gone is waited for. */
static int run(const ligament_port_t* port, int64_t until_us) {
  int result = 0;
  while (result >= 0 && port->now_us(port->context) < until_us) {
    const int64_t now_us = port->now_us(port->context);
    const int64_t next_us = imu_work(NULL, now_us);
    result = ligament_session_run(&session, (uint32_t)((next_us - now_us + 999) / 1000));
    while (result == LIGAMENT_ERROR_LOST || result == LIGAMENT_ERROR_TIMEOUT) {
      result = ligament_session_restore(&session);
    }
  }
  return result;
}

int main(int count, char** words) {
  static ligament_posix_t link;
  if (count < 3 || ligament_posix_udp(&link, words[1], (uint16_t)atoi(words[2])) < 0) {
    fprintf(stderr, "usage: imu HOST PORT [SECONDS]\n");
    return 2;
  }
  const ligament_port_t port = ligament_posix_port(&link);
  ligament_session_options_t options = ligament_session_defaults(port, 0x00000001);
  options.memory = memory;
  options.mtu = MTU;
  options.out_slots = OUT_SLOTS;
  options.in_slots = IN_SLOTS;
  int result = ligament_session_open(&session, &options);
  result = result < 0 ? result : ligament_time_sync(&session, 1000);
  result = result < 0 ? result : imu_create(NULL, &session);
  const int64_t seconds = count > 3 ? atol(words[3]) : INT32_MAX;
  result = result < 0 ? result : run(&port, port.now_us(port.context) + seconds * 1000000);
  if (result < 0) {
    fprintf(stderr, "imu: error %d, status %02x\n", result, session.last_status);
    return 1;
  }
  return ligament_session_close(&session) < 0;
}
