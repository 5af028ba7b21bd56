// SPDX-License-Identifier: Apache-2.0
/// \file What happens to datagrams between the engine and its sockets.
///
/// Cyclone DDS 0.10 lets us reach the function that each of its sockets sends with
/// (ddsi_tran_conn::m_write_fn). Ours wraps it. Large datagrams to sockets of this host wait until
/// those have room (send_pace.hpp), replies to some clients get inline QoS put in
/// (inline_qos_sender.hpp), and first acknowledgements to Fast DDS take its form (first_acks.hpp).
/// Of what is received, one kind of sample that the engine cannot stand is emptied
/// (type_lookups.hpp), and heartbeats that come too early are dropped (first_heartbeats.hpp). First
/// sending, retransmission and fragments are the engine's work.
#pragma once

struct ddsi_domaingv;

namespace ligament::dds {

/// Wraps the sockets of this DDS domain, once. False: they are no datagram sockets.
bool wrap_sockets(ddsi_domaingv& domain);

}  // namespace ligament::dds
