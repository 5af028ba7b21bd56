/* SPDX-License-Identifier: Apache-2.0 */
/* Extents of the slab. Each side keeps the books of its own half in private memory; the other side
 * can only name a ticket to give an extent back. */
#include "parts.h"

static uint32_t bits(uint32_t block, uint32_t blocks) {
  const uint32_t run = blocks >= 32u ? UINT32_MAX : (1u << blocks) - 1u;
  return run << block;
}

static uint32_t blocks_of(const ligament_rpmsg_t* link, uint32_t size) {
  return size / link->config.map.block_size + (size % link->config.map.block_size != 0 ? 1u : 0u);
}

static uint8_t* half_of(const ligament_rpmsg_t* link, int direction) {
  return link->config.memory + link->layout.slab[direction];
}

/* Which block begins there, or MAX_BLOCKS. */
static uint32_t block_at(const ligament_rpmsg_t* link, int direction, const uint8_t* data) {
  /* As numbers: an address of other memory is no distance from this. */
  const uintptr_t offset = (uintptr_t)data - (uintptr_t)half_of(link, direction);
  const uint32_t size = link->config.map.block_size;
  return size == 0 || offset % size != 0 || offset / size >= link->config.map.blocks
             ? (uint32_t)LIGAMENT_RPMSG_MAX_BLOCKS
             : (uint32_t)(offset / size);
}

void ligament_rpmsg_slab_reset(ligament_rpmsg_t* link) {
  uint32_t block;
  link->own.busy = 0;
  link->own.lent = 0;
  link->own.ticket = 0;
  link->peer.held = 0;
  for (block = 0; block < LIGAMENT_RPMSG_MAX_BLOCKS; ++block) {
    link->own.tickets[block] = 0;
    link->peer.tickets[block] = 0;
    write32(&control_of(link)->returned_by_core[block], 0);
  }
}

/* Frees what the host gave back. */
static void collect(ligament_rpmsg_t* link) {
  uint32_t block;
  for (block = 0; block < link->config.map.blocks; ++block) {
    if (link->own.tickets[block] != 0 &&
        read32(&control_of(link)->returned_by_host[block]) == link->own.tickets[block]) {
      link->own.tickets[block] = 0;
      if ((link->own.lent & (1u << block)) == 0) {
        link->own.busy &= ~link->own.extent[block];
      }
    }
  }
}

static uint32_t find(const ligament_rpmsg_t* link, uint32_t blocks) {
  uint32_t block;
  for (block = 0; block + blocks <= link->config.map.blocks; ++block) {
    if ((link->own.busy & bits(block, blocks)) == 0) {
      return block;
    }
  }
  return LIGAMENT_RPMSG_MAX_BLOCKS;
}

ligament_rpmsg_loan_t ligament_rpmsg_loan(ligament_rpmsg_t* link, size_t size) {
  ligament_rpmsg_loan_t loan = {NULL, 0, 0, 0};
  const size_t most = (size_t)link->config.map.blocks * link->config.map.block_size;
  if (link->state != LIGAMENT_RPMSG_RUNNING || !large(link) || size == 0 || size > most) {
    return loan;
  }
  loan.block = find(link, blocks_of(link, (uint32_t)size));
  if (loan.block == LIGAMENT_RPMSG_MAX_BLOCKS) {
    ligament_rpmsg_want(link, LIGAMENT_RPMSG_WANTS_EXTENTS);
    collect(link);
    loan.block = find(link, blocks_of(link, (uint32_t)size));
  }
  if (loan.block != LIGAMENT_RPMSG_MAX_BLOCKS) {
    ligament_rpmsg_got(link, LIGAMENT_RPMSG_WANTS_EXTENTS);
    link->own.extent[loan.block] = bits(loan.block, blocks_of(link, (uint32_t)size));
    link->own.busy |= link->own.extent[loan.block];
    link->own.lent |= 1u << loan.block;
    loan.data = half_of(link, LIGAMENT_RPMSG_TO_HOST) + loan.block * link->config.map.block_size;
    loan.size = (uint32_t)size;
    loan.epoch = link->epoch;
  }
  return loan;
}

/* What the host still reads is freed when it is done. */
static void give_back(ligament_rpmsg_t* link, uint32_t block) {
  link->own.lent &= ~(1u << block);
  if (link->own.tickets[block] == 0) {
    link->own.busy &= ~link->own.extent[block];
  }
}

void ligament_rpmsg_return_loan(ligament_rpmsg_t* link, ligament_rpmsg_loan_t* loan) {
  if (loan->data != NULL && loan->epoch == link->epoch) {
    give_back(link, loan->block);
  }
  loan->data = NULL;
}

uint8_t* ligament_rpmsg_lend(ligament_rpmsg_t* link, size_t size) {
  return ligament_rpmsg_loan(link, size).data;
}

uint32_t ligament_rpmsg_slab_lent(const ligament_rpmsg_t* link, const uint8_t* memory) {
  const uint32_t block = block_at(link, LIGAMENT_RPMSG_TO_HOST, memory);
  return block < LIGAMENT_RPMSG_MAX_BLOCKS && (link->own.lent & (1u << block)) != 0
             ? block
             : LIGAMENT_RPMSG_MAX_BLOCKS;
}

void ligament_rpmsg_give_back(ligament_rpmsg_t* link, const uint8_t* memory) {
  const uint32_t block = ligament_rpmsg_slab_lent(link, memory);
  if (block != LIGAMENT_RPMSG_MAX_BLOCKS) {
    give_back(link, block);
  }
}

int ligament_rpmsg_slab_shrink(ligament_rpmsg_t* link, uint32_t block, size_t size) {
  const uint32_t had = link->own.extent[block];
  const uint32_t all = link->config.map.blocks - block;
  uint32_t needs;
  if (size == 0 || size > (size_t)all * link->config.map.block_size) {
    return LIGAMENT_RPMSG_INVALID;
  }
  needs = bits(block, blocks_of(link, (uint32_t)size));
  if ((needs & ~had) != 0) {
    return LIGAMENT_RPMSG_INVALID;
  }
  link->own.extent[block] = needs;
  link->own.busy &= ~(had & ~needs);
  return 0;
}

int ligament_rpmsg_slab_unread(ligament_rpmsg_t* link, uint32_t block) {
  if (link->own.tickets[block] != 0) {
    collect(link);
  }
  return link->own.tickets[block] != 0;
}

ligament_rpmsg_extent_t ligament_rpmsg_slab_send(ligament_rpmsg_t* link, uint32_t block,
                                                 uint32_t size) {
  ligament_rpmsg_extent_t extent = {block, size, 0, 0};
  if (++link->own.ticket == 0) {
    ++link->own.ticket; /* 0 is "none" */
  }
  extent.ticket = link->own.ticket;
  link->own.tickets[block] = extent.ticket;
  return extent;
}

const uint8_t* ligament_rpmsg_slab_take(ligament_rpmsg_t* link,
                                        const ligament_rpmsg_extent_t* extent) {
  const uint32_t all = link->config.map.blocks;
  uint32_t blocks;
  uint32_t run;
  if (extent->block >= all || extent->length == 0 ||
      extent->length > (all - extent->block) * link->config.map.block_size) {
    return NULL;
  }
  blocks = blocks_of(link, extent->length);
  run = bits(extent->block, blocks);
  if ((link->peer.held & run) != 0) {
    return NULL; /* sent twice: what we still read would be given back under our feet */
  }
  link->peer.held |= run;
  link->peer.extent[extent->block] = run;
  link->peer.tickets[extent->block] = extent->ticket;
  return half_of(link, LIGAMENT_RPMSG_TO_CORE) + extent->block * link->config.map.block_size;
}

void ligament_rpmsg_slab_give(ligament_rpmsg_t* link, uint32_t block) {
  link->peer.held &= ~link->peer.extent[block];
  /* Release: our reading of the data is over when the host sees the ticket. */
  write32(&control_of(link)->returned_by_core[block], link->peer.tickets[block]);
  fence();
  if (read32(&control_of(link)->host.wants) != 0) {
    ligament_rpmsg_bell(link);
  }
}

void ligament_rpmsg_release(ligament_rpmsg_t* link, const uint8_t* data) {
  const uint32_t block = block_at(link, LIGAMENT_RPMSG_TO_CORE, data);
  if (block != LIGAMENT_RPMSG_MAX_BLOCKS && (link->peer.held & (1u << block)) != 0) {
    ligament_rpmsg_slab_give(link, block);
  }
}

int ligament_rpmsg_can_hold(const ligament_rpmsg_t* link, const uint8_t* data) {
  return block_at(link, LIGAMENT_RPMSG_TO_CORE, data) != LIGAMENT_RPMSG_MAX_BLOCKS;
}
