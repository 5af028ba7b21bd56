/* SPDX-License-Identifier: Apache-2.0 */
/* FreeRTOS's ticks, and its interrupt handler. */
#include <FreeRTOS.h>
#include <task.h>

#include "board.h"
#include "parts.h"

enum { tick_us = 1000000 / configTICK_RATE_HZ };

volatile uint32_t board_end_of_interrupt;
extern volatile uint32_t ulPortYieldRequired;
void vApplicationFPUSafeIRQHandler(void);

/* Interrupts are masked. Whether another task shall run. */
static BaseType_t count(void) {
  static int64_t counted_us;
  BaseType_t shall_yield = pdFALSE;
  if (xTaskGetSchedulerState() == taskSCHEDULER_NOT_STARTED) {
    return pdFALSE;
  }
  if (counted_us == 0) {
    counted_us = board_now_us();
  }
  for (const int64_t now = board_now_us(); now - counted_us >= tick_us; counted_us += tick_us) {
    shall_yield = xTaskIncrementTick() != pdFALSE ? pdTRUE : shall_yield;
  }
  return shall_yield;
}

void vApplicationFPUSafeIRQHandler(void) {
  on_irq();
  if (count() != pdFALSE) {
    ulPortYieldRequired = pdTRUE;
  }
}

void board_count_ticks(void) {
  BaseType_t shall_yield;
  taskENTER_CRITICAL();
  shall_yield = count();
  taskEXIT_CRITICAL();
  if (shall_yield != pdFALSE) {
    taskYIELD();
  }
}

/* With the scheduler suspended. Interrupts are masked from the last look to the sleep: WFI wakes up
 * all the same. */
void board_sleep(uint32_t ticks) {
  portDISABLE_INTERRUPTS();
  if (eTaskConfirmSleepModeStatus() != eAbortSleep) {
    board_wake_at(board_now_us() + (int64_t)ticks * tick_us);
    __asm__ volatile("dsb\n wfi" ::: "memory");
  }
  portENABLE_INTERRUPTS();
}
