/* SPDX-License-Identifier: Apache-2.0 */
/* Arm MPS2 with AN386: vectors, start, two serial lines (CMSDK APB UART), the system tick. */
#include "board.h"

#include <stddef.h>

#define REGISTER(address) (*(volatile uint32_t*)(address))

enum { console = 0x40004000, bell = 0x40005000 }; /* serial lines 0 and 1 */
enum { data = 0x0, state = 0x4, control = 0x8, clear = 0xC, divider = 0x10 };
enum { tx_full = 1, rx_full = 2, tx_on = 1, rx_on = 2, rx_interrupt = 8 };
enum { bell_interrupt = 2, ticks_per_second = 1000, clock_hz = 25000000 };

extern uint32_t data_begin[], data_end[], data_image[], bss_begin[], bss_end[], stack_top[];
int main(void);
void reset_handler(void);

static volatile uint32_t rung;
static volatile uint32_t now_ms;

void board_init(void) {
  REGISTER(console + divider) = 16;
  REGISTER(console + control) = tx_on;
  REGISTER(bell + divider) = 16;
  REGISTER(bell + control) = tx_on | rx_on | rx_interrupt;
  REGISTER(0xE000E100) = 1u << bell_interrupt;            /* NVIC: enable */
  REGISTER(0xE000E014) = clock_hz / ticks_per_second - 1; /* SysTick: reload */
  REGISTER(0xE000E018) = 0;
  REGISTER(0xE000E010) = 7;
}

static void put(uint32_t line, char letter) {
  while ((REGISTER(line + state) & tx_full) != 0) {
  }
  REGISTER(line + data) = (uint32_t)(unsigned char)letter;
}

void board_kick(void* unused) {
  (void)unused;
  /* A byte that still waits is a ring of its own. */
  if ((REGISTER(bell + state) & tx_full) == 0) {
    REGISTER(bell + data) = 1;
  }
}

void board_print(const char* text) {
  for (; *text != '\0'; ++text) {
    put(console, *text);
  }
  put(console, '\n');
}

void board_wait(void) {
  /* Interrupts are off from the look to the sleep: WFI wakes up all the same, and no ring that
   * comes in between is slept through. */
  __asm__ volatile("cpsid i" ::: "memory");
  if (rung == 0) {
    __asm__ volatile("wfi" ::: "memory");
  }
  rung = 0;
  __asm__ volatile("cpsie i" ::: "memory");
}

uint32_t board_now_ms(void) { return now_ms; }

static void on_bell(void) {
  REGISTER(bell + clear) = rx_full;
  while ((REGISTER(bell + state) & rx_full) != 0) {
    (void)REGISTER(bell + data);
  }
  rung = 1;
}

static void on_tick(void) { ++now_ms; }

static void on_fault(void) {
  board_print("fault");
  for (;;) {
  }
}

void reset_handler(void) {
  uint32_t* to;
  const uint32_t* from = data_image;
  for (to = data_begin; to < data_end; ++to, ++from) {
    *to = *from;
  }
  for (to = bss_begin; to < bss_end; ++to) {
    *to = 0;
  }
  REGISTER(0xE000ED88) |= 0xFu << 20; /* CPACR: floating point on */
  __asm__ volatile("dsb\n isb" ::: "memory");
  (void)main();
  for (;;) {
  }
}

typedef union {
  void (*handler)(void);
  const void* stack;
} vector_t;

/* 16 of the core, then the interrupts: 2 is the bell's receiver. */
__attribute__((section(".vectors"), used)) static const vector_t vectors[16 + 4] = {
    {.stack = stack_top},  {.handler = reset_handler},
    {.handler = on_fault}, {.handler = on_fault},
    {.handler = on_fault}, {.handler = on_fault},
    {.handler = on_fault}, {.stack = NULL},
    {.stack = NULL},       {.stack = NULL},
    {.stack = NULL},       {.handler = on_fault},
    {.handler = on_fault}, {.stack = NULL},
    {.handler = on_fault}, {.handler = on_tick},
    {.handler = on_fault}, {.handler = on_fault},
    {.handler = on_bell},  {.handler = on_fault}};
