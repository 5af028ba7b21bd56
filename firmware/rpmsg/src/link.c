/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a link, as the core sees it: start, wait for a host, run, and again. */
#include <string.h>

#include "parts.h"

void ligament_rpmsg_bell(ligament_rpmsg_t* link) {
  ligament_rpmsg_control_t* control = control_of(link);
  link->owes_ring = 0;
  fence(); /* what we wrote before, then the look: the host clears the word, then looks */
  if (read32(&control->bell_to_host) == 0) {
    write32(&control->bell_to_host, 1);
    link->config.kick(link->config.context);
  }
}

/* For the life cycle: the word may be left over from a host that is gone. */
static void bell_always(ligament_rpmsg_t* link) {
  fence();
  write32(&control_of(link)->bell_to_host, 1);
  link->config.kick(link->config.context);
}

void ligament_rpmsg_enter(ligament_rpmsg_t* link, ligament_rpmsg_state_t state) {
  link->state = state;
  write32(&control_of(link)->core.state, (uint32_t)state);
  bell_always(link);
  if (link->config.changed != NULL) {
    link->config.changed(link->config.context, state);
  }
}

int ligament_rpmsg_distrust(ligament_rpmsg_t* link) {
  ++link->figures.breaches;
  if (link->state == LIGAMENT_RPMSG_RUNNING) {
    ligament_rpmsg_enter(link, LIGAMENT_RPMSG_BROKEN);
  }
  return LIGAMENT_RPMSG_DISTRUST;
}

void ligament_rpmsg_want(ligament_rpmsg_t* link, uint32_t what) {
  link->wants |= what;
  write32(&control_of(link)->core.wants, link->wants);
  fence(); /* then look once more: the host gives back, then looks at this word */
}

void ligament_rpmsg_got(ligament_rpmsg_t* link, uint32_t what) {
  if ((link->wants & what) != 0) {
    link->wants &= ~what;
    write32(&control_of(link)->core.wants, link->wants);
  }
}

static void write_table(ligament_rpmsg_t* link) {
  ligament_rpmsg_table_t table;
  uint32_t ring;
  memset(&table, 0, sizeof table);
  table.version = 1;
  table.entries = 2;
  table.offsets[0] = (uint32_t)offsetof(ligament_rpmsg_table_t, device);
  table.offsets[1] = (uint32_t)offsetof(ligament_rpmsg_table_t, own);
  table.device.type = 3;
  table.device.id = 7;
  table.device.offered = link->config.features;
  table.device.rings = 2;
  for (ring = 0; ring < 2; ++ring) {
    table.device.ring[ring].address = link->config.map.base + link->layout.ring[ring];
    table.device.ring[ring].align = LIGAMENT_RPMSG_ALIGN;
    table.device.ring[ring].count = link->config.map.count;
    table.device.ring[ring].notify = ring;
  }
  table.own.type = 128;
  table.own.magic = LIGAMENT_RPMSG_MAGIC;
  table.own.version = LIGAMENT_RPMSG_VERSION;
  table.own.map = link->config.map;
  memcpy(table_of(link), &table, sizeof table);
}

int ligament_rpmsg_start(ligament_rpmsg_t* link, const ligament_rpmsg_config_t* config) {
  ligament_rpmsg_control_t* control;
  uint32_t boot;
  memset(link, 0, sizeof *link);
  link->config = *config;
  link->layout = ligament_rpmsg_layout(&config->map);
  if (link->layout.size == 0 || config->memory == NULL || config->kick == NULL ||
      (config->map.block_size == 0 && (config->features & LIGAMENT_RPMSG_F_LARGE) != 0 &&
       config->assembly_size == 0)) {
    return LIGAMENT_RPMSG_INVALID;
  }
  link->next_address = LIGAMENT_RPMSG_FIRST_ADDRESS;
  control = control_of(link);
  boot = read32(&control->core.boot) + 1u;
  /* Offline first, so that no host takes half a table for a whole one. */
  write32(&control->core.state, LIGAMENT_RPMSG_OFFLINE);
  write_table(link);
  link->session = read32(&control->host.session);
  write32(&control->core.session, link->session);
  write32(&control->core.wants, 0);
  memset(&control->core.fault, 0, sizeof control->core.fault);
  write32(&control->bell_to_core, 0);
  write32(&control->core.boot, boot == 0 ? 1u : boot);
  ligament_rpmsg_enter(link, LIGAMENT_RPMSG_WAITING);
  return 0;
}

void ligament_rpmsg_stop(ligament_rpmsg_t* link, int crashed) {
  ligament_rpmsg_enter(link, crashed ? LIGAMENT_RPMSG_CRASHED : LIGAMENT_RPMSG_OFFLINE);
}

void ligament_rpmsg_crash(ligament_rpmsg_t* link, const ligament_fault_t* fault) {
  if (link->config.memory != NULL) { /* it was started */
    control_of(link)->core.fault = *fault;
    ligament_rpmsg_stop(link, 1);
  }
}

/* The host has made rings: are they for this start of ours, with features that we offered? */
static int accept_host(ligament_rpmsg_t* link) {
  ligament_rpmsg_control_t* control = control_of(link);
  const uint8_t status = read8(&table_of(link)->device.status);
  const uint32_t features = read32(&table_of(link)->device.accepted);
  const uint32_t both = LIGAMENT_RPMSG_F_RAW | LIGAMENT_RPMSG_F_LARGE;
  ligament_rpmsg_endpoint_t* endpoint;
  if ((status & LIGAMENT_VIRTIO_DRIVER_OK) == 0 ||
      read32(&control->host.boot) != read32(&control->core.boot)) {
    return 0;
  }
  if ((features & ~link->config.features) != 0 || (features & both) == both) {
    ++link->figures.breaches;
    ligament_rpmsg_enter(link, LIGAMENT_RPMSG_BROKEN);
    return 0;
  }
  link->features = features;
  ++link->epoch;
  link->next[0] = 0;
  link->next[1] = 0;
  link->in_parts = 0;
  ligament_rpmsg_got(link, UINT32_MAX);
  ligament_rpmsg_slab_reset(link);
  for (endpoint = link->endpoints; endpoint != NULL; endpoint = endpoint->next) {
    endpoint->peer = LIGAMENT_RPMSG_ANY;
  }
  ligament_rpmsg_enter(link, LIGAMENT_RPMSG_RUNNING);
  for (endpoint = link->endpoints; endpoint != NULL; endpoint = endpoint->next) {
    (void)ligament_rpmsg_announce(link, endpoint, 0);
  }
  return 1;
}

/* A host that is new since we looked last. */
static void follow_session(ligament_rpmsg_t* link) {
  ligament_rpmsg_control_t* control = control_of(link);
  const uint32_t session = read32(&control->host.session);
  if (session != link->session) {
    link->session = session;
    write32(&control->core.session, session);
    ligament_rpmsg_enter(link, LIGAMENT_RPMSG_WAITING);
  } else if (link->state == LIGAMENT_RPMSG_RUNNING &&
             (read8(&table_of(link)->device.status) & LIGAMENT_VIRTIO_DRIVER_OK) == 0) {
    ligament_rpmsg_enter(link, LIGAMENT_RPMSG_WAITING);
  }
}

int ligament_rpmsg_poll(ligament_rpmsg_t* link) {
  int taken = 0;
  if (link->state == LIGAMENT_RPMSG_OFFLINE || link->state == LIGAMENT_RPMSG_CRASHED) {
    return 0;
  }
  if (link->owes_ring) {
    ligament_rpmsg_bell(link);
  }
  write32(&control_of(link)->bell_to_core, 0);
  fence(); /* then look: the host writes, then reads the word */
  follow_session(link);
  if (link->state == LIGAMENT_RPMSG_WAITING) {
    taken += accept_host(link);
  }
  if (link->state != LIGAMENT_RPMSG_RUNNING && read32(&control_of(link)->bell_to_host) != 0) {
    bell_always(link); /* the first ring may have come before the host's line was connected */
  }
  if (link->state == LIGAMENT_RPMSG_RUNNING) {
    const int received = ligament_rpmsg_receive(link);
    taken += received > 0 ? received : 0;
  }
  return taken;
}

static int address_free(const ligament_rpmsg_t* link, uint32_t address) {
  const ligament_rpmsg_endpoint_t* other;
  for (other = link->endpoints; other != NULL; other = other->next) {
    if (other->address == address) {
      return 0;
    }
  }
  return address != LIGAMENT_RPMSG_NAME_SERVICE && address != LIGAMENT_RPMSG_ANY;
}

int ligament_rpmsg_open(ligament_rpmsg_t* link, ligament_rpmsg_endpoint_t* endpoint) {
  if (endpoint->receive == NULL ||
      (endpoint->name != NULL && strlen(endpoint->name) >= LIGAMENT_RPMSG_NAME)) {
    return LIGAMENT_RPMSG_INVALID;
  }
  while (endpoint->address == 0 && !address_free(link, link->next_address)) {
    ++link->next_address;
  }
  if (endpoint->address == 0) {
    endpoint->address = link->next_address++;
  } else if (!address_free(link, endpoint->address)) {
    return LIGAMENT_RPMSG_INVALID;
  }
  endpoint->peer = LIGAMENT_RPMSG_ANY;
  endpoint->next = link->endpoints;
  link->endpoints = endpoint;
  return link->state == LIGAMENT_RPMSG_RUNNING ? ligament_rpmsg_announce(link, endpoint, 0) : 0;
}

void ligament_rpmsg_close(ligament_rpmsg_t* link, ligament_rpmsg_endpoint_t* endpoint) {
  ligament_rpmsg_endpoint_t** place = &link->endpoints;
  while (*place != NULL && *place != endpoint) {
    place = &(*place)->next;
  }
  if (*place != NULL) {
    *place = endpoint->next;
    (void)ligament_rpmsg_announce(link, endpoint, 1);
  }
}
