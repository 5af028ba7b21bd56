/* SPDX-License-Identifier: Apache-2.0 */
/* Zynq UltraScale+, the real-time processor: two serial lines (Cadence UART) and the processor's
 * cycle counter. Line 1 is the bell to the host.
 *
 * The emulator has no interrupt controller for this core, and so no timer. The host raises the
 * core's interrupt itself, and lowers it when the core has taken the cause, a word of the area.
 * Some bytes on the bell's line ask the host for such an interrupt later (ligament/alarm_byte.h).
 */
#include "board.h"

#include <stdbool.h>
#include <stddef.h>

#include "ligament/alarm_byte.h"
#include "ligament/rpmsg_layout.h"
#include "ligament/trace.h"
#include "parts.h"

#define REGISTER(address) (*(volatile uint32_t*)(address))
#define CONSOLE 0xFF000000u
#define BELL 0xFF010000u

enum { uart_control = 0x00, uart_mode = 0x04, uart_state = 0x2C, uart_data = 0x30 };
enum { uart_on = 0x14, uart_8n1 = 0x20, uart_tx_full = 0x10 };
enum { irq_pending = 0x80, most_turns = 100000, turns_per_look = 500 };
enum { ring = 1 };
enum { counts_per_eight_us = 125 }; /* 1 GHz, each 64th cycle is counted: 64 ns */

static volatile uint32_t* cause;
static volatile uint32_t rung;
static void (*bell_call)(void);
static void (*alarm_call)(void);
static void (*fault_call)(const ligament_fault_t* fault);
/* Deadlines, and when the host will ring for the next one; INT64_MAX: none. */
static volatile int64_t alarm_us = INT64_MAX;
static volatile int64_t wake_us = INT64_MAX;
static volatile int64_t asked_us = INT64_MAX;

uint32_t board_mask(void) {
  uint32_t before;
  __asm__ volatile("mrs %0, cpsr\n cpsid i" : "=r"(before)::"memory");
  return before;
}
void board_unmask(uint32_t before) { __asm__ volatile("msr cpsr_c, %0" ::"r"(before) : "memory"); }

void board_init(void* area) {
  ligament_rpmsg_control_t* control = (ligament_rpmsg_control_t*)(void*)((uint8_t*)area + 1024);
  cause = &control->line_to_core;
  REGISTER(CONSOLE + uart_mode) = uart_8n1;
  REGISTER(CONSOLE + uart_control) = uart_on;
  REGISTER(BELL + uart_mode) = uart_8n1;
  REGISTER(BELL + uart_control) = uart_on;
  /* Performance monitor: on, cycle counter from 0, each 64th cycle. */
  __asm__ volatile("mcr p15, 0, %0, c9, c12, 0" ::"r"(1u | 4u | 8u));
  __asm__ volatile("mcr p15, 0, %0, c9, c12, 1" ::"r"(1u << 31));
  /* Interrupts stay masked: `board_wait` sees them; an operating system unmasks them. */
}

/* The counter runs through in 275 s. A sleep is shorter, so who asks next adds what has gone by: 8
 * us for each 125 counts. A division of all counts would have 64 bits: ten times as many
 * instructions as the rest. */
int64_t board_now_us(void) {
  static uint32_t last;
  static uint32_t rest; /* counts that are no eight microseconds yet */
  static int64_t passed_us;
  const uint32_t before = board_mask();
  uint32_t now;
  uint32_t passed;
  int64_t now_us;
  __asm__ volatile("mrc p15, 0, %0, c9, c13, 0" : "=r"(now));
  passed = now - last;
  rest += passed % counts_per_eight_us;
  passed_us += (int64_t)(passed / counts_per_eight_us + rest / counts_per_eight_us) * 8;
  rest %= counts_per_eight_us;
  last = now;
  now_us = passed_us + rest * 8 / counts_per_eight_us;
  board_unmask(before);
  return now_us;
}

static void put(uint32_t line, uint32_t byte) {
  while ((REGISTER(line + uart_state) & uart_tx_full) != 0) {
  }
  REGISTER(line + uart_data) = byte;
}

void board_kick(void* unused) {
  (void)unused;
  put(BELL, ring);
}

void board_print(const char* line) {
  for (; *line != '\0'; ++line) {
    put(CONSOLE, (unsigned char)*line);
  }
  put(CONSOLE, '\n');
}

/* Asks the host for an interrupt at the next deadline, or before, unless one comes soon enough:
 * whoever waits looks at the clock again. */
static void ask(void) {
  const int64_t next_us = alarm_us < wake_us ? alarm_us : wake_us;
  const int64_t now = board_now_us();
  if (next_us < asked_us) {
    const uint8_t byte = ligament_alarm_byte(next_us > now ? next_us - now : 0);
    asked_us = now + ligament_alarm_us(byte);
    put(BELL, byte);
  }
}

void board_wake_at(int64_t at_us) {
  const uint32_t before = board_mask();
  wake_us = at_us;
  ask();
  board_unmask(before);
}

void board_alarm(int64_t at_us) {
  const uint32_t before = board_mask();
  alarm_us = at_us;
  ask();
  board_unmask(before);
}

void board_on_bell(void (*call)(void)) { bell_call = call; }
void board_on_alarm(void (*call)(void)) { alarm_call = call; }
void board_on_fault(void (*call)(const ligament_fault_t* fault)) { fault_call = call; }

static void look_at_clock(void) {
  const int64_t now = board_now_us();
  asked_us = now >= asked_us ? INT64_MAX : asked_us;
  wake_us = now >= wake_us ? INT64_MAX : wake_us;
  if (now >= alarm_us) {
    alarm_us = INT64_MAX;
    if (alarm_call != NULL) {
      alarm_call();
    }
  }
  ask();
}

/* Whether the interrupt stays raised for so many turns. An unmasked one would come again after each
 * instruction. The emulator's other threads hardly run while a core takes interrupts or reads the
 * clock, so the turns are counted. */
static bool is_pending(int turns) {
  uint32_t pending = irq_pending;
  for (int turn = 0; turn < turns && (pending & irq_pending) != 0; ++turn) {
    __asm__ volatile("mrc p15, 0, %0, c12, c1, 0" : "=r"(pending)); /* ISR */
  }
  return (pending & irq_pending) != 0;
}

/* Whether the host has rung; then it is asked to lower the interrupt. */
static bool take_cause(void) {
  if (__atomic_exchange_n(cause, 0, __ATOMIC_SEQ_CST) == 0) {
    return false;
  }
  put(BELL, ring);
  rung = 1;
  return true;
}

/* Of a masked interrupt: what its handler would do. */
static void hear(void) {
  if (take_cause()) {
    ligament_trace_interrupt_begin(LIGAMENT_TRACE_LINE);
    look_at_clock();
    ligament_trace_interrupt_end(LIGAMENT_TRACE_LINE);
  }
}

/* The interrupt is masked, and asked for: WFI ends at it all the same. While the host has not
 * lowered the last one, WFI would end at once: then the clock is watched. */
void board_wait(int64_t until_us) {
  const uint32_t before = board_mask();
  hear();
  while (rung == 0 && until_us > board_now_us()) {
    if (!is_pending(turns_per_look)) {
      board_wake_at(until_us);
      __asm__ volatile("dsb\n wfi" ::: "memory");
    }
    hear();
  }
  rung = 0;
  board_unmask(before);
}

void on_irq(void) {
  const bool was_raised = take_cause();
  ligament_trace_interrupt_begin(LIGAMENT_TRACE_LINE);
  (void)is_pending(most_turns);
  if (was_raised) {
    if (bell_call != NULL) {
      bell_call();
    }
    look_at_clock();
  }
  ligament_trace_interrupt_end(LIGAMENT_TRACE_LINE);
}

void board_stop(void) {
  (void)board_mask();
  for (;;) {
    __asm__ volatile("wfi");
  }
}

void on_fault(uint32_t kind, uint32_t at) {
  ligament_fault_t fault = {kind, at, 0};
  if (kind == LIGAMENT_FAULT_DATA) {
    __asm__ volatile("mrc p15, 0, %0, c6, c0, 0" : "=r"(fault.with)); /* DFAR */
  }
  board_print("fault");
  if (fault_call != NULL) {
    fault_call(&fault);
  }
  board_stop();
}
