/* SPDX-License-Identifier: Apache-2.0 */
/* The port for POSIX systems: UDP, and serial lines through the framing. For tests, and for a Linux
 * process that shall be an XRCE client.
 *
 *   ligament_posix_t link;
 *   if (ligament_posix_udp(&link, "127.0.0.1", 8888) < 0) { perror("agent"); }
 *   ligament_session_options_t options = ligament_session_defaults(ligament_posix_port(&link),
 * key);
 */
#ifndef LIGAMENT_POSIX_H
#define LIGAMENT_POSIX_H

#include "ligament/framing.h"
#include "ligament/port.h"

typedef struct {
  int fd;
  int is_stream;
  ligament_framing_t line;
} ligament_posix_t;

/* 0, or -errno. */
int ligament_posix_udp(ligament_posix_t* link, const char* host, uint16_t port);
/* A serial device or a pseudo terminal, raw; `baud` 0: as it is. */
int ligament_posix_serial(ligament_posix_t* link, const char* device, uint32_t baud);
ligament_port_t ligament_posix_port(ligament_posix_t* link);
void ligament_posix_close(ligament_posix_t* link);

#endif
