/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include "can_port.h"

#include <errno.h>
#include <linux/can.h>
#include <linux/can/raw.h>
#include <net/if.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* A frame has one of these lengths. */
static uint8_t padded(size_t size) {
  static const uint8_t lengths[] = {12, 16, 20, 24, 32, 48, 64};
  size_t i = 0;
  while (size > 8 && lengths[i] < size) {
    ++i;
  }
  return size > 8 ? lengths[i] : (uint8_t)size;
}

/* A bus that is busy loses it, which the client's streams know how to mend. */
static int send_frame(void* context, const uint8_t* message, size_t size) {
  const ligament_can_t* bus = context;
  struct canfd_frame frame;
  ssize_t written;
  if (size > LIGAMENT_CAN_MTU) {
    return -EMSGSIZE;
  }
  memset(&frame, 0, sizeof frame);
  frame.can_id = bus->id | CAN_EFF_FLAG;
  frame.len = padded(size + 1);
  frame.data[0] = (uint8_t)size;
  memcpy(frame.data + 1, message, size);
  written = write(bus->fd, &frame, sizeof frame);
  (void)written;
  return 0;
}

/* Of a frame for us: its message's size, else 0. */
static size_t take(const ligament_can_t* bus, const struct canfd_frame* frame, size_t size,
                   uint8_t* message, size_t capacity) {
  const canid_t flags = CAN_EFF_FLAG | CAN_RTR_FLAG | CAN_ERR_FLAG;
  const size_t most = size == CAN_MTU ? CAN_MAX_DLEN : CANFD_MAX_DLEN;
  if ((size != CANFD_MTU && size != CAN_MTU) || (frame->can_id & flags) != CAN_EFF_FLAG ||
      (frame->can_id & CAN_EFF_MASK) != bus->id || frame->len == 0 || frame->len > most ||
      frame->data[0] >= frame->len || frame->data[0] > capacity) {
    return 0;
  }
  memcpy(message, frame->data + 1, frame->data[0]);
  return frame->data[0];
}

static int64_t now_us(void* context) {
  struct timespec now;
  (void)context;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int receive_frame(void* context, uint8_t* message, size_t capacity, uint32_t wait_ms) {
  ligament_can_t* bus = context;
  const int64_t until = now_us(NULL) + (int64_t)wait_ms * 1000;
  for (;;) {
    struct canfd_frame frame;
    struct pollfd source = {bus->fd, POLLIN, 0};
    const ssize_t came = recv(bus->fd, &frame, sizeof frame, MSG_DONTWAIT);
    const size_t size = came > 0 ? take(bus, &frame, (size_t)came, message, capacity) : 0;
    const int64_t left_us = until - now_us(NULL);
    if (size != 0 || (came <= 0 && left_us <= 0)) {
      return (int)size;
    }
    if (came <= 0) {
      (void)poll(&source, 1, (int)((left_us + 999) / 1000));
    }
  }
}

int ligament_can_open(ligament_can_t* bus, const char* interface, uint32_t id) {
  const int yes = 1;
  struct sockaddr_can address;
  const struct can_filter ours = {id | CAN_EFF_FLAG,
                                  CAN_EFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG | CAN_ERR_FLAG};
  memset(&address, 0, sizeof address);
  address.can_family = AF_CAN;
  address.can_ifindex = (int)if_nametoindex(interface);
  bus->id = id;
  bus->fd = address.can_ifindex == 0 ? -1 : socket(PF_CAN, SOCK_RAW, CAN_RAW);
  if (bus->fd < 0 || setsockopt(bus->fd, SOL_CAN_RAW, CAN_RAW_FD_FRAMES, &yes, sizeof yes) != 0 ||
      setsockopt(bus->fd, SOL_CAN_RAW, CAN_RAW_FILTER, &ours, sizeof ours) != 0 ||
      bind(bus->fd, (const struct sockaddr*)&address, sizeof address) != 0) {
    const int error = errno;
    ligament_can_close(bus);
    return -error;
  }
  return 0;
}

ligament_port_t ligament_can_port(ligament_can_t* bus) {
  const ligament_port_t port = {bus,  send_frame, receive_frame, now_us, NULL,
                                NULL, NULL,       NULL,          NULL};
  return port;
}

void ligament_can_close(ligament_can_t* bus) {
  if (bus->fd >= 0) {
    close(bus->fd);
  }
  bus->fd = -1;
}
