/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of this board. */
#ifndef LIGAMENT_BOARD_PARTS_H
#define LIGAMENT_BOARD_PARTS_H

#include <stdint.h>

void on_irq(void);
/* A kind of fault (ligament/rpmsg_layout.h), and the address of the instruction. */
void on_fault(uint32_t kind, uint32_t at);
/* An interrupt at that time at the latest, beside the alarm's. */
void board_wake_at(int64_t at_us);

#endif
