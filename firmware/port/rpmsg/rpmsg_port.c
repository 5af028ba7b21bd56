/* SPDX-License-Identifier: Apache-2.0 */
#include "rpmsg_port.h"

#include <stdbool.h>
#include <string.h>

/* What is short is copied, so that the ring's buffer is free at once; the slab has more room. */
static int take(ligament_rpmsg_port_t* port, const uint8_t* data, size_t size) {
  if (size > port->capacity) {
    return LIGAMENT_RPMSG_DONE;
  }
  port->size = size;
  port->is_waiting = 0;
  if (port->may_hold && ligament_rpmsg_can_hold(port->link, data)) {
    port->held = data;
    port->epoch = port->link->epoch;
    return LIGAMENT_RPMSG_HELD;
  }
  memcpy(port->target, data, size);
  port->copied += (uint32_t)size;
  return LIGAMENT_RPMSG_DONE;
}

/* The first message is empty: by it the endpoint learns where the agent is. */
static int on_message(void* context, uint32_t source, const uint8_t* data, size_t size) {
  ligament_rpmsg_port_t* port = context;
  port->endpoint.peer = source; /* an agent may come back at another address */
  if (size == 0) {
    return LIGAMENT_RPMSG_DONE;
  }
  return port->is_waiting ? take(port, data, size) : LIGAMENT_RPMSG_LATER;
}

int ligament_rpmsg_port_open(ligament_rpmsg_port_t* port) {
  port->endpoint.name = LIGAMENT_RPMSG_XRCE_CHANNEL;
  port->endpoint.receive = on_message;
  port->endpoint.context = port;
  port->is_waiting = 0;
  port->held = NULL;
  return ligament_rpmsg_open(port->link, &port->endpoint);
}

/* No agent, no room: lost on the way, which the client's streams know how to mend. */
static int as_sent(int result) { return result == LIGAMENT_RPMSG_TOO_LARGE ? result : 0; }

static int send_message(void* context, const uint8_t* message, size_t size) {
  ligament_rpmsg_port_t* port = context;
  return as_sent(ligament_rpmsg_send(port->link, &port->endpoint, message, size));
}

/* The core looks at its rings before it sleeps: then at the latest the bell is rung. */
static int send_later(void* context, const uint8_t* message, size_t size) {
  ligament_rpmsg_port_t* port = context;
  return as_sent(ligament_rpmsg_send_later(port->link, &port->endpoint, message, size));
}

static uint8_t* lend(void* context, size_t size) {
  const ligament_rpmsg_port_t* port = context;
  return ligament_rpmsg_port_lends(port->link, size) ? ligament_rpmsg_lend(port->link, size) : NULL;
}

static int send_lent(void* context, uint8_t* memory, size_t size) {
  ligament_rpmsg_port_t* port = context;
  return as_sent(ligament_rpmsg_send_lent(port->link, &port->endpoint, memory, size));
}

static void give_back(void* context, uint8_t* memory) {
  const ligament_rpmsg_port_t* port = context;
  ligament_rpmsg_give_back(port->link, memory);
}

/* What was held of a host that is gone is not ours any more. */
static void release(ligament_rpmsg_port_t* port) {
  if (port->held != NULL && port->epoch == port->link->epoch) {
    ligament_rpmsg_release(port->link, port->held);
  }
  port->held = NULL;
}

static int await_message(ligament_rpmsg_port_t* port, uint32_t wait_ms) {
  int64_t left = (int64_t)wait_ms * 1000;
  int64_t end = 0;
  release(port);
  port->is_waiting = 1;
  port->size = 0;
  while (port->size == 0) {
    const int taken = ligament_rpmsg_poll(port->link);
    if (port->size != 0 || taken > 0) {
      continue;
    }
    if (wait_ms != 0) { /* else the clock need not be read */
      const int64_t now = port->now_us(port->context);
      end = end == 0 ? now + left : end;
      left = end - now;
    }
    if (left <= 0) {
      break;
    }
    port->wait(port->context, (uint32_t)((left + 999) / 1000));
  }
  port->is_waiting = 0;
  return (int)port->size;
}

static int receive_message(void* context, uint8_t* message, size_t capacity, uint32_t wait_ms) {
  ligament_rpmsg_port_t* port = context;
  port->target = message;
  port->capacity = capacity;
  port->may_hold = 0;
  return await_message(port, wait_ms);
}

static int receive_in_place(void* context, uint8_t** message, size_t capacity, uint32_t wait_ms) {
  ligament_rpmsg_port_t* port = context;
  int size;
  port->target = *message;
  port->capacity = capacity;
  port->may_hold = 1;
  size = await_message(port, wait_ms);
  if (port->held != NULL) {
    *message = (uint8_t*)(uintptr_t)port->held; /* nobody writes there */
  }
  return size;
}

static int64_t now_us(void* context) {
  const ligament_rpmsg_port_t* port = context;
  return port->now_us(port->context);
}

ligament_port_t ligament_rpmsg_port(ligament_rpmsg_port_t* port) {
  const ligament_port_t made = {port,      send_message, receive_message,  now_us,    lend,
                                send_lent, give_back,    receive_in_place, send_later};
  return made;
}

uint32_t ligament_rpmsg_port_connection(const ligament_rpmsg_port_t* port) {
  const bool is_known = port->endpoint.peer != LIGAMENT_RPMSG_ANY;
  return is_known && port->link->state == LIGAMENT_RPMSG_RUNNING ? port->link->epoch : 0;
}
