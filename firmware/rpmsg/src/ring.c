/* SPDX-License-Identifier: Apache-2.0 */
/* The core's side of two virtio rings: it takes what the host made available, and gives it back as
 * used. The host's indices, ids, addresses and lengths are checked each time. */
#include "parts.h"

static uint8_t* ring_of(const ligament_rpmsg_t* link, int direction) {
  return link->config.memory + link->layout.ring[direction];
}

/* The lists of a ring are {flags, index, entries}. */
static uint16_t* avail_of(const ligament_rpmsg_t* link, int direction) {
  return (uint16_t*)(void*)(ring_of(link, direction) + link->layout.avail);
}
static uint16_t* used_of(const ligament_rpmsg_t* link, int direction) {
  return (uint16_t*)(void*)(ring_of(link, direction) + link->layout.used);
}

int ligament_rpmsg_ring_ready(ligament_rpmsg_t* link, int direction) {
  const uint16_t index = read16(avail_of(link, direction) + 1);
  const uint16_t ready = (uint16_t)(index - link->next[direction]);
  return ready > link->config.map.count ? ligament_rpmsg_distrust(link) : (int)ready;
}

/* Where a buffer begins in the area, or UINT32_MAX. Buffers lie in their direction's part. */
static uint32_t offset_of(const ligament_rpmsg_t* link, int direction, uint32_t address,
                          uint32_t length) {
  const uint32_t begin = link->layout.buffers[direction];
  const uint32_t room = link->config.map.count * link->config.map.buffer_size;
  const uint32_t offset = address - link->config.map.base - begin;
  if (address % 4u != 0 || offset > room || length > room - offset) {
    return UINT32_MAX;
  }
  return begin + offset;
}

int ligament_rpmsg_ring_look(ligament_rpmsg_t* link, int direction, uint16_t ahead,
                             ligament_rpmsg_buffer_t* buffer) {
  const uint32_t mask = link->config.map.count - 1u;
  const uint32_t slot = (uint32_t)(link->next[direction] + ahead) & mask;
  const uint16_t id = read16(avail_of(link, direction) + 2 + slot);
  const ligament_vring_descriptor_t* entry;
  uint32_t offset;
  uint16_t flags;
  if (id >= link->config.map.count) {
    return ligament_rpmsg_distrust(link);
  }
  entry = (const ligament_vring_descriptor_t*)(const void*)ring_of(link, direction) + id;
  buffer->id = id;
  buffer->size = read32(&entry->length);
  flags = read16(&entry->flags);
  offset = offset_of(link, direction, read32(&entry->address), buffer->size);
  /* Chains and tables of descriptors: RPMsg has neither, so that no loop can be made of them. */
  if (offset == UINT32_MAX || read32(&entry->high) != 0 ||
      buffer->size > link->config.map.buffer_size ||
      flags != (direction == LIGAMENT_RPMSG_TO_HOST ? LIGAMENT_VRING_WRITE : 0)) {
    return ligament_rpmsg_distrust(link);
  }
  buffer->data = link->config.memory + offset;
  return 0;
}

void ligament_rpmsg_ring_give(ligament_rpmsg_t* link, int direction, uint16_t id, uint32_t size) {
  const uint32_t slot = link->next[direction] & (link->config.map.count - 1u);
  ligament_vring_used_t* entry =
      (ligament_vring_used_t*)(void*)(used_of(link, direction) + 2) + slot;
  entry->id = id;
  entry->length = size;
  ++link->next[direction];
}

void ligament_rpmsg_ring_publish(ligament_rpmsg_t* link, int direction) {
  /* Release: the host that reads the index sees the entries and the buffers. */
  write16(used_of(link, direction) + 1, link->next[direction]);
}
