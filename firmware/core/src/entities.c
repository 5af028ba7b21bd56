/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "wire.h"

enum { MOST_OBJECTS = 0xFFF, QOS_DEPTH = 10 };

static uint16_t object(uint16_t number, uint8_t kind) { return (uint16_t)(number << 4 | kind); }
static uint16_t object_of(const ligament_entity_t* entity) {
  return object(entity->number, entity->kind);
}

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
  result = result < 0 ? result
                      : lig_begin(session, LIG_RELIABLE, LIG_CREATE, LIG_REUSE | LIG_REPLACE, to);
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
  return lig_end(session, LIG_RELIABLE, to);
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
  const int result = begin_create(session, object(entity->number, LIG_TOPIC), &create);
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
  const int result = begin_create(session, object_of(entity), &create);
  if (result < 0) {
    return result;
  }
  lig_put_id(&create.payload, object(entity->number, LIG_TOPIC));
  ligament_cdr_put_u8(&create.payload, 1);
  put_qos(&create.payload, &entity->qos);
  ligament_cdr_put_u8(&create.payload, 0); /* strength, or least time */
  uint8_t parent = LIG_PUBLISHER;
  if (entity->kind == LIG_READER) {
    ligament_cdr_put_u8(&create.payload, 0); /* content filter */
    parent = LIG_SUBSCRIBER;
  }
  return end_create(session, &create, object(entity->number, parent));
}

static int create_service(ligament_session_t* session, const ligament_entity_t* entity) {
  create_t create;
  const int result = begin_create(session, object_of(entity), &create);
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
  return end_create(session, &create, object_of(entity->node));
}

/* Asks for all that comes, without an end. */
static int ask_for_data(ligament_session_t* session, const ligament_entity_t* entity) {
  ligament_cdr_t payload;
  int result = lig_make_room(session);
  result = result < 0 ? result : lig_begin(session, LIG_RELIABLE, LIG_READ_DATA, 0, &payload);
  if (result < 0) {
    return result;
  }
  lig_put_request(&payload, lig_next_request(session, object_of(entity)));
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
  const int result = begin_create(session, object_of(entity), &create);
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
  return lig_end(session, LIG_RELIABLE, to);
}

static int send_creates(ligament_session_t* session, const ligament_entity_t* entity) {
  if (entity->kind == LIG_PARTICIPANT) {
    return create_node(session, entity);
  }
  if (entity->kind == LIG_REQUESTER || entity->kind == LIG_REPLIER) {
    return create_service(session, entity);
  }
  const uint8_t group = entity->kind == LIG_WRITER ? LIG_PUBLISHER : LIG_SUBSCRIBER;
  const uint16_t node = object_of(entity->node);
  int result = create_topic(session, entity, node);
  result = result < 0 ? result : create_group(session, object(entity->number, group), node);
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

static int add(ligament_entity_t* entity, ligament_session_t* session, uint8_t kind) {
  if (session->next_object == MOST_OBJECTS) {
    return LIGAMENT_ERROR_TOO_LARGE;
  }
  entity->session = session;
  entity->kind = kind;
  entity->number = ++session->next_object;
  const int result = lig_create_again(entity);
  if (result >= 0) {
    entity->next = session->entities;
    session->entities = entity;
  }
  return result;
}

int ligament_node_create(ligament_node_t* node, ligament_session_t* session, const char* name) {
  return ligament_node_create_in(node, session, name, LIGAMENT_AGENTS_DOMAIN);
}

int ligament_node_create_in(ligament_node_t* node, ligament_session_t* session, const char* name,
                            uint16_t domain) {
  memset(node, 0, sizeof *node);
  node->entity.name = name;
  node->domain = domain;
  return add(&node->entity, session, LIG_PARTICIPANT);
}

int ligament_publisher_create(ligament_publisher_t* publisher, ligament_node_t* node,
                              const char* topic, const char* type, ligament_qos_t qos) {
  memset(publisher, 0, sizeof *publisher);
  publisher->entity.node = &node->entity;
  publisher->entity.name = topic;
  publisher->entity.type = type;
  publisher->entity.qos = qos;
  return add(&publisher->entity, node->entity.session, LIG_WRITER);
}

static uint8_t stream_of(const ligament_entity_t* entity) {
  return entity->qos.is_reliable ? LIG_RELIABLE : LIG_BEST_EFFORT;
}

int ligament_publish(ligament_publisher_t* publisher, const void* body, size_t size) {
  const ligament_entity_t* entity = &publisher->entity;
  return lig_write(entity->session, stream_of(entity), object_of(entity), NULL, body, size, NULL);
}

int ligament_publish_begin(ligament_publisher_t* publisher, ligament_cdr_t* body) {
  const ligament_entity_t* entity = &publisher->entity;
  ligament_cdr_t payload;
  const int result = lig_begin(entity->session, stream_of(entity), LIG_WRITE_DATA, 0, &payload);
  if (result < 0) {
    return result;
  }
  lig_put_request(&payload, lig_next_request(entity->session, object_of(entity)));
  *body = ligament_cdr_over(payload.bytes + payload.at, payload.size - payload.at);
  return 0;
}

int ligament_publish_end(ligament_publisher_t* publisher, const ligament_cdr_t* body) {
  const size_t request = 4;
  ligament_cdr_t payload = *body;
  payload.bytes -= request;
  payload.at += request;
  return lig_end(publisher->entity.session, stream_of(&publisher->entity), &payload);
}

int ligament_subscription_create(ligament_subscription_t* subscription, ligament_node_t* node,
                                 const char* topic, const char* type, ligament_qos_t qos,
                                 ligament_message_callback_t callback) {
  memset(subscription, 0, sizeof *subscription);
  ligament_entity_t* entity = &subscription->entity;
  entity->node = &node->entity;
  entity->name = topic;
  entity->type = type;
  entity->qos = qos;
  entity->call.message = callback.call;
  entity->context = callback.context;
  return add(entity, node->entity.session, LIG_READER);
}

static int add_service(ligament_entity_t* entity, const ligament_node_t* node, const char* service,
                       ligament_service_types_t types, uint8_t kind) {
  entity->node = &node->entity;
  entity->name = service;
  entity->type = types.request;
  entity->second_type = types.reply;
  entity->qos.is_reliable = true;
  return add(entity, node->entity.session, kind);
}

int ligament_server_create(ligament_server_t* server, ligament_node_t* node, const char* service,
                           ligament_service_types_t types, ligament_request_callback_t callback) {
  memset(server, 0, sizeof *server);
  server->entity.call.request = callback.call;
  server->entity.context = callback.context;
  return add_service(&server->entity, node, service, types, LIG_REPLIER);
}

int ligament_server_create_in_node(ligament_server_t* server, ligament_node_t* node,
                                   const char* service, ligament_service_types_t types,
                                   ligament_request_callback_t callback) {
  memset(server, 0, sizeof *server);
  server->entity.is_in_node = true;
  server->entity.call.request = callback.call;
  server->entity.context = callback.context;
  return add_service(&server->entity, node, service, types, LIG_REPLIER);
}

int ligament_server_reply(ligament_server_t* server, const ligament_request_id_t* id,
                          const void* body, size_t size) {
  const ligament_entity_t* entity = &server->entity;
  return lig_write(entity->session, LIG_RELIABLE, object_of(entity), id, body, size, NULL);
}

int ligament_client_create(ligament_client_t* client, ligament_node_t* node, const char* service,
                           ligament_service_types_t types, ligament_reply_callback_t callback) {
  memset(client, 0, sizeof *client);
  client->entity.call.reply = callback.call;
  client->entity.context = callback.context;
  return add_service(&client->entity, node, service, types, LIG_REQUESTER);
}

int ligament_client_call(ligament_client_t* client, const void* body, size_t size) {
  const ligament_entity_t* entity = &client->entity;
  uint16_t request = 0;
  const int result =
      lig_write(entity->session, LIG_RELIABLE, object_of(entity), NULL, body, size, &request);
  return result < 0 ? result : request;
}

/* The rest of the payload, aligned from its own begin. */
static ligament_cdr_t rest_of(const ligament_cdr_t* payload) {
  return ligament_cdr_over(payload->bytes + payload->at, payload->size - payload->at);
}

void lig_on_data(ligament_session_t* session, uint16_t id, ligament_cdr_t* payload) {
  const ligament_entity_t* entity = session->entities;
  while (entity != NULL && object_of(entity) != id) {
    entity = entity->next;
  }
  lig_request_t request = {0, 0};
  ligament_request_id_t identity;
  const uint8_t* bytes = NULL;
  if (entity != NULL && entity->kind == LIG_REPLIER) {
    bytes = ligament_cdr_get_bytes(payload, sizeof identity.bytes);
  } else if (entity != NULL && entity->kind == LIG_REQUESTER) {
    request = lig_get_request(payload);
  }
  if (entity == NULL || payload->has_failed || entity->call.message == NULL) {
    ++session->figures.dropped;
    return;
  }
  ligament_cdr_t body = rest_of(payload);
  if (entity->kind == LIG_REPLIER) {
    memcpy(identity.bytes, bytes, sizeof identity.bytes);
    entity->call.request(entity->context, &identity, &body);
  } else if (entity->kind == LIG_REQUESTER) {
    entity->call.reply(entity->context, request.id, &body);
  } else if (entity->kind == LIG_READER) {
    entity->call.message(entity->context, &body);
  }
}
