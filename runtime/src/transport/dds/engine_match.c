// SPDX-License-Identifier: Apache-2.0
#include "transport/dds/engine_match.h"

#include <dds/ddsi/ddsi_domaingv.h>
#include <dds/ddsi/ddsi_entity.h>
#include <dds/ddsi/ddsi_entity_index.h>
#include <dds/ddsi/ddsi_entity_match.h>
#include <dds/ddsi/q_thread.h>
// These need what is above.
#include <dds/ddsi/ddsi_proxy_endpoint.h>
#include <stddef.h>

#include "transport/dds/engine_guid.h"

bool ligament_is_matched(const struct ddsi_domaingv* domain, const uint8_t writer[16]) {
  const ddsi_guid_t wanted = ligament_guid_from_wire(writer);
  struct thread_state* const self = lookup_thread_state();
  bool is_matched = false;
  thread_state_awake(self, domain);  // the index is not changed under us
  struct ddsi_proxy_writer* const found =
      entidx_lookup_proxy_writer_guid(domain->entity_index, &wanted);
  if (found != NULL) {
    ddsrt_mutex_lock(&found->e.lock);
    is_matched = !found->local_matching_inprogress;
    ddsrt_mutex_unlock(&found->e.lock);
  }
  thread_state_asleep(self);
  return is_matched;
}

uint32_t ligament_next_ack_count(const struct ddsi_domaingv* domain, const uint8_t reader[16],
                                 const uint8_t writer[16]) {
  const ddsi_guid_t wanted = ligament_guid_from_wire(writer);
  const ddsi_guid_t by = ligament_guid_from_wire(reader);
  struct thread_state* const self = lookup_thread_state();
  uint32_t count = 0;
  thread_state_awake(self, domain);
  struct ddsi_proxy_writer* const found =
      entidx_lookup_proxy_writer_guid(domain->entity_index, &wanted);
  if (found != NULL) {
    ddsrt_mutex_lock(&found->e.lock);
    struct ddsi_pwr_rd_match* const match =
        ddsrt_avl_lookup(&ddsi_pwr_readers_treedef, &found->readers, &by);
    if (match != NULL) {
      count = match->count++;
    }
    ddsrt_mutex_unlock(&found->e.lock);
  }
  thread_state_asleep(self);
  return count;
}
