/* SPDX-License-Identifier: Apache-2.0 */
/* Messages to the host: with headers over the ring, large ones by the slab or in parts, and raw
 * ones. */
#include <string.h>

#include "parts.h"

/* Buffers that can be filled now: as many as needed, or FULL and the bell will ring. */
static int room_for(ligament_rpmsg_t* link, uint32_t buffers) {
  int ready;
  if (link->state != LIGAMENT_RPMSG_RUNNING) {
    return LIGAMENT_RPMSG_DOWN;
  }
  ready = ligament_rpmsg_ring_ready(link, LIGAMENT_RPMSG_TO_HOST);
  if (ready >= 0 && (uint32_t)ready < buffers) {
    ligament_rpmsg_want(link, LIGAMENT_RPMSG_WANTS_BUFFERS);
    ready = ligament_rpmsg_ring_ready(link, LIGAMENT_RPMSG_TO_HOST);
  }
  if (ready < 0) {
    return ready;
  }
  if ((uint32_t)ready < buffers) {
    return LIGAMENT_RPMSG_FULL;
  }
  ligament_rpmsg_got(link, LIGAMENT_RPMSG_WANTS_BUFFERS);
  return 0;
}

/* Fills the next buffer. `header` NULL: raw. */
static int fill(ligament_rpmsg_t* link, const ligament_rpmsg_header_t* header, const void* data,
                uint32_t size) {
  const uint32_t before = header == NULL ? 0 : LIGAMENT_RPMSG_HEADER;
  ligament_rpmsg_buffer_t buffer;
  const int looked = ligament_rpmsg_ring_look(link, LIGAMENT_RPMSG_TO_HOST, 0, &buffer);
  if (looked != 0) {
    return looked;
  }
  if (buffer.size < before + size) {
    return ligament_rpmsg_distrust(link); /* the map promised more */
  }
  if (header != NULL) {
    memcpy(buffer.data, header, LIGAMENT_RPMSG_HEADER);
  }
  memcpy(buffer.data + before, data, size);
  link->figures.copied += size;
  ligament_rpmsg_ring_give(link, LIGAMENT_RPMSG_TO_HOST, buffer.id, before + size);
  return 0;
}

static int publish(ligament_rpmsg_t* link) {
  ligament_rpmsg_ring_publish(link, LIGAMENT_RPMSG_TO_HOST);
  ++link->figures.sent;
  if (link->rings_later) {
    link->owes_ring = 1;
  } else {
    ligament_rpmsg_bell(link);
  }
  return 0;
}

int ligament_rpmsg_post(ligament_rpmsg_t* link, ligament_rpmsg_header_t header, const void* data) {
  const int room = room_for(link, 1);
  const int filled = room != 0 ? room : fill(link, &header, data, header.length);
  return filled != 0 ? filled : publish(link);
}

int ligament_rpmsg_announce(ligament_rpmsg_t* link, const ligament_rpmsg_endpoint_t* endpoint,
                            uint32_t flags) {
  ligament_rpmsg_announcement_t announcement;
  const ligament_rpmsg_header_t header = {endpoint->address, LIGAMENT_RPMSG_NAME_SERVICE, 0,
                                          (uint16_t)sizeof announcement, 0};
  if (endpoint->name == NULL || raw(link) ||
      (link->features & (uint32_t)LIGAMENT_RPMSG_F_NAME_SERVICE) == 0) {
    return 0;
  }
  memset(&announcement, 0, sizeof announcement);
  memcpy(announcement.name, endpoint->name, strlen(endpoint->name));
  announcement.address = endpoint->address;
  announcement.flags = flags;
  return ligament_rpmsg_post(link, header, &announcement);
}

static uint32_t payload_of(const ligament_rpmsg_t* link) {
  return link->config.map.buffer_size - (raw(link) ? 0u : (uint32_t)LIGAMENT_RPMSG_HEADER);
}

static uint32_t parts_of(const ligament_rpmsg_t* link, size_t size) {
  return (uint32_t)((size + payload_of(link) - 1u) / payload_of(link));
}

/* One message in many buffers: all of them, or none. */
static int send_parts(ligament_rpmsg_t* link, ligament_rpmsg_header_t header, const uint8_t* data,
                      size_t size) {
  const int room = room_for(link, parts_of(link, size));
  if (room != 0) {
    return room;
  }
  while (size > 0) {
    const uint32_t part = size < payload_of(link) ? (uint32_t)size : payload_of(link);
    int filled;
    header.length = (uint16_t)part;
    header.flags = size > part ? LIGAMENT_RPMSG_MORE : 0;
    filled = fill(link, &header, data, part);
    if (filled != 0) {
      return filled;
    }
    data += part;
    size -= part;
  }
  return publish(link);
}

size_t ligament_rpmsg_limit(const ligament_rpmsg_t* link) {
  const size_t one = payload_of(link);
  const size_t slab = (size_t)link->config.map.block_size * link->config.map.blocks;
  const size_t ring = one * link->config.map.count;
  return !large(link) ? one : slab > ring ? slab : ring;
}

static int peer_of(const ligament_rpmsg_t* link, const ligament_rpmsg_endpoint_t* endpoint) {
  if (link->state != LIGAMENT_RPMSG_RUNNING) {
    return LIGAMENT_RPMSG_DOWN;
  }
  return endpoint->peer == LIGAMENT_RPMSG_ANY && !raw(link) ? LIGAMENT_RPMSG_INVALID : 0;
}

int ligament_rpmsg_send(ligament_rpmsg_t* link, const ligament_rpmsg_endpoint_t* endpoint,
                        const void* data, size_t size) {
  const ligament_rpmsg_header_t header = {endpoint->address, endpoint->peer, 0, (uint16_t)size, 0};
  const int known = peer_of(link, endpoint);
  ligament_rpmsg_loan_t loan;
  if (known != 0) {
    return known;
  }
  if (size > ligament_rpmsg_limit(link)) {
    return LIGAMENT_RPMSG_TOO_LARGE;
  }
  if (raw(link)) {
    const int room = room_for(link, 1);
    const int filled = room != 0 ? room : fill(link, NULL, data, (uint32_t)size);
    return filled != 0 ? filled : publish(link);
  }
  if (size <= payload_of(link)) {
    return ligament_rpmsg_post(link, header, data);
  }
  loan = ligament_rpmsg_loan(link, size);
  if (loan.data == NULL) {
    return parts_of(link, size) > link->config.map.count ? LIGAMENT_RPMSG_FULL
                                                         : send_parts(link, header, data, size);
  }
  memcpy(loan.data, data, size);
  link->figures.copied += (uint32_t)size;
  {
    const int sent = ligament_rpmsg_send_loan(link, endpoint, &loan, size);
    ligament_rpmsg_return_loan(link, &loan);
    return sent;
  }
}

int ligament_rpmsg_send_later(ligament_rpmsg_t* link, const ligament_rpmsg_endpoint_t* endpoint,
                              const void* data, size_t size) {
  int result;
  link->rings_later = 1;
  result = ligament_rpmsg_send(link, endpoint, data, size);
  link->rings_later = 0;
  return result;
}

/* There is a buffer for it. */
static int send_extent(ligament_rpmsg_t* link, const ligament_rpmsg_endpoint_t* endpoint,
                       uint32_t block, uint32_t size) {
  const ligament_rpmsg_header_t header = {endpoint->address, endpoint->peer, 0,
                                          (uint16_t)sizeof(ligament_rpmsg_extent_t),
                                          LIGAMENT_RPMSG_SLAB};
  const ligament_rpmsg_extent_t extent = ligament_rpmsg_slab_send(link, block, size);
  const int filled = fill(link, &header, &extent, (uint32_t)sizeof extent);
  return filled != 0 ? filled : publish(link);
}

int ligament_rpmsg_send_loan(ligament_rpmsg_t* link, const ligament_rpmsg_endpoint_t* endpoint,
                             ligament_rpmsg_loan_t* loan, size_t size) {
  int room = peer_of(link, endpoint);
  if (room == 0 && (loan->data == NULL || loan->epoch != link->epoch)) {
    return LIGAMENT_RPMSG_DOWN;
  }
  if (room == 0 && (size == 0 || size > loan->size)) {
    return LIGAMENT_RPMSG_INVALID;
  }
  room = room != 0 ? room : room_for(link, 1);
  if (room != 0) {
    return room;
  }
  loan->data = NULL;
  link->own.lent &= ~(1u << loan->block);
  return send_extent(link, endpoint, loan->block, (uint32_t)size);
}

int ligament_rpmsg_send_lent(ligament_rpmsg_t* link, const ligament_rpmsg_endpoint_t* endpoint,
                             const uint8_t* memory, size_t size) {
  const uint32_t block = ligament_rpmsg_slab_lent(link, memory);
  int result = peer_of(link, endpoint);
  if (result == 0 && block == LIGAMENT_RPMSG_MAX_BLOCKS) {
    return LIGAMENT_RPMSG_DOWN; /* of an earlier host */
  }
  result = result != 0 ? result : ligament_rpmsg_slab_shrink(link, block, size);
  if (result != 0 || ligament_rpmsg_slab_unread(link, block)) {
    return result;
  }
  result = room_for(link, 1);
  return result != 0 ? result : send_extent(link, endpoint, block, (uint32_t)size);
}
