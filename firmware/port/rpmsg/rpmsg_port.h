/* SPDX-License-Identifier: Apache-2.0 */
/* The XRCE client's port (ligament/port.h) over RPMsg: one message is one message, no framing. The
 * ring is the queue: a message that nobody waits for stays in it.
 *
 *   static ligament_rpmsg_port_t xrce = {.link = &link, .wait = board_wait, .now_us = board_now};
 *   ligament_rpmsg_port_open(&xrce);
 *   ligament_port_t port = ligament_rpmsg_port(&xrce);
 *
 * `receive` works for the whole link: other endpoints' functions are called from it. */
#ifndef LIGAMENT_RPMSG_PORT_H
#define LIGAMENT_RPMSG_PORT_H

#include "ligament/port.h"
#include "ligament/rpmsg.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The channel that an agent looks for. */
#define LIGAMENT_RPMSG_XRCE_CHANNEL "ligament-xrce"

typedef struct {
  ligament_rpmsg_t* link;
  /* Sleeps until the host rang, so many milliseconds at most. It may return sooner. */
  void (*wait)(void* context, uint32_t most_ms);
  int64_t (*now_us)(void* context);
  void* context;
  /* The port's own. */
  ligament_rpmsg_endpoint_t endpoint;
  uint8_t* target;
  size_t capacity;
  size_t size;
  int is_waiting; /* for a message */
  int may_hold;   /* it may stay where it is */
  const uint8_t* held;
  uint32_t epoch;  /* of `held` */
  uint32_t copied; /* bytes of messages that were received; what the link copies, its figures say */
} ligament_rpmsg_port_t;

/* Whether a message of that size is built in the slab: what fits into a buffer is copied there. */
static inline int ligament_rpmsg_port_lends(const ligament_rpmsg_t* link, size_t size) {
  return size + LIGAMENT_RPMSG_HEADER > link->config.map.buffer_size;
}

/* Opens the channel. 0 or a code of RPMsg. */
int ligament_rpmsg_port_open(ligament_rpmsg_port_t* port);
/* For a session. Its codes are RPMsg's; to send while no agent is there is no error. */
ligament_port_t ligament_rpmsg_port(ligament_rpmsg_port_t* port);
/* 0: no agent has said a word. Else a number that is another one after each new start of it. */
uint32_t ligament_rpmsg_port_connection(const ligament_rpmsg_port_t* port);

#ifdef __cplusplus
}
#endif
#endif
