/* SPDX-License-Identifier: Apache-2.0 */
/* FreeRTOS on this board: the port ARM_CM4F, whose tick is SysTick. */
#ifndef BOARD_FREERTOS_H
#define BOARD_FREERTOS_H

#define configCPU_CLOCK_HZ 25000000
/* Bell and alarm (board.c) are above the kernel's own interrupts, and may call it. */
#define configKERNEL_INTERRUPT_PRIORITY 255
#define configMAX_SYSCALL_INTERRUPT_PRIORITY 0x40
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 1

#define board_idle() __asm__ volatile("wfi")

#define vPortSVCHandler SVC_Handler
#define xPortPendSVHandler PendSV_Handler
#define xPortSysTickHandler SysTick_Handler

#endif
