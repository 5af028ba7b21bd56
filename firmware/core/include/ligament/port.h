/* SPDX-License-Identifier: Apache-2.0 */
/* All that the core needs of a board: three functions, and two more where the link is a byte stream
 * (ligament/framing.h). To port: copy port/template and fill them in. Five more are for links with
 * memory of their own, such as RPMsg's: with them long messages are not copied, and the other side
 * is woken less often.
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

  /* The rest is NULL where the link has no memory of its own. */

  /* Memory of the link for a message of so many bytes, which is then built where it is sent from.
   * It is the caller's until `give_back`. NULL: there is none now, or a copy is cheaper. */
  uint8_t* (*lend)(void* context, size_t size);
  /* Sends the first bytes of such memory, as `send` does. It stays lent, unchanged from now on:
   * what was lost on the way is sent again. */
  int (*send_lent)(void* context, uint8_t* memory, size_t size);
  void (*give_back)(void* context, uint8_t* memory);
  /* As `receive`, but a long message stays where it is in the link: `*message` says where, until
   * the next message is received in either way. `*message` is first memory for a short one. The
   * other side may still write there, so each byte is read once. */
  int (*receive_in_place)(void* context, uint8_t** message, size_t capacity, uint32_t wait_ms);
  /* As `send`, of what is in no hurry (an acknowledgement): the other side is woken by the next
   * `send`, or when something is received next. NULL where that saves nothing. */
  int (*send_later)(void* context, const uint8_t* message, size_t size);
} ligament_port_t;

#endif
