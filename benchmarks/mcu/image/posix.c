/* SPDX-License-Identifier: Apache-2.0 */
/* The node as a program of this computer:
 *
 *   ligament-bench-mcu-echo udp HOST PORT
 *   ligament-bench-mcu-echo serial DEVICE
 *
 * Prints `ready` when its entities are made. An agent that is not there yet is waited for. */
#include "posix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "echo.h"

enum { UDP_MTU = 8192, SERIAL_MTU = 512, OUT_SLOTS = 16, IN_SLOTS = 16, ASSEMBLY = 1 << 20 };

static uint8_t memory[LIGAMENT_MEMORY_SIZE(UDP_MTU, OUT_SLOTS, IN_SLOTS)];
static uint8_t assembly[ASSEMBLY];
static ligament_session_t session;

static int open_link(ligament_posix_t* link, int count, char** words) {
  if (count == 4 && strcmp(words[1], "udp") == 0) {
    return ligament_posix_udp(link, words[2], (uint16_t)atoi(words[3]));
  }
  return count == 3 && strcmp(words[1], "serial") == 0 ? ligament_posix_serial(link, words[2], 0)
                                                       : -1;
}

int main(int count, char** words) {
  static ligament_posix_t link;
  if (open_link(&link, count, words) < 0) {
    fprintf(stderr, "usage: ligament-bench-mcu-echo udp HOST PORT | serial DEVICE\n");
    return 2;
  }
  ligament_session_options_t options =
      ligament_session_defaults(ligament_posix_port(&link), 0x0000BE7D);
  options.memory = memory;
  options.mtu = link.is_stream ? SERIAL_MTU : UDP_MTU;
  options.out_slots = OUT_SLOTS;
  options.in_slots = IN_SLOTS;
  options.assembly = assembly;
  options.assembly_size = sizeof assembly;
  int result = LIGAMENT_ERROR_TIMEOUT;
  for (int tries = 0; result == LIGAMENT_ERROR_TIMEOUT && tries < 60; ++tries) {
    result = ligament_session_open(&session, &options);
  }
  result = result < 0 ? result : echo_create(NULL, &session);
  if (result >= 0) {
    printf("ready\n");
    fflush(stdout);
  }
  while (result >= 0) {
    result = ligament_session_run(&session, 1000);
  }
  fprintf(stderr, "ligament-bench-mcu-echo: error %d, status %02x\n", result, session.last_status);
  return 1;
}
