/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors and start of a Cortex-M4F. */
#include <stddef.h>
#include <stdint.h>

#include "parts.h"

extern uint32_t data_begin[], data_end[], data_image[], bss_begin[], bss_end[], stack_top[];
int main(void);
void reset_handler(void);
void fault_handler(void);

/* The stack that was in use: bit 2 of what the core has put into lr says which. */
__attribute__((naked)) void fault_handler(void) {
  __asm__ volatile(
      "mov r0, sp\n"
      "tst lr, #4\n"
      "it ne\n"
      "mrsne r0, psp\n"
      "b on_fault\n");
}

/* An operating system has its own: these are where there is none. */
__attribute__((weak, alias("fault_handler"))) void SVC_Handler(void);
__attribute__((weak, alias("fault_handler"))) void PendSV_Handler(void);
__attribute__((weak, alias("fault_handler"))) void SysTick_Handler(void);

void reset_handler(void) {
  uint32_t* to;
  const uint32_t* from = data_image;
  for (to = data_begin; to < data_end; ++to, ++from) {
    *to = *from;
  }
  for (to = bss_begin; to < bss_end; ++to) {
    *to = 0;
  }
  *(volatile uint32_t*)0xE000ED88 |= 0xFu << 20; /* CPACR: floating point on */
  __asm__ volatile("dsb\n isb" ::: "memory");
  (void)main();
  for (;;) {
    __asm__ volatile("wfi");
  }
}

typedef union {
  void (*handler)(void);
  const void* stack;
} vector_t;

/* 16 of the core, then the interrupts. */
__attribute__((section(".vectors"), used)) static const vector_t vectors[16 + interrupts] = {
    {.stack = stack_top},
    {.handler = reset_handler},
    {.handler = fault_handler},
    {.handler = fault_handler},
    {.handler = fault_handler},
    {.handler = fault_handler},
    {.handler = fault_handler},
    {.stack = NULL},
    {.stack = NULL},
    {.stack = NULL},
    {.stack = NULL},
    {.handler = SVC_Handler},
    {.handler = fault_handler},
    {.stack = NULL},
    {.handler = PendSV_Handler},
    {.handler = SysTick_Handler},
    {.handler = fault_handler},
    {.handler = fault_handler},
    {.handler = on_bell},
    {.handler = fault_handler},
    {.handler = fault_handler},
    {.handler = fault_handler},
    {.handler = fault_handler},
    {.handler = fault_handler},
    {.handler = fault_handler},
    {.handler = on_alarm}};
