/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of this board. */
#ifndef LIGAMENT_BOARD_PARTS_H
#define LIGAMENT_BOARD_PARTS_H

#include <stdint.h>

enum { bell_interrupt = 2, alarm_interrupt = 9, interrupts = 10 };

void on_bell(void);
void on_alarm(void);
/* With what the core has put on the stack: r0 to r3, r12, lr, the instruction's address, xPSR. */
void on_fault(const uint32_t* frame);

#endif
