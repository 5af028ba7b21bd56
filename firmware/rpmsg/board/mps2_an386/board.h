/* SPDX-License-Identifier: Apache-2.0 */
/* The board: what the core needs of it is a bell to the host and one from it. */
#ifndef LIGAMENT_BOARD_H
#define LIGAMENT_BOARD_H

#include <stdint.h>

void board_init(void);
/* Rings the host: a byte on the second serial line. For ligament_rpmsg_config_t.kick. */
void board_kick(void* unused);
/* Sleeps until the host rang since the last call, or until the next tick. */
void board_wait(void);
/* Milliseconds since the start. */
uint32_t board_now_ms(void);
/* A line on the first serial line, for people. */
void board_print(const char* text);

#endif
