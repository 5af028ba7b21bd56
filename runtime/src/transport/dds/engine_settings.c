// SPDX-License-Identifier: Apache-2.0
#include "transport/dds/engine_settings.h"

#include <dds/ddsi/ddsi_domaingv.h>
#include <dds/ddsi/ddsi_tran.h>
#include <stdbool.h>
#include <sys/socket.h>

// The engine's own settings (0.10).
enum { usual_fragment_size = 1344, usual_message_size = 14720 };
enum { usual_nack_ms = 100, usual_heartbeat_ms = 100, usual_least_heartbeat_ms = 20 };
enum { usual_again_s = 3 };

// As large as a datagram may be, and room for the inline QoS that the edge puts in.
enum { fragment_size = 64000, message_size = 65400 };
enum { loopback_nack_ms = 1, nack_ms = 10, heartbeat_ms = 20, least_heartbeat_ms = 10 };
enum { again_ms = 100 };
enum { receive_buffer_size = 4 << 20 };

static bool is_on_loopback_alone(const struct ddsi_domaingv* domain) {
  for (int i = 0; i < domain->n_interfaces; ++i) {
    if (!domain->interfaces[i].loopback) {
      return false;
    }
  }
  return domain->n_interfaces > 0;
}

/// As far as the system lets us (net.core.rmem_max).
static void enlarge_receive_buffer(struct ddsi_tran_conn* socket) {
  if (socket == NULL || !socket->m_connless || socket->m_stream) {
    return;
  }
  const int wanted = receive_buffer_size;
  int size = 0;
  socklen_t length = sizeof size;
  const ddsrt_socket_t handle = ddsi_conn_handle(socket);
  if (getsockopt(handle, SOL_SOCKET, SO_RCVBUF, &size, &length) == 0 && size < wanted) {
    (void)setsockopt(handle, SOL_SOCKET, SO_RCVBUF, &wanted, sizeof wanted);
  }
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
  // Not every writer waits for room here, and one that is another vendor's sends all at once.
  const struct ddsi_config_socket_buf_size* size = &config->socket_rcvbuf_size;
  if (size->min.isdefault && size->max.isdefault) {
    enlarge_receive_buffer(domain->data_conn_uc);
    enlarge_receive_buffer(domain->data_conn_mc);
  }
}
