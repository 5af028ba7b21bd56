/* SPDX-License-Identifier: Apache-2.0 */
/* What the app needs of an operating system, or of none. One file has it: bare.c, freertos.c. */
#ifndef LIGAMENT_APP_SYSTEM_H
#define LIGAMENT_APP_SYSTEM_H

#include "ligament/port.h"
#include "ligament/rpmsg.h"

#ifndef LIGAMENT_APP_MTU
#define LIGAMENT_APP_MTU 2048
#endif

/* Starts the link, then calls `body` where a session may run. Returns a code of RPMsg where it
 * cannot start. Where `body` returns, the host is told that the program has ended. */
int system_run(const ligament_rpmsg_config_t* config, int (*body)(void));
/* Tells the host why the core stops, and stops it. */
void system_crash(const ligament_fault_t* fault) __attribute__((noreturn));
void system_end(int result) __attribute__((noreturn));
/* For the session. */
ligament_port_t system_port(void);
/* 0: no agent is there. Else a number that is another one for each agent. */
uint32_t system_connection(void);
/* An agent that says nothing is not there until it says something. */
void system_forget(void);
/* Until something has come, or the clock is there. It may return sooner. */
void system_wait(int64_t until_us);

#endif
