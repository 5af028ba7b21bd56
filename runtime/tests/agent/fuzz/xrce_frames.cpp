// SPDX-License-Identifier: Apache-2.0
/// Any bytes on a serial line, to both ends: what both take for a message is the same.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "agent/framing.hpp"

extern "C" {
#include "ligament/framing.h"
}

namespace {

struct Line {
  const std::uint8_t* data;
  std::size_t size;
  std::size_t at = 0;
  static int read(void* context, std::uint8_t* to, std::size_t capacity, std::uint32_t) {
    auto& self = *static_cast<Line*>(context);
    const std::size_t count = std::min({capacity, self.size - self.at, std::size_t{5}});
    std::memcpy(to, self.data + self.at, count);
    self.at += count;
    return static_cast<int>(count);
  }
  static std::int64_t now(void*) { return 0; }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t capacity = 512;
  std::vector<std::vector<std::byte>> of_agent;
  ligament::xrce::Deframer deframer;
  deframer.add({reinterpret_cast<const std::byte*>(data), size},
               [&](std::uint8_t, ligament::xrce::Bytes message) {
                 of_agent.emplace_back(message.begin(), message.end());
               });
  Line line{data, size};
  ligament_framing_t framing{};
  framing.context = &line;
  framing.read = &Line::read;
  framing.now_us = &Line::now;
  const auto port = ligament_framing_port(&framing);
  std::vector<std::uint8_t> memory(capacity);
  std::size_t next = 0;
  for (;;) {
    const int count = port.receive(port.context, memory.data(), memory.size(), 0);
    if (count <= 0) {
      break;
    }
    while (next < of_agent.size() && of_agent[next].size() > capacity) {
      ++next;  // longer than the client's memory: it drops those
    }
    if (next == of_agent.size() || of_agent[next].size() != static_cast<std::size_t>(count) ||
        std::memcmp(of_agent[next].data(), memory.data(), of_agent[next].size()) != 0) {
      std::abort();
    }
    ++next;
  }
  return 0;
}
