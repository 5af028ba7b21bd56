/* SPDX-License-Identifier: Apache-2.0 */
/* What makes an entity at the agent: its CREATE messages, and the wish for its data. */
#include <string.h>

#include "wire.h"

enum { QOS_DEPTH = 10 };

/* A name with something before and behind it, without memory for the whole. */
static void put_name(ligament_cdr_t* to, const char* before, const ligament_entity_t* entity,
                     const char* behind) {
  const char* node = entity->is_in_node ? entity->node->name : "";
  const char* pieces[5] = {before, node, entity->is_in_node ? "/" : "", entity->name, behind};
  size_t size = 1;
  for (int i = 0; i < 5; ++i) {
    size += strlen(pieces[i]);
  }
  ligament_cdr_put_u32(to, (uint32_t)size);
  for (int i = 0; i < 5; ++i) {
    ligament_cdr_put_bytes(to, pieces[i], strlen(pieces[i]));
  }
  ligament_cdr_put_u8(to, 0);
}

/* A CREATE: its begin, with a representation whose size is filled in by `end_create`. The binary
 * form is aligned from its own begin, which lies on 4 bytes; it has nothing larger. */
typedef struct {
  ligament_cdr_t payload;
  size_t size_at;
} create_t;

static int begin_create(ligament_session_t* session, uint16_t id, create_t* create) {
  ligament_cdr_t* to = &create->payload;
  int result = lig_make_room(session);
  result = result < 0 ? result : lig_begin_long(session, LIG_CREATE, LIG_REUSE | LIG_REPLACE, to);
  if (result < 0) {
    return result;
  }
  const lig_request_t request = lig_next_request(session, id);
  session->awaited[session->awaiting++] = request.id;
  lig_put_request(to, request);
  ligament_cdr_put_u8(to, (uint8_t)(id & 0x0F));
  ligament_cdr_put_u8(to, LIG_BINARY);
  create->size_at = to->at + 2;
  ligament_cdr_put_u32(to, 0);
  return 0;
}

static int end_create(ligament_session_t* session, create_t* create, uint16_t parent) {
  ligament_cdr_t* to = &create->payload;
  ligament_cdr_t size = *to;
  size.at = create->size_at;
  ligament_cdr_put_u32(&size, (uint32_t)(to->at - create->size_at - 4));
  lig_put_id(to, parent);
  return lig_end_long(session, to);
}

/* Without QoS and name: a publisher or subscriber. */
static int create_group(ligament_session_t* session, uint16_t id, uint16_t node) {
  create_t create;
  const int result = begin_create(session, id, &create);
  if (result < 0) {
    return result;
  }
  ligament_cdr_put_u8(&create.payload, 0);
  ligament_cdr_put_u8(&create.payload, 0);
  return end_create(session, &create, node);
}

static int create_topic(ligament_session_t* session, const ligament_entity_t* entity,
                        uint16_t node) {
  create_t create;
  const int result = begin_create(session, lig_object(entity->number, LIG_TOPIC), &create);
  if (result < 0) {
    return result;
  }
  put_name(&create.payload, "rt", entity, "");
  ligament_cdr_put_u8(&create.payload, 0);
  ligament_cdr_put_u8(&create.payload, 1);
  ligament_cdr_put_text(&create.payload, entity->type);
  return end_create(session, &create, node);
}

static void put_qos(ligament_cdr_t* to, const ligament_qos_t* qos) {
  uint16_t flags = LIG_QOS_KEEP_LAST;
  flags = (uint16_t)(flags | (qos->is_reliable ? LIG_QOS_RELIABLE : 0));
  flags = (uint16_t)(flags | (qos->is_transient_local ? LIG_QOS_TRANSIENT_LOCAL : 0));
  ligament_cdr_put_u16(to, flags);
  ligament_cdr_put_u8(to, 1);
  ligament_cdr_put_u16(to, qos->depth == 0 ? QOS_DEPTH : qos->depth);
  const uint32_t limits[2] = {qos->deadline_ms, qos->lifespan_ms};
  for (int i = 0; i < 2; ++i) {
    ligament_cdr_put_u8(to, limits[i] != 0);
    if (limits[i] != 0) {
      ligament_cdr_put_u32(to, limits[i]);
    }
  }
  ligament_cdr_put_u8(to, 0); /* user data */
}

static int create_end(ligament_session_t* session, const ligament_entity_t* entity) {
  create_t create;
  const int result = begin_create(session, lig_object_of(entity), &create);
  if (result < 0) {
    return result;
  }
  lig_put_id(&create.payload, lig_object(entity->number, LIG_TOPIC));
  ligament_cdr_put_u8(&create.payload, 1);
  put_qos(&create.payload, &entity->qos);
  ligament_cdr_put_u8(&create.payload, 0); /* strength, or least time */
  uint8_t parent = LIG_PUBLISHER;
  if (entity->kind == LIG_READER) {
    ligament_cdr_put_u8(&create.payload, 0); /* content filter */
    parent = LIG_SUBSCRIBER;
  }
  return end_create(session, &create, lig_object(entity->number, parent));
}

static int create_service(ligament_session_t* session, const ligament_entity_t* entity) {
  create_t create;
  const int result = begin_create(session, lig_object_of(entity), &create);
  if (result < 0) {
    return result;
  }
  put_name(&create.payload, "", entity, "");
  ligament_cdr_put_text(&create.payload, entity->type);
  ligament_cdr_put_text(&create.payload, entity->second_type);
  ligament_cdr_put_u8(&create.payload, 1);
  put_name(&create.payload, "rq", entity, "Request");
  ligament_cdr_put_u8(&create.payload, 1);
  put_name(&create.payload, "rr", entity, "Reply");
  return end_create(session, &create, lig_object_of(entity->node));
}

/* Asks for all that comes, without an end. */
static int ask_for_data(ligament_session_t* session, const ligament_entity_t* entity) {
  ligament_cdr_t payload;
  int result = lig_make_room(session);
  result = result < 0 ? result : lig_begin(session, LIG_RELIABLE, LIG_READ_DATA, 0, &payload);
  if (result < 0) {
    return result;
  }
  lig_put_request(&payload, lig_next_request(session, lig_object_of(entity)));
  ligament_cdr_put_u8(&payload, entity->qos.is_reliable ? LIG_RELIABLE : LIG_BEST_EFFORT);
  ligament_cdr_put_u8(&payload, 0);
  ligament_cdr_put_u8(&payload, 0);
  ligament_cdr_put_u8(&payload, 1);
  ligament_cdr_put_u16(&payload, UINT16_MAX);
  ligament_cdr_put_u16(&payload, 0);
  ligament_cdr_put_u16(&payload, 0);
  ligament_cdr_put_u16(&payload, 0);
  return lig_end(session, LIG_RELIABLE, &payload);
}

static int create_node(ligament_session_t* session, const ligament_entity_t* entity) {
  create_t create;
  const int result = begin_create(session, lig_object_of(entity), &create);
  if (result < 0) {
    return result;
  }
  ligament_cdr_put_u8(&create.payload, 0);
  ligament_cdr_put_u8(&create.payload, 1);
  ligament_cdr_put_text(&create.payload, entity->name);
  ligament_cdr_t* to = &create.payload;
  ligament_cdr_t size = *to;
  size.at = create.size_at;
  ligament_cdr_put_u32(&size, (uint32_t)(to->at - create.size_at - 4));
  ligament_cdr_put_u16(to, ((const ligament_node_t*)(const void*)entity)->domain);
  return lig_end_long(session, to);
}

static int send_creates(ligament_session_t* session, const ligament_entity_t* entity) {
  if (entity->kind == LIG_PARTICIPANT) {
    return create_node(session, entity);
  }
  if (entity->kind == LIG_REQUESTER || entity->kind == LIG_REPLIER) {
    return create_service(session, entity);
  }
  const uint8_t group = entity->kind == LIG_WRITER ? LIG_PUBLISHER : LIG_SUBSCRIBER;
  const uint16_t node = lig_object_of(entity->node);
  int result = create_topic(session, entity, node);
  result = result < 0 ? result : create_group(session, lig_object(entity->number, group), node);
  return result < 0 ? result : create_end(session, entity);
}

/* The objects of one entity go out together, and are answered together. */
int lig_create_again(ligament_entity_t* entity) {
  ligament_session_t* session = entity->session;
  session->awaiting = 0;
  session->worst_status = 0;
  int result = ligament_session_flush(session, session->options.answer_ms);
  result = result < 0 ? result : send_creates(session, entity);
  result = result < 0 ? result : lig_await(session, session->options.answer_ms);
  const bool comes =
      entity->kind == LIG_READER || entity->kind == LIG_REQUESTER || entity->kind == LIG_REPLIER;
  return result < 0 || !comes ? result : ask_for_data(session, entity);
}
