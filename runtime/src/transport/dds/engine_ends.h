// SPDX-License-Identifier: Apache-2.0
/// \file What the engine's own interface does not say of writers and readers: what a writer's
/// readers have acknowledged, and that they are to say so at once; from which sample on a reader
/// reads (spec/wire/dds.md, sections 2 and 3). In C: the engine's headers that know it are none in
/// C++.
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

/// The reader with this GUID (as on the wire), if it is reliable, gets all samples of writers of
/// other vendors that it matches from now on, from the first one that they still have for it. The
/// engine would begin with the first one behind the writer's first heartbeat. None may be there.
void ligament_read_from_first(const struct ddsi_domaingv* domain, const uint8_t guid[16]);

#ifdef __cplusplus
}
#endif
