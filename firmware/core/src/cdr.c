/* SPDX-License-Identifier: Apache-2.0 */
#include "ligament/cdr.h"

#include <string.h>

ligament_cdr_t ligament_cdr_over(uint8_t* bytes, size_t size) {
  ligament_cdr_t cdr = {bytes, size, 0, false};
  return cdr;
}

/* Moves to the next multiple of `size` with `count * size` bytes behind it. */
static bool reserve(ligament_cdr_t* cdr, size_t count, size_t size, bool writes) {
  const size_t from = (cdr->at + size - 1) / size * size;
  if (cdr->has_failed || from > cdr->size || (cdr->size - from) / size < count) {
    cdr->has_failed = true;
    return false;
  }
  if (writes && from != cdr->at) {
    memset(cdr->bytes + cdr->at, 0, from - cdr->at); /* no padding with what was there before */
  }
  cdr->at = from;
  return true;
}

void ligament_cdr_put(ligament_cdr_t* cdr, uint64_t value, size_t size) {
  if (!reserve(cdr, 1, size, true)) {
    return;
  }
  for (size_t i = 0; i < size; ++i) {
    cdr->bytes[cdr->at + i] = (uint8_t)(value >> (8 * i));
  }
  cdr->at += size;
}

uint64_t ligament_cdr_get(ligament_cdr_t* cdr, size_t size) {
  if (!reserve(cdr, 1, size, false)) {
    return 0;
  }
  uint64_t value = 0;
  for (size_t i = size; i > 0; --i) {
    value = value << 8 | *(const volatile uint8_t*)(cdr->bytes + cdr->at + i - 1);
  }
  cdr->at += size;
  return value;
}

bool ligament_cdr_get_bool(ligament_cdr_t* cdr) {
  const uint8_t value = ligament_cdr_get_u8(cdr);
  cdr->has_failed = cdr->has_failed || value > 1;
  return value == 1;
}

void ligament_cdr_put_bytes(ligament_cdr_t* cdr, const void* bytes, size_t size) {
  if (size != 0 && reserve(cdr, size, 1, true)) {
    memcpy(cdr->bytes + cdr->at, bytes, size);
    cdr->at += size;
  }
}

const uint8_t* ligament_cdr_get_bytes(ligament_cdr_t* cdr, size_t size) {
  if (!reserve(cdr, size, 1, false)) {
    return NULL;
  }
  cdr->at += size;
  return cdr->bytes + cdr->at - size;
}

static bool is_little_endian(void) {
  const uint16_t one = 1;
  uint8_t first;
  memcpy(&first, &one, 1);
  return first == 1;
}

/* Turns each value round where the processor has the other order. */
static void order(uint8_t* values, size_t count, size_t size) {
  if (is_little_endian()) {
    return;
  }
  for (size_t i = 0; i < count; ++i, values += size) {
    for (size_t j = 0; j < size / 2; ++j) {
      const uint8_t byte = values[j];
      values[j] = values[size - 1 - j];
      values[size - 1 - j] = byte;
    }
  }
}

void ligament_cdr_put_values(ligament_cdr_t* cdr, const void* values, size_t count, size_t size) {
  if (count == 0 || !reserve(cdr, count, size, true)) {
    return;
  }
  memcpy(cdr->bytes + cdr->at, values, count * size);
  order(cdr->bytes + cdr->at, count, size);
  cdr->at += count * size;
}

void ligament_cdr_get_values(ligament_cdr_t* cdr, void* values, size_t count, size_t size) {
  if (count == 0 || !reserve(cdr, count, size, false)) {
    return;
  }
  memcpy(values, cdr->bytes + cdr->at, count * size);
  order(values, count, size);
  cdr->at += count * size;
}

void ligament_cdr_put_text(ligament_cdr_t* cdr, const char* text) {
  const size_t size = strlen(text) + 1;
  ligament_cdr_put_u32(cdr, (uint32_t)size);
  ligament_cdr_put_bytes(cdr, text, size);
}

void ligament_cdr_get_text(ligament_cdr_t* cdr, char* text, size_t capacity) {
  const uint32_t size = ligament_cdr_get_u32(cdr);
  const uint8_t* bytes = ligament_cdr_get_bytes(cdr, size);
  text[0] = '\0';
  if (bytes == NULL || size == 0) {
    return; /* some write an empty text without its zero */
  }
  if (size > capacity) {
    cdr->has_failed = true;
    return;
  }
  memcpy(text, bytes, size); /* then the look: memory that is shared may change meanwhile */
  if (memchr(text, 0, size) != text + size - 1) {
    cdr->has_failed = true;
    text[0] = '\0';
  }
}

uint32_t ligament_cdr_get_count(ligament_cdr_t* cdr, uint32_t most) {
  const uint32_t count = ligament_cdr_get_u32(cdr);
  cdr->has_failed = cdr->has_failed || count > most;
  return cdr->has_failed ? 0 : count;
}
