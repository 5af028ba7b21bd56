/* SPDX-License-Identifier: Apache-2.0 */
/* The port for a CAN bus (FD) by Linux's SocketCAN: one message is one frame (spec/wire/xrce.md,
 * section 9). A board with a CAN controller of its own has the same two functions on its driver.
 *
 *   static ligament_can_t bus;
 *   if (ligament_can_open(&bus, "can0", 0x00000010) < 0) { perror("can0"); }
 *   options = ligament_session_defaults(ligament_can_port(&bus), key);
 *   options.mtu = LIGAMENT_CAN_MTU;
 *   options.assembly = ...;     // needed: what makes entities is longer than a frame
 */
#ifndef LIGAMENT_CAN_PORT_H
#define LIGAMENT_CAN_PORT_H

#include "ligament/port.h"

enum { LIGAMENT_CAN_MTU = 63 };

typedef struct {
  int fd;
  uint32_t id; /* of our frames and of those for us: 29 bits, another one for each client */
} ligament_can_t;

/* 0, or -errno. */
int ligament_can_open(ligament_can_t* bus, const char* interface, uint32_t id);
ligament_port_t ligament_can_port(ligament_can_t* bus);
void ligament_can_close(ligament_can_t* bus);

#endif
