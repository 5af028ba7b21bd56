/* SPDX-License-Identifier: Apache-2.0 */
/* What a core records for the host's timeline (ligament/mcu_trace.h): nodes, tasks, interrupts.
 *
 * An event is written with interrupts masked, as interrupts and tasks write into the same ring.
 * While nobody listens, an event costs two loads and a branch. */
#ifndef LIGAMENT_TRACE_H
#define LIGAMENT_TRACE_H

#include <stdint.h>

#include "ligament/mcu_trace.h"

/* Until then nothing is recorded: the memory may be somebody else's. */
void ligament_trace_open(ligament_trace_ring_t* ring);

void ligament_trace_event(uint8_t kind, uint8_t port, uint16_t node, uint32_t number);

/* From interrupts' handlers: LIGAMENT_TRACE_BELL, ... */
void ligament_trace_interrupt_begin(uint8_t interrupt);
void ligament_trace_interrupt_end(uint8_t interrupt);

/* For an operating system. Tasks have numbers from 1; those from LIGAMENT_TRACE_TASKS on are one,
 * number 0. A name may be given before the ring is open. */
void ligament_trace_name_task(uint32_t task, const char* name);
void ligament_trace_task(uint32_t task);
/* The system's tick. Its end may be told by who is no tick. */
void ligament_trace_tick_begin(void);
void ligament_trace_tick_end(void);

#endif
