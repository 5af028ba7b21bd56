// SPDX-License-Identifier: Apache-2.0
/// \file `ligament-bag watch`: a Watcher's messages on standard output, as spec/wire/view.md says.
#pragma once

#include <signal.h>

#include <string>

#include "record/watcher.hpp"

namespace ligament::record {

/// Looks so often.
inline constexpr std::int64_t look_each_ns = 50'000'000;

/// Until the graph ends, standard input does, or a signal comes: one of `signals`, which are
/// blocked. Else a sentence that says what is wrong.
[[nodiscard]] expected<void, std::string> watch(WatchOptions options, const sigset_t& signals);

}  // namespace ligament::record
