// SPDX-License-Identifier: Apache-2.0
/// \file How long the two containers of a move wait for each other (spec/run/moving.md).
#pragma once

#include <cstdint>

namespace ligament::container {

/// For the new node to be made: its kernels compiled, its core's model opened.
inline constexpr std::int64_t arrival_patience_ns = 60'000'000'000;
/// For a step that the other only has to answer.
inline constexpr std::int64_t answer_patience_ns = 5'000'000'000;
/// Until the new node has met all whom the old one hears and reaches.
inline constexpr std::int64_t meeting_patience_ns = 10'000'000'000;
/// Until the old node has taken what came before the new one, and its callback has ended.
inline constexpr std::int64_t stop_patience_ns = 20'000'000'000;

}  // namespace ligament::container
