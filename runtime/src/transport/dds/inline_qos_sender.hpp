// SPDX-License-Identifier: Apache-2.0
/// \file Inline QoS of our choice in front of payloads that the engine sends.
///
/// Cyclone DDS 0.10 sends two parameters only, key hash and status, and no interface adds others
/// (q_transmit.c, create_fragment_message). What it does let us reach is the function that each of
/// its sockets sends with (ddsi_tran_conn::m_write_fn). Ours wraps it: a datagram that has
/// a payload known here gets the parameters put in, and goes on; all others go on as they are.
/// So first sending, retransmission and fragments are the engine's work, as ever.
#pragma once

#include <cstddef>
#include <span>

#include "transport/dds/inline_qos.hpp"

struct ddsi_domaingv;

namespace ligament::dds {

/// Wraps the sockets of this DDS domain, once. False: they are no datagram sockets.
[[nodiscard]] bool stand_before_sockets(ddsi_domaingv& domain);

/// From now on `payload`, which lies there until detach_related(), is sent with `related`.
void attach_related(std::span<const std::byte> payload, const SampleIdentity& related);
void detach_related(std::span<const std::byte> payload);

}  // namespace ligament::dds
