// SPDX-License-Identifier: Apache-2.0
#include "transport/dds/engine_ends.h"

#include <dds/ddsi/ddsi_domaingv.h>
#include <dds/ddsi/ddsi_entity.h>
#include <dds/ddsi/ddsi_entity_index.h>
#include <dds/ddsi/ddsi_entity_match.h>
#include <dds/ddsi/q_hbcontrol.h>
#include <dds/ddsi/q_thread.h>
#include <dds/ddsi/q_xevent.h>
// These need what is above.
#include <dds/ddsi/ddsi_endpoint.h>
#include <stddef.h>

#include "transport/dds/engine_guid.h"

struct ddsi_writer* ligament_find_writer(const struct ddsi_domaingv* domain,
                                         const uint8_t guid[16]) {
  const ddsi_guid_t wanted = ligament_guid_from_wire(guid);
  struct thread_state* const self = lookup_thread_state();
  thread_state_awake(self, domain);  // the index is not changed under us
  struct ddsi_writer* const found = entidx_lookup_writer_guid(domain->entity_index, &wanted);
  thread_state_asleep(self);
  return found;
}

void ligament_read_from_first(const struct ddsi_domaingv* domain, const uint8_t guid[16]) {
  const ddsi_guid_t wanted = ligament_guid_from_wire(guid);
  struct thread_state* const self = lookup_thread_state();
  thread_state_awake(self, domain);
  struct ddsi_reader* const found = entidx_lookup_reader_guid(domain->entity_index, &wanted);
  if (found != NULL) {
    ddsrt_mutex_lock(&found->e.lock);
    found->handle_as_transient_local = found->reliable;
    ddsrt_mutex_unlock(&found->e.lock);
  }
  thread_state_asleep(self);
}

/// Under its lock. The tree's root knows the least of all that are below.
static uint64_t acknowledged(const struct ddsi_writer* writer) {
  if (writer->readers.root == NULL) {
    return writer->seq;
  }
  const char* const root = (const char*)writer->readers.root;
  const struct ddsi_wr_prd_match* const least =
      (const struct ddsi_wr_prd_match*)(root - offsetof(struct ddsi_wr_prd_match, avlnode));
  return least->min_seq < writer->seq ? least->min_seq : writer->seq;
}

uint64_t ligament_expect_ack(struct ddsi_writer* writer) {
  ddsrt_mutex_lock(&writer->e.lock);
  const uint64_t number = acknowledged(writer);
  writer->hbcontrol.t_of_last_write.v = 0;  // the next sample is then the first in a while
  ddsrt_mutex_unlock(&writer->e.lock);
  return number;
}

void ligament_end_writer_within(struct ddsi_domaingv* domain, const uint8_t guid[16],
                                int64_t most_ns) {
  const ddsi_guid_t writer = ligament_guid_from_wire(guid);
  const int64_t lingers = domain->config.writer_linger_duration;
  const dds_duration_t within = lingers < most_ns ? lingers : most_ns;
  const ddsrt_mtime_t end = ddsrt_mtime_add_duration(ddsrt_time_monotonic(), within);
  (void)qxev_delete_writer(domain->xevents, end, &writer);
}
