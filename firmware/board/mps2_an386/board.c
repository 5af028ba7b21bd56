/* SPDX-License-Identifier: Apache-2.0 */
/* Arm MPS2 with AN386: two serial lines (CMSDK APB UART) and two timers of 25 MHz. */
#include "board.h"

#include <stddef.h>

#include "ligament/trace.h"
#include "parts.h"

#define REGISTER(address) (*(volatile uint32_t*)(address))

enum { console = 0x40004000, bell = 0x40005000 }; /* serial lines 0 and 1 */
enum { data = 0x0, state = 0x4, control = 0x8, clear = 0xC, divider = 0x10 };
enum { tx_full = 1, rx_full = 2, tx_on = 1, rx_on = 2, rx_interrupt = 8 };
enum { timer_clock = 0x40000000, timer_alarm = 0x40001000 };
enum { timer_control = 0x0, timer_value = 0x4, timer_reload = 0x8, timer_clear = 0xC };
enum {
  usage_faults = 0x03FF0000,
  fetch_faults = 0x0101,
  data_faults = 0x3E3E,
  bus_address_valid = 0x8000,
  memory_address_valid = 0x80,
  first_handled = 11 /* exceptions below it are faults of the core */
};
enum { timer_on = 1, timer_interrupt = 8, ticks_per_us = 25, longest_sleep_us = 60000000 };

static volatile uint32_t rung;
static void (*bell_call)(void);
static void (*alarm_call)(void);
static void (*fault_call)(const ligament_fault_t* fault);

void board_init(void* unused) {
  (void)unused;
  REGISTER(console + divider) = 16;
  REGISTER(console + control) = tx_on;
  REGISTER(bell + divider) = 16;
  REGISTER(bell + control) = tx_on | rx_on | rx_interrupt;
  REGISTER(timer_clock + timer_reload) = UINT32_MAX;
  REGISTER(timer_clock + timer_value) = UINT32_MAX;
  REGISTER(timer_clock + timer_control) = timer_on;
  REGISTER(timer_alarm + timer_reload) = 0; /* it fires once */
  /* NVIC: one priority, above the lowest ones, which an operating system has. */
  *(volatile uint8_t*)(0xE000E400 + bell_interrupt) = 0xA0;
  *(volatile uint8_t*)(0xE000E400 + alarm_interrupt) = 0xA0;
  REGISTER(0xE000E100) = 1u << bell_interrupt | 1u << alarm_interrupt; /* enable */
}

uint32_t board_mask(void) {
  uint32_t masked;
  __asm__ volatile("mrs %0, primask\n cpsid i" : "=r"(masked)::"memory");
  return masked;
}
void board_unmask(uint32_t before) { __asm__ volatile("msr primask, %0" ::"r"(before) : "memory"); }

/* The counter runs through in 171 s. A sleep is shorter, so who asks next adds what has gone by. A
 * division of all ticks would have 64 bits: ten times as many instructions as the rest. */
int64_t board_now_us(void) {
  static uint32_t last;
  static uint32_t rest; /* ticks that are no microsecond yet */
  static int64_t passed_us;
  const uint32_t before = board_mask();
  const uint32_t now = UINT32_MAX - REGISTER(timer_clock + timer_value);
  const uint32_t passed = now - last;
  int64_t now_us;
  rest += passed % ticks_per_us;
  passed_us += passed / ticks_per_us + rest / ticks_per_us;
  rest %= ticks_per_us;
  last = now;
  now_us = passed_us;
  board_unmask(before);
  return now_us;
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

void board_print(const char* line) {
  for (; *line != '\0'; ++line) {
    put(console, *line);
  }
  put(console, '\n');
}

static void set_alarm(int64_t left_us) {
  left_us = left_us > longest_sleep_us ? longest_sleep_us : left_us < 1 ? 1 : left_us;
  REGISTER(timer_alarm + timer_value) = (uint32_t)left_us * ticks_per_us;
  REGISTER(timer_alarm + timer_control) = timer_on | timer_interrupt;
}

void board_alarm(int64_t at_us) { set_alarm(at_us - board_now_us()); }

void board_wait(int64_t until_us) {
  /* Interrupts are off from the look to the sleep: WFI wakes up all the same, and no ring that
   * comes in between is slept through. */
  __asm__ volatile("cpsid i" ::: "memory");
  if (rung == 0) {
    const int64_t left_us = until_us - board_now_us();
    if (left_us > 0) {
      set_alarm(left_us);
      __asm__ volatile("wfi" ::: "memory");
      REGISTER(timer_alarm + timer_control) = 0;
    }
  }
  rung = 0;
  __asm__ volatile("cpsie i" ::: "memory");
}

void board_on_bell(void (*call)(void)) { bell_call = call; }

void on_bell(void) {
  ligament_trace_interrupt_begin(LIGAMENT_TRACE_BELL);
  REGISTER(bell + clear) = rx_full;
  while ((REGISTER(bell + state) & rx_full) != 0) {
    (void)REGISTER(bell + data);
  }
  rung = 1;
  if (bell_call != NULL) {
    bell_call();
  }
  ligament_trace_interrupt_end(LIGAMENT_TRACE_BELL);
}

void board_on_alarm(void (*call)(void)) { alarm_call = call; }

void on_alarm(void) {
  ligament_trace_interrupt_begin(LIGAMENT_TRACE_ALARM);
  REGISTER(timer_alarm + timer_clear) = 1;
  if (alarm_call != NULL) {
    alarm_call();
  }
  ligament_trace_interrupt_end(LIGAMENT_TRACE_ALARM);
}

void board_on_fault(void (*call)(const ligament_fault_t* fault)) { fault_call = call; }

void board_stop(void) {
  __asm__ volatile("cpsid i" ::: "memory");
  for (;;) {
    __asm__ volatile("wfi");
  }
}

/* Which of the faults of the core, by its status register (CFSR). */
static void name_fault(ligament_fault_t* fault) {
  const uint32_t status = REGISTER(0xE000ED28);
  if ((status & usage_faults) != 0) {
    fault->kind = LIGAMENT_FAULT_INSTRUCTION;
  } else if ((status & fetch_faults) != 0) {
    fault->kind = LIGAMENT_FAULT_FETCH;
  } else if ((status & data_faults) != 0) {
    fault->kind = LIGAMENT_FAULT_DATA;
    fault->with = (status & bus_address_valid) != 0      ? REGISTER(0xE000ED38)
                  : (status & memory_address_valid) != 0 ? REGISTER(0xE000ED34)
                                                         : 0;
  }
}

void on_fault(const uint32_t* frame) {
  ligament_fault_t fault = {LIGAMENT_FAULT_UNKNOWN, frame[6], 0};
  uint32_t exception;
  __asm__ volatile("mrs %0, ipsr" : "=r"(exception));
  if (exception >= first_handled) {
    fault.kind = LIGAMENT_FAULT_INTERRUPT;
    fault.with = exception;
  } else {
    name_fault(&fault);
  }
  board_print("fault");
  if (fault_call != NULL) {
    fault_call(&fault);
  }
  board_stop();
}
