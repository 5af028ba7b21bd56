/* SPDX-License-Identifier: Apache-2.0 */
/* What comes from the agent: in order, put together, and given to whom it is for. Every length is
 * checked before it is used: the bytes are from outside. */
#include <string.h>

#include "wire.h"

static uint8_t* slot(ligament_session_t* session, uint16_t number) {
  const size_t before = 2u + session->options.out_slots;
  const size_t place = number % session->options.in_slots;
  return session->options.memory + (before + place) * session->options.mtu;
}

static void process(ligament_session_t* session, uint8_t stream, uint8_t* bytes, size_t size);
static void take_kept(ligament_session_t* session);

static void on_data(ligament_session_t* session, ligament_cdr_t* payload) {
  const lig_request_t request = lig_get_request(payload);
  if (payload->has_failed) {
    ++session->figures.dropped;
    return;
  }
  lig_on_data(session, request.object, payload);
}

static void on_acknack(ligament_session_t* session, ligament_cdr_t* payload) {
  const uint16_t first = ligament_cdr_get_u16(payload);
  const uint16_t missing = lig_get_id(payload);
  const uint8_t stream = ligament_cdr_get_u8(payload);
  if (!payload->has_failed && stream == LIG_RELIABLE) {
    lig_acknowledged(session, first, missing);
    take_kept(session); /* it may have waited for room */
  }
}

static void send_acknack(ligament_session_t* session) {
  const ligament_in_t* in = &session->in;
  uint16_t missing = 0;
  const int count = lig_distance(in->announced, in->next) + 1;
  for (int i = 0; i < count && i < LIG_WINDOW; ++i) {
    const uint16_t number = (uint16_t)(in->next + i);
    const uint8_t slots = session->options.in_slots;
    const bool is_kept = i < slots && in->sizes[number % slots] != 0;
    missing = (uint16_t)(missing | (is_kept ? 0u : 1u << i));
  }
  ligament_cdr_t payload;
  (void)lig_begin(session, LIG_NO_STREAM, LIG_ACKNACK, 0, &payload);
  ligament_cdr_put_u16(&payload, in->next);
  lig_put_id(&payload, missing);
  ligament_cdr_put_u8(&payload, LIG_RELIABLE);
  session->is_in_no_hurry = true;
  (void)lig_end(session, LIG_NO_STREAM, &payload);
  session->is_in_no_hurry = false;
}

static void on_status(ligament_session_t* session, ligament_cdr_t* payload) {
  const lig_request_t request = lig_get_request(payload);
  const uint8_t status = ligament_cdr_get_u8(payload);
  if (!payload->has_failed) {
    lig_on_status(session, request, status);
  }
}

static void on_heartbeat(ligament_session_t* session, ligament_cdr_t* payload) {
  ligament_in_t* in = &session->in;
  const uint16_t first = ligament_cdr_get_u16(payload);
  const uint16_t last = ligament_cdr_get_u16(payload);
  const uint8_t stream = ligament_cdr_get_u8(payload);
  if (payload->has_failed || stream != LIG_RELIABLE) {
    return;
  }
  if (lig_distance(last, in->announced) > 0 && lig_distance(last, first) >= -1) {
    in->announced = last;
  }
  /* The agent has forgotten what is before its first one. */
  for (; lig_distance(first, in->next) > 0; ++in->next) {
    const uint8_t slots = session->options.in_slots;
    if (slots != 0) {
      in->sizes[in->next % slots] = 0;
    }
    in->assembled = 0;
    in->is_too_long = false;
  }
  if (lig_distance(in->next, in->announced) > 1) {
    in->announced = (uint16_t)(in->next - 1);
  }
  take_kept(session);
  send_acknack(session);
}

/* One submessage, whole. Data and answers may come in fragments. */
static void process_request(ligament_session_t* session, uint8_t id, ligament_cdr_t* payload) {
  if (id == LIG_DATA) {
    on_data(session, payload);
  } else if (id == LIG_STATUS) {
    on_status(session, payload);
  }
}

static void on_fragment(ligament_session_t* session, bool is_last, const ligament_cdr_t* piece) {
  ligament_in_t* in = &session->in;
  const size_t room = session->options.assembly == NULL ? 0 : session->options.assembly_size;
  if (piece->size > room - in->assembled) {
    in->is_too_long = true;
  } else if (!in->is_too_long) {
    memcpy(session->options.assembly + in->assembled, piece->bytes, piece->size);
    session->figures.copied += piece->size;
    in->assembled += piece->size;
  }
  if (!is_last) {
    return;
  }
  const size_t size = in->assembled;
  const bool is_whole = !in->is_too_long && size >= LIG_SUBHEADER;
  in->assembled = 0;
  in->is_too_long = false;
  if (!is_whole) {
    ++session->figures.dropped;
    return;
  }
  const uint8_t* head = session->options.assembly;
  const size_t said = (size_t)head[2] | (size_t)head[3] << 8;
  if (said != 0 && said != size - LIG_SUBHEADER) {
    ++session->figures.dropped;
    return;
  }
  ligament_cdr_t payload =
      ligament_cdr_over(session->options.assembly + LIG_SUBHEADER, size - LIG_SUBHEADER);
  process_request(session, head[0], &payload);
}

typedef struct {
  uint8_t id;
  uint8_t flags;
} lig_head_t;

static void process_part(ligament_session_t* session, uint8_t stream, lig_head_t head,
                         ligament_cdr_t* payload) {
  if ((head.flags & LIG_LITTLE_ENDIAN) == 0) {
    ++session->figures.dropped; /* no agent that we know sends them */
    return;
  }
  switch (head.id) {
    case LIG_ACKNACK:
    case LIG_HEARTBEAT:
      /* On no stream only: what is kept is not read while it is read. */
      if (stream != LIG_NO_STREAM) {
        ++session->figures.dropped;
      } else if (head.id == LIG_ACKNACK) {
        on_acknack(session, payload);
      } else {
        on_heartbeat(session, payload);
      }
      break;
    case LIG_FRAGMENT:
      if (stream == LIG_RELIABLE) {
        on_fragment(session, (head.flags & LIG_LAST_FRAGMENT) != 0, payload);
      }
      break;
    case LIG_TIMESTAMP_REPLY:
      lig_on_time(session, payload);
      break;
    default:
      process_request(session, head.id, payload);
      break;
  }
}

/* A byte that the other side of shared memory may change while we look: read once. */
static uint8_t byte_at(const uint8_t* bytes, size_t at) {
  return *(const volatile uint8_t*)(bytes + at);
}

/* The submessages behind a header. */
static void process(ligament_session_t* session, uint8_t stream, uint8_t* bytes, size_t size) {
  size_t at = 0;
  while (size - at >= LIG_SUBHEADER) {
    const uint8_t id = byte_at(bytes, at);
    const uint8_t flags = byte_at(bytes, at + 1);
    const size_t rest = size - at - LIG_SUBHEADER;
    const size_t low = byte_at(bytes, at + 2);
    size_t length = low | (size_t)byte_at(bytes, at + 3) << 8;
    if (length == 0 && id == LIG_DATA) {
      length = rest;
    }
    if (length > rest) {
      ++session->figures.dropped;
      return;
    }
    ligament_cdr_t payload = ligament_cdr_over(bytes + at + LIG_SUBHEADER, length);
    process_part(session, stream, (lig_head_t){id, flags}, &payload);
    at += LIG_SUBHEADER + (length + 3) / 4 * 4;
    if (at > size) {
      return;
    }
  }
}

/* What came early, or had to wait, and is next now. Only while there is room for an answer: a
 * server can reply to each request there and then. */
static void take_kept(ligament_session_t* session) {
  ligament_in_t* in = &session->in;
  const uint8_t slots = session->options.in_slots;
  while (slots != 0 && lig_has_room(session) && in->sizes[in->next % slots] != 0) {
    const uint16_t number = in->next;
    const size_t size = in->sizes[number % slots];
    in->sizes[number % slots] = 0;
    ++in->next;
    process(session, LIG_RELIABLE, slot(session, number), size);
  }
}

static void receive_reliable(ligament_session_t* session, uint16_t number, uint8_t* bytes,
                             size_t size) {
  ligament_in_t* in = &session->in;
  const int ahead = lig_distance(number, in->next);
  const uint8_t slots = session->options.in_slots;
  if (ahead >= 0 && ahead < LIG_WINDOW && lig_distance(number, in->announced) > 0) {
    in->announced = number;
  }
  if (ahead == 0 && lig_has_room(session)) {
    if (slots != 0) {
      in->sizes[number % slots] = 0;
    }
    const uint16_t told = ++in->next;
    const bool tells_first = session->options.port.send_later != NULL;
    if (tells_first) { /* an answer to this message then wakes the agent for both */
      send_acknack(session);
    }
    process(session, LIG_RELIABLE, bytes, size);
    take_kept(session);
    if (tells_first && in->next == told) {
      return;
    }
  } else if (ahead >= 0 && ahead < slots && in->sizes[number % slots] == 0) {
    memcpy(slot(session, number), bytes, size);
    session->figures.copied += size;
    in->sizes[number % slots] = (uint16_t)size;
  }
  send_acknack(session);
}

void lig_received(ligament_session_t* session, uint8_t* message, size_t size) {
  ++session->figures.received;
  if (size <= LIG_HEADER || byte_at(message, 0) != session->id) {
    ++session->figures.dropped;
    return;
  }
  const uint8_t stream = byte_at(message, 1);
  const uint16_t number = (uint16_t)(byte_at(message, 2) | byte_at(message, 3) << 8);
  uint8_t* bytes = message + LIG_HEADER;
  size -= LIG_HEADER;
  session->heard_us = lig_now_us(session);
  session->unanswered = 0;
  session->is_in_callback = true;
  if (stream == LIG_NO_STREAM) {
    process(session, stream, bytes, size);
  } else if (stream == LIG_RELIABLE) {
    receive_reliable(session, number, bytes, size);
  } else if (stream == LIG_BEST_EFFORT) {
    const int ahead = lig_distance(number, session->best_effort_seen);
    if (ahead > 0) {
      session->figures.lost += (uint64_t)(ahead - 1);
      session->best_effort_seen = number;
      process(session, stream, bytes, size);
    }
  }
  session->is_in_callback = false;
}

void lig_in_reset(ligament_session_t* session) {
  memset(&session->in, 0, sizeof session->in);
  session->in.announced = UINT16_MAX;
  session->best_effort_seen = UINT16_MAX;
}
