// SPDX-License-Identifier: Apache-2.0
#include "transport/dds/domain_sockets.h"

#include <dds/ddsi/ddsi_domaingv.h>

size_t ligament_domain_sockets(const struct ddsi_domaingv* domain, struct ddsi_tran_conn** sockets,
                               size_t most) {
  const size_t count = domain->n_interfaces < 0 ? 0 : (size_t)domain->n_interfaces;
  for (size_t i = 0; i < count && i < most && i < MAX_XMIT_CONNS; ++i) {
    sockets[i] = domain->xmit_conns[i];
  }
  return count;
}

void ligament_receiving_sockets(const struct ddsi_domaingv* domain,
                                struct ddsi_tran_conn** sockets) {
  sockets[0] = domain->disc_conn_uc;
  sockets[1] = domain->disc_conn_mc;
  sockets[2] = domain->data_conn_uc;
  sockets[3] = domain->data_conn_mc;
}

size_t ligament_waiting_readers(const struct ddsi_domaingv* domain, const ddsi_locator_t** places,
                                size_t most) {
  size_t count = 0;
  for (uint32_t i = 0; i < domain->n_recv_threads && i < MAX_RECV_THREADS; ++i) {
    const struct recv_thread_arg* const thread = &domain->recv_threads[i].arg;
    if (thread->mode == RTM_SINGLE && thread->u.single.loc != NULL && count < most) {
      places[count++] = thread->u.single.loc;
    }
  }
  return count;
}
