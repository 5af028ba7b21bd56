// SPDX-License-Identifier: Apache-2.0
/// \file GUIDs as the engine holds them.
#pragma once

#include <dds/ddsi/ddsi_guid.h>
#include <dds/ddsi/q_bswap.h>
#include <stdint.h>
#include <string.h>

static inline ddsi_guid_t ligament_guid_from_wire(const uint8_t guid[16]) {
  ddsi_guid_t on_wire;
  memcpy(&on_wire, guid, sizeof on_wire);
  return nn_ntoh_guid(on_wire);
}
