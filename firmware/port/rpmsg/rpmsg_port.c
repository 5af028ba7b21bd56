/* SPDX-License-Identifier: Apache-2.0 */
#include "rpmsg_port.h"

#include <stdbool.h>
#include <string.h>

/* The first message is empty: by it the endpoint learns where the agent is. */
static int on_message(void* context, uint32_t source, const uint8_t* data, size_t size) {
  ligament_rpmsg_port_t* port = context;
  port->endpoint.peer = source; /* an agent may come back at another address */
  if (size == 0) {
    return LIGAMENT_RPMSG_DONE;
  }
  if (port->target == NULL) {
    return LIGAMENT_RPMSG_LATER;
  }
  if (size <= port->capacity) {
    memcpy(port->target, data, size);
    port->size = size;
    port->target = NULL;
  }
  return LIGAMENT_RPMSG_DONE;
}

int ligament_rpmsg_port_open(ligament_rpmsg_port_t* port) {
  port->endpoint.name = LIGAMENT_RPMSG_XRCE_CHANNEL;
  port->endpoint.receive = on_message;
  port->endpoint.context = port;
  port->target = NULL;
  return ligament_rpmsg_open(port->link, &port->endpoint);
}

static int send_message(void* context, const uint8_t* message, size_t size) {
  ligament_rpmsg_port_t* port = context;
  const int sent = ligament_rpmsg_send(port->link, &port->endpoint, message, size);
  /* No agent, no room: lost on the way, which the client's streams know how to mend. */
  return sent == LIGAMENT_RPMSG_TOO_LARGE ? sent : 0;
}

static int receive_message(void* context, uint8_t* message, size_t capacity, uint32_t wait_ms) {
  ligament_rpmsg_port_t* port = context;
  const int64_t end = port->now_us(port->context) + (int64_t)wait_ms * 1000;
  port->target = message;
  port->capacity = capacity;
  port->size = 0;
  for (;;) {
    const int taken = ligament_rpmsg_poll(port->link);
    const int64_t left = end - port->now_us(port->context);
    if (port->size != 0 || (taken <= 0 && left <= 0)) {
      port->target = NULL;
      return (int)port->size;
    }
    if (taken <= 0) {
      port->wait(port->context, (uint32_t)((left + 999) / 1000));
    }
  }
}

static int64_t now_us(void* context) {
  const ligament_rpmsg_port_t* port = context;
  return port->now_us(port->context);
}

ligament_port_t ligament_rpmsg_port(ligament_rpmsg_port_t* port) {
  ligament_port_t made;
  made.context = port;
  made.send = send_message;
  made.receive = receive_message;
  made.now_us = now_us;
  return made;
}

uint32_t ligament_rpmsg_port_connection(const ligament_rpmsg_port_t* port) {
  const bool is_known = port->endpoint.peer != LIGAMENT_RPMSG_ANY;
  return is_known && port->link->state == LIGAMENT_RPMSG_RUNNING ? port->link->epoch : 0;
}
