/* SPDX-License-Identifier: Apache-2.0 */
/* The window of reliable messages that are not acknowledged yet: in their slots, or in memory that
 * the link lends. What is missing is sent again. */
#include <string.h>

#include "wire.h"

enum { FIRST_PAUSE_US = 100000, LEAST_PAUSE_US = 5000, MOST_PAUSE_US = 200000 };

uint8_t* lig_slot(ligament_session_t* session, uint16_t number) {
  const size_t place = number % session->options.out_slots;
  return session->options.memory + (2 + place) * session->options.mtu;
}

int lig_send(ligament_session_t* session, const uint8_t* message, size_t size) {
  const ligament_port_t* port = &session->options.port;
  ++session->figures.sent;
  return session->is_in_no_hurry && port->send_later != NULL
             ? port->send_later(port->context, message, size)
             : port->send(port->context, message, size);
}

int lig_send_lent(ligament_session_t* session, uint8_t* memory, size_t size) {
  ++session->figures.sent;
  return session->options.port.send_lent(session->options.port.context, memory, size);
}

void lig_give_back(ligament_session_t* session, uint8_t* memory) {
  if (memory != NULL) {
    session->options.port.give_back(session->options.port.context, memory);
  }
}

/* A message of the window, for the first time or again. */
static int send_numbered(ligament_session_t* session, uint16_t number) {
  const size_t place = number % session->options.out_slots;
  const size_t size = session->out.sizes[place];
  uint8_t* lent = session->out.lent[place];
  return lent != NULL ? lig_send_lent(session, lent, size)
                      : lig_send(session, lig_slot(session, number), size);
}

bool lig_has_room(const ligament_session_t* session) {
  return session->out.count < session->options.out_slots;
}

int lig_commit(ligament_session_t* session, size_t size, uint8_t* lent) {
  ligament_out_t* out = &session->out;
  const size_t place = out->next % session->options.out_slots;
  const int64_t now = lig_now_us(session);
  out->sizes[place] = (uint32_t)size;
  out->lent[place] = lent;
  out->is_repeated[place] = false;
  out->sent_us[place] = now;
  if (out->count == 0) {
    out->heartbeat_us = now + out->pause_us;
  }
  ++out->next;
  ++out->count;
  return send_numbered(session, (uint16_t)(out->next - 1));
}

static void measure(ligament_out_t* out, int64_t took_us) {
  out->round_trip_us = out->has_round_trip ? (out->round_trip_us * 7 + took_us) / 8 : took_us;
  out->has_round_trip = true;
}

/* The oldest ones of the window: their memory is free. */
static void forget(ligament_session_t* session, uint16_t count) {
  ligament_out_t* out = &session->out;
  for (; count != 0; --count, --out->count) {
    const size_t place = (uint16_t)(out->next - out->count) % session->options.out_slots;
    lig_give_back(session, out->lent[place]);
    out->lent[place] = NULL;
  }
}

void lig_acknowledged(ligament_session_t* session, uint16_t first, uint16_t missing) {
  ligament_out_t* out = &session->out;
  const uint16_t oldest = (uint16_t)(out->next - out->count);
  const int arrived = lig_distance(first, oldest);
  const int64_t now = session->heard_us; /* when this came */
  if (arrived < 0 || arrived > out->count) {
    return; /* older than what we know, or about what was never sent */
  }
  if (arrived > 0) {
    const size_t newest = (uint16_t)(first - 1) % session->options.out_slots;
    if (!out->is_repeated[newest]) {
      measure(out, now - out->sent_us[newest]);
    }
    forget(session, (uint16_t)arrived);
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
      (void)send_numbered(session, number);
    }
  }
}

void lig_heartbeat(ligament_session_t* session) {
  ligament_out_t* out = &session->out;
  const int64_t now = out->count == 0 ? 0 : lig_now_us(session);
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
  if (session->options.out_slots != 0) {
    forget(session, session->out.count);
  }
  lig_give_back(session, session->lent);
  session->lent = NULL;
  memset(&session->out, 0, sizeof session->out);
  session->out.pause_us = FIRST_PAUSE_US;
  session->best_effort_next = 0;
}
