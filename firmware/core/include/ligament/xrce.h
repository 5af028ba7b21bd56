/* SPDX-License-Identifier: Apache-2.0 */
/* ROS 2 on a microcontroller: nodes, publishers, subscriptions, services, by way of an XRCE agent
 * (`ligament agent`). No heap, no operating system: the caller owns all memory.
 *
 *   static uint8_t memory[LIGAMENT_MEMORY_SIZE(512, 8, 4)];
 *   static ligament_session_t session;
 *   static ligament_node_t node;
 *   static ligament_publisher_t imu;
 *
 *   ligament_session_options_t options = ligament_session_defaults(port, 0x00C0FFEE);
 *   options.memory = memory;
 *   ligament_session_open(&session, &options);
 *   ligament_node_create(&node, &session, "/imu_driver");
 *   ligament_publisher_create(&imu, &node, "/imu", SENSOR_MSGS_MSG_IMU_TYPE,
 * ligament_qos_reliable(10)); for (;;) { ligament_publish(&imu, body, size);
 *     ligament_session_run(&session, 10);   // receives, repeats what was lost, calls callbacks
 *   }
 *
 * Functions return 0 or more, or a negative code: one of those below, or what the port said. Names
 * and entities must live as long as the session: they are not copied.
 */
#ifndef LIGAMENT_XRCE_H
#define LIGAMENT_XRCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ligament/cdr.h"
#include "ligament/port.h"

enum {
  LIGAMENT_ERROR_TIMEOUT = -1001,   /* nobody answered in time */
  LIGAMENT_ERROR_FULL = -1002,      /* the window has no room: run the session, then try again */
  LIGAMENT_ERROR_TOO_LARGE = -1003, /* more than this stream or this memory can take */
  LIGAMENT_ERROR_REFUSED = -1004,   /* the agent's status is in `session.last_status` */
  LIGAMENT_ERROR_OPTIONS = -1005,   /* options that cannot be */
  LIGAMENT_ERROR_LOST = -1006,      /* the agent is gone: `ligament_session_restore` */
  LIGAMENT_ERROR_MESSAGE = -1007    /* bytes that are no message of the type */
};

/* ---- quality of service -------------------------------------------------------------------- */

typedef struct {
  bool is_reliable;
  bool is_transient_local;
  uint16_t depth;       /* keep last; 0: the agent's choice */
  uint32_t deadline_ms; /* 0: none */
  uint32_t lifespan_ms; /* 0: none */
} ligament_qos_t;

static inline ligament_qos_t ligament_qos_reliable(uint16_t depth) {
  ligament_qos_t qos = {true, false, depth, 0, 0};
  return qos;
}
static inline ligament_qos_t ligament_qos_best_effort(uint16_t depth) {
  ligament_qos_t qos = {false, false, depth, 0, 0};
  return qos;
}

/* ---- session ------------------------------------------------------------------------------- */

#define LIGAMENT_MOST_SLOTS 16

/* What `memory` must have: one message that is received, one that is built, and the slots. */
#define LIGAMENT_MEMORY_SIZE(mtu, out_slots, in_slots) \
  ((size_t)(mtu) * (2u + (size_t)(out_slots) + (size_t)(in_slots)))

typedef struct {
  ligament_port_t port;
  uint32_t key;         /* one per client of an agent */
  uint16_t mtu;         /* longest message of the link, 64 at least; default 512 */
  uint8_t out_slots;    /* reliable messages in flight; 1, 2, 4, 8 (default) or 16 */
  uint8_t in_slots;     /* reliable messages kept that came early; 0, 1, 2, 4 (default), 8 or 16 */
  uint8_t* memory;      /* LIGAMENT_MEMORY_SIZE(mtu, out_slots, in_slots) bytes */
  uint8_t* assembly;    /* where fragments are put together; NULL: such messages are dropped */
  size_t assembly_size; /* the longest of them */
  uint32_t answer_ms;   /* how long to wait for the agent's answers; default 1000 */
  uint32_t block_ms;    /* how long a publish waits for room; default 0: it says FULL */
  uint32_t lost_after_ms; /* an agent that says nothing for so long is lost; default 5000 */
} ligament_session_options_t;

ligament_session_options_t ligament_session_defaults(ligament_port_t port, uint32_t key);

typedef struct {
  uint64_t sent;     /* messages */
  uint64_t repeated; /* of those, again */
  uint64_t received; /* messages */
  uint64_t dropped;  /* of those: too long, malformed, for nobody */
  uint64_t lost;     /* best effort: gaps */
  uint64_t copied;   /* bytes of messages, each time that this client copied them */
} ligament_figures_t;

struct ligament_entity;

typedef struct {
  uint16_t next;
  uint16_t count; /* the oldest is next - count */
  bool is_open;   /* fragments of a message that was given up: the agent must be told */
  bool has_round_trip;
  uint32_t sizes[LIGAMENT_MOST_SLOTS];
  uint8_t* lent[LIGAMENT_MOST_SLOTS]; /* where the link's memory has it; NULL: in its slot */
  bool is_repeated[LIGAMENT_MOST_SLOTS];
  int64_t sent_us[LIGAMENT_MOST_SLOTS];
  int64_t round_trip_us;
  int64_t pause_us;
  int64_t heartbeat_us;
} ligament_out_t;

typedef struct {
  uint16_t next;
  uint16_t announced;
  uint16_t sizes[LIGAMENT_MOST_SLOTS]; /* 0: empty */
  size_t assembled;
  bool is_too_long;
} ligament_in_t;

typedef struct {
  ligament_session_options_t options;
  uint8_t id;
  bool is_open;
  bool is_in_callback;
  bool is_in_no_hurry; /* what is sent now need not wake the agent */
  uint16_t last_request;
  uint8_t last_status;
  uint16_t next_object;
  uint16_t best_effort_next;
  uint16_t best_effort_seen;
  uint8_t* lent; /* what is being written there */
  ligament_out_t out;
  ligament_in_t in;
  int64_t heard_us;
  int64_t pinged_us;
  int64_t time_offset_ns; /* the agent's time of day minus our clock */
  int64_t time_error_ns;  /* at most so wrong when it was measured; negative: never measured */
  int64_t time_sent_us;
  struct ligament_entity* entities; /* the newest first */
  uint16_t awaited[3];
  uint8_t awaiting;
  uint8_t worst_status;
  uint8_t unanswered; /* questions whether the agent is there */
  ligament_figures_t figures;
} ligament_session_t;

int ligament_session_open(ligament_session_t* session, const ligament_session_options_t* options);
/* Waits at most so long for a message; handles all there are. ERROR_LOST: the agent is gone. */
int ligament_session_run(ligament_session_t* session, uint32_t wait_ms);
/* Until all that was sent reliably has arrived. */
int ligament_session_flush(ligament_session_t* session, uint32_t timeout_ms);
/* Opens it again and makes all its entities again: after an agent was lost, and is back. */
int ligament_session_restore(ligament_session_t* session);
/* Tells the agent, which removes everything. */
int ligament_session_close(ligament_session_t* session);

/* Measures the agent's time of day; the best of several is kept. */
int ligament_time_sync(ligament_session_t* session, uint32_t timeout_ms);
/* Nanoseconds since 1970 by the agent's clock. */
int64_t ligament_time_now_ns(const ligament_session_t* session);

/* ---- entities ------------------------------------------------------------------------------ */

/* A body: the CDR of a message, valid until the callback returns. */
typedef void (*ligament_on_message_t)(void* context, ligament_cdr_t* body);

/* Which request a reply answers. */
typedef struct {
  uint8_t bytes[24];
} ligament_request_id_t;
typedef void (*ligament_on_request_t)(void* context, const ligament_request_id_t* id,
                                      ligament_cdr_t* request);
typedef void (*ligament_on_reply_t)(void* context, uint16_t call, ligament_cdr_t* reply);

/* Common to all; private. */
typedef struct ligament_entity {
  struct ligament_entity* next;
  ligament_session_t* session;
  const struct ligament_entity* node;
  uint8_t kind;
  uint16_t number;
  const char* name;
  bool is_in_node; /* its name goes behind that of the node */
  const char* type;
  const char* second_type;
  ligament_qos_t qos;
  void* context;
  union {
    ligament_on_message_t message;
    ligament_on_request_t request;
    ligament_on_reply_t reply;
  } call;
} ligament_entity_t;

typedef struct {
  ligament_entity_t entity;
  uint16_t domain;
} ligament_node_t;
typedef struct {
  ligament_entity_t entity;
} ligament_publisher_t;
typedef struct {
  ligament_entity_t entity;
} ligament_subscription_t;
typedef struct {
  ligament_entity_t entity;
} ligament_server_t;
typedef struct {
  ligament_entity_t entity;
} ligament_client_t;

/* The agent's own ROS domain. Another: `ligament_node_create_in`. */
#define LIGAMENT_AGENTS_DOMAIN 255

/* `name`: with its namespace, "/robot/imu". */
int ligament_node_create(ligament_node_t* node, ligament_session_t* session, const char* name);
int ligament_node_create_in(ligament_node_t* node, ligament_session_t* session, const char* name,
                            uint16_t domain);

/* `topic`: "/imu". `type`: as DDS spells it, "sensor_msgs::msg::dds_::Imu_"; generated code has it.
 */
int ligament_publisher_create(ligament_publisher_t* publisher, ligament_node_t* node,
                              const char* topic, const char* type, ligament_qos_t qos);
/* A reliable publisher fills the window and goes on; a longer message than the link's goes in
 * fragments. A best-effort one sends one message or says TOO_LARGE. The body is copied once, to
 * where it is sent from. */
int ligament_publish(ligament_publisher_t* publisher, const void* body, size_t size);
/* The same without a copy: writes the body of a message that fits into one of the link. Between the
 * two nothing else of the session may be called. */
int ligament_publish_begin(ligament_publisher_t* publisher, ligament_cdr_t* body);
int ligament_publish_end(ligament_publisher_t* publisher, const ligament_cdr_t* body);
/* As `begin`, for a body of at most so many bytes: where the link has memory of its own (RPMsg: the
 * slab), it is written there, however long, and goes as one message without a copy. It takes `most`
 * until `end`, then what was written. TOO_LARGE: no such memory now, and too long for a message of
 * the link: `ligament_publish` sends it in fragments. To give it up, set `body->has_failed` and
 * call `end`. */
int ligament_publish_loan(ligament_publisher_t* publisher, size_t most, ligament_cdr_t* body);

typedef struct {
  ligament_on_message_t call;
  void* context;
} ligament_message_callback_t;
int ligament_subscription_create(ligament_subscription_t* subscription, ligament_node_t* node,
                                 const char* topic, const char* type, ligament_qos_t qos,
                                 ligament_message_callback_t callback);

/* The two messages of a service, as DDS spells them. */
typedef struct {
  const char* request;
  const char* reply;
} ligament_service_types_t;

typedef struct {
  ligament_on_request_t call;
  void* context;
} ligament_request_callback_t;
int ligament_server_create(ligament_server_t* server, ligament_node_t* node, const char* service,
                           ligament_service_types_t types, ligament_request_callback_t callback);
/* A service of the node itself: of "/robot/imu" and "reset" it is "/robot/imu/reset". */
int ligament_server_create_in_node(ligament_server_t* server, ligament_node_t* node,
                                   const char* service, ligament_service_types_t types,
                                   ligament_request_callback_t callback);
int ligament_server_reply(ligament_server_t* server, const ligament_request_id_t* id,
                          const void* body, size_t size);

typedef struct {
  ligament_on_reply_t call;
  void* context;
} ligament_reply_callback_t;
int ligament_client_create(ligament_client_t* client, ligament_node_t* node, const char* service,
                           ligament_service_types_t types, ligament_reply_callback_t callback);
/* The number of the call, which the reply has too. */
int ligament_client_call(ligament_client_t* client, const void* body, size_t size);

#endif
