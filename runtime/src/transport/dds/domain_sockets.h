// SPDX-License-Identifier: Apache-2.0
/// \file The sockets that a DDS domain of the engine sends and receives with. In C: the engine's
/// header that knows them is none in C++.
#pragma once

#include <dds/ddsi/ddsi_locator.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ddsi_domaingv;
struct ddsi_tran_conn;

/// Writes at most `most` of them, and says how many there are.
size_t ligament_domain_sockets(const struct ddsi_domaingv* domain, struct ddsi_tran_conn** sockets,
                               size_t most);

/// Writes the four that it receives with (discovery and data, each unicast and multicast); null
/// where it has none.
void ligament_receiving_sockets(const struct ddsi_domaingv* domain,
                                struct ddsi_tran_conn** sockets);

/// Writes where a datagram comes to the engine's threads that wait within reading their one socket
/// (the others wait for any of theirs first), at most `most`. Returns how many.
size_t ligament_waiting_readers(const struct ddsi_domaingv* domain, const ddsi_locator_t** places,
                                size_t most);

#ifdef __cplusplus
}
#endif
