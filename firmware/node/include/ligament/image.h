/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of a firmware image: entities of one XRCE session, and timers. Generated code says
 * which nodes there are, and calls `ligament_app_run` (ligament/app.h) with the two functions. */
#ifndef LIGAMENT_IMAGE_H
#define LIGAMENT_IMAGE_H

#include "ligament/mcu_trace.h"
#include "ligament/node.h"
#include "ligament/rpmsg_layout.h"
#include "ligament/xrce.h"

/* An end of a topic: an input or output of a node. */
typedef struct {
  const char* topic;
  ligament_qos_t qos;
} ligament_end_t;

struct ligament_instance;

/* What a subscription's callback is given. */
typedef struct {
  struct ligament_instance* instance;
  uint16_t input;
  uint32_t taken;
} ligament_inlet_t;

/* A service that a node offers. */
typedef struct {
  const char* name;  /* in the graph */
  uint8_t* response; /* memory for the longest */
  size_t size;       /* of a response that waits for room; 0: none does */
  uint32_t taken;    /* requests */
  uint32_t answered; /* responses that were sent */
  ligament_request_id_t id;
  ligament_server_t server;
  struct ligament_instance* instance;
} ligament_provider_t;

/* A node. What is constant comes first; the rest is its memory, zero at the start. */
typedef struct ligament_instance {
  const ligament_code_type_t* type;
  ligament_code_t* node;
  const char* name;             /* with its namespace */
  const char* parameters_topic; /* new values come there; NULL: none can change */
  const ligament_end_t* inputs;
  const ligament_end_t* outputs;
  ligament_subscription_t* subscriptions;
  ligament_inlet_t* inlets;
  ligament_publisher_t* publishers;
  ligament_provider_t* providers; /* of its services */
  uint32_t* published;            /* per output */
  int64_t* due_us;                /* of its timers */
  ligament_node_t entity;
  ligament_subscription_t parameters;
  struct ligament_image* image;
  uint32_t first_end; /* of its counts in the ring (ligament/mcu_trace.h) */
  uint32_t late;      /* calls of timers that were left out */
} ligament_instance_t;

typedef struct ligament_image {
  ligament_instance_t* instances;
  uint16_t count;
  uint8_t* scratch; /* where a body is written that is longer than a message of the link */
  size_t scratch_size;
  void (*print)(const char* text);
  int64_t (*now_us)(void);
  void (*kick)(void* unused);
  ligament_rpmsg_map_t map; /* behind its area lies the ring of events */
  ligament_session_t* session;
  ligament_trace_ring_t* trace;
} ligament_image_t;

/* For ligament_app_t; `context` is the image. */
int ligament_image_create(void* context, ligament_session_t* session);
int64_t ligament_image_work(void* context, int64_t now_us);

#endif
