/* SPDX-License-Identifier: Apache-2.0 */
/* Without an operating system: one loop, which sleeps until the bell or the next deadline. */
#include <string.h>

#include "board.h"
#include "ligament/trace.h"
#include "rpmsg_port.h"
#include "system.h"

static ligament_rpmsg_t link;

enum { MAIN = 1, IDLE = 2 }; /* as tasks of the trace */

static void sleep_until(int64_t until_us) {
  ligament_trace_task(IDLE);
  board_wait(until_us);
  ligament_trace_task(MAIN);
}

static void wait(void* unused, uint32_t most_ms) {
  (void)unused;
  sleep_until(board_now_us() + (int64_t)most_ms * 1000);
}

static int64_t now_us(void* unused) {
  (void)unused;
  return board_now_us();
}

static ligament_rpmsg_port_t xrce = {.link = &link, .wait = wait, .now_us = now_us};

static void on_fault(const ligament_fault_t* fault) { ligament_rpmsg_crash(&link, fault); }

void system_crash(const ligament_fault_t* fault) {
  on_fault(fault);
  board_stop();
}

int system_run(const ligament_rpmsg_config_t* config, int (*body)(void)) {
  int result = ligament_rpmsg_start(&link, config);
  result = result != 0 ? result : ligament_rpmsg_port_open(&xrce);
  if (result != 0) {
    return result;
  }
  board_on_fault(on_fault);
  ligament_trace_name_task(MAIN, "main");
  ligament_trace_name_task(IDLE, "idle");
  result = body();
  system_end(result);
}

ligament_port_t system_port(void) { return ligament_rpmsg_port(&xrce); }

uint32_t system_connection(void) {
  while (ligament_rpmsg_poll(&link) > 0) {
  }
  return ligament_rpmsg_port_connection(&xrce);
}

void system_forget(void) { xrce.endpoint.peer = LIGAMENT_RPMSG_ANY; }

void system_wait(int64_t until_us) { sleep_until(until_us); }
