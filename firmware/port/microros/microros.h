/* SPDX-License-Identifier: Apache-2.0 */
/* micro-ROS's client over a link of ours: the four functions of a custom transport, for unmodified
 * micro-ROS firmware on a core beside the host.
 *
 *   ligament_microros_use(&port, is_connected);   // as of ligament/port.h, e.g. rpmsg_port.h
 *   rmw_uros_set_custom_transport(false, NULL, ligament_microros_open, ligament_microros_close,
 *                                 ligament_microros_write, ligament_microros_read);
 *
 * The first argument is framing: false, as one message is one message of the link. The transport's
 * own arguments are not looked at, so this needs no header of micro-ROS. There is one link. */
#ifndef LIGAMENT_MICROROS_H
#define LIGAMENT_MICROROS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ligament/port.h"

#ifdef __cplusplus
extern "C" {
#endif

struct uxrCustomTransport;

/* `is_connected`: whether an agent has said a word (it does so first); also does the link's work
 * where no task does. `port` is copied. */
void ligament_microros_use(const ligament_port_t* port, bool (*is_connected)(void));

/* Waits at most a second for the agent. */
bool ligament_microros_open(struct uxrCustomTransport* unused);
bool ligament_microros_close(struct uxrCustomTransport* unused);
/* What was sent: all, or 0 and an error code that is not 0. */
size_t ligament_microros_write(struct uxrCustomTransport* unused, const uint8_t* bytes, size_t size,
                               uint8_t* error);
/* One message, or 0 after so many milliseconds. */
size_t ligament_microros_read(struct uxrCustomTransport* unused, uint8_t* bytes, size_t size,
                              int timeout_ms, uint8_t* error);

#ifdef __cplusplus
}
#endif
#endif
