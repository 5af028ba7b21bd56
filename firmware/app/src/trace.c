/* SPDX-License-Identifier: Apache-2.0 */
#include "ligament/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "board.h"

static ligament_trace_ring_t* ring;
static char names[LIGAMENT_TRACE_TASKS][LIGAMENT_TRACE_NAME]; /* until the ring is open */
static uint32_t lost;   /* since the last event that was kept */
static uint8_t running; /* task */
static bool is_ticking;

void ligament_trace_open(ligament_trace_ring_t* opened) {
  memcpy(opened->tasks, names, sizeof names);
  ring = opened;
}

static void put(uint8_t kind, uint8_t port, uint16_t node, uint32_t number, int64_t time_us) {
  const uint32_t head = ring->core.head;
  ligament_trace_event_t* event = &ring->events[head % LIGAMENT_TRACE_EVENTS];
  event->time_us = time_us;
  event->number = number;
  event->node = node;
  event->kind = kind;
  event->port = port;
  __atomic_store_n(&ring->core.head, head + 1u, __ATOMIC_RELEASE);
}

/* What was lost stands where it was lost: what came before it says nothing about what comes. */
static void put_or_lose(uint8_t kind, uint8_t port, uint16_t node, uint32_t number) {
  const uint32_t used = ring->core.head - __atomic_load_n(&ring->host.tail, __ATOMIC_ACQUIRE);
  const uint32_t needed = lost != 0 ? 2 : 1;
  const int64_t now_us = board_now_us();
  if (used > LIGAMENT_TRACE_EVENTS - needed) {
    ++lost;
    ++ring->core.dropped;
    return;
  }
  if (lost != 0) {
    put(LIGAMENT_TRACE_LOST, 0, 0, lost, now_us);
    lost = 0;
  }
  put(kind, port, node, number, now_us);
}

void ligament_trace_event(uint8_t kind, uint8_t port, uint16_t node, uint32_t number) {
  if (ring != NULL && __atomic_load_n(&ring->host.is_on, __ATOMIC_RELAXED) == 1) {
    const uint32_t before = board_mask();
    put_or_lose(kind, port, node, number);
    board_unmask(before);
  }
}

void ligament_trace_interrupt_begin(uint8_t interrupt) {
  ligament_trace_event(LIGAMENT_TRACE_INTERRUPT_BEGIN, interrupt, 0, 0);
}

void ligament_trace_interrupt_end(uint8_t interrupt) {
  ligament_trace_event(LIGAMENT_TRACE_INTERRUPT_END, interrupt, 0, 0);
}

void ligament_trace_name_task(uint32_t task, const char* name) {
  if (task < LIGAMENT_TRACE_TASKS) {
    size_t at = 0;
    for (; at + 1 < LIGAMENT_TRACE_NAME && name[at] != '\0'; ++at) {
      names[task][at] = name[at];
    }
    names[task][at] = '\0';
    if (ring != NULL) {
      memcpy(ring->tasks[task], names[task], LIGAMENT_TRACE_NAME);
    }
  }
}

/* A scheduler also tells that the same task goes on. */
void ligament_trace_task(uint32_t task) {
  const uint8_t next = task < LIGAMENT_TRACE_TASKS ? (uint8_t)task : 0;
  if (next != running) {
    running = next;
    ligament_trace_event(LIGAMENT_TRACE_TASK, next, 0, 0);
  }
}

void ligament_trace_tick_begin(void) {
  is_ticking = true;
  ligament_trace_interrupt_begin(LIGAMENT_TRACE_TICK);
}

/* Other interrupts' handlers end as ticks do, in FreeRTOS's macros. */
void ligament_trace_tick_end(void) {
  if (is_ticking) {
    is_ticking = false;
    ligament_trace_interrupt_end(LIGAMENT_TRACE_TICK);
  }
}
