// SPDX-License-Identifier: Apache-2.0
/// \file What the engine's own interface does not say of a writer: what its readers have
/// acknowledged, and that they are to say so at once (spec/wire/dds.md, section 2). In C: the
/// engine's headers that know it are none in C++.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ddsi_domaingv;
struct ddsi_writer;

/// The writer with this GUID (as on the wire); null: there is none. It is there for as long as the
/// entity that was made for it.
struct ddsi_writer* ligament_find_writer(const struct ddsi_domaingv* domain,
                                         const uint8_t guid[16]);

/// All readers outside that are reliable have acknowledged up to this number, and what it sends
/// next asks them to acknowledge that. Of a keep-last writer the engine asks for it only where
/// nothing was sent for 0.8 heartbeat intervals: of a camera that is faster, not at all.
uint64_t ligament_expect_ack(struct ddsi_writer* writer);

/// The writer with this GUID (as on the wire) ends after the engine's WriterLingerDuration at the
/// latest, or after `most_ns` if that is shorter, whether or not its readers have acknowledged what
/// it sent. None may be there (any more).
void ligament_end_writer_within(struct ddsi_domaingv* domain, const uint8_t guid[16],
                                int64_t most_ns);

#ifdef __cplusplus
}
#endif
