// SPDX-License-Identifier: Apache-2.0
/// \file How fast payloads cross to a card and back, beside bare copies of pinned memory. What goes
/// in is a sample of a topic, as a node's; where the card does not register what may only be read,
/// the host's copies on the way are in its time.
#pragma once

#include <cstdint>
#include <ligament/gpu.hpp>
#include <optional>
#include <vector>

namespace uma {

/// Nanoseconds of each copy, by the device's clock. One way, and back.
struct CopyTimes {
  std::vector<std::int64_t> in;
  std::vector<std::int64_t> out;
};
struct Bandwidth {
  CopyTimes ours;
  CopyTimes pinned;
};

/// Of a CUDA device that has memory of its own; nothing where there is none, or copies are not the
/// model. Errors of the driver end the program.
[[nodiscard]] std::optional<Bandwidth> bandwidth_of(const ligament::gpu::Settings& settings,
                                                    std::size_t bytes, int copies);

}  // namespace uma
