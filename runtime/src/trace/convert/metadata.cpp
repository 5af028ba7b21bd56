// SPDX-License-Identifier: Apache-2.0
#include "trace/convert/metadata.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>

namespace ligament::trace {

namespace {

// CTF 1.8, section 7.1: the packetised form of the metadata.
constexpr std::uint32_t packet_magic = 0x75D11D57;
constexpr std::size_t header_bytes = 37;
constexpr std::size_t content_bits_offset = 24;
constexpr std::size_t packet_bits_offset = 28;

std::uint32_t read_u32(const std::array<char, header_bytes>& header, std::size_t offset) {
  std::uint32_t value = 0;
  std::memcpy(&value, header.data() + offset, sizeof value);
  return value;
}

}  // namespace

std::string check_metadata(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file.tellg();
  if (!file || size <= 0) {
    return path + " is empty: the recording was never started, or its daemon was killed";
  }
  for (std::streamoff at = 0; at < size;) {
    std::array<char, header_bytes> header{};
    file.seekg(at);
    file.read(header.data(), header.size());
    const bool whole_header = file.gcount() == static_cast<std::streamsize>(header.size());
    file.clear();
    if (read_u32(header, 0) != packet_magic) {
      // Plain text, as other tracers write it: babeltrace2 judges that well by itself.
      return at == 0 ? std::string() : path + " is damaged: no packet begins where one should";
    }
    const std::streamoff content = read_u32(header, content_bits_offset) / 8;
    const std::streamoff packet = read_u32(header, packet_bits_offset) / 8;
    if (!whole_header || content < static_cast<std::streamoff>(header.size()) || packet < content ||
        at + packet > size) {
      return path + " is truncated: its last packet ends early";
    }
    at += packet;
  }
  return {};
}

}  // namespace ligament::trace
