// SPDX-License-Identifier: Apache-2.0
#include "transport/dds/engine_settings.h"

#include <dds/ddsi/ddsi_domaingv.h>
#include <stdbool.h>

// The engine's own settings (0.10).
enum { usual_fragment_size = 1344, usual_message_size = 14720 };
enum { usual_nack_ms = 100, usual_heartbeat_ms = 100, usual_least_heartbeat_ms = 20 };
enum { usual_again_s = 3 };

// As large as a datagram may be, and room for the inline QoS that the edge puts in.
enum { fragment_size = 64000, message_size = 65400 };
enum { loopback_nack_ms = 1, nack_ms = 10, heartbeat_ms = 20, least_heartbeat_ms = 10 };
enum { again_ms = 100 };

static bool is_on_loopback_alone(const struct ddsi_domaingv* domain) {
  for (int i = 0; i < domain->n_interfaces; ++i) {
    if (!domain->interfaces[i].loopback) {
      return false;
    }
  }
  return domain->n_interfaces > 0;
}

void ligament_set_engine(struct ddsi_domaingv* domain) {
  struct ddsi_config* config = &domain->config;
  const bool is_loopback = is_on_loopback_alone(domain);
  // One request for missing fragments names up to 256: of the usual ones a third of a megabyte. But
  // a network that loses packets loses a large fragment with any of its own.
  if (is_loopback && config->fragment_size == usual_fragment_size &&
      config->max_msg_size == usual_message_size) {
    config->fragment_size = fragment_size;
    config->max_msg_size = message_size;
  }
  if (config->nack_delay == DDS_MSECS(usual_nack_ms)) {
    config->nack_delay = DDS_MSECS(is_loopback ? loopback_nack_ms : nack_ms);
  }
  // A repair may be lost as its sample was. Not every writer sends heartbeats as often as ours.
  if (config->auto_resched_nack_delay == DDS_SECS(usual_again_s)) {
    config->auto_resched_nack_delay = DDS_MSECS(again_ms);
  }
  // A reader that has lost the end of a sample learns that from the next heartbeat.
  if (config->const_hb_intv_sched == DDS_MSECS(usual_heartbeat_ms) &&
      config->const_hb_intv_sched_min == DDS_MSECS(usual_least_heartbeat_ms)) {
    config->const_hb_intv_sched = DDS_MSECS(heartbeat_ms);
    config->const_hb_intv_sched_min = DDS_MSECS(least_heartbeat_ms);
  }
}
