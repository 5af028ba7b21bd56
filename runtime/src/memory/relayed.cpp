// SPDX-License-Identifier: Apache-2.0
#include "ligament/detail/relayed.hpp"

#include <cstring>

#include "memory/layout.hpp"

namespace ligament::pool {

bool is_relayed(const SampleInfo& info) {
  std::uint64_t nonce = 0;
  std::uint32_t counter = 0;
  std::memcpy(&nonce, info.gid.data(), sizeof nonce);
  std::memcpy(&counter, info.gid.data() + sizeof nonce, sizeof counter);
  return layout::endpoint_id(nonce, counter) != info.publisher;
}

}  // namespace ligament::pool
