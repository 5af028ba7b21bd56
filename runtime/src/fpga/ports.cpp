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
          static_cast<std::uint64_t>(std::ceil(memory.latency_ns * memory.clock_hz / 1e9))},
      contention_{memory.contention},
      chance_{memory.seed} {}

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
                               : std::min(credit_ + bytes_per_cycle_ - take_load(), burst_bytes);
}

/// Others go first: four lines at a time, at moments drawn by chance.
double MemoryPort::take_load() {
  constexpr double piece_bytes = 256;
  if (contention_ <= 0) {
    return 0;
  }
  const double draw = static_cast<double>(chance_() >> 11U) * 0x1p-53;
  load_ += draw < contention_ * bytes_per_cycle_ / piece_bytes ? piece_bytes : 0;
  const double taken = std::min(load_, bytes_per_cycle_);
  load_ -= taken;
  return taken;
}

std::size_t pad_of(const Arrival& arrival) {
  constexpr std::uintptr_t boundary = 64;
  return reinterpret_cast<std::uintptr_t>(arrival.message.data()) % boundary;
}

std::array<std::uint64_t, 2> frame_header(const Arrival& arrival, std::uint8_t topic) {
  constexpr std::uint64_t request_kind = 1;
  const auto length = static_cast<std::uint32_t>(arrival.message.size());
  const auto sequence = static_cast<std::uint16_t>(arrival.sequence);
  const std::uint64_t time = static_cast<std::uint64_t>(arrival.time_ns) & 0x00FF'FFFF'FFFF'FFFFULL;
  return {length | std::uint64_t{sequence} << 32U | std::uint64_t{arrival.publisher} << 48U |
              std::uint64_t{pad_of(arrival)} << 56U | (arrival.request ? request_kind << 62U : 0),
          time | std::uint64_t{topic} << 56U};
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
  pad_ = pad_of(waiting_.front());
  header_ = frame_header(waiting_.front(), 0);
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
  const std::size_t place = at_ - header_bytes;
  std::uint64_t beat = 0;
  if (place >= pad_ && place - pad_ + beat_bytes <= message.size()) {
    std::memcpy(&beat, &message[place - pad_], beat_bytes);
    return beat;
  }
  std::array<std::byte, beat_bytes> bytes{};
  const std::size_t first = std::max(place, pad_);
  const std::size_t end = std::min(place + beat_bytes, pad_ + message.size());
  for (std::size_t i = first; i < end; ++i) {
    bytes[i - place] = message[i - pad_];
  }
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
  oversize_ = oversize_ || bytes_.size() >= announced_;
  if (!oversize_) {
    const std::size_t before = bytes_.size();
    bytes_.resize(before + static_cast<std::size_t>(__builtin_popcount(*wires_.keep)));
    std::memcpy(bytes_.data() + before, wires_.data, bytes_.size() - before);
    if (announced_ == SIZE_MAX && bytes_.size() >= header_bytes) {
      announced_ = size_in(bytes_).all();
    }
  }
  return *wires_.last != 0;
}

std::string Receiver::fault() const {
  if (bytes_.size() < announced_) {
    return "its output is shorter than its header says";
  }
  const bool longer = oversize_ || bytes_.size() > announced_;
  return longer ? "its output is longer than its header says" : "";
}

Departure Receiver::take_message() {
  const FrameSize size = size_in(bytes_);
  Departure departure;
  departure.message = std::exchange(bytes_, {});
  auto& bytes = departure.message;
  std::memcpy(&departure.sequence, &bytes[4], sizeof departure.sequence);
  departure.publisher = std::to_integer<std::uint8_t>(bytes[6]);
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(header_bytes + size.pad));
  return departure;
}

void Receiver::forget() {
  bytes_.clear();
  announced_ = SIZE_MAX;
  oversize_ = false;
}

void Receiver::reset() {
  *wires_.ready = 0;
  forget();
}

}  // namespace ligament::fpga::detail
