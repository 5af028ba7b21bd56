// SPDX-License-Identifier: Apache-2.0
#include "fpga/burst_memory.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ligament::fpga::detail {
namespace {

/// Bursts of each direction that memory takes before it has answered one.
constexpr std::size_t most_bursts = 32;
/// AXI4: the slave's error.
constexpr std::uint8_t slave_error = 2;

/// On the port an address is a number.
std::byte* at(std::uint64_t address) {
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr): as said
}

}  // namespace

void BurstMemory::open(std::uint64_t address, std::size_t bytes, bool writable) {
  // Reads are of whole beats, which a block has; what is written has strobes.
  const std::size_t beats = (bytes + wires_.beat_bytes - 1) / wires_.beat_bytes;
  const std::size_t extent = writable ? bytes : beats * wires_.beat_bytes;
  windows_.push_back({address, address + extent, writable, std::nullopt});
}

void BurstMemory::close(std::uint64_t address) {
  const auto found = std::find_if(windows_.begin(), windows_.end(),
                                  [&](const Window& one) { return one.begin == address; });
  if (found != windows_.end()) {
    windows_.erase(found);
  }
}

std::optional<std::uint64_t> BurstMemory::first_write(std::uint64_t address) const {
  const auto found = std::find_if(windows_.begin(), windows_.end(), [&](const Window& one) {
    return one.begin == address && one.writable;
  });
  return found == windows_.end() ? std::nullopt : found->written_at;
}

/// What holds all these bytes, open for that direction.
BurstMemory::Window* BurstMemory::window(std::uint64_t address, std::size_t bytes, bool writable) {
  const auto found = std::find_if(windows_.begin(), windows_.end(), [&](const Window& one) {
    return one.writable == writable && address >= one.begin && address + bytes <= one.end;
  });
  return found == windows_.end() ? nullptr : &*found;
}

// --- before the clock ----------------------------------------------------------------------------

void BurstMemory::offer(MemoryPort& memory, std::uint64_t cycle) {
  *wires_.ar_ready = static_cast<std::uint8_t>(reads_.size() < most_bursts);
  *wires_.aw_ready = static_cast<std::uint8_t>(writes_.size() < most_bursts);
  offer_read(memory, cycle);
  offer_answer(cycle);
  *wires_.w_ready =
      static_cast<std::uint8_t>(unfinished() != writes_.end() && memory.gives(wires_.beat_bytes));
}

void BurstMemory::offer_read(MemoryPort& memory, std::uint64_t cycle) {
  if (*wires_.r_valid != 0) {
    return;  // not taken yet
  }
  if (reads_.empty() || reads_.front().ready_at > cycle || !memory.gives(wires_.beat_bytes)) {
    return;
  }
  memory.move(wires_.beat_bytes);
  const Read& read = reads_.front();
  const bool allowed = window(read.address, wires_.beat_bytes, false) != nullptr;
  if (allowed) {
    std::memcpy(wires_.r_data, at(read.address), wires_.beat_bytes);
  }
  *wires_.r_id = read.id;
  *wires_.r_response = allowed ? std::uint8_t{0} : slave_error;
  *wires_.r_last = static_cast<std::uint8_t>(read.beats == 1);
  *wires_.r_valid = 1;
}

void BurstMemory::offer_answer(std::uint64_t cycle) {
  if (*wires_.b_valid != 0 || writes_.empty() || !writes_.front().answer_at ||
      *writes_.front().answer_at > cycle) {
    return;
  }
  *wires_.b_id = writes_.front().id;
  *wires_.b_response = writes_.front().response;
  *wires_.b_valid = 1;
}

// --- when the wires have settled -----------------------------------------------------------------

void BurstMemory::observe(MemoryPort& memory, std::uint64_t cycle) {
  if (*wires_.w_valid != 0 && *wires_.w_ready != 0) {
    memory.move(wires_.beat_bytes);
    store(cycle);
  }
  accept(cycle);
}

/// Announcements, and answers that were taken.
void BurstMemory::accept(std::uint64_t cycle) {
  if (*wires_.ar_valid != 0 && *wires_.ar_ready != 0) {
    reads_.push_back({*wires_.ar_address, std::uint64_t{*wires_.ar_length} + 1, *wires_.ar_id,
                      cycle + std::max<std::uint64_t>(latency_, 1)});
  }
  if (*wires_.aw_valid != 0 && *wires_.aw_ready != 0) {
    writes_.push_back({*wires_.aw_address, *wires_.aw_id, 0, std::nullopt});
    if (Window* const room = window(*wires_.aw_address, 1, true); room != nullptr) {
      room->written_at = room->written_at.value_or(cycle);
    }
  }
  taken_read_ = *wires_.r_valid != 0 && *wires_.r_ready != 0;
  taken_answer_ = *wires_.b_valid != 0 && *wires_.b_ready != 0;
}

std::deque<BurstMemory::Write>::iterator BurstMemory::unfinished() {
  return std::find_if(writes_.begin(), writes_.end(),
                      [](const Write& write) { return !write.answer_at; });
}

/// Of the beat that is offered, up to the last one that is to be written.
std::size_t BurstMemory::strobed_bytes() const {
  std::size_t bytes = 0;
  for (std::size_t lane = 0; lane < wires_.beat_bytes; ++lane) {
    bytes = (wires_.w_strobe[lane / 8] >> lane % 8 & 1U) != 0 ? lane + 1 : bytes;
  }
  return bytes;
}

/// Data come in the order of announcements.
void BurstMemory::store(std::uint64_t cycle) {
  const auto write = unfinished();
  if (window(write->address, strobed_bytes(), true) == nullptr) {
    write->response = slave_error;
  } else {
    std::byte* const place = at(write->address);
    for (std::size_t lane = 0; lane < wires_.beat_bytes; ++lane) {
      if ((wires_.w_strobe[lane / 8] >> lane % 8 & 1U) != 0) {
        std::memcpy(place + lane, wires_.w_data + lane, 1);
      }
    }
  }
  write->address += wires_.beat_bytes;
  if (*wires_.w_last != 0) {
    write->answer_at = cycle + std::max<std::uint64_t>(latency_, 1);
  }
}

// --- behind the clock ----------------------------------------------------------------------------

void BurstMemory::settle() {
  if (std::exchange(taken_read_, false)) {
    *wires_.r_valid = 0;
    reads_.front().address += wires_.beat_bytes;
    if (--reads_.front().beats == 0) {
      reads_.pop_front();
    }
  }
  if (std::exchange(taken_answer_, false)) {
    *wires_.b_valid = 0;
    writes_.pop_front();
  }
}

bool BurstMemory::is_idle() const {
  return reads_.empty() && writes_.empty() && *wires_.ar_valid == 0 && *wires_.aw_valid == 0 &&
         *wires_.w_valid == 0;
}

void BurstMemory::reset() {
  windows_.clear();
  reads_.clear();
  writes_.clear();
  *wires_.r_valid = 0;
  *wires_.b_valid = 0;
  taken_read_ = taken_answer_ = false;
}

}  // namespace ligament::fpga::detail
