/* SPDX-License-Identifier: Apache-2.0 */
/* The area of memory that a core and its host share, spec/device/rpmsg.md: one header, which both
 * sides read, so that no offset is written twice. C99 and C++.
 *
 * Both sides are little-endian, as all cores here are. */
#ifndef LIGAMENT_RPMSG_LAYOUT_H
#define LIGAMENT_RPMSG_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a platform chooses. Both sides must have the same; the host compares it with the table. */
typedef struct {
  uint32_t base;        /* address of the area as the core sees it; a multiple of 4096 */
  uint32_t count;       /* buffers in each direction: a power of two, 2 to 1024 */
  uint32_t buffer_size; /* 512 with RPMsg headers; raw: 64 to 65536, a multiple of 64 */
  uint32_t block_size;  /* of the slab: a multiple of 64; 0: there is no slab */
  uint32_t blocks;      /* in each direction, 1 to 32 */
} ligament_rpmsg_map_t;

/* A map that suits most: 64 buffers and 128 kB of slab in each direction. */
#define LIGAMENT_RPMSG_MAP(base) \
  { (base), 64u, 512u, 4096u, 32u }

/* That of the image's memory map, by `ligament_add_image`. */
#define LIGAMENT_BOARD_MAP                                                   \
  {                                                                          \
    LIGAMENT_BOARD_AREA, LIGAMENT_BOARD_BUFFERS, LIGAMENT_BOARD_BUFFER_SIZE, \
        LIGAMENT_BOARD_BLOCK_SIZE, LIGAMENT_BOARD_BLOCKS                     \
  }

enum {
  LIGAMENT_RPMSG_VERSION = 1,
  LIGAMENT_RPMSG_ALIGN = 4096, /* of rings, buffers, slab */
  LIGAMENT_RPMSG_HEADER = 16,  /* of a message */
  LIGAMENT_RPMSG_MAX_BLOCKS = 32,
  LIGAMENT_RPMSG_MAX_BUFFERS = 1024,
  LIGAMENT_RPMSG_NAME = 32, /* of a channel, with its 0 */
  LIGAMENT_RPMSG_NAME_SERVICE = 0x35,
  LIGAMENT_RPMSG_FIRST_ADDRESS = 1024
};
#define LIGAMENT_RPMSG_ANY 0xFFFFFFFFu
#define LIGAMENT_RPMSG_MAGIC 0x544D474Cu /* "LGMT" */

/* --- virtio: a ring of descriptors (split layout) ------------------------------------------- */

typedef struct {
  uint32_t address; /* as the core sees it: the low half of virtio's 64 bits */
  uint32_t high;    /* 0 */
  uint32_t length;
  uint16_t flags; /* 2: the core writes it. Others are refused */
  uint16_t next;
} ligament_vring_descriptor_t;

typedef struct {
  uint32_t id;
  uint32_t length;
} ligament_vring_used_t;

enum {
  LIGAMENT_VRING_WRITE = 2,
  LIGAMENT_VIRTIO_ACKNOWLEDGE = 1,
  LIGAMENT_VIRTIO_DRIVER = 2,
  LIGAMENT_VIRTIO_DRIVER_OK = 4,
  LIGAMENT_VIRTIO_FEATURES_OK = 8
};

/* Features of the device: the core offers, the host chooses. */
enum {
  LIGAMENT_RPMSG_F_NAME_SERVICE = 1 << 0,
  LIGAMENT_RPMSG_F_RAW = 1 << 16,  /* no RPMsg headers: a buffer is a message */
  LIGAMENT_RPMSG_F_LARGE = 1 << 17 /* the slab, and fragments */
};

/* --- RPMsg ---------------------------------------------------------------------------------- */

typedef struct {
  uint32_t source;
  uint32_t destination;
  uint32_t reserved;
  uint16_t length;
  uint16_t flags;
} ligament_rpmsg_header_t;

/* Flags of a message, with LARGE only. Linux sends and expects 0. */
enum {
  LIGAMENT_RPMSG_SLAB = 1, /* the payload is a ligament_rpmsg_extent_t */
  LIGAMENT_RPMSG_MORE = 2  /* the next message continues this one */
};

/* A payload in the sender's half of the slab. */
typedef struct {
  uint32_t block;  /* its first */
  uint32_t length; /* in bytes, at least 1 */
  uint32_t ticket; /* what the receiver writes into `returned[block]` to give it back */
  uint32_t reserved;
} ligament_rpmsg_extent_t;

typedef struct {
  char name[LIGAMENT_RPMSG_NAME];
  uint32_t address;
  uint32_t flags; /* 0: it is there, 1: it is gone */
} ligament_rpmsg_announcement_t;

/* --- the resource table of remoteproc, at the area's begin ------------------------------------ */

typedef struct {
  uint32_t address;
  uint32_t align;
  uint32_t count;
  uint32_t notify;
  uint32_t reserved;
} ligament_table_ring_t;

typedef struct {
  uint32_t version; /* 1 */
  uint32_t entries; /* 2 */
  uint32_t reserved[2];
  uint32_t offsets[2];
  struct {
    uint32_t type; /* 3: a virtio device */
    uint32_t id;   /* 7: RPMsg */
    uint32_t notify;
    uint32_t offered;  /* features */
    uint32_t accepted; /* the host writes it */
    uint32_t config_size;
    uint8_t status; /* the host writes it */
    uint8_t rings;
    uint8_t reserved[2];
    ligament_table_ring_t ring[2]; /* 0: to the host, 1: to the core */
  } device;
  struct {
    uint32_t type; /* 128: the first that is left to vendors */
    uint32_t magic;
    uint32_t version; /* LIGAMENT_RPMSG_VERSION */
    ligament_rpmsg_map_t map;
  } own;
} ligament_rpmsg_table_t;

/* --- control block: life cycle, bells, returned extents --------------------------------------- */

typedef enum {
  LIGAMENT_RPMSG_OFFLINE = 0,
  LIGAMENT_RPMSG_WAITING = 1, /* the core waits for a host's rings */
  LIGAMENT_RPMSG_RUNNING = 2,
  LIGAMENT_RPMSG_CRASHED = 3, /* the core found a fault and stopped */
  LIGAMENT_RPMSG_BROKEN = 4   /* the core does not trust the rings: it waits for a new host */
} ligament_rpmsg_state_t;

/* Why a core is CRASHED. What another number means is not known. */
enum {
  LIGAMENT_FAULT_UNKNOWN = 0,
  LIGAMENT_FAULT_INSTRUCTION = 1, /* one that the core does not have */
  LIGAMENT_FAULT_DATA = 2,        /* memory that is not there; `with`: its address, 0: unknown */
  LIGAMENT_FAULT_FETCH = 3,       /* no program is there */
  LIGAMENT_FAULT_INTERRUPT = 4,   /* that nobody handles; `with`: its number */
  LIGAMENT_FAULT_ASSERTION = 5,   /* of the program; `with`: the line */
  LIGAMENT_FAULT_STACK = 6,       /* of a task: it is too small */
  LIGAMENT_FAULT_ABORT = 7,       /* the program has called abort() */
  LIGAMENT_FAULT_END = 8          /* the program has ended; `with`: its result, an int32_t */
};
typedef struct {
  uint32_t kind; /* LIGAMENT_FAULT_... */
  uint32_t at;   /* address of the instruction; 0: unknown */
  uint32_t with;
} ligament_fault_t;

/* What a side waits for: the other rings when it gave such back. */
enum { LIGAMENT_RPMSG_WANTS_BUFFERS = 1, LIGAMENT_RPMSG_WANTS_EXTENTS = 2 };

/* One writer a line, so that no line is torn between two caches. */
typedef struct {
  struct {                  /* written by the core */
    uint32_t boot;          /* one more with each start of the core */
    uint32_t state;         /* ligament_rpmsg_state_t */
    uint32_t session;       /* the host's session that the core has seen */
    uint32_t wants;         /* the core waits for LIGAMENT_RPMSG_WANTS_... */
    ligament_fault_t fault; /* of a core that is CRASHED; written before that */
    uint32_t unused[9];
  } core;
  struct {            /* written by the host */
    uint32_t session; /* one more with each start of a host */
    uint32_t boot;    /* the core's boot for which the rings were made */
    uint32_t wants;
    uint32_t unused[13];
  } host;
  uint32_t bell_to_core; /* 1: it was rung and the core has not looked since */
  uint32_t line_to_core; /* 1: the host has raised the core's interrupt, which was not taken yet;
                            for bells that are a level (spec/device/rpmsg.md) */
  uint32_t unused_core[14];
  uint32_t bell_to_host;
  uint32_t unused_host[15];
  uint32_t returned_by_core[LIGAMENT_RPMSG_MAX_BLOCKS]; /* tickets of the host's extents */
  uint32_t returned_by_host[LIGAMENT_RPMSG_MAX_BLOCKS];
} ligament_rpmsg_control_t;

/* --- where everything is ---------------------------------------------------------------------- */

/* Offsets from the area's begin. */
typedef struct {
  uint32_t control;
  uint32_t ring[2];
  uint32_t avail; /* from a ring's begin */
  uint32_t used;
  uint32_t buffers[2];
  uint32_t slab[2]; /* each belongs to its sender: 0 the core, 1 the host */
  uint32_t size;    /* of the whole area; 0: the map is invalid */
} ligament_rpmsg_layout_t;

enum { LIGAMENT_RPMSG_TO_HOST = 0, LIGAMENT_RPMSG_TO_CORE = 1 };

static inline uint32_t ligament_rpmsg_aligned(uint32_t size) {
  return (size + (LIGAMENT_RPMSG_ALIGN - 1u)) & ~(LIGAMENT_RPMSG_ALIGN - 1u);
}

static inline int ligament_rpmsg_map_valid(const ligament_rpmsg_map_t* map) {
  const uint32_t count = map->count;
  return map->base % LIGAMENT_RPMSG_ALIGN == 0 && count >= 2 &&
         count <= LIGAMENT_RPMSG_MAX_BUFFERS && (count & (count - 1u)) == 0 &&
         map->buffer_size >= 64 && map->buffer_size <= 65536 && map->buffer_size % 64 == 0 &&
         map->block_size % 64 == 0 && map->block_size <= 65536 &&
         (map->block_size == 0 || (map->blocks >= 1 && map->blocks <= LIGAMENT_RPMSG_MAX_BLOCKS));
}

static inline ligament_rpmsg_layout_t ligament_rpmsg_layout(const ligament_rpmsg_map_t* map) {
  ligament_rpmsg_layout_t layout = {0, {0, 0}, 0, 0, {0, 0}, {0, 0}, 0};
  uint32_t at = LIGAMENT_RPMSG_ALIGN;
  uint32_t ring;
  uint32_t direction;
  if (!ligament_rpmsg_map_valid(map)) {
    return layout;
  }
  layout.control = 1024;
  layout.avail = map->count * 16u;
  layout.used = ligament_rpmsg_aligned(layout.avail + 6u + 2u * map->count);
  ring = ligament_rpmsg_aligned(layout.used + 6u + 8u * map->count);
  for (direction = 0; direction < 2; ++direction, at += ring) {
    layout.ring[direction] = at;
  }
  for (direction = 0; direction < 2; ++direction) {
    layout.buffers[direction] = at;
    at += ligament_rpmsg_aligned(map->count * map->buffer_size);
  }
  for (direction = 0; direction < 2; ++direction) {
    layout.slab[direction] = at;
    at += map->block_size == 0 ? 0 : ligament_rpmsg_aligned(map->blocks * map->block_size);
  }
  layout.size = at;
  return layout;
}

#ifdef __cplusplus
}
#endif
#endif
