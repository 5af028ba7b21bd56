// SPDX-License-Identifier: Apache-2.0
/// \file The sockets that a DDS domain of the engine sends with. In C: the engine's header that
/// knows them is none in C++.
#pragma once

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

#ifdef __cplusplus
}
#endif
