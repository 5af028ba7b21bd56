// SPDX-License-Identifier: Apache-2.0
/// \file Answers about types, which the engine is kept from reading.
///
/// Participants of Fast DDS 3 (ROS 2 Kilted) ask each other for the definitions of types that they
/// share. The answers go to every participant that says it takes such answers, and the engine
/// (0.10.2) says so. It reads what it never asked for, and a definition that it does not know ends
/// the process: a null pointer, below ddsi_tl_handle_reply. Here nobody needs definitions: the
/// engine's types are bytes. So the payload is taken out of such a sample, as it is received. The
/// sample stays, and is acknowledged, so that it is not sent again and again.
#pragma once

#include <cstddef>
#include <span>

namespace ligament::dds {

/// Changes a received datagram in place; returns how many samples were emptied. Any bytes may come.
std::size_t empty_type_lookups(std::span<std::byte> datagram);

}  // namespace ligament::dds
