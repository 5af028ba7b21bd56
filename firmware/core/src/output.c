/* SPDX-License-Identifier: Apache-2.0 */
/* What goes to the agent: messages, the window of those that are not acknowledged yet, fragments.
 */
#include <string.h>

#include "wire.h"

enum { FIRST_PAUSE_US = 100000, LEAST_PAUSE_US = 5000, MOST_PAUSE_US = 200000 };

static uint8_t* scratch(ligament_session_t* session) {
  return session->options.memory + session->options.mtu;
}

static uint8_t* slot(ligament_session_t* session, uint16_t number) {
  const size_t place = number % session->options.out_slots;
  return session->options.memory + (2 + place) * session->options.mtu;
}

static int send(ligament_session_t* session, const uint8_t* message, size_t size) {
  ++session->figures.sent;
  return session->options.port.send(session->options.port.context, message, size);
}

static void put_header(ligament_session_t* session, uint8_t* message, uint8_t stream,
                       uint16_t number) {
  message[0] = session->id;
  message[1] = stream;
  message[2] = (uint8_t)number;
  message[3] = (uint8_t)(number >> 8);
}

static void put_subheader(uint8_t* to, uint8_t submessage, uint8_t flags, size_t size) {
  to[0] = submessage;
  to[1] = (uint8_t)(flags | LIG_LITTLE_ENDIAN);
  to[2] = (uint8_t)(size > UINT16_MAX ? 0 : size);
  to[3] = (uint8_t)(size > UINT16_MAX ? 0 : size >> 8);
}

bool lig_has_room(const ligament_session_t* session) {
  return session->out.count < session->options.out_slots;
}

/* A message of a stream of which the memory is filled already. */
static int commit(ligament_session_t* session, uint16_t size) {
  ligament_out_t* out = &session->out;
  const size_t place = out->next % session->options.out_slots;
  const int64_t now = lig_now_us(session);
  out->sizes[place] = size;
  out->is_repeated[place] = false;
  out->sent_us[place] = now;
  if (out->count == 0) {
    out->heartbeat_us = now + out->pause_us;
  }
  const uint8_t* message = slot(session, out->next);
  ++out->next;
  ++out->count;
  return send(session, message, size);
}

/* A fragment whose bytes lie in the slot already. */
static int send_fragment(ligament_session_t* session, size_t size, bool is_last) {
  uint8_t* message = slot(session, session->out.next);
  put_header(session, message, LIG_RELIABLE, session->out.next);
  put_subheader(message + LIG_HEADER, LIG_FRAGMENT, is_last ? LIG_LAST_FRAGMENT : 0, size);
  session->out.is_open = !is_last;
  return commit(session, (uint16_t)(LIG_HEADER + LIG_SUBHEADER + size));
}

/* Room for one more reliable message, after waiting for it as long as the options allow. Not in a
 * callback: what it reads lies where the next message would be received. */
static int await_room(ligament_session_t* session) {
  const int64_t until = lig_now_us(session) + (int64_t)session->options.block_ms * 1000;
  while (!lig_has_room(session)) {
    if (session->is_in_callback || lig_now_us(session) >= until) {
      return LIGAMENT_ERROR_FULL;
    }
    const int result = lig_poll(session, 1);
    if (result < 0) {
      return result;
    }
  }
  return 0;
}

int lig_make_room(ligament_session_t* session) {
  const int64_t until = lig_now_us(session) + (int64_t)session->options.answer_ms * 1000;
  while (!lig_has_room(session)) {
    const bool may_wait = !session->is_in_callback && lig_now_us(session) < until;
    const int result = may_wait ? lig_poll(session, 1) : LIGAMENT_ERROR_FULL;
    if (result < 0) {
      return result;
    }
  }
  return 0;
}

/* The agent puts together what comes until a last fragment: one that was given up needs one. */
static int end_what_is_open(ligament_session_t* session) {
  if (!session->out.is_open) {
    return 0;
  }
  const int result = send_fragment(session, 0, true);
  return result < 0 ? result : await_room(session);
}

int lig_begin(ligament_session_t* session, uint8_t stream, uint8_t submessage, uint8_t flags,
              ligament_cdr_t* payload) {
  uint8_t* message = scratch(session);
  uint16_t number = 0;
  if (stream == LIG_RELIABLE) {
    int result = await_room(session);
    result = result < 0 ? result : end_what_is_open(session);
    if (result < 0) {
      return result;
    }
    number = session->out.next;
    message = slot(session, number);
  } else if (stream == LIG_BEST_EFFORT) {
    number = session->best_effort_next++;
  }
  put_header(session, message, stream, number);
  put_subheader(message + LIG_HEADER, submessage, flags, 0);
  const size_t heads = LIG_HEADER + LIG_SUBHEADER;
  *payload = ligament_cdr_over(message + heads, session->options.mtu - heads);
  return 0;
}

int lig_end(ligament_session_t* session, uint8_t stream, const ligament_cdr_t* payload) {
  if (payload->has_failed) {
    return LIGAMENT_ERROR_TOO_LARGE;
  }
  uint8_t* message = payload->bytes - LIG_SUBHEADER - LIG_HEADER;
  const uint8_t* subheader = message + LIG_HEADER;
  put_subheader(message + LIG_HEADER, subheader[0], subheader[1], payload->at);
  const size_t size = LIG_HEADER + LIG_SUBHEADER + payload->at;
  if (stream == LIG_RELIABLE) {
    return commit(session, (uint16_t)size);
  }
  return send(session, message, size);
}

/* The bytes of a long submessage: its heads, then its body. */
typedef struct {
  const uint8_t* head;
  size_t head_size;
  const uint8_t* body;
  size_t size;
} long_t;

/* Copies `count` bytes from `at` on. */
static void copy_from(const long_t* all, size_t at, size_t count, uint8_t* to) {
  if (at < all->head_size) {
    const size_t part = all->head_size - at < count ? all->head_size - at : count;
    memcpy(to, all->head + at, part);
    at += part;
    count -= part;
    to += part;
  }
  if (count != 0) {
    memcpy(to, all->body + (at - all->head_size), count);
  }
}

static int send_long(ligament_session_t* session, const long_t* all) {
  const size_t most = ((size_t)session->options.mtu - LIG_HEADER - LIG_SUBHEADER) / 4 * 4;
  const size_t fragments = (all->size + most - 1) / most;
  const size_t room = (size_t)(session->options.out_slots - session->out.count);
  if (fragments > room && (session->options.block_ms == 0 || session->is_in_callback)) {
    return fragments > session->options.out_slots ? LIGAMENT_ERROR_TOO_LARGE : LIGAMENT_ERROR_FULL;
  }
  int result = await_room(session);
  result = result < 0 ? result : end_what_is_open(session);
  for (size_t at = 0; result >= 0 && at < all->size;) {
    const size_t size = all->size - at < most ? all->size - at : most;
    result = await_room(session);
    if (result >= 0) {
      uint8_t* place = slot(session, session->out.next) + LIG_HEADER + LIG_SUBHEADER;
      copy_from(all, at, size, place);
      at += size;
      result = send_fragment(session, size, at == all->size);
    }
  }
  return result;
}

int lig_write(ligament_session_t* session, uint8_t stream, uint16_t object,
              const ligament_request_id_t* identity, const void* body, size_t size,
              uint16_t* request) {
  uint8_t head[LIG_SUBHEADER + 4 + LIG_IDENTITY];
  ligament_cdr_t to = ligament_cdr_over(head + LIG_SUBHEADER, sizeof head - LIG_SUBHEADER);
  const lig_request_t asked = lig_next_request(session, object);
  lig_put_request(&to, asked);
  if (identity != NULL) {
    ligament_cdr_put_bytes(&to, identity->bytes, sizeof identity->bytes);
  }
  if (request != NULL) {
    *request = asked.id;
  }
  if (LIG_HEADER + LIG_SUBHEADER + to.at + size > session->options.mtu) {
    if (stream != LIG_RELIABLE) {
      return LIGAMENT_ERROR_TOO_LARGE;
    }
    put_subheader(head, LIG_WRITE_DATA, 0, to.at + size);
    const size_t head_size = LIG_SUBHEADER + to.at;
    const long_t all = {head, head_size, body, head_size + size};
    return send_long(session, &all);
  }
  ligament_cdr_t payload;
  const int result = lig_begin(session, stream, LIG_WRITE_DATA, 0, &payload);
  if (result < 0) {
    return result;
  }
  ligament_cdr_put_bytes(&payload, to.bytes, to.at);
  ligament_cdr_put_bytes(&payload, body, size);
  return lig_end(session, stream, &payload);
}

static void measure(ligament_out_t* out, int64_t took_us) {
  out->round_trip_us = out->has_round_trip ? (out->round_trip_us * 7 + took_us) / 8 : took_us;
  out->has_round_trip = true;
}

void lig_acknowledged(ligament_session_t* session, uint16_t first, uint16_t missing) {
  ligament_out_t* out = &session->out;
  const uint16_t oldest = (uint16_t)(out->next - out->count);
  const int arrived = lig_distance(first, oldest);
  const int64_t now = lig_now_us(session);
  if (arrived < 0 || arrived > out->count) {
    return; /* older than what we know, or about what was never sent */
  }
  if (arrived > 0) {
    const size_t newest = (uint16_t)(first - 1) % session->options.out_slots;
    if (!out->is_repeated[newest]) {
      measure(out, now - out->sent_us[newest]);
    }
    out->count = (uint16_t)(out->count - arrived);
    out->pause_us = out->has_round_trip ? out->round_trip_us * 3 : FIRST_PAUSE_US;
    out->pause_us = out->pause_us < LEAST_PAUSE_US ? LEAST_PAUSE_US : out->pause_us;
    out->pause_us = out->pause_us > MOST_PAUSE_US ? MOST_PAUSE_US : out->pause_us;
    out->heartbeat_us = now + out->pause_us;
  }
  for (uint16_t i = 0; i < out->count && i < LIG_WINDOW; ++i) {
    const uint16_t number = (uint16_t)(first + i);
    const size_t place = number % session->options.out_slots;
    /* What was sent less than a round trip ago may be in flight: it is not missing yet. */
    const bool may_come = now - out->sent_us[place] < out->round_trip_us * 3 / 4;
    if ((missing >> i & 1) != 0 && !may_come) {
      out->is_repeated[place] = true;
      out->sent_us[place] = now;
      ++session->figures.repeated;
      (void)send(session, slot(session, number), out->sizes[place]);
    }
  }
}

void lig_heartbeat(ligament_session_t* session) {
  ligament_out_t* out = &session->out;
  const int64_t now = lig_now_us(session);
  if (out->count == 0 || now < out->heartbeat_us) {
    return;
  }
  out->pause_us = out->pause_us * 2 > MOST_PAUSE_US ? MOST_PAUSE_US : out->pause_us * 2;
  out->heartbeat_us = now + out->pause_us;
  ligament_cdr_t payload;
  (void)lig_begin(session, LIG_NO_STREAM, LIG_HEARTBEAT, 0, &payload);
  ligament_cdr_put_u16(&payload, (uint16_t)(out->next - out->count));
  ligament_cdr_put_u16(&payload, (uint16_t)(out->next - 1));
  ligament_cdr_put_u8(&payload, LIG_RELIABLE);
  (void)lig_end(session, LIG_NO_STREAM, &payload);
}

void lig_out_reset(ligament_session_t* session) {
  memset(&session->out, 0, sizeof session->out);
  session->out.pause_us = FIRST_PAUSE_US;
  session->best_effort_next = 0;
}
