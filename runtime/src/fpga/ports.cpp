// SPDX-License-Identifier: Apache-2.0
#include "fpga/ports.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace ligament::fpga::detail {

MemoryPort::MemoryPort(const Memory& memory)
    : bytes_per_cycle_{memory.bytes_per_second / memory.clock_hz},
      latency_cycles_{
          static_cast<std::uint64_t>(std::ceil(memory.latency_ns * memory.clock_hz / 1e9))} {}

void MemoryPort::ring(std::uint64_t cycle) {
  ready_at_ = cycle + latency_cycles_;
  credit_ = 0;
}

void MemoryPort::advance(std::uint64_t cycle) {
  if (cycle < ready_at_) {
    return;
  }
  // The first beat is there when the latency is over, however slow the rest.
  credit_ = cycle == ready_at_ ? std::max<double>(beat_bytes, bytes_per_cycle_)
                               : std::min(credit_ + bytes_per_cycle_, burst_bytes);
}

namespace {

/// A node turns to a message at most that many messages later than its entry.
constexpr std::size_t most_begun = 256;

}  // namespace

void Sender::offer(MemoryPort& memory) {
  if (!is_hungry() || !memory.gives()) {
    return;
  }
  if (!begun_) {
    begin_message();
  }
  const std::size_t left = frame_bytes() - at_;
  *wires_.data = beat();
  *wires_.keep = static_cast<std::uint8_t>((1U << std::min(left, beat_bytes)) - 1);
  *wires_.last = static_cast<std::uint8_t>(left <= beat_bytes);
  *wires_.valid = 1;
  at_ += beat_bytes;
  memory.move();
}

bool Sender::observe(std::uint64_t cycle) {
  taken_ = *wires_.valid != 0 && *wires_.ready != 0;
  if (!taken_ || *wires_.last == 0) {
    return false;
  }
  waiting_.pop_front();
  begun_ = false;
  free_at_ = cycle + 1;
  return true;
}

void Sender::settle() {
  if (taken_) {
    *wires_.valid = 0;
  }
}

std::optional<std::uint64_t> Sender::began(std::uint64_t message) const {
  const std::uint64_t first = messages_ - began_.size();
  if (message < first || message >= messages_) {
    return std::nullopt;
  }
  return began_[message - first];
}

void Sender::reset() {
  *wires_.valid = 0;
  waiting_.clear();
  began_.clear();
  messages_ = 0;
  begun_ = false;
}

void Sender::begin_message() {
  constexpr std::uintptr_t boundary = 64;
  constexpr std::uint64_t software = 64;  // publisher: the first one in software
  const Arrival& arrival = waiting_.front();
  // The body begins at the last boundary of memory that is not behind the message.
  pad_ = reinterpret_cast<std::uintptr_t>(arrival.message.data()) % boundary;
  const auto length = static_cast<std::uint32_t>(arrival.message.size());
  const auto sequence = static_cast<std::uint16_t>(arrival.sequence);
  header_[0] =
      length | std::uint64_t{sequence} << 32U | software << 48U | std::uint64_t{pad_} << 56U;
  header_[1] = static_cast<std::uint64_t>(arrival.time_ns) & 0x00FF'FFFF'FFFF'FFFFULL;
  at_ = 0;
  begun_ = true;
  began_.push_back(free_at_);
  ++messages_;
  if (began_.size() > most_begun) {
    began_.pop_front();
  }
}

std::size_t Sender::frame_bytes() const {
  return header_bytes + pad_ + waiting_.front().message.size();
}

/// The 8 bytes of header, front padding and message at `at_`.
std::uint64_t Sender::beat() const {
  if (at_ < header_bytes) {
    return header_[at_ / beat_bytes];
  }
  const auto message = waiting_.front().message;
  std::array<std::byte, beat_bytes> bytes{};
  for (std::size_t lane = 0; lane < beat_bytes; ++lane) {
    const std::size_t place = at_ - header_bytes + lane;
    if (place >= pad_ && place - pad_ < message.size()) {
      bytes[lane] = message[place - pad_];
    }
  }
  std::uint64_t beat = 0;
  std::memcpy(&beat, bytes.data(), beat_bytes);
  return beat;
}

namespace {

struct FrameSize {
  std::size_t pad = 0;
  std::size_t length = 0;
  [[nodiscard]] std::size_t all() const { return header_bytes + pad + length; }
};

FrameSize size_in(const std::vector<std::byte>& frame) {
  std::uint32_t length = 0;
  std::memcpy(&length, frame.data(), sizeof length);
  return {std::to_integer<std::size_t>(frame[7]) & 63U, length};
}

}  // namespace

bool Receiver::observe(MemoryPort& memory) {
  if (!is_moving()) {
    return false;
  }
  memory.move();
  // What is behind the announced end is not kept: a core that never ends fills no memory.
  oversize_ =
      oversize_ || (bytes_.size() >= header_bytes && bytes_.size() >= size_in(bytes_).all());
  if (!oversize_) {
    std::array<std::byte, beat_bytes> bytes{};
    std::memcpy(bytes.data(), wires_.data, beat_bytes);
    const auto count = static_cast<std::ptrdiff_t>(__builtin_popcount(*wires_.keep));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.begin() + count);
  }
  return *wires_.last != 0;
}

std::string Receiver::fault() const {
  const bool cut = bytes_.size() < header_bytes;
  if (cut || bytes_.size() < size_in(bytes_).all()) {
    return "its output is shorter than its header says";
  }
  const bool longer = oversize_ || bytes_.size() > size_in(bytes_).all();
  return longer ? "its output is longer than its header says" : "";
}

std::vector<std::byte> Receiver::take_message() {
  const FrameSize size = size_in(bytes_);
  auto bytes = std::exchange(bytes_, {});
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(header_bytes + size.pad));
  return bytes;
}

void Receiver::forget() {
  bytes_.clear();
  oversize_ = false;
}

void Receiver::reset() {
  *wires_.ready = 0;
  forget();
}

}  // namespace ligament::fpga::detail
