// SPDX-License-Identifier: Apache-2.0
/// \file Parameters of our choice in what the engine sends (inline_qos.hpp).
///
/// Cyclone DDS 0.10 sends two parameters of inline QoS only, key hash and status; it announces
/// endpoints without their participant; and no interface adds others (q_transmit.c,
/// create_fragment_message; q_ddsi_discovery.c, sedp_write_endpoint_impl). So a datagram that has
/// an announcement, or a payload known here, gets the parameters put in where its socket sends it
/// (sockets.hpp); all others go on as they are.
#pragma once

#include <dds/ddsi/ddsi_tran.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "transport/dds/inline_qos.hpp"

namespace ligament::dds {

/// Sends a datagram, in parts, by that function of the engine. What it returns counts the engine's
/// own bytes.
[[nodiscard]] ssize_t send_with_parameters(ddsi_tran_write_fn_t engine, ddsi_tran_conn_t socket,
                                           const ddsi_locator_t* destination,
                                           std::span<const ddsrt_iovec_t> parts,
                                           std::uint32_t flags);

/// From now on `payload`, which lies there until detach_related(), is sent with `related`.
void attach_related(std::span<const std::byte> payload, const SampleIdentity& related);
void detach_related(std::span<const std::byte> payload);

}  // namespace ligament::dds
