/* SPDX-License-Identifier: Apache-2.0 */
/* RPMsg on a core: messages to and from the host of the same chip, over shared memory.
 * The contract with the other side is spec/device/rpmsg.md. No heap, no operating system.
 *
 *   static ligament_rpmsg_t link;
 *   static ligament_rpmsg_endpoint_t echo = {.name = "echo", .receive = on_message};
 *   ligament_rpmsg_start(&link, &config);
 *   ligament_rpmsg_open(&link, &echo);
 *   for (;;) { wait_for_the_bell(); while (ligament_rpmsg_poll(&link) > 0) {} }
 *
 * All functions of one link are called by one task; the interrupt of the bell only wakes that task.
 * The host is not trusted: what it wrote is checked before it is used, and copied before it is
 * checked. A host that breaks the rules gets state BROKEN, and a new start.
 */
#ifndef LIGAMENT_RPMSG_H
#define LIGAMENT_RPMSG_H

#include <stddef.h>
#include <stdint.h>

#include "ligament/rpmsg_layout.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What functions return where they cannot do it. */
enum {
  LIGAMENT_RPMSG_INVALID = -1,   /* an argument: a map, an address in use, no peer known */
  LIGAMENT_RPMSG_DOWN = -2,      /* there is no host now */
  LIGAMENT_RPMSG_FULL = -3,      /* no room now. The bell rings when there is some */
  LIGAMENT_RPMSG_TOO_LARGE = -4, /* never: longer than slab and ring allow */
  LIGAMENT_RPMSG_DISTRUST = -5   /* the host broke the rules just now */
};

/* What a receive function returns. */
enum {
  LIGAMENT_RPMSG_DONE = 0,
  LIGAMENT_RPMSG_HELD = 1, /* the data stay until ligament_rpmsg_release; from the slab only */
  LIGAMENT_RPMSG_LATER = 2 /* there is no room for it now: it stays in the ring, as all behind it */
};

typedef struct {
  uint8_t* memory; /* the area; on a core: (uint8_t*)map.base */
  ligament_rpmsg_map_t map;
  uint32_t features; /* LIGAMENT_RPMSG_F_...: what the core offers */
  /* Wakes the host: one interrupt, mailbox message or byte on a line. */
  void (*kick)(void* context);
  /* May be NULL. After it, endpoints know no peer and held data are not ours any more. */
  void (*changed)(void* context, ligament_rpmsg_state_t state);
  void* context;
  /* Where messages in fragments are put together. Size 0: such messages are dropped and counted. */
  uint8_t* assembly;
  uint32_t assembly_size;
} ligament_rpmsg_config_t;

/* One end of a channel. It may be static; it stays the caller's, and must stay where it is. */
typedef struct ligament_rpmsg_endpoint {
  const char* name; /* announced to the host. NULL: it is not announced */
  uint32_t address; /* 0: the link chooses one */
  uint32_t peer;    /* LIGAMENT_RPMSG_ANY until the first message came */
  int (*receive)(void* context, uint32_t source, const uint8_t* data, size_t size);
  void* context;
  struct ligament_rpmsg_endpoint* next; /* the link's */
} ligament_rpmsg_endpoint_t;

typedef struct {
  uint32_t received;
  uint32_t sent;
  uint32_t dropped;  /* for an address that nobody has, or too large to put together */
  uint32_t breaches; /* of the rules, by the host */
  uint32_t copied;   /* bytes of messages, into buffers, slab or where parts are put together */
} ligament_rpmsg_figures_t;

typedef struct {
  uint32_t busy; /* a bit for each block of our half */
  uint32_t lent; /* a bit for each first block of a loan that the caller has */
  uint32_t ticket;
  uint32_t tickets[LIGAMENT_RPMSG_MAX_BLOCKS]; /* of the extent that begins there; 0: none sent */
  uint32_t extent[LIGAMENT_RPMSG_MAX_BLOCKS];  /* its blocks, as bits */
} ligament_rpmsg_own_slab_t;

typedef struct {
  uint32_t held; /* a bit for each block of the host's half */
  uint32_t tickets[LIGAMENT_RPMSG_MAX_BLOCKS];
  uint32_t extent[LIGAMENT_RPMSG_MAX_BLOCKS];
} ligament_rpmsg_peer_slab_t;

/* Its members are the link's own. */
typedef struct {
  ligament_rpmsg_config_t config;
  ligament_rpmsg_layout_t layout;
  ligament_rpmsg_state_t state;
  uint32_t session;
  uint32_t features;
  uint32_t epoch; /* one more with each host */
  uint32_t next_address;
  uint16_t next[2]; /* of each ring */
  uint32_t wants;
  ligament_rpmsg_endpoint_t* endpoints;
  ligament_rpmsg_own_slab_t own;
  ligament_rpmsg_peer_slab_t peer;
  ligament_rpmsg_header_t assembling;
  uint32_t assembled; /* bytes; UINT32_MAX: the rest of this message is dropped */
  uint8_t in_parts;
  uint8_t rings_later; /* while a message is sent that need not wake the host */
  uint8_t owes_ring;   /* such a message has not woken it yet */
  ligament_rpmsg_figures_t figures;
} ligament_rpmsg_t;

/* Memory of the slab that is the caller's until it is sent or given back. */
typedef struct {
  uint8_t* data; /* NULL: there was none */
  uint32_t size;
  uint32_t block;
  uint32_t epoch;
} ligament_rpmsg_loan_t;

/* The core is up: writes the resource table, tells the host. 0 or INVALID. */
int ligament_rpmsg_start(ligament_rpmsg_t* link, const ligament_rpmsg_config_t* config);
/* The core stops in order; `crashed`: it found a fault. The host removes what was on it. */
void ligament_rpmsg_stop(ligament_rpmsg_t* link, int crashed);
/* The core has found a fault, and says which. */
void ligament_rpmsg_crash(ligament_rpmsg_t* link, const ligament_fault_t* fault);

/* Adds an endpoint; it may be called before the host is there. 0 or INVALID. */
int ligament_rpmsg_open(ligament_rpmsg_t* link, ligament_rpmsg_endpoint_t* endpoint);
void ligament_rpmsg_close(ligament_rpmsg_t* link, ligament_rpmsg_endpoint_t* endpoint);

/* Does what there is to do, once around the ring at most. How many messages it took: above 0 it
 * shall be called again before the core sleeps. A host that is new, or gone, is a call of
 * `changed`. Never blocks. */
int ligament_rpmsg_poll(ligament_rpmsg_t* link);

/* Sends a message to the endpoint's peer. It is copied: up to 496 bytes into a buffer, more into
 * the slab, or, where the slab has no room, into many buffers. 0 or a code. */
int ligament_rpmsg_send(ligament_rpmsg_t* link, const ligament_rpmsg_endpoint_t* endpoint,
                        const void* data, size_t size);
/* The same, and the bell is rung by the next message, or by `ligament_rpmsg_poll`: who answers what
 * it has acknowledged wakes the host once. */
int ligament_rpmsg_send_later(ligament_rpmsg_t* link, const ligament_rpmsg_endpoint_t* endpoint,
                              const void* data, size_t size);

/* Without a copy: memory of the slab to write a message into. */
ligament_rpmsg_loan_t ligament_rpmsg_loan(ligament_rpmsg_t* link, size_t size);
/* Sends `size` bytes of it, at least 1. After 0 it is the host's; after a code still the caller's,
 * but after DOWN it is nobody's. */
int ligament_rpmsg_send_loan(ligament_rpmsg_t* link, const ligament_rpmsg_endpoint_t* endpoint,
                             ligament_rpmsg_loan_t* loan, size_t size);
void ligament_rpmsg_return_loan(ligament_rpmsg_t* link, ligament_rpmsg_loan_t* loan);

/* A loan by its address alone, for what may have to be sent more than once: `memory` stays the
 * caller's until it is given back, and is free when the host, too, is done with it. NULL: none. */
uint8_t* ligament_rpmsg_lend(ligament_rpmsg_t* link, size_t size);
/* 0 or a code. It is sent once more only when the host has read what was sent before: until then it
 * cannot be lost. The first call says how long it is; what is behind is free. */
int ligament_rpmsg_send_lent(ligament_rpmsg_t* link, const ligament_rpmsg_endpoint_t* endpoint,
                             const uint8_t* memory, size_t size);
/* Of an earlier host, or twice: no harm. */
void ligament_rpmsg_give_back(ligament_rpmsg_t* link, const uint8_t* memory);

/* Whether data that a receive function is given may be held. */
int ligament_rpmsg_can_hold(const ligament_rpmsg_t* link, const uint8_t* data);
/* Gives data back that a receive function held. */
void ligament_rpmsg_release(ligament_rpmsg_t* link, const uint8_t* data);

/* The longest message that can be sent with an empty slab and ring. */
size_t ligament_rpmsg_limit(const ligament_rpmsg_t* link);

#ifdef __cplusplus
}
#endif
#endif
