// SPDX-License-Identifier: Apache-2.0
/// \file What the engine's own interface does not say of a writer outside and our readers
/// (spec/wire/dds.md, section 3). In C: the engine's headers that know it are none in C++.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ddsi_domaingv;

/// Whether the engine knows the writer outside with this GUID (as on the wire), and has matched it
/// with all readers here: from then on it takes its samples.
bool ligament_is_matched(const struct ddsi_domaingv* domain, const uint8_t writer[16]);

/// Counts an acknowledgement by this reader to this writer outside, both GUIDs as on the wire:
/// what that writer has heard of it is less, and what it hears later is more. 0: they are not
/// matched. Not to be called with the engine's locks of a writer outside.
uint32_t ligament_next_ack_count(const struct ddsi_domaingv* domain, const uint8_t reader[16],
                                 const uint8_t writer[16]);

#ifdef __cplusplus
}
#endif
