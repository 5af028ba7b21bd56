/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes in C99 (spec/device/mcu.md): what generated code says of a node type, and what surrounds a
 * node's code: an image on a core (ligament/image.h), or a container on a processor.
 *
 * Authors of nodes do not see this: they include the generated header of their node type.
 */
#ifndef LIGAMENT_NODE_H
#define LIGAMENT_NODE_H

#include <stddef.h>
#include <stdint.h>

#include "ligament/cdr.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  /* Memory for the body of a message of an output. 0, or a negative code (ligament/xrce.h). */
  int (*begin)(void* context, uint16_t output, ligament_cdr_t* body);
  /* Publishes it; with `has_failed` set it is dropped. 0, or a negative code. */
  int (*end)(void* context, uint16_t output, const ligament_cdr_t* body);
  /* Nanoseconds since 1970. */
  int64_t (*now_ns)(void* context);
  void (*log)(void* context, const char* text);
  /* A message of an input is read, or a request: a service's number is behind the inputs'. Its
   * function is called next. May be NULL. */
  void (*decoded)(void* context, uint16_t input);
} ligament_surroundings_t;

/* The first member of every generated node struct. */
typedef struct {
  const ligament_surroundings_t* around;
  void* context;
} ligament_code_t;

/* An input: reads a body, calls the author's function. False: the bytes are no such message. */
typedef bool (*ligament_take_t)(ligament_code_t* node, ligament_cdr_t* body);

typedef struct {
  const char* port;
  const char* type; /* as DDS spells it */
  size_t most;      /* bytes of the longest body */
  ligament_take_t take;
} ligament_input_t;

typedef struct {
  const char* port;
  const char* type;
  size_t most;
} ligament_output_t;

/* A service: reads a request, calls the author's function, writes the body of what it answers.
 * False: the bytes are no such request, or the answer exceeds a bound. */
typedef bool (*ligament_serve_t)(ligament_code_t* node, ligament_cdr_t* request,
                                 ligament_cdr_t* response);

typedef struct {
  const char* name;
  const char* request; /* types, as DDS spells them */
  const char* response;
  size_t most; /* bytes of the longest response */
  ligament_serve_t serve;
} ligament_service_t;

typedef struct {
  const char* name;
  double (*rate)(const ligament_code_t* node); /* calls per second */
  void (*call)(ligament_code_t* node);
} ligament_timer_t;

enum { LIGAMENT_BOOL, LIGAMENT_INTEGER, LIGAMENT_DOUBLE, LIGAMENT_TEXT };

/* A parameter: a bool, int64_t, double or const char* at so many bytes of the node struct. */
typedef struct {
  const char* name;
  size_t offset;
  int kind;
  bool can_change; /* while the node runs */
} ligament_parameter_t;

/* A node type. The arrays have `..._count` elements. */
typedef struct {
  const char* name;
  size_t size; /* of its node struct */
  void (*start)(ligament_code_t* node);
  const ligament_input_t* inputs;
  const ligament_output_t* outputs;
  const ligament_timer_t* timers;
  const ligament_parameter_t* parameters;
  const ligament_service_t* services;
  uint16_t input_count;
  uint16_t output_count;
  uint16_t timer_count;
  uint16_t parameter_count;
  uint16_t service_count;
} ligament_code_type_t;

#ifdef __cplusplus
}
#endif
#endif
