// SPDX-License-Identifier: Apache-2.0
/// \file Whether a sample came into the pool from elsewhere.
#pragma once

#include <ligament/detail/pool.hpp>

namespace ligament::pool {

/// Whether its gid is that of another publisher than the one that put it into the pool: then an
/// edge did, for somebody outside (spec/wire/pool.md, section 2).
[[nodiscard]] bool is_relayed(const SampleInfo& info);

}  // namespace ligament::pool
