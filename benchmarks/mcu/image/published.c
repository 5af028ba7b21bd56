/* SPDX-License-Identifier: Apache-2.0 */
/* The node as the published system has it: its client knows a stream of bytes, framed, though the
 * link below carries messages. Its parts can be switched on one by one:
 *
 *   PUBLISHED_TICK=N     what comes is looked for once per N microseconds, not when the bell rings
 *   PUBLISHED_STOP_WAIT  a publish waits until it is acknowledged
 */
#include <string.h>

#include "board.h"
#include "echo.h"
#include "ligament/framing.h"
#include "ligament/rpmsg.h"

enum { MTU = 512, SLOTS = 4, WAITING = 2048, AGAIN_US = 1000, PIECE = 64 };

static ligament_rpmsg_t link;
static ligament_framing_t line;
static ligament_session_t session;
static uint8_t memory[LIGAMENT_MEMORY_SIZE(MTU, SLOTS, SLOTS)];
/* Between the link's callback and `read`: the stream buffer of the published firmware. */
static uint8_t waiting[WAITING];
static size_t first;
static size_t count;

static int on_bytes(void* endpoint, uint32_t source, const uint8_t* data, size_t size) {
  size_t index;
  ((ligament_rpmsg_endpoint_t*)endpoint)->peer = source;
  if (count + size > WAITING) {
    return LIGAMENT_RPMSG_LATER;
  }
  for (index = 0; index < size; ++index) {
    waiting[(first + count++) % WAITING] = data[index];
  }
  return LIGAMENT_RPMSG_DONE;
}

static ligament_rpmsg_endpoint_t stream = {"stream", 0, 0, on_bytes, &stream, NULL};

static void poll_link(void) {
  while (ligament_rpmsg_poll(&link) > 0) {
  }
}

static void wait_until(int64_t until_us) {
#ifdef PUBLISHED_TICK
  const int64_t tick_us = (board_now_us() / PUBLISHED_TICK + 1) * PUBLISHED_TICK;
  (void)until_us;
  while (board_now_us() < tick_us) {
    board_wait(tick_us);
  }
#else
  board_wait(until_us);
#endif
}

static int write_bytes(void* unused, const uint8_t* bytes, size_t size) {
  (void)unused;
  while (size != 0) {
    const size_t piece = size < PIECE ? size : PIECE;
    if (ligament_rpmsg_send(&link, &stream, bytes, piece) == 0) {
      bytes += piece;
      size -= piece;
    } else if (link.state != LIGAMENT_RPMSG_RUNNING) {
      return 0; /* nobody is there: lost */
    } else {
      poll_link();
    }
  }
  return 0;
}

static int read_bytes(void* unused, uint8_t* bytes, size_t capacity, uint32_t wait_ms) {
  const int64_t end_us = board_now_us() + (int64_t)wait_ms * 1000;
  size_t size = 0;
  (void)unused;
  poll_link();
  while (count == 0 && board_now_us() < end_us) {
    wait_until(end_us);
    poll_link();
  }
  for (; size < capacity && count != 0; --count) {
    bytes[size++] = waiting[first];
    first = (first + 1) % WAITING;
  }
  return (int)size;
}

static int64_t now_us(void* unused) {
  (void)unused;
  return board_now_us();
}

static void start_link(void) {
  static const ligament_rpmsg_map_t map = LIGAMENT_BOARD_MAP;
  ligament_rpmsg_config_t config;
  memset(&config, 0, sizeof config);
  config.memory = (uint8_t*)(uintptr_t)map.base;
  config.map = map;
  config.features = LIGAMENT_RPMSG_F_NAME_SERVICE | LIGAMENT_RPMSG_F_LARGE;
  config.kick = board_kick;
  (void)ligament_rpmsg_start(&link, &config);
  (void)ligament_rpmsg_open(&link, &stream);
  while (stream.peer == LIGAMENT_RPMSG_ANY) { /* the host's first message says where it is */
    poll_link();
    board_wait(board_now_us() + AGAIN_US);
  }
}

static int start_session(void) {
  ligament_session_options_t options;
  int result = LIGAMENT_ERROR_TIMEOUT;
  line.write = write_bytes;
  line.read = read_bytes;
  line.now_us = now_us;
  options = ligament_session_defaults(ligament_framing_port(&line), 0x0000BE80);
  options.memory = memory;
  options.mtu = MTU;
  options.out_slots = SLOTS;
  options.in_slots = SLOTS;
  while (result == LIGAMENT_ERROR_TIMEOUT) {
    result = ligament_session_open(&session, &options);
  }
  return result < 0 ? result : echo_create(NULL, &session);
}

int main(void) {
  board_init((void*)(uintptr_t)LIGAMENT_BOARD_AREA);
  start_link();
  if (start_session() < 0) {
    board_print("cannot connect");
    return 1;
  }
  board_print("ready");
  for (;;) {
    (void)ligament_session_run(&session, 1000);
#ifdef PUBLISHED_STOP_WAIT
    (void)ligament_session_flush(&session, 1000);
#endif
  }
}
