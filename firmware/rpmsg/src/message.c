/* SPDX-License-Identifier: Apache-2.0 */
/* Messages: with headers over the rings, large ones by the slab or in parts, and raw ones. */
#include <string.h>

#include "parts.h"

/* --- sending ---------------------------------------------------------------------------------- */

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
  ligament_rpmsg_ring_give(link, LIGAMENT_RPMSG_TO_HOST, buffer.id, before + size);
  return 0;
}

static int publish(ligament_rpmsg_t* link) {
  ligament_rpmsg_ring_publish(link, LIGAMENT_RPMSG_TO_HOST);
  ++link->figures.sent;
  ligament_rpmsg_bell(link);
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
  {
    const int sent = ligament_rpmsg_send_loan(link, endpoint, &loan, size);
    ligament_rpmsg_return_loan(link, &loan);
    return sent;
  }
}

int ligament_rpmsg_send_loan(ligament_rpmsg_t* link, const ligament_rpmsg_endpoint_t* endpoint,
                             ligament_rpmsg_loan_t* loan, size_t size) {
  const ligament_rpmsg_header_t header = {endpoint->address, endpoint->peer, 0,
                                          (uint16_t)sizeof(ligament_rpmsg_extent_t),
                                          LIGAMENT_RPMSG_SLAB};
  ligament_rpmsg_extent_t extent;
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
  extent = ligament_rpmsg_slab_send(link, loan->block, (uint32_t)size);
  loan->data = NULL;
  room = fill(link, &header, &extent, (uint32_t)sizeof extent);
  return room != 0 ? room : publish(link);
}

/* --- receiving -------------------------------------------------------------------------------- */

static ligament_rpmsg_endpoint_t* find(const ligament_rpmsg_t* link, uint32_t address) {
  ligament_rpmsg_endpoint_t* endpoint = link->endpoints;
  while (endpoint != NULL && !raw(link) && endpoint->address != address) {
    endpoint = endpoint->next;
  }
  return endpoint;
}

/* What the endpoint's function says; DONE where there is none. */
static int deliver(ligament_rpmsg_t* link, const ligament_rpmsg_header_t* header,
                   const uint8_t* data, size_t size) {
  ligament_rpmsg_endpoint_t* endpoint = find(link, header->destination);
  if (endpoint == NULL) {
    ++link->figures.dropped;
    return LIGAMENT_RPMSG_DONE;
  }
  if (endpoint->peer == LIGAMENT_RPMSG_ANY) {
    endpoint->peer = header->source;
  }
  {
    const int answer = endpoint->receive(endpoint->context, header->source, data, size);
    link->figures.received += answer == LIGAMENT_RPMSG_LATER ? 0u : 1u;
    return answer;
  }
}

/* A part of a message. The host sends the parts of one message without others between them. */
static int assemble(ligament_rpmsg_t* link, const ligament_rpmsg_header_t* header,
                    const uint8_t* data) {
  const int more = (header->flags & LIGAMENT_RPMSG_MORE) != 0;
  if (!link->in_parts) {
    link->assembling = *header;
    link->assembled = 0;
    link->in_parts = 1;
  }
  if (header->source != link->assembling.source ||
      header->destination != link->assembling.destination) {
    return ligament_rpmsg_distrust(link);
  }
  if (link->assembled > link->config.assembly_size ||
      header->length > link->config.assembly_size - link->assembled) {
    link->assembled = UINT32_MAX;
  } else {
    memcpy(link->config.assembly + link->assembled, data, header->length);
    link->assembled += header->length;
  }
  if (more) {
    return 0;
  }
  link->in_parts = 0;
  if (link->assembled == UINT32_MAX) {
    ++link->figures.dropped;
    return 0;
  }
  if (deliver(link, header, link->config.assembly, link->assembled) == LIGAMENT_RPMSG_LATER) {
    link->in_parts = 1; /* the last part will be looked at once more */
    link->assembled -= header->length;
    return LIGAMENT_RPMSG_LATER;
  }
  return 0;
}

static int take_extent(ligament_rpmsg_t* link, const ligament_rpmsg_header_t* header,
                       const uint8_t* payload) {
  ligament_rpmsg_extent_t extent;
  const uint32_t epoch = link->epoch;
  const uint8_t* data;
  if (header->length != sizeof extent) {
    return ligament_rpmsg_distrust(link);
  }
  memcpy(&extent, payload, sizeof extent);
  data = ligament_rpmsg_slab_take(link, &extent);
  if (data == NULL) {
    return ligament_rpmsg_distrust(link);
  }
  {
    const int answer = deliver(link, header, data, extent.length);
    if (answer == LIGAMENT_RPMSG_LATER) {
      link->peer.held &= ~link->peer.extent[extent.block];
      return LIGAMENT_RPMSG_LATER;
    }
    if (answer != LIGAMENT_RPMSG_HELD && epoch == link->epoch) {
      ligament_rpmsg_slab_give(link, extent.block);
    }
  }
  return 0;
}

static int take(ligament_rpmsg_t* link, const ligament_rpmsg_buffer_t* buffer) {
  ligament_rpmsg_header_t header = {LIGAMENT_RPMSG_ANY, 0, 0, 0, 0};
  if (raw(link)) {
    return deliver(link, &header, buffer->data, buffer->size) == LIGAMENT_RPMSG_LATER
               ? LIGAMENT_RPMSG_LATER
               : 0;
  }
  if (buffer->size < LIGAMENT_RPMSG_HEADER) {
    return ligament_rpmsg_distrust(link);
  }
  memcpy(&header, buffer->data, sizeof header);
  if (header.length > buffer->size - LIGAMENT_RPMSG_HEADER) {
    return ligament_rpmsg_distrust(link);
  }
  if (large(link) && (header.flags & LIGAMENT_RPMSG_SLAB) != 0) {
    return link->in_parts ? ligament_rpmsg_distrust(link)
                          : take_extent(link, &header, buffer->data + LIGAMENT_RPMSG_HEADER);
  }
  if (large(link) && (link->in_parts || (header.flags & LIGAMENT_RPMSG_MORE) != 0)) {
    return assemble(link, &header, buffer->data + LIGAMENT_RPMSG_HEADER);
  }
  return deliver(link, &header, buffer->data + LIGAMENT_RPMSG_HEADER, header.length) ==
                 LIGAMENT_RPMSG_LATER
             ? LIGAMENT_RPMSG_LATER
             : 0;
}

/* Once around the ring at most, so that a host that never stops cannot keep the core here. */
int ligament_rpmsg_receive(ligament_rpmsg_t* link) {
  const int ready = ligament_rpmsg_ring_ready(link, LIGAMENT_RPMSG_TO_CORE);
  const uint32_t epoch = link->epoch;
  int taken = 0;
  while (taken < ready) {
    ligament_rpmsg_buffer_t buffer;
    if (ligament_rpmsg_ring_look(link, LIGAMENT_RPMSG_TO_CORE, 0, &buffer) != 0 ||
        take(link, &buffer) != 0 || link->state != LIGAMENT_RPMSG_RUNNING || link->epoch != epoch) {
      break;
    }
    ligament_rpmsg_ring_give(link, LIGAMENT_RPMSG_TO_CORE, buffer.id, 0);
    ligament_rpmsg_ring_publish(link, LIGAMENT_RPMSG_TO_CORE);
    ++taken;
  }
  if (taken > 0) {
    fence();
    if (read32(&control_of(link)->host.wants) != 0) {
      ligament_rpmsg_bell(link);
    }
  }
  return ready < 0 ? ready : taken;
}
