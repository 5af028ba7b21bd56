// SPDX-License-Identifier: Apache-2.0
#include "mcu/core_counts.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace ligament::mcu {

expected<std::shared_ptr<ligament_trace_ring_t>, std::string> map_ring(int memory,
                                                                       std::uint64_t begin,
                                                                       const rpmsg::Map& map) {
  const rpmsg::Layout layout = ligament_rpmsg_layout(&map);
  const auto offset = static_cast<off_t>(begin + ligament_rpmsg_aligned(layout.size));
  constexpr std::size_t size = sizeof(ligament_trace_ring_t);
  struct stat status {};
  if (::fstat(memory, &status) != 0 || status.st_size < offset + static_cast<off_t>(size)) {
    return unexpected<std::string>("the core's memory has no room for its ring of events");
  }
  void* mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, memory, offset);
  if (mapped == MAP_FAILED) {
    return unexpected<std::string>(
        fmt::format("cannot map the core's ring of events: {}", std::strerror(errno)));
  }
  return std::shared_ptr<ligament_trace_ring_t>(
      static_cast<ligament_trace_ring_t*>(mapped),
      [](ligament_trace_ring_t* memory_of) { ::munmap(memory_of, size); });
}

void CoreCounts::reset() {
  for (std::size_t end = 0; end < seen_.size(); ++end) {
    seen_[end] = rpmsg::load(ring_->refused[end]);
  }
}

std::uint32_t CoreCounts::more(std::size_t end, std::uint64_t most) {
  if (end >= seen_.size()) {
    return 0;
  }
  const std::uint32_t count = rpmsg::load(ring_->refused[end]);
  const std::uint32_t grown = count - std::exchange(seen_[end], count);
  if (grown > most) {
    ++wrong_;
    return 0;
  }
  return grown;
}

}  // namespace ligament::mcu
