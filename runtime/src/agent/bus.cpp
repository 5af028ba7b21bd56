// SPDX-License-Identifier: Apache-2.0
#include "agent/bus.hpp"

#include <algorithm>
#include <cstring>

namespace ligament::xrce {

pool::PublishedCopies BusWriter::write(std::span<const Bytes> bodies, std::int64_t /*now_ns*/) {
  pool::PublishedCopies written;
  for (const Bytes body : bodies) {
    const auto memory = loan(encapsulation_size + body.size());
    if (memory.size() == encapsulation_size + body.size()) {
      std::memcpy(memory.data(), little_endian_cdr.data(), encapsulation_size);
      std::copy(body.begin(), body.end(), memory.begin() + encapsulation_size);
      publish({});
      ++written.count;
      written.bytes += body.size();
    }
  }
  return written;
}

}  // namespace ligament::xrce
