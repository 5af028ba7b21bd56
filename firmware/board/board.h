/* SPDX-License-Identifier: Apache-2.0 */
/* What firmware needs of a board: a bell to the host and one from it, a clock, a line for people. A
 * folder beside this file has these functions, the vectors, the start of `main`, a linker script
 * and `board.cmake`, which says which files these are. */
#ifndef LIGAMENT_BOARD_H
#define LIGAMENT_BOARD_H

#include <stdint.h>

#include "ligament/rpmsg_layout.h"

/* `area`: the memory that is shared with the host. A board without a mailbox has a word there. */
void board_init(void* area);

/* Microseconds since the start; never backwards. From tasks and interrupts. */
int64_t board_now_us(void);

/* Rings the host. For `ligament_rpmsg_config_t.kick`. */
void board_kick(void* unused);
/* Sleeps until the host has rung since the last call, or until the clock is there. It may return
 * sooner. Not under an operating system: that has its own ways to sleep. */
void board_wait(int64_t until_us);

/* For an operating system: an interrupt at that time, or somewhat sooner. Another call replaces it.
 * `board_wait` has the alarm for itself. */
void board_alarm(int64_t at_us);
/* What the interrupts of bell and alarm call. */
void board_on_bell(void (*call)(void));
void board_on_alarm(void (*call)(void));

/* Keeps interrupts away for some instructions; gives back what `board_unmask` needs. */
uint32_t board_mask(void);
void board_unmask(uint32_t before);

/* A line on the console. */
void board_print(const char* line);

/* What is called at a fault of the processor, before the core stops. */
void board_on_fault(void (*call)(const ligament_fault_t* fault));
/* The core does nothing any more, interrupts included. */
void board_stop(void) __attribute__((noreturn));

#endif
