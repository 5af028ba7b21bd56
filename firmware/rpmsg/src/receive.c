/* SPDX-License-Identifier: Apache-2.0 */
/* Messages from the host: with headers over the ring, large ones by the slab or in parts, and raw
 * ones. */
#include <string.h>

#include "parts.h"

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
    link->figures.copied += header->length;
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
