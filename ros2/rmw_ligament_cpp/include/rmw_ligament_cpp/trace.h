/* SPDX-License-Identifier: Apache-2.0 */
/** \file For a program that knows its callbacks better than the middleware does, such as a
 * container of Python nodes: which message a callback is about, and figures of this process's
 * nodes.
 *
 *   rmw_ligament_last_taken(NULL);        // once, before the first take: callbacks are told by us
 *   rmw_ligament_taken_t message;
 *   rmw_ligament_last_taken(&message);    // on the thread that has taken, before the callback
 *   callback_start(message.subscription, message.publisher, message.sequence);
 */
#ifndef RMW_LIGAMENT_CPP__TRACE_H_
#define RMW_LIGAMENT_CPP__TRACE_H_

#include <rmw/visibility_control.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A message as the event `take` names it (spec/events/reference.md). All 0: none. */
typedef struct rmw_ligament_taken_s {
  uint64_t subscription;
  uint64_t publisher;
  uint64_t sequence;
} rmw_ligament_taken_t;

/** The message or request that this thread has taken last. Who has asked once, also with null,
 * tells where callbacks start and end: the layer emits no such event in this process any more. */
RMW_PUBLIC void rmw_ligament_last_taken(rmw_ligament_taken_t* taken);

/** Writes the figures of this process's nodes, the array `nodes` of a status line
 * (spec/run/status.schema.json), as JSON with a final 0. Returns the length without that 0: where
 * it is not less than `size`, the text was cut and is of no use. 0: the process is part of no run,
 * or there was no memory. `buffer` may be null where `size` is 0. */
RMW_PUBLIC size_t rmw_ligament_status_nodes(char* buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* RMW_LIGAMENT_CPP__TRACE_H_ */
