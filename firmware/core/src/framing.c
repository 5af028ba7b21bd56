/* SPDX-License-Identifier: Apache-2.0 */
#include "ligament/framing.h"

enum { BEGIN = 0x7E, ESCAPE = 0x7D, TURNED = 0x20, HEAD = 4, SUM = 2 };

uint16_t ligament_crc16(uint16_t sum, uint8_t byte) {
  sum = (uint16_t)(sum ^ byte);
  for (int bit = 0; bit < 8; ++bit) {
    sum = (uint16_t)((sum & 1) != 0 ? sum >> 1 ^ 0xA001 : sum >> 1);
  }
  return sum;
}

/* Collects what goes out, so that a UART gets pieces and not single bytes. */
typedef struct {
  ligament_framing_t* line;
  uint8_t bytes[64];
  size_t count;
  int result;
} writer_t;

static void flush(writer_t* to) {
  if (to->result >= 0 && to->count != 0) {
    to->result = to->line->write(to->line->context, to->bytes, to->count);
  }
  to->count = 0;
}

static void put(writer_t* to, uint8_t byte) {
  if (to->count + 2 > sizeof to->bytes) {
    flush(to);
  }
  if (byte == BEGIN || byte == ESCAPE) {
    to->bytes[to->count++] = ESCAPE;
    byte ^= TURNED;
  }
  to->bytes[to->count++] = byte;
}

static int send(void* context, const uint8_t* message, size_t size) {
  writer_t to = {context, {BEGIN}, 1, 0};
  uint16_t sum = 0;
  put(&to, 1); /* from us */
  put(&to, 0); /* to the agent */
  put(&to, (uint8_t)size);
  put(&to, (uint8_t)(size >> 8));
  for (size_t i = 0; i < size; ++i) {
    sum = ligament_crc16(sum, message[i]);
    put(&to, message[i]);
  }
  put(&to, (uint8_t)sum);
  put(&to, (uint8_t)(sum >> 8));
  flush(&to);
  return to.result;
}

/* One byte of a frame, unescaped; true: the frame is whole and its sum is right. */
static bool take(ligament_framing_t* line, uint8_t byte, uint8_t* message, size_t capacity) {
  const uint16_t at = line->at++;
  if (at < HEAD) {
    if (at == 2) {
      line->length = byte;
    } else if (at == 3) {
      line->length = (uint16_t)(line->length | byte << 8);
    }
    if (at == 3 && (line->length == 0 || line->length > capacity)) {
      line->is_in_frame = false;
      ++line->broken;
    }
    return false;
  }
  if (at < HEAD + line->length) {
    message[at - HEAD] = byte;
    line->sum = ligament_crc16(line->sum, byte);
    return false;
  }
  line->said_sum = (uint16_t)(line->said_sum >> 8 | byte << 8);
  if (at < HEAD + line->length + SUM - 1) {
    return false;
  }
  line->is_in_frame = false;
  line->broken += line->said_sum != line->sum;
  return line->said_sum == line->sum;
}

static bool decode(ligament_framing_t* line, uint8_t byte, uint8_t* message, size_t capacity) {
  if (byte == BEGIN) {
    line->broken += line->is_in_frame;
    line->is_in_frame = true;
    line->is_escaped = false;
    line->at = 0;
    line->sum = 0;
    return false;
  }
  if (!line->is_in_frame) {
    return false;
  }
  if (byte == ESCAPE) {
    line->is_escaped = true;
    return false;
  }
  if (line->is_escaped) {
    line->is_escaped = false;
    byte ^= TURNED;
  }
  return take(line, byte, message, capacity);
}

static int receive(void* context, uint8_t* message, size_t capacity, uint32_t wait_ms) {
  ligament_framing_t* line = context;
  const int64_t until = line->now_us(line->context) + (int64_t)wait_ms * 1000;
  for (;;) {
    while (line->chunk_at < line->chunk_size) {
      if (decode(line, line->chunk[line->chunk_at++], message, capacity)) {
        return line->length;
      }
    }
    const int64_t left = (until - line->now_us(line->context)) / 1000;
    const uint32_t wait = left > 0 ? (uint32_t)left : 0;
    const int count = line->read(line->context, line->chunk, sizeof line->chunk, wait);
    if (count <= 0) {
      return count;
    }
    line->chunk_size = (uint8_t)count;
    line->chunk_at = 0;
  }
}

static int64_t now_us(void* context) {
  const ligament_framing_t* line = context;
  return line->now_us(line->context);
}

ligament_port_t ligament_framing_port(ligament_framing_t* line) {
  ligament_port_t port = {line, send, receive, now_us, NULL, NULL, NULL, NULL, NULL};
  return port;
}
