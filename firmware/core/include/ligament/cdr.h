/* SPDX-License-Identifier: Apache-2.0 */
/* CDR: values in memory that the caller owns, little-endian, each aligned to its own size from the
 * begin. Used by generated message code, and by the session for the protocol's own payloads.
 *
 *   uint8_t memory[64];
 *   ligament_cdr_t to = ligament_cdr_over(memory, sizeof memory);
 *   ligament_cdr_put_u32(&to, 7);
 *   if (to.has_failed) ...            // once, at the end: nothing is written behind the memory
 */
#ifndef LIGAMENT_CDR_H
#define LIGAMENT_CDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint8_t* bytes;
  size_t size;     /* of the memory */
  size_t at;       /* written or read so far */
  bool has_failed; /* it would not have fitted, or cannot be */
} ligament_cdr_t;

ligament_cdr_t ligament_cdr_over(uint8_t* bytes, size_t size);

/* `size` is 1, 2, 4 or 8 bytes. */
void ligament_cdr_put(ligament_cdr_t* cdr, uint64_t value, size_t size);
uint64_t ligament_cdr_get(ligament_cdr_t* cdr, size_t size);

void ligament_cdr_put_bytes(ligament_cdr_t* cdr, const void* bytes, size_t size);
/* Where so many bytes lie; NULL: there are not so many. */
const uint8_t* ligament_cdr_get_bytes(ligament_cdr_t* cdr, size_t size);

/* `count` values of `size` bytes each, as they are in memory. */
void ligament_cdr_put_values(ligament_cdr_t* cdr, const void* values, size_t count, size_t size);
void ligament_cdr_get_values(ligament_cdr_t* cdr, void* values, size_t count, size_t size);

/* A text that ends with a zero. `get` fails where it does not fit with its zero. */
void ligament_cdr_put_text(ligament_cdr_t* cdr, const char* text);
void ligament_cdr_get_text(ligament_cdr_t* cdr, char* text, size_t capacity);
/* The number of elements of a sequence; more than `most` is a failure, and then 0. */
uint32_t ligament_cdr_get_count(ligament_cdr_t* cdr, uint32_t most);

static inline void ligament_cdr_put_u8(ligament_cdr_t* cdr, uint8_t value) {
  ligament_cdr_put(cdr, value, 1);
}
static inline void ligament_cdr_put_u16(ligament_cdr_t* cdr, uint16_t value) {
  ligament_cdr_put(cdr, value, 2);
}
static inline void ligament_cdr_put_u32(ligament_cdr_t* cdr, uint32_t value) {
  ligament_cdr_put(cdr, value, 4);
}
static inline uint8_t ligament_cdr_get_u8(ligament_cdr_t* cdr) {
  return (uint8_t)ligament_cdr_get(cdr, 1);
}
static inline uint16_t ligament_cdr_get_u16(ligament_cdr_t* cdr) {
  return (uint16_t)ligament_cdr_get(cdr, 2);
}
static inline uint32_t ligament_cdr_get_u32(ligament_cdr_t* cdr) {
  return (uint32_t)ligament_cdr_get(cdr, 4);
}
bool ligament_cdr_get_bool(ligament_cdr_t* cdr);

#endif
