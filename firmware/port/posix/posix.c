/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* cfmakeraw, and the faster baud rates */
#include "posix.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static int64_t now_us(void* context) {
  (void)context;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int wait_for(const ligament_posix_t* link, short event, uint32_t wait_ms) {
  struct pollfd source = {link->fd, event, 0};
  const int count = poll(&source, 1, (int)wait_ms);
  return count < 0 && errno != EINTR ? -errno : count;
}

/* A full buffer, or nobody there: lost, as any datagram may be. */
static int send_datagram(void* context, const uint8_t* message, size_t size) {
  const ligament_posix_t* link = context;
  (void)send(link->fd, message, size, MSG_NOSIGNAL);
  return 0;
}

static int receive_datagram(void* context, uint8_t* message, size_t capacity, uint32_t wait_ms) {
  const ligament_posix_t* link = context;
  ssize_t size = recv(link->fd, message, capacity, MSG_DONTWAIT | MSG_TRUNC);
  if (size < 0 && wait_ms != 0 && wait_for(link, POLLIN, wait_ms) > 0) {
    size = recv(link->fd, message, capacity, MSG_DONTWAIT | MSG_TRUNC);
  }
  /* An error says that nobody listens there now: the agent may come back. */
  return size > 0 && (size_t)size <= capacity ? (int)size : 0;
}

static int write_all(void* context, const uint8_t* bytes, size_t size) {
  const ligament_posix_t* link = context;
  while (size != 0) {
    const ssize_t count = write(link->fd, bytes, size);
    if (count < 0 && errno != EAGAIN && errno != EINTR) {
      return -errno;
    }
    if (count < 0) {
      (void)wait_for(link, POLLOUT, 100);
      continue;
    }
    bytes += count;
    size -= (size_t)count;
  }
  return 0;
}

static int read_some(void* context, uint8_t* bytes, size_t capacity, uint32_t wait_ms) {
  const ligament_posix_t* link = context;
  if (wait_for(link, POLLIN, wait_ms) <= 0) {
    return 0;
  }
  const ssize_t count = read(link->fd, bytes, capacity);
  if (count < 0) {
    return errno == EAGAIN || errno == EINTR ? 0 : -errno;
  }
  return count == 0 ? -EPIPE : (int)count;
}

int ligament_posix_udp(ligament_posix_t* link, const char* host, uint16_t port) {
  struct sockaddr_in address;
  memset(link, 0, sizeof *link);
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  if (inet_pton(AF_INET, host, &address.sin_addr) != 1) {
    return -EINVAL;
  }
  link->fd = socket(AF_INET, SOCK_DGRAM, 0);
  if (link->fd < 0 || connect(link->fd, (struct sockaddr*)&address, sizeof address) != 0) {
    return -errno;
  }
  return 0;
}

static speed_t speed_of(uint32_t baud) {
  static const struct {
    uint32_t baud;
    speed_t speed;
  } table[] = {{9600, B9600},     {19200, B19200},   {38400, B38400},   {57600, B57600},
               {115200, B115200}, {230400, B230400}, {460800, B460800}, {921600, B921600}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
    if (table[i].baud == baud) {
      return table[i].speed;
    }
  }
  return B0;
}

int ligament_posix_serial(ligament_posix_t* link, const char* device, uint32_t baud) {
  memset(link, 0, sizeof *link);
  if (baud != 0 && speed_of(baud) == B0) {
    return -EINVAL;
  }
  link->is_stream = 1;
  link->fd = open(device, O_RDWR | O_NOCTTY | O_NONBLOCK);
  struct termios settings;
  if (link->fd < 0 || tcgetattr(link->fd, &settings) != 0) {
    return -errno;
  }
  cfmakeraw(&settings);
  if (baud != 0) {
    cfsetispeed(&settings, speed_of(baud));
    cfsetospeed(&settings, speed_of(baud));
  }
  if (tcsetattr(link->fd, TCSANOW, &settings) != 0) {
    return -errno;
  }
  link->line.write = write_all;
  link->line.read = read_some;
  link->line.now_us = now_us;
  return 0;
}

ligament_port_t ligament_posix_port(ligament_posix_t* link) {
  ligament_port_t port = {link, send_datagram, receive_datagram, now_us, NULL, NULL, NULL,
                          NULL, NULL};
  if (link->is_stream) {
    link->line.context = link;
    return ligament_framing_port(&link->line);
  }
  return port;
}

void ligament_posix_close(ligament_posix_t* link) {
  if (link->fd >= 0) {
    close(link->fd);
  }
  link->fd = -1;
}
