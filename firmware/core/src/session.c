/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "wire.h"

enum { FIRST_ID = 0x81, SECOND_ID = 0x82, LEAST_MTU = 63, FIRST_REQUEST = 10 };
enum { CONFIRMED = 0, STATUS_MATCHED = 1, STATUS_ERROR = 0x80, NO_AGENT_YET = 0xFF };

int64_t lig_now_us(const ligament_session_t* session) {
  return session->options.port.now_us(session->options.port.context);
}

void lig_put_id(ligament_cdr_t* to, uint16_t id) {
  ligament_cdr_put_u8(to, (uint8_t)(id >> 8));
  ligament_cdr_put_u8(to, (uint8_t)id);
}

uint16_t lig_get_id(ligament_cdr_t* from) {
  const uint16_t upper = ligament_cdr_get_u8(from);
  return (uint16_t)(upper << 8 | ligament_cdr_get_u8(from));
}

void lig_put_request(ligament_cdr_t* to, lig_request_t request) {
  lig_put_id(to, request.id);
  lig_put_id(to, request.object);
}

lig_request_t lig_get_request(ligament_cdr_t* from) {
  lig_request_t request;
  request.id = lig_get_id(from);
  request.object = lig_get_id(from);
  return request;
}

lig_request_t lig_next_request(ligament_session_t* session, uint16_t object) {
  ++session->last_request;
  if (session->last_request < FIRST_REQUEST) {
    session->last_request = FIRST_REQUEST; /* the lower ones mean something of their own */
  }
  const lig_request_t request = {session->last_request, object};
  return request;
}

ligament_session_options_t ligament_session_defaults(ligament_port_t port, uint32_t key) {
  ligament_session_options_t options;
  memset(&options, 0, sizeof options);
  options.port = port;
  options.key = key;
  options.mtu = 512;
  options.out_slots = 8;
  options.in_slots = 4;
  options.answer_ms = 1000;
  options.lost_after_ms = 5000;
  return options;
}

int lig_poll(ligament_session_t* session, uint32_t wait_ms) {
  uint8_t* memory = session->options.memory;
  const ligament_port_t* port = &session->options.port;
  const size_t most = session->options.mtu;
  const int size = port->receive_in_place != NULL
                       ? port->receive_in_place(port->context, &memory, most, wait_ms)
                       : port->receive(port->context, memory, most, wait_ms);
  if (size > 0) {
    lig_received(session, memory, (size_t)size);
  }
  lig_heartbeat(session);
  return size;
}

static void put_key(ligament_cdr_t* to, uint32_t key) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    ligament_cdr_put_u8(to, (uint8_t)(key >> shift));
  }
}

/* Without a session there is no header of ours: the login has its own. */
static int send_login(ligament_session_t* session) {
  uint8_t message[32] = {LIG_NO_SESSION, LIG_NO_STREAM, 0, 0, LIG_CREATE_CLIENT, LIG_LITTLE_ENDIAN};
  const size_t heads = LIG_HEADER + LIG_SUBHEADER;
  ligament_cdr_t to = ligament_cdr_over(message + heads, sizeof message - heads);
  ligament_cdr_put_bytes(&to, "XRCE\x01\x00\x01\x0F", 8);
  put_key(&to, session->options.key);
  ligament_cdr_put_u8(&to, session->id);
  ligament_cdr_put_u8(&to, 0);
  ligament_cdr_put_u16(&to, session->options.mtu);
  message[6] = (uint8_t)to.at;
  const ligament_port_t* port = &session->options.port;
  return port->send(port->context, message, heads + to.at);
}

/* Whether it is the agent's answer to our login; `last_status` is then what it said. */
static bool is_answer(ligament_session_t* session, uint8_t* message, size_t size) {
  if (size < LIG_HEADER + LIG_SUBHEADER + 1 || message[0] != session->id ||
      message[1] != LIG_NO_STREAM || message[LIG_HEADER] != LIG_STATUS_AGENT) {
    return false;
  }
  session->last_status = message[LIG_HEADER + LIG_SUBHEADER];
  return true;
}

/* Asks until there is an answer: the first messages of a link are often lost. */
static int log_in(ligament_session_t* session, uint8_t id) {
  const ligament_port_t* port = &session->options.port;
  const int64_t until = lig_now_us(session) + (int64_t)session->options.answer_ms * 1000;
  session->id = id;
  uint32_t pause_ms = 20;
  while (lig_now_us(session) < until) {
    int result = send_login(session);
    if (result < 0) {
      return result;
    }
    const int64_t again = lig_now_us(session) + (int64_t)pause_ms * 1000;
    for (int64_t now = lig_now_us(session); now < again; now = lig_now_us(session)) {
      const uint32_t wait_ms = (uint32_t)((again - now) / 1000 + 1);
      uint8_t* memory = session->options.memory;
      result = port->receive(port->context, memory, session->options.mtu, wait_ms);
      if (result < 0) {
        return result;
      }
      if (is_answer(session, memory, (size_t)result)) {
        session->heard_us = lig_now_us(session);
        return session->last_status < STATUS_ERROR ? 0 : LIGAMENT_ERROR_REFUSED;
      }
    }
    pause_ms = pause_ms < 500 ? pause_ms * 2 : pause_ms;
  }
  return LIGAMENT_ERROR_TIMEOUT;
}

/* Numbers of messages run round at 65536: a slot must be the same after as before. */
static bool is_power_of_two(unsigned count) { return count != 0 && (count & (count - 1)) == 0; }

static bool are_possible(const ligament_session_options_t* options) {
  const bool keeps_none = options->in_slots == 0;
  return options->memory != NULL && options->mtu >= LEAST_MTU &&
         is_power_of_two(options->out_slots) && options->out_slots <= LIGAMENT_MOST_SLOTS &&
         (keeps_none || is_power_of_two(options->in_slots)) &&
         options->in_slots <= LIGAMENT_MOST_SLOTS && options->port.send != NULL &&
         options->port.receive != NULL && options->port.now_us != NULL;
}

/* With another id the agent removes what an earlier session of ours has left. After a restart of
 * the board we do not know which id that had, so we log in twice. */
static int open_streams(ligament_session_t* session) {
  const uint8_t old = session->id;
  int result = old == FIRST_ID ? 0 : log_in(session, FIRST_ID);
  if (result >= 0 && old != SECOND_ID) {
    result = log_in(session, SECOND_ID);
  }
  if (result < 0) {
    return result;
  }
  lig_out_reset(session);
  lig_in_reset(session);
  session->pinged_us = session->heard_us;
  session->unanswered = 0;
  session->is_open = true;
  return 0;
}

int ligament_session_open(ligament_session_t* session, const ligament_session_options_t* options) {
  if (!are_possible(options)) {
    return LIGAMENT_ERROR_OPTIONS;
  }
  memset(session, 0, sizeof *session);
  session->options = *options;
  session->last_request = FIRST_REQUEST;
  session->time_error_ns = -1;
  return open_streams(session);
}

/* All entities in the order in which they were made: parents come before what belongs to them. The
 * list stays as it is, because messages for those that are back may come meanwhile. */
static int create_all(ligament_session_t* session) {
  uint16_t done = 0;
  for (;;) {
    ligament_entity_t* next = NULL;
    for (ligament_entity_t* one = session->entities; one != NULL; one = one->next) {
      if (one->number > done && (next == NULL || one->number < next->number)) {
        next = one;
      }
    }
    const int result = next == NULL ? 0 : lig_create_again(next);
    if (next == NULL || result < 0) {
      return result;
    }
    done = next->number;
  }
}

int ligament_session_restore(ligament_session_t* session) {
  const int result = open_streams(session);
  return result < 0 ? result : create_all(session);
}

/* Is the agent there? It answers within a session only if it knows the session. */
static void ping(ligament_session_t* session) {
  ligament_cdr_t payload;
  (void)lig_begin(session, LIG_NO_STREAM, LIG_GET_INFO, 0, &payload);
  lig_put_request(&payload, lig_next_request(session, LIG_OBJECT_AGENT));
  ligament_cdr_put_u32(&payload, 2); /* its activity */
  (void)lig_end(session, LIG_NO_STREAM, &payload);
  session->pinged_us = lig_now_us(session);
}

static int watch_agent(ligament_session_t* session) {
  const int64_t limit = (int64_t)session->options.lost_after_ms * 1000;
  const int64_t now = lig_now_us(session);
  if (limit == 0) {
    return 0;
  }
  if (now - session->heard_us < limit / 3 || now - session->pinged_us < limit / 3) {
    return 0;
  }
  /* A caller that was away for long has heard nothing either: only questions without answers count.
   */
  if (session->unanswered >= 2 && now - session->heard_us >= limit) {
    return LIGAMENT_ERROR_LOST;
  }
  ping(session);
  session->unanswered = (uint8_t)(session->unanswered + (session->unanswered < UINT8_MAX));
  return 0;
}

/* The clock is read only where it is needed: it may cost as much as a small message. */
int ligament_session_run(ligament_session_t* session, uint32_t wait_ms) {
  const int64_t until = wait_ms == 0 ? 0 : lig_now_us(session) + (int64_t)wait_ms * 1000;
  uint32_t left_ms = wait_ms;
  for (int most_messages = 64;; --most_messages) {
    /* Heartbeats are due within a few milliseconds while something is in flight. */
    const uint32_t most = session->out.count != 0 && left_ms > 5 ? 5 : left_ms;
    const int64_t heard_us = session->heard_us;
    const int size = lig_poll(session, most);
    if (size < 0) {
      return size;
    }
    const bool is_there = size > 0 && session->heard_us != heard_us;
    const int result = is_there ? 0 : watch_agent(session);
    if (result < 0 || (size > 0 && (wait_ms != 0 || most_messages == 0))) {
      return result; /* the caller may have something to say now */
    }
    if (size == 0) {
      const int64_t left_us = wait_ms == 0 ? 0 : until - lig_now_us(session);
      if (left_us <= 0) {
        return 0;
      }
      left_ms = (uint32_t)(left_us / 1000);
    }
  }
}

int ligament_session_flush(ligament_session_t* session, uint32_t timeout_ms) {
  const int64_t until = lig_now_us(session) + (int64_t)timeout_ms * 1000;
  while (session->out.count != 0) {
    if (lig_now_us(session) >= until) {
      return LIGAMENT_ERROR_TIMEOUT;
    }
    const int result = ligament_session_run(session, 1);
    if (result < 0) {
      return result;
    }
  }
  return 0;
}

/* Without a stream nothing is repeated for us: said again until it is answered. */
int ligament_session_close(ligament_session_t* session) {
  const lig_request_t request = lig_next_request(session, LIG_OBJECT_CLIENT);
  const int64_t until = lig_now_us(session) + (int64_t)session->options.answer_ms * 1000;
  session->is_open = false;
  session->entities = NULL;
  session->worst_status = 0;
  int result = LIGAMENT_ERROR_TIMEOUT;
  for (uint32_t pause_ms = 20; result == LIGAMENT_ERROR_TIMEOUT && lig_now_us(session) < until;
       pause_ms *= 2) {
    ligament_cdr_t payload;
    (void)lig_begin(session, LIG_NO_STREAM, LIG_DELETE, 0, &payload);
    lig_put_request(&payload, request);
    session->awaited[0] = request.id;
    session->awaiting = 1;
    result = lig_end(session, LIG_NO_STREAM, &payload);
    result = result < 0 ? result : lig_await(session, pause_ms);
  }
  lig_out_reset(session); /* gives back what the link has lent */
  return result;
}

void lig_on_status(ligament_session_t* session, lig_request_t request, uint8_t status) {
  for (uint8_t i = 0; i < session->awaiting; ++i) {
    if (session->awaited[i] == request.id) {
      session->awaited[i] = session->awaited[--session->awaiting];
      session->worst_status =
          status >= STATUS_ERROR && session->worst_status == 0 ? status : session->worst_status;
      return;
    }
  }
}

int lig_await(ligament_session_t* session, uint32_t wait_ms) {
  const int64_t until = lig_now_us(session) + (int64_t)wait_ms * 1000;
  while (session->awaiting != 0) {
    const int result = lig_poll(session, 5);
    if (result < 0 || lig_now_us(session) >= until) {
      session->awaiting = 0;
      return result < 0 ? result : LIGAMENT_ERROR_TIMEOUT;
    }
  }
  session->last_status = session->worst_status;
  return session->worst_status == 0 ? 0 : LIGAMENT_ERROR_REFUSED;
}
