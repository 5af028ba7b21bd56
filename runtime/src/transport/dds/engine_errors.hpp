// SPDX-License-Identifier: Apache-2.0
/// \file What the DDS engine says: its lines in our log, limited in rate, since anybody on the
/// network can cause one with each packet. And its errors, where its return code is the same for
/// everything.
#pragma once

#include <functional>
#include <string>

namespace ligament::dds {

/// From now on the engine's lines go through our log. Any thread, any number of times.
void log_engine();
/// Tells how many lines were left out, where that is due. Call about once a second.
void tell_engine_counts();
/// The same for all of them, before the end.
void flush_engine_counts();

/// The errors that the engine tells while `step` runs, as one line; empty if there are none. They
/// go to the log as well.
[[nodiscard]] std::string errors_during(const std::function<void()>& step);

}  // namespace ligament::dds
