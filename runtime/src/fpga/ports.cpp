// SPDX-License-Identifier: Apache-2.0
#include "fpga/ports.hpp"

#include <algorithm>
#include <cmath>

namespace ligament::fpga::detail {

namespace {

double clock_of(const Memory& memory) {
  return memory.port_clock_hz > 0 ? memory.port_clock_hz : memory.clock_hz;
}

}  // namespace

MemoryPort::MemoryPort(const Memory& memory)
    : bytes_per_cycle_{memory.bytes_per_second / clock_of(memory)},
      latency_cycles_{
          static_cast<std::uint64_t>(std::ceil(memory.latency_ns * clock_of(memory) / 1e9))},
      duplex_{memory.duplex},
      contention_{memory.contention},
      seed_{memory.seed},
      chance_{memory.seed} {}

void MemoryPort::ring(std::uint64_t cycle, std::uint64_t message) {
  ready_at_ = cycle + latency_cycles_;
  lanes_ = {};
  if (contention_ > 0) {
    std::seed_seq both{seed_, seed_ >> 32U, message, message >> 32U};
    chance_.seed(both);
  }
}

void MemoryPort::advance(std::uint64_t cycle) {
  if (cycle < ready_at_) {
    return;
  }
  // The first beat is there when the latency is over, however slow the rest.
  for (std::size_t i = 0; i <= lane_of(Way::write); ++i) {
    Lane& lane = lanes_[i];
    lane.credit = cycle == ready_at_
                      ? std::max<double>(beat_bytes, bytes_per_cycle_)
                      : std::min(lane.credit + bytes_per_cycle_ - take_load(lane), burst_bytes);
  }
}

/// Others go first: four lines at a time, at moments drawn by chance.
double MemoryPort::take_load(Lane& lane) {
  constexpr double piece_bytes = 256;
  if (contention_ <= 0) {
    return 0;
  }
  const double draw = static_cast<double>(chance_() >> 11U) * 0x1p-53;
  lane.load += draw < contention_ * bytes_per_cycle_ / piece_bytes ? piece_bytes : 0;
  const double taken = std::min(lane.load, bytes_per_cycle_);
  lane.load -= taken;
  return taken;
}

std::size_t pad_of(const Arrival& arrival) {
  constexpr std::uintptr_t boundary = 64;
  return reinterpret_cast<std::uintptr_t>(arrival.message.data()) % boundary;
}

std::array<std::uint64_t, 2> frame_header(const Arrival& arrival, std::uint8_t topic) {
  const auto length = static_cast<std::uint32_t>(arrival.message.size());
  const auto sequence = static_cast<std::uint16_t>(arrival.sequence);
  const std::uint64_t time = static_cast<std::uint64_t>(arrival.time_ns) & 0x00FF'FFFF'FFFF'FFFFULL;
  const auto kind = static_cast<std::uint64_t>(arrival.kind);
  return {length | std::uint64_t{sequence} << 32U | std::uint64_t{arrival.publisher} << 48U |
              std::uint64_t{pad_of(arrival)} << 56U | kind << 62U,
          time | std::uint64_t{topic} << 56U};
}

}  // namespace ligament::fpga::detail
