/* SPDX-License-Identifier: Apache-2.0 */
/* All that the core needs of a board: three functions, and two more where the link is a byte stream
 * (ligament/framing.h). To port: copy port/template and fill them in.
 *
 * None may be called from an interrupt, nor from two tasks at once: a session belongs to one task.
 */
#ifndef LIGAMENT_PORT_H
#define LIGAMENT_PORT_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  void* context; /* given back with each call */

  /* Sends one message. 0, or a negative code of the port, which comes back to the caller. A message
   * that is lost on the way is no error. */
  int (*send)(void* context, const uint8_t* message, size_t size);

  /* Waits at most so long for one whole message. Its size, 0: none came, or a negative code. A
   * longer message than `capacity` is dropped. */
  int (*receive)(void* context, uint8_t* message, size_t capacity, uint32_t wait_ms);

  /* Microseconds since any moment, never backwards. */
  int64_t (*now_us)(void* context);
} ligament_port_t;

#endif
