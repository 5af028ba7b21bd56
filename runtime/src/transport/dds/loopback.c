// SPDX-License-Identifier: Apache-2.0
#include "transport/dds/loopback.h"

#include <dds/ddsi/ddsi_domaingv.h>
#include <stdbool.h>

// The engine's own settings (0.10), which are made for networks that cut datagrams of more than
// 1500 bytes into packets, and lose packets.
enum { usual_fragment_size = 1344, usual_message_size = 14720, usual_nack_ms = 100 };
// As large as a datagram may be, and room for the inline QoS that the edge puts in.
enum { fragment_size = 64000, message_size = 65400, nack_ms = 5 };

static bool is_on_loopback_alone(const struct ddsi_domaingv* domain) {
  for (int i = 0; i < domain->n_interfaces; ++i) {
    if (!domain->interfaces[i].loopback) {
      return false;
    }
  }
  return domain->n_interfaces > 0;
}

void ligament_suit_loopback(struct ddsi_domaingv* domain) {
  struct ddsi_config* config = &domain->config;
  if (!is_on_loopback_alone(domain)) {
    return;
  }
  // One request for missing fragments names up to 256: with the usual size, a third of a megabyte,
  // every 100 ms.
  if (config->fragment_size == usual_fragment_size && config->max_msg_size == usual_message_size) {
    config->fragment_size = fragment_size;
    config->max_msg_size = message_size;
  }
  if (config->nack_delay == DDS_MSECS(usual_nack_ms)) {
    config->nack_delay = DDS_MSECS(nack_ms);
  }
}
