/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "wire.h"

enum { MOST_OBJECTS = 0xFFF, REQUEST = 4 };

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
  return lig_write(entity->session, stream_of(entity), lig_object_of(entity), NULL, body, size,
                   NULL);
}

/* Then the body, aligned from its own begin. */
static void put_request(const ligament_entity_t* entity, ligament_cdr_t* payload,
                        ligament_cdr_t* body) {
  lig_put_request(payload, lig_next_request(entity->session, lig_object_of(entity)));
  *body = ligament_cdr_over(payload->bytes + payload->at, payload->size - payload->at);
}

int ligament_publish_begin(ligament_publisher_t* publisher, ligament_cdr_t* body) {
  const ligament_entity_t* entity = &publisher->entity;
  ligament_cdr_t payload;
  const int result = lig_begin(entity->session, stream_of(entity), LIG_WRITE_DATA, 0, &payload);
  if (result < 0) {
    return result;
  }
  put_request(entity, &payload, body);
  return 0;
}

int ligament_publish_loan(ligament_publisher_t* publisher, size_t most, ligament_cdr_t* body) {
  const ligament_entity_t* entity = &publisher->entity;
  ligament_cdr_t payload;
  const int result =
      lig_begin_lent(entity->session, stream_of(entity), LIG_WRITE_DATA, REQUEST + most, &payload);
  if (result < 0) {
    return result;
  }
  put_request(entity, &payload, body);
  return 0;
}

int ligament_publish_end(ligament_publisher_t* publisher, const ligament_cdr_t* body) {
  ligament_cdr_t payload = *body;
  payload.bytes -= REQUEST;
  payload.at += REQUEST;
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
  return lig_write(entity->session, LIG_RELIABLE, lig_object_of(entity), id, body, size, NULL);
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
      lig_write(entity->session, LIG_RELIABLE, lig_object_of(entity), NULL, body, size, &request);
  return result < 0 ? result : request;
}

/* The rest of the payload, aligned from its own begin. */
static ligament_cdr_t rest_of(const ligament_cdr_t* payload) {
  return ligament_cdr_over(payload->bytes + payload->at, payload->size - payload->at);
}

void lig_on_data(ligament_session_t* session, uint16_t id, ligament_cdr_t* payload) {
  const ligament_entity_t* entity = session->entities;
  while (entity != NULL && lig_object_of(entity) != id) {
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
