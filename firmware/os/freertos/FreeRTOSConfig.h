/* SPDX-License-Identifier: Apache-2.0 */
/* FreeRTOS as images have it: no heap, preemption, 1000 ticks per second. What belongs to the board
 * is in its board_freertos.h. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#include <stdint.h>

#include "board_freertos.h"

#define configTICK_RATE_HZ 1000
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_32_BITS
#define configMAX_PRIORITIES 8
#define configMINIMAL_STACK_SIZE 256 /* words */
#define configMAX_TASK_NAME_LEN 12
#define configUSE_PREEMPTION 1
#define configUSE_TIME_SLICING 1
#define configSUPPORT_STATIC_ALLOCATION 1
#define configSUPPORT_DYNAMIC_ALLOCATION 0
#define configKERNEL_PROVIDED_STATIC_MEMORY 1
#define configUSE_TASK_NOTIFICATIONS 1
#define configTASK_NOTIFICATION_ARRAY_ENTRIES 2 /* a message buffer has the first */
#define configUSE_MUTEXES 1
#define configUSE_TIMERS 0
#define configUSE_IDLE_HOOK 1
#define configUSE_TICK_HOOK 0
#define configCHECK_FOR_STACK_OVERFLOW 2
#define INCLUDE_vTaskDelay 1
#define INCLUDE_vTaskSuspend 1
#define INCLUDE_vTaskDelete 1
#define INCLUDE_xTaskGetCurrentTaskHandle 1
#define INCLUDE_xTaskGetSchedulerState 1

/* Events for the host's timeline (ligament/trace.h). */
void ligament_trace_name_task(uint32_t task, const char* name);
void ligament_trace_task(uint32_t task);
void ligament_trace_tick_begin(void);
void ligament_trace_tick_end(void);
#define configUSE_TRACE_FACILITY 1 /* tasks have numbers */
#define traceTASK_CREATE(task) ligament_trace_name_task((task)->uxTCBNumber, (task)->pcTaskName)
#define traceTASK_SWITCHED_IN() ligament_trace_task(pxCurrentTCB->uxTCBNumber)
#define traceISR_ENTER() ligament_trace_tick_begin()
#define traceISR_EXIT() ligament_trace_tick_end()
#define traceISR_EXIT_TO_SCHEDULER() ligament_trace_tick_end()

/* What comes next would not be what the program says. */
void ligament_freertos_assert(const char* file, int line);
#define configASSERT(holds)                         \
  do {                                              \
    if (!(holds)) {                                 \
      ligament_freertos_assert(__FILE__, __LINE__); \
    }                                               \
  } while (0)

#endif
