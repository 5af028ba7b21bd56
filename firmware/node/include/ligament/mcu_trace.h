/* SPDX-License-Identifier: Apache-2.0 */
/* What a core leaves for the host behind RPMsg's area: a ring of events, the answer to the question
 * for its clock (spec/device/mcu.md, section 4), and what it refused (section 3). One header, which
 * both sides read. Little-endian.
 *
 * Each word has one writer. `head` and `tail` count events and wrap; the event of number n lies at
 * n modulo LIGAMENT_TRACE_EVENTS. */
#ifndef LIGAMENT_MCU_TRACE_H
#define LIGAMENT_MCU_TRACE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LIGAMENT_TRACE_EVENTS = 4096,
  LIGAMENT_TRACE_TASKS = 8, /* that have a name */
  LIGAMENT_TRACE_NAME = 16,
  LIGAMENT_TRACE_ENDS = 256, /* of all nodes, whose refusals are counted */
  LIGAMENT_TRACE_BEGIN_INPUT = 1,
  LIGAMENT_TRACE_BEGIN_TIMER = 2,
  LIGAMENT_TRACE_END = 3,
  LIGAMENT_TRACE_PUBLISH = 4,
  LIGAMENT_TRACE_TAKE = 5,
  LIGAMENT_TRACE_TASK = 6, /* runs from here on; `port` is its number */
  LIGAMENT_TRACE_INTERRUPT_BEGIN = 7,
  LIGAMENT_TRACE_INTERRUPT_END = 8,
  LIGAMENT_TRACE_LOST = 9 /* so many events, here: `number` */
};

/* Interrupts, as `port` has them. */
enum {
  LIGAMENT_TRACE_BELL = 0,
  LIGAMENT_TRACE_ALARM = 1, /* the timer of nodes' deadlines */
  LIGAMENT_TRACE_TICK = 2,  /* of the operating system */
  LIGAMENT_TRACE_LINE = 3,  /* a core with one line: bell and alarm */
  LIGAMENT_TRACE_INTERRUPTS = 4
};

typedef struct {
  int64_t time_us; /* of the core's clock */
  uint32_t number; /* of the message since its entity was made, from 1; 0: none */
  uint16_t node;   /* as in the image */
  uint8_t kind;    /* LIGAMENT_TRACE_... */
  uint8_t port;    /* input, output, timer as in the node type, services behind; task, interrupt */
} ligament_trace_event_t;

typedef struct {
  struct { /* written by the core */
    uint32_t head;
    uint32_t dropped; /* events that found no room */
    uint32_t answered;
    uint32_t unused;
    int64_t answer_us; /* the clock when `answered` became the host's `asked` */
    uint32_t unused_too[10];
  } core;
  struct { /* written by the host */
    uint32_t tail;
    uint32_t asked; /* another number: the core answers; 0 never */
    uint32_t is_on; /* 1: events are recorded */
    uint32_t unused[13];
  } host;
  /* Written by the core, before the first event of a task. Empty: it has none. */
  char tasks[LIGAMENT_TRACE_TASKS][LIGAMENT_TRACE_NAME];
  /* Written by the core, always: messages that it did not take or did not send. Nodes are in the
   * image's order; of each its inputs, services' requests, new parameters (if any can change),
   * outputs, services' responses. Counted on from whatever was there. */
  uint32_t refused[LIGAMENT_TRACE_ENDS];
  ligament_trace_event_t events[LIGAMENT_TRACE_EVENTS];
} ligament_trace_ring_t;

#ifdef __cplusplus
}
#endif
#endif
