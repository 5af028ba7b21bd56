// SPDX-License-Identifier: Apache-2.0
#include "gpu/mapping.hpp"

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

namespace ligament::gpu {

std::optional<ProcessMapping> mapping_of(std::span<const std::byte> bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::uintptr_t from = 0;
    std::uintptr_t to = 0;
    char dash = 0;
    std::string access;
    words >> std::hex >> from >> dash >> to >> access;
    if (words && access.size() == 4 && from <= begin && begin + bytes.size() <= to &&
        access[0] == 'r') {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): as the kernel prints it
      return ProcessMapping{reinterpret_cast<std::byte*>(from), to - from, access[3] == 's',
                            access[1] == 'w'};
    }
  }
  return std::nullopt;
}

}  // namespace ligament::gpu
