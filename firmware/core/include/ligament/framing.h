/* SPDX-License-Identifier: Apache-2.0 */
/* Messages over a byte stream (spec/wire/xrce.md, section 8): a UART, a pseudo terminal. Two
 * functions of the board, read and write, become a port.
 *
 *   static ligament_framing_t line;
 *   line.context = &uart; line.write = uart_write; line.read = uart_read; line.now_us = uart_now;
 *   ligament_session_options_t options = ligament_session_defaults(ligament_framing_port(&line),
 * key);
 */
#ifndef LIGAMENT_FRAMING_H
#define LIGAMENT_FRAMING_H

#include <stdbool.h>

#include "ligament/port.h"

typedef struct {
  void* context;
  /* All of the bytes: 0, or a negative code. */
  int (*write)(void* context, const uint8_t* bytes, size_t size);
  /* Waits for at least one byte: how many came, 0: none in time, or a negative code. */
  int (*read)(void* context, uint8_t* bytes, size_t capacity, uint32_t wait_ms);
  int64_t (*now_us)(void* context);

  uint32_t broken; /* frames that were dropped: a wrong sum, or cut off */

  /* Private. What has come of a frame lies in the memory that `receive` was given, which is the
   * same each time. */
  uint8_t chunk[64];
  uint8_t chunk_size;
  uint8_t chunk_at;
  bool is_in_frame;
  bool is_escaped;
  uint16_t at; /* bytes of the frame behind its begin */
  uint16_t length;
  uint16_t sum;
  uint16_t said_sum;
} ligament_framing_t;

ligament_port_t ligament_framing_port(ligament_framing_t* line);

/* CRC-16 (polynomial 0x8005, reflected) of one more byte; begins with 0. */
uint16_t ligament_crc16(uint16_t sum, uint8_t byte);

#endif
