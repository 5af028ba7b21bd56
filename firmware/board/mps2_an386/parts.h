/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of this board. */
#ifndef LIGAMENT_BOARD_PARTS_H
#define LIGAMENT_BOARD_PARTS_H

enum { bell_interrupt = 2, alarm_interrupt = 9, interrupts = 10 };

void on_bell(void);
void on_alarm(void);
void on_fault(void);

#endif
