/* SPDX-License-Identifier: Apache-2.0 */
/* What an image's `main` is made of: board, link to the host and session, kept alive.
 *
 *   static int create(void* context, ligament_session_t* session) { ... nodes, publishers ... }
 *   static int64_t work(void* context, int64_t now_us) { ... publish ...; return now_us + 10000; }
 *   int main(void) {
 *     static const ligament_app_t app = {
 *         "imu", LIGAMENT_BOARD_MAP, 0xC0FFEE01, create, work, NULL};
 *     return ligament_app_run(&app);
 *   }
 *
 * The agent may come later, and go: the image waits for it, and makes everything again.
 *
 * LIGAMENT_BOARD_MAP says what memory the board shares, by `ligament_add_image`.
 *
 * Sizes are chosen at compile time, for all of an image:
 *   LIGAMENT_APP_MTU        longest message of the link, default 2048. What is longer goes in
 *                           fragments, and only reliably. Above 496 bytes a message lies in the
 *                           slab, so the size costs this memory and nothing on the way.
 *   LIGAMENT_APP_OUT_SLOTS  reliable messages in flight, default 8
 *   LIGAMENT_APP_IN_SLOTS   reliable messages kept that came early, default 4
 *   LIGAMENT_APP_ASSEMBLY   longest message that comes in fragments, default 8192
 *   LIGAMENT_APP_STACK      bytes of stack of the session's task, default 8192; FreeRTOS only
 */
#ifndef LIGAMENT_APP_H
#define LIGAMENT_APP_H

#include <stdint.h>

#include "ligament/rpmsg_layout.h"
#include "ligament/xrce.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const char* name;         /* for people, on the console */
  ligament_rpmsg_map_t map; /* area shared with the host */
  uint32_t key;             /* XRCE client key: one per image */
  /* Makes nodes, publishers, subscriptions; the session is open, and its clock is the agent's. 0 or
   * an error. After TIMEOUT, LOST and REFUSED it is called again, with the same or another agent;
   * otherwise once. */
  int (*create)(void* context, ligament_session_t* session);
  /* Timers and the like, from `create`'s end on: called after each batch of messages, and at the
   * time that it returned last (of `board_now_us`; INT64_MAX: only after messages). While no agent
   * is there it goes on, and what it publishes is lost or refused. May be NULL. */
  int64_t (*work)(void* context, int64_t now_us);
  void* context;
} ligament_app_t;

/* `app` is static: FreeRTOS takes the stack of main() for interrupts.
 *
 * Does not return. Prints "ready" on the console when the session is open and its entities are
 * made, and again after each loss. "cannot connect E S" are an error of the client and the agent's
 * status (xrce.h). Another error of `create` ends the program, as abort() and a failed assert() do:
 * the core stops, and the host is told why. But for a map that cannot be it returns a code of
 * RPMsg. */
int ligament_app_run(const ligament_app_t* app);

#ifdef __cplusplus
}
#endif
#endif
