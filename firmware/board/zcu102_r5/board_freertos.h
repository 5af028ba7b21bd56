/* SPDX-License-Identifier: Apache-2.0 */
/* FreeRTOS on this board: the port ARM_CRx_No_GIC. There is no timer: ticks are counted from the
 * clock, at each interrupt and while idle; before it sleeps, the core asks for an interrupt. */
#ifndef BOARD_FREERTOS_H
#define BOARD_FREERTOS_H

#include <stdint.h>

extern volatile uint32_t board_end_of_interrupt; /* nobody's: there is no interrupt controller */
void board_count_ticks(void);
void board_sleep(uint32_t ticks);

#define configEOI_ADDRESS ((uint32_t)&board_end_of_interrupt)
#define configSETUP_TICK_INTERRUPT()
#define configCLEAR_TICK_INTERRUPT()
#define configUSE_TASK_FPU_SUPPORT 2 /* each task may use floating point */
#define configFPU_D32 0
#define configUSE_TICKLESS_IDLE 2
#define portSUPPRESS_TICKS_AND_SLEEP(ticks) board_sleep(ticks)
#define board_idle() board_count_ticks()

#endif
