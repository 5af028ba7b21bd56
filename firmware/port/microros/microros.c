/* SPDX-License-Identifier: Apache-2.0 */
#include "microros.h"

enum { OPEN_US = 1000000, ERROR_LINK = 1 };

static ligament_port_t link;
static bool (*is_there)(void);

void ligament_microros_use(const ligament_port_t* port, bool (*is_connected)(void)) {
  link = *port;
  is_there = is_connected;
}

bool ligament_microros_open(struct uxrCustomTransport* unused) {
  uint8_t nothing[1];
  (void)unused;
  const int64_t end = link.now_us(link.context) + OPEN_US;
  while (!is_there()) {
    if (link.now_us(link.context) >= end) {
      return false;
    }
    /* Nobody has said a word, so what comes is the agent's first one, which is empty. */
    (void)link.receive(link.context, nothing, sizeof nothing, 1);
  }
  return true;
}

bool ligament_microros_close(struct uxrCustomTransport* unused) {
  (void)unused;
  return true;
}

size_t ligament_microros_write(struct uxrCustomTransport* unused, const uint8_t* bytes, size_t size,
                               uint8_t* error) {
  (void)unused;
  if (link.send(link.context, bytes, size) < 0) {
    *error = ERROR_LINK;
    return 0;
  }
  return size;
}

size_t ligament_microros_read(struct uxrCustomTransport* unused, uint8_t* bytes, size_t size,
                              int timeout_ms, uint8_t* error) {
  const uint32_t wait_ms = timeout_ms < 0 ? 0 : (uint32_t)timeout_ms;
  const int got = link.receive(link.context, bytes, size, wait_ms);
  (void)unused;
  if (got < 0) {
    *error = ERROR_LINK;
    return 0;
  }
  return (size_t)got;
}
