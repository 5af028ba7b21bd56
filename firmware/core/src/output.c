/* SPDX-License-Identifier: Apache-2.0 */
/* What goes to the agent: messages and fragments. */
#include <string.h>

#include "wire.h"

static uint8_t* scratch(ligament_session_t* session) {
  return session->options.memory + session->options.mtu;
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

/* A fragment whose bytes lie in the slot already. */
static int send_fragment(ligament_session_t* session, size_t size, bool is_last) {
  uint8_t* message = lig_slot(session, session->out.next);
  put_header(session, message, LIG_RELIABLE, session->out.next);
  put_subheader(message + LIG_HEADER, LIG_FRAGMENT, is_last ? LIG_LAST_FRAGMENT : 0, size);
  session->out.is_open = !is_last;
  return lig_commit(session, LIG_HEADER + LIG_SUBHEADER + size, NULL);
}

/* Room for one more reliable message, after waiting for it as long as the options allow. Not in a
 * callback: what it reads lies where the next message would be received. */
static int await_room(ligament_session_t* session) {
  if (lig_has_room(session)) {
    return 0; /* without a look at the clock */
  }
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

/* In `lent`, or where it is NULL in the session's memory. */
static int begin_in(ligament_session_t* session, uint8_t stream, uint8_t* lent, uint8_t** message) {
  uint16_t number = 0;
  *message = lent != NULL ? lent : scratch(session);
  if (stream == LIG_RELIABLE) {
    int result = await_room(session);
    result = result < 0 ? result : end_what_is_open(session);
    if (result < 0) {
      return result;
    }
    number = session->out.next;
    *message = lent != NULL ? lent : lig_slot(session, number);
  } else if (stream == LIG_BEST_EFFORT) {
    number = session->best_effort_next++;
  }
  put_header(session, *message, stream, number);
  return 0;
}

int lig_begin(ligament_session_t* session, uint8_t stream, uint8_t submessage, uint8_t flags,
              ligament_cdr_t* payload) {
  uint8_t* message;
  const int result = begin_in(session, stream, NULL, &message);
  if (result < 0) {
    return result;
  }
  put_subheader(message + LIG_HEADER, submessage, flags, 0);
  const size_t heads = LIG_HEADER + LIG_SUBHEADER;
  *payload = ligament_cdr_over(message + heads, session->options.mtu - heads);
  return 0;
}

int lig_begin_lent(ligament_session_t* session, uint8_t stream, uint8_t submessage, size_t size,
                   ligament_cdr_t* payload) {
  const ligament_port_t* port = &session->options.port;
  const size_t heads = LIG_HEADER + LIG_SUBHEADER;
  lig_give_back(session, session->lent); /* of a message that was not ended */
  session->lent = NULL;
  uint8_t* lent = port->lend != NULL ? port->lend(port->context, heads + size) : NULL;
  if (lent == NULL) {
    return heads + size <= session->options.mtu ? lig_begin(session, stream, submessage, 0, payload)
                                                : LIGAMENT_ERROR_TOO_LARGE;
  }
  uint8_t* message;
  const int result = begin_in(session, stream, lent, &message);
  if (result < 0) {
    lig_give_back(session, lent);
    return result;
  }
  session->lent = lent; /* not before: callbacks may publish while we wait for room */
  put_subheader(message + LIG_HEADER, submessage, 0, 0);
  *payload = ligament_cdr_over(message + heads, size);
  return 0;
}

/* What was written into the link's memory. Unreliable, it is not sent again. */
static int end_lent(ligament_session_t* session, uint8_t stream, size_t size) {
  uint8_t* lent = session->lent;
  session->lent = NULL;
  if (stream == LIG_RELIABLE) {
    return lig_commit(session, size, lent);
  }
  const int result = lig_send_lent(session, lent, size);
  lig_give_back(session, lent);
  return result;
}

int lig_end(ligament_session_t* session, uint8_t stream, const ligament_cdr_t* payload) {
  if (payload->has_failed) {
    lig_give_back(session, session->lent);
    session->lent = NULL;
    return LIGAMENT_ERROR_TOO_LARGE;
  }
  uint8_t* message = payload->bytes - LIG_SUBHEADER - LIG_HEADER;
  const uint8_t* subheader = message + LIG_HEADER;
  put_subheader(message + LIG_HEADER, subheader[0], subheader[1], payload->at);
  const size_t size = LIG_HEADER + LIG_SUBHEADER + payload->at;
  if (message == session->lent) {
    return end_lent(session, stream, size);
  }
  return stream == LIG_RELIABLE ? lig_commit(session, size, NULL)
                                : lig_send(session, message, size);
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

/* Of a long submessage in a fragment. */
static size_t piece_of(const ligament_session_t* session) {
  return ((size_t)session->options.mtu - LIG_HEADER - LIG_SUBHEADER) / 4 * 4;
}

static int send_long(ligament_session_t* session, const long_t* all) {
  const size_t most = piece_of(session);
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
      uint8_t* place = lig_slot(session, session->out.next) + LIG_HEADER + LIG_SUBHEADER;
      copy_from(all, at, size, place);
      session->figures.copied += size;
      at += size;
      result = send_fragment(session, size, at == all->size);
    }
  }
  return result;
}

/* Links whose messages hold each CREATE: that of a service with long names has as much. */
enum { ENOUGH = 256 };

static bool is_short(const ligament_session_t* session) {
  return session->options.mtu < ENOUGH && session->options.assembly != NULL &&
         session->options.assembly_size > LIG_SUBHEADER;
}

/* The memory is free when the agent's message is whole; nothing is received until it is sent. */
int lig_begin_long(ligament_session_t* session, uint8_t submessage, uint8_t flags,
                   ligament_cdr_t* payload) {
  const int64_t until = lig_now_us(session) + (int64_t)session->options.answer_ms * 1000;
  if (!is_short(session)) {
    return lig_begin(session, LIG_RELIABLE, submessage, flags, payload);
  }
  while (session->out.count != 0 || session->in.assembled != 0) {
    const bool may_wait = !session->is_in_callback && lig_now_us(session) < until;
    const int result = may_wait ? lig_poll(session, 1) : LIGAMENT_ERROR_FULL;
    if (result < 0) {
      return result;
    }
  }
  put_subheader(session->options.assembly, submessage, flags, 0);
  *payload = ligament_cdr_over(session->options.assembly + LIG_SUBHEADER,
                               session->options.assembly_size - LIG_SUBHEADER);
  return 0;
}

int lig_end_long(ligament_session_t* session, const ligament_cdr_t* payload) {
  if (!is_short(session)) {
    return lig_end(session, LIG_RELIABLE, payload);
  }
  if (payload->has_failed) {
    return LIGAMENT_ERROR_TOO_LARGE;
  }
  uint8_t* head = payload->bytes - LIG_SUBHEADER;
  if (LIG_HEADER + LIG_SUBHEADER + payload->at <= session->options.mtu) {
    ligament_cdr_t one;
    const int result = lig_begin(session, LIG_RELIABLE, head[0], head[1], &one);
    if (result >= 0) {
      ligament_cdr_put_bytes(&one, payload->bytes, payload->at);
    }
    return result < 0 ? result : lig_end(session, LIG_RELIABLE, &one);
  }
  put_subheader(head, head[0], head[1], payload->at);
  const long_t all = {head, LIG_SUBHEADER, payload->bytes, LIG_SUBHEADER + payload->at};
  const bool is_at_once = all.size <= piece_of(session) * session->options.out_slots;
  return is_at_once ? send_long(session, &all) : LIGAMENT_ERROR_TOO_LARGE;
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
  ligament_cdr_t payload;
  const int result = lig_begin_lent(session, stream, LIG_WRITE_DATA, to.at + size, &payload);
  if (result == LIGAMENT_ERROR_TOO_LARGE && stream == LIG_RELIABLE) {
    put_subheader(head, LIG_WRITE_DATA, 0, to.at + size);
    const size_t head_size = LIG_SUBHEADER + to.at;
    const long_t all = {head, head_size, body, head_size + size};
    return send_long(session, &all);
  }
  if (result < 0) {
    return result;
  }
  ligament_cdr_put_bytes(&payload, to.bytes, to.at);
  ligament_cdr_put_bytes(&payload, body, size);
  session->figures.copied += size;
  return lig_end(session, stream, &payload);
}
