// SPDX-License-Identifier: Apache-2.0
/// \file Settings of the engine for a domain that is on the loopback interface alone. In C: the
/// engine's header that knows them is none in C++.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

struct ddsi_domaingv;

/// There datagrams of 64 kB are not cut into packets, and nothing is lost but by full buffers: so
/// samples go in large fragments, and what is missing is asked for again at once. What the user has
/// set (CYCLONEDDS_URI) stays. Before anything large is sent.
void ligament_suit_loopback(struct ddsi_domaingv* domain);

#ifdef __cplusplus
}
#endif
