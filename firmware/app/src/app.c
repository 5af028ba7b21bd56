/* SPDX-License-Identifier: Apache-2.0 */
#include "ligament/app.h"

#include <stdbool.h>
#include <string.h>

#include "board.h"
#include "system.h"

#ifndef LIGAMENT_APP_OUT_SLOTS
#define LIGAMENT_APP_OUT_SLOTS 8
#endif
#ifndef LIGAMENT_APP_IN_SLOTS
#define LIGAMENT_APP_IN_SLOTS 4
#endif
#ifndef LIGAMENT_APP_ASSEMBLY
#define LIGAMENT_APP_ASSEMBLY 8192
#endif

/* Heartbeats are due within milliseconds while something is in flight. */
enum { IN_FLIGHT_US = 5000, IDLE_US = 1000000, AGAIN_US = 1000000 };

static const ligament_app_t* app;
static ligament_session_t session;
static uint8_t
    memory[LIGAMENT_MEMORY_SIZE(LIGAMENT_APP_MTU, LIGAMENT_APP_OUT_SLOTS, LIGAMENT_APP_IN_SLOTS)];
static uint8_t assembly[LIGAMENT_APP_ASSEMBLY];
static uint8_t parts[LIGAMENT_APP_MTU]; /* of one message, where the host's slab had no room */

static struct {
  uint32_t connection; /* of the session; 0: it is not open */
  bool is_made;        /* `create` has succeeded */
  uint32_t refused;    /* the connection whose agent lacks something: another may have it */
  int64_t try_us;      /* not sooner, after an attempt that failed */
} state;

/* "cannot connect -1004 84": an error of the client, and the agent's status. */
static void say_error(const char* what, int error, uint8_t status) {
  static const char digits[] = "0123456789abcdef";
  char line[64];
  size_t at = strlen(what) < 40 ? strlen(what) : 40;
  char number[12];
  size_t count = 0;
  unsigned rest = error < 0 ? (unsigned)-error : (unsigned)error;
  memcpy(line, what, at);
  do {
    number[count++] = digits[rest % 10];
    rest /= 10;
  } while (rest != 0);
  line[at++] = ' ';
  line[at++] = error < 0 ? '-' : '+';
  while (count > 0) {
    line[at++] = number[--count];
  }
  line[at++] = ' ';
  line[at++] = digits[status >> 4];
  line[at++] = digits[status & 0xF];
  line[at] = '\0';
  board_print(line);
}

static int open_session(void) {
  ligament_session_options_t options = ligament_session_defaults(system_port(), app->key);
  options.mtu = LIGAMENT_APP_MTU;
  options.out_slots = LIGAMENT_APP_OUT_SLOTS;
  options.in_slots = LIGAMENT_APP_IN_SLOTS;
  options.memory = memory;
  options.assembly = assembly;
  options.assembly_size = sizeof assembly;
  return ligament_session_open(&session, &options);
}

/* The first time; later all that was made is made again. */
static int make(void) {
  int result = state.is_made ? ligament_session_restore(&session) : open_session();
  result = result < 0 ? result : ligament_time_sync(&session, 1000);
  if (result >= 0 && !state.is_made) {
    result = app->create(app->context, &session);
    state.is_made = result >= 0;
  }
  return result;
}

/* An error that no other agent would mend, or 0. */
static int connect(uint32_t connection) {
  const int result = make();
  if (result >= 0) {
    state.connection = connection;
    board_print("ready");
    return 0;
  }
  if (system_connection() != connection) {
    return 0; /* the agent went away meanwhile */
  }
  say_error("cannot connect", result, session.last_status);
  state.refused = result == LIGAMENT_ERROR_REFUSED ? connection : 0;
  state.try_us = board_now_us() + AGAIN_US;
  return result == LIGAMENT_ERROR_REFUSED || result == LIGAMENT_ERROR_TIMEOUT ||
                 result == LIGAMENT_ERROR_LOST
             ? 0
             : result;
}

static bool may_connect(uint32_t connection) {
  return connection != 0 && connection != state.refused && board_now_us() >= state.try_us;
}

static void lose(void) {
  state.connection = 0;
  board_print("the agent is lost");
}

/* Does what there is to do. An error that ends the app, or 0. */
static int step(void) {
  const uint32_t connection = system_connection();
  if (state.connection != 0 && state.connection != connection) {
    lose();
  }
  if (state.connection == 0) {
    return may_connect(connection) ? connect(connection) : 0;
  }
  if (ligament_session_run(&session, 0) == LIGAMENT_ERROR_LOST) {
    system_forget();
    lose();
  }
  return 0;
}

/* When to look again though nothing has come. */
static int64_t next_us(void) {
  const int64_t now = board_now_us();
  int64_t next = now + IDLE_US;
  if (state.connection == 0) {
    next = state.try_us > now ? state.try_us : next;
  } else if (session.out.count != 0) {
    next = now + IN_FLIGHT_US;
  }
  if (state.is_made && app->work != NULL) {
    const int64_t due = app->work(app->context, now);
    next = due < next ? due : next;
  }
  return next;
}

static int run(void) {
  for (;;) {
    const int result = step();
    if (result != 0) {
      say_error("the app has ended:", result, session.last_status);
      return result;
    }
    system_wait(next_us());
  }
}

int ligament_app_run(const ligament_app_t* given) {
  ligament_rpmsg_config_t config;
  app = given;
  memset(&config, 0, sizeof config);
  config.memory = (uint8_t*)(uintptr_t)app->map.base;
  config.map = app->map;
  config.features = LIGAMENT_RPMSG_F_NAME_SERVICE | LIGAMENT_RPMSG_F_LARGE;
  config.kick = board_kick;
  config.assembly = parts;
  config.assembly_size = sizeof parts;
  board_init(config.memory);
  board_print(app->name);
  return system_run(&config, run);
}
