/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of DDS-XRCE, and what the parts of the core call of each other. Bytes: spec/wire/xrce.md.
 */
#ifndef LIGAMENT_WIRE_H
#define LIGAMENT_WIRE_H

#include "ligament/xrce.h"

enum {
  LIG_CREATE_CLIENT = 0,
  LIG_CREATE = 1,
  LIG_GET_INFO = 2,
  LIG_DELETE = 3,
  LIG_STATUS_AGENT = 4,
  LIG_STATUS = 5,
  LIG_INFO = 6,
  LIG_WRITE_DATA = 7,
  LIG_READ_DATA = 8,
  LIG_DATA = 9,
  LIG_ACKNACK = 10,
  LIG_HEARTBEAT = 11,
  LIG_FRAGMENT = 13,
  LIG_TIMESTAMP = 14,
  LIG_TIMESTAMP_REPLY = 15
};
enum {
  LIG_PARTICIPANT = 1,
  LIG_TOPIC = 2,
  LIG_PUBLISHER = 3,
  LIG_SUBSCRIBER = 4,
  LIG_WRITER = 5,
  LIG_READER = 6,
  LIG_REQUESTER = 7,
  LIG_REPLIER = 8
};
enum { LIG_LITTLE_ENDIAN = 0x01, LIG_LAST_FRAGMENT = 0x02, LIG_REUSE = 0x02, LIG_REPLACE = 0x04 };
enum { LIG_QOS_RELIABLE = 0x01, LIG_QOS_KEEP_LAST = 0x02, LIG_QOS_TRANSIENT_LOCAL = 0x08 };
enum { LIG_NO_STREAM = 0, LIG_BEST_EFFORT = 1, LIG_RELIABLE = 0x80 };
enum { LIG_HEADER = 4, LIG_SUBHEADER = 4, LIG_WINDOW = 16, LIG_IDENTITY = 24 };
enum { LIG_NO_SESSION = 0x80, LIG_OBJECT_CLIENT = 0xFFFE, LIG_OBJECT_AGENT = 0xFFFD };
enum { LIG_BINARY = 3 };

static inline int16_t lig_distance(uint16_t a, uint16_t b) { return (int16_t)(uint16_t)(a - b); }

typedef struct {
  uint16_t id;
  uint16_t object;
} lig_request_t;
void lig_put_id(ligament_cdr_t* to, uint16_t id);
uint16_t lig_get_id(ligament_cdr_t* from);
void lig_put_request(ligament_cdr_t* to, lig_request_t request);
lig_request_t lig_get_request(ligament_cdr_t* from);
lig_request_t lig_next_request(ligament_session_t* session, uint16_t object);

int64_t lig_now_us(const ligament_session_t* session);

/* ---- output.c ---- */
/* Begins a submessage that is alone in its message: `payload` is the memory for it. FULL: there is
 * no room in the reliable stream, and waiting was in vain. */
int lig_begin(ligament_session_t* session, uint8_t stream, uint8_t submessage, uint8_t flags,
              ligament_cdr_t* payload);
/* The same in memory that the link lends, for at most so many bytes of payload. TOO_LARGE: it lends
 * none, and the link's messages are shorter. */
int lig_begin_lent(ligament_session_t* session, uint8_t stream, uint8_t submessage, size_t size,
                   ligament_cdr_t* payload);
int lig_end(ligament_session_t* session, uint8_t stream, const ligament_cdr_t* payload);
/* WRITE_DATA; in fragments where it is longer than a message. */
int lig_write(ligament_session_t* session, uint8_t stream, uint16_t object,
              const ligament_request_id_t* identity, const void* body, size_t size,
              uint16_t* request);

/* ---- window.c ---- */
/* For one more reliable message. */
bool lig_has_room(const ligament_session_t* session);
uint8_t* lig_slot(ligament_session_t* session, uint16_t number);
/* The next message of the window, of which the memory is filled already: its slot, or `lent`. */
int lig_commit(ligament_session_t* session, size_t size, uint8_t* lent);
/* One message as it is. */
int lig_send(ligament_session_t* session, const uint8_t* message, size_t size);
int lig_send_lent(ligament_session_t* session, uint8_t* memory, size_t size);
/* NULL: nothing. */
void lig_give_back(ligament_session_t* session, uint8_t* memory);
void lig_acknowledged(ligament_session_t* session, uint16_t first, uint16_t missing);
void lig_heartbeat(ligament_session_t* session);
void lig_out_reset(ligament_session_t* session);

/* ---- input.c ---- */
void lig_received(ligament_session_t* session, uint8_t* message, size_t size);
void lig_in_reset(ligament_session_t* session);

/* ---- session.c ---- */
void lig_on_status(ligament_session_t* session, lig_request_t request, uint8_t status);
/* Receives one message at most; negative: what the port said. */
int lig_poll(ligament_session_t* session, uint32_t wait_ms);
/* Waits at most so long for the answers to the requests in `awaited`; `worst_status` is of all
 * since it was set to 0. */
int lig_await(ligament_session_t* session, uint32_t wait_ms);
/* Until there is room for one more reliable message; at most as long as for an answer. */
int lig_make_room(ligament_session_t* session);

static inline uint16_t lig_object(uint16_t number, uint8_t kind) {
  return (uint16_t)(number << 4 | kind);
}
static inline uint16_t lig_object_of(const ligament_entity_t* entity) {
  return lig_object(entity->number, entity->kind);
}

/* ---- time.c ---- */
void lig_on_time(ligament_session_t* session, ligament_cdr_t* payload);

/* ---- creates.c ---- */
int lig_create_again(ligament_entity_t* entity);

/* ---- entities.c ---- */
void lig_on_data(ligament_session_t* session, uint16_t object, ligament_cdr_t* body);

#endif
