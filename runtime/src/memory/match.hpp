// SPDX-License-Identifier: Apache-2.0
/// \file Who may speak with whom: type and QoS of two ends of one topic, as DDS decides it.
#pragma once

#include <optional>
#include <string>

#include "ligament/detail/pool.hpp"

namespace ligament::pool {

/// Nothing if they match; else what to tell both sides.
[[nodiscard]] std::optional<Problem> mismatch(const EndpointDescription& writer,
                                              const EndpointDescription& reader);

/// Which policy stands between two of one type; none if they match.
[[nodiscard]] QosPolicyKind incompatible_policy(const QoSProfile& offered,
                                                const QoSProfile& requested);

/// Of two that match: the writer waits until the reader has room (both reliable and keep-all).
[[nodiscard]] bool is_paced(const EndpointDescription& writer, const EndpointDescription& reader);

}  // namespace ligament::pool
