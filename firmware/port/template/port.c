/* SPDX-License-Identifier: Apache-2.0 */
/* A port to fill in: copy this file. It compiles, and says -1 to everything. */
#include "ligament/port.h"

/* Sends one message: start the transfer, wait until the memory may be used again. */
static int board_send(void* context, const uint8_t* message, size_t size) {
  (void)context;
  (void)message;
  (void)size;
  return -1;
}

/* Waits for one whole message, `wait_ms` at most; 0: none came. In an RTOS: wait for the queue or
 * message buffer that the interrupt fills. Bare metal: look, and sleep (WFI) until the time is
 * over. */
static int board_receive(void* context, uint8_t* message, size_t capacity, uint32_t wait_ms) {
  (void)context;
  (void)message;
  (void)capacity;
  (void)wait_ms;
  return -1;
}

/* A timer that runs on; never backwards. */
static int64_t board_now_us(void* context) {
  (void)context;
  return 0;
}

ligament_port_t board_port(void* context);
ligament_port_t board_port(void* context) {
  /* The last five are for a link with memory of its own (ligament/port.h). */
  ligament_port_t port = {context, board_send, board_receive, board_now_us, NULL,
                          NULL,    NULL,       NULL,          NULL};
  return port;
}
