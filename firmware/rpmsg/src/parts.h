/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the link share: access to the area, rings, slab. */
#ifndef LIGAMENT_RPMSG_PARTS_H
#define LIGAMENT_RPMSG_PARTS_H

#include "ligament/rpmsg.h"

/* A buffer of a ring, checked. */
typedef struct {
  uint16_t id;
  uint8_t* data;
  uint32_t size;
} ligament_rpmsg_buffer_t;

/* Every word that the host may write is read once, into a local: between two readings it may
 * change. The fences' partners are in the host's `Ring` (runtime/src/rpmsg). */
static inline uint32_t read32(const uint32_t* word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}
static inline uint16_t read16(const uint16_t* word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}
static inline uint8_t read8(const uint8_t* byte) { return __atomic_load_n(byte, __ATOMIC_ACQUIRE); }
static inline void write32(uint32_t* word, uint32_t value) {
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
}
static inline void write16(uint16_t* word, uint16_t value) {
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
}
static inline void fence(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

static inline ligament_rpmsg_control_t* control_of(const ligament_rpmsg_t* link) {
  return (ligament_rpmsg_control_t*)(void*)(link->config.memory + link->layout.control);
}
static inline ligament_rpmsg_table_t* table_of(const ligament_rpmsg_t* link) {
  return (ligament_rpmsg_table_t*)(void*)link->config.memory;
}
static inline int large(const ligament_rpmsg_t* link) {
  return (link->features & (uint32_t)LIGAMENT_RPMSG_F_LARGE) != 0;
}
static inline int raw(const ligament_rpmsg_t* link) {
  return (link->features & (uint32_t)LIGAMENT_RPMSG_F_RAW) != 0;
}

/* Wakes the host, unless it has been and did not look since. */
void ligament_rpmsg_bell(ligament_rpmsg_t* link);
/* A new state, which the host sees. */
void ligament_rpmsg_enter(ligament_rpmsg_t* link, ligament_rpmsg_state_t state);
/* The host broke a rule: the link is down until the host comes anew. DISTRUST. */
int ligament_rpmsg_distrust(ligament_rpmsg_t* link);
/* The host shall ring when it gave something back, until we got it. */
void ligament_rpmsg_want(ligament_rpmsg_t* link, uint32_t what);
void ligament_rpmsg_got(ligament_rpmsg_t* link, uint32_t what);

/* How many buffers the host has put into this ring that we did not take. Or DISTRUST. */
int ligament_rpmsg_ring_ready(ligament_rpmsg_t* link, int direction);
/* The `ahead`th of them. 0 or DISTRUST. */
int ligament_rpmsg_ring_look(ligament_rpmsg_t* link, int direction, uint16_t ahead,
                             ligament_rpmsg_buffer_t* buffer);
/* Gives the oldest one back, with so many bytes written. The host sees it after `publish`. */
void ligament_rpmsg_ring_give(ligament_rpmsg_t* link, int direction, uint16_t id, uint32_t size);
void ligament_rpmsg_ring_publish(ligament_rpmsg_t* link, int direction);

void ligament_rpmsg_slab_reset(ligament_rpmsg_t* link);
/* An extent of the host: its data, or NULL if the extent is none. */
const uint8_t* ligament_rpmsg_slab_take(ligament_rpmsg_t* link,
                                        const ligament_rpmsg_extent_t* extent);
void ligament_rpmsg_slab_give(ligament_rpmsg_t* link, uint32_t block);
/* Marks a loan as the host's; what to write into the message. */
ligament_rpmsg_extent_t ligament_rpmsg_slab_send(ligament_rpmsg_t* link, uint32_t block,
                                                 uint32_t size);

/* The block of a loan that the caller has, or MAX_BLOCKS. */
uint32_t ligament_rpmsg_slab_lent(const ligament_rpmsg_t* link, const uint8_t* memory);
/* Keeps so many bytes of a loan; the rest is free. 0, or INVALID: it has not so many. */
int ligament_rpmsg_slab_shrink(ligament_rpmsg_t* link, uint32_t block, size_t size);
/* Whether the host has not read yet what was sent of it. */
int ligament_rpmsg_slab_unread(ligament_rpmsg_t* link, uint32_t block);

/* One message without name (`source` may be the name service). 0 or a code. */
int ligament_rpmsg_post(ligament_rpmsg_t* link, ligament_rpmsg_header_t header, const void* data);
/* Tells the host of an endpoint, flags as in ligament_rpmsg_announcement_t. */
int ligament_rpmsg_announce(ligament_rpmsg_t* link, const ligament_rpmsg_endpoint_t* endpoint,
                            uint32_t flags);
/* Takes messages. How many, or DISTRUST. */
int ligament_rpmsg_receive(ligament_rpmsg_t* link);

#endif
