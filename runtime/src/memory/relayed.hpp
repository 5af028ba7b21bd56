// SPDX-License-Identifier: Apache-2.0
/// \file Whether a sample came into the pool from elsewhere.
#pragma once

#include <cstring>

#include "ligament/detail/pool.hpp"
#include "memory/layout.hpp"

namespace ligament::pool {

/// Whether its gid is that of another publisher than the one that put it into the pool: then an
/// edge did, for somebody outside (spec/wire/pool.md, section 2).
[[nodiscard]] inline bool is_relayed(const SampleInfo& info) {
  std::uint64_t nonce = 0;
  std::uint32_t counter = 0;
  std::memcpy(&nonce, info.gid.data(), sizeof nonce);
  std::memcpy(&counter, info.gid.data() + sizeof nonce, sizeof counter);
  return layout::endpoint_id(nonce, counter) != info.publisher;
}

}  // namespace ligament::pool
