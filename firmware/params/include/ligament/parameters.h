/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of a node, as `ros2 param` and every parameter client see them: six services of
 * rcl_interfaces under the node's name, and /parameter_events. Compile params/src/parameters.c too.
 *
 *   static int64_t rate = 100;
 *   static char frame[32] = "imu";
 *   static const ligament_parameter_t table[] = {
 *       {.name = "rate", .type = LIGAMENT_PARAMETER_INTEGER, .value = &rate,
 *        .least.integer = 1, .most.integer = 1000},
 *       {.name = "frame", .type = LIGAMENT_PARAMETER_TEXT, .value = frame, .capacity = sizeof
 * frame}}; static uint8_t memory[LIGAMENT_PARAMETERS_MEMORY(2, 32)]; static ligament_parameters_t
 * parameters = { .table = table, .count = 2, .memory = memory, .memory_size = sizeof memory};
 *
 *   ligament_parameters_create(&parameters, &node);
 *   for (;;) { ligament_session_run(&session, 10); ligament_parameters_run(&parameters); }
 *
 * A message is read and written piece by piece, so it needs no memory for the 64 parameters of each
 * kind that a message may have. The names of a service go in one message: `mtu` is 512. Values are
 * set by the task that runs the session.
 */
#ifndef LIGAMENT_PARAMETERS_H
#define LIGAMENT_PARAMETERS_H

#include "ligament/xrce.h"

/* As rcl_interfaces/msg/ParameterType. Of arrays there are none here. */
enum {
  LIGAMENT_PARAMETER_BOOL = 1,    /* bool */
  LIGAMENT_PARAMETER_INTEGER = 2, /* int64_t */
  LIGAMENT_PARAMETER_DOUBLE = 3,  /* double */
  LIGAMENT_PARAMETER_TEXT = 4     /* char[capacity], ends with a zero */
};

enum { LIGAMENT_MOST_PARAMETERS = 64 };

typedef union {
  int64_t integer;
  double real;
} ligament_parameter_limit_t;

typedef struct {
  const char* name;        /* "gains.p": points make groups */
  const char* description; /* NULL: none */
  uint8_t type;
  bool is_read_only;
  void* value;                      /* the firmware's own variable */
  size_t capacity;                  /* of a text, with its zero */
  ligament_parameter_limit_t least; /* of a number; both limits 0: none */
  ligament_parameter_limit_t most;
} ligament_parameter_t;

/* What somebody wants to set, before it is set. */
typedef struct {
  uint8_t type;
  bool truth;
  int64_t integer;
  double real;
  const char* text; /* ends with a zero */
} ligament_parameter_value_t;

/* Of replies and events. `longest`: name, description and value of one parameter together. */
#define LIGAMENT_PARAMETERS_MEMORY(count, longest) (64u + (size_t)(count) * (112u + (longest)))

typedef struct {
  const ligament_parameter_t* table;
  size_t count; /* LIGAMENT_MOST_PARAMETERS at most */
  uint8_t* memory;
  size_t memory_size; /* LIGAMENT_PARAMETERS_MEMORY(count, longest) */
  /* Before a value is set, and it fits type and limits: NULL, or why it is refused. NULL: all may
   * be set. */
  const char* (*check)(void* context, const ligament_parameter_t* parameter,
                       const ligament_parameter_value_t* wanted);
  /* After it was set. NULL: nobody wants to know. */
  void (*on_change)(void* context, const ligament_parameter_t* parameter);
  void* context;
  uint32_t dropped; /* requests that made no sense, or whose reply did not fit into `memory` */

  /* Private. */
  ligament_node_t* node;
  ligament_server_t servers[6];
  ligament_publisher_t events;
  uint64_t fresh;               /* parameters of which an event has to tell: new, */
  uint64_t changed;             /* or changed */
  ligament_server_t* answering; /* whose reply waits in `memory` for room */
  ligament_request_id_t request;
  size_t reply_size;
} ligament_parameters_t;

/* The services and the publisher. ERROR_OPTIONS: a table that cannot be. */
int ligament_parameters_create(ligament_parameters_t* parameters, ligament_node_t* node);
/* After each `ligament_session_run`: replies that had no room, and events. */
int ligament_parameters_run(ligament_parameters_t* parameters);
/* The firmware has changed the value itself: tells those who watch. */
void ligament_parameters_touch(ligament_parameters_t* parameters,
                               const ligament_parameter_t* parameter);

#endif
