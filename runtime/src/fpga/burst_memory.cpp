// SPDX-License-Identifier: Apache-2.0
#include "fpga/burst_memory.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ligament::fpga::detail {
namespace {

/// AXI4: the slave's error.
constexpr std::uint8_t slave_error = 2;

/// On the port an address is a number.
std::byte* at(std::uint64_t address) {
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr): as said
}

}  // namespace

std::optional<std::uint64_t> BurstMemory::open(std::uint64_t address, std::size_t bytes,
                                               bool writable) {
  const std::size_t size = span_of(bytes, writable);
  const auto seen = pages_ == nullptr ? address : pages_->open(address, size, writable);
  if (seen) {
    windows_.push_back({address, address + size, writable, *seen, std::nullopt});
  }
  return seen;
}

/// Reads are of whole beats, which a block has; what is written has strobes.
std::size_t BurstMemory::span_of(std::size_t bytes, bool writable) const {
  const std::size_t beats = (bytes + wires_.beat_bytes - 1) / wires_.beat_bytes;
  return writable ? bytes : beats * wires_.beat_bytes;
}

void BurstMemory::prepare(std::uint64_t address, std::size_t bytes) {
  if (const auto seen = pages_->open(address, span_of(bytes, false), false)) {
    pages_->close(*seen);
  }
}

void BurstMemory::close(std::uint64_t address) {
  const auto found = std::find_if(windows_.begin(), windows_.end(),
                                  [&](const Window& one) { return one.begin == address; });
  if (found == windows_.end()) {
    return;
  }
  if (pages_ != nullptr) {
    pages_->close(found->seen);
  }
  windows_.erase(found);
  // What is on its way may lie in another one, too: a message that goes in at two entries.
  for (std::size_t place = 0; place < reads_.size(); ++place) {
    Read& read = reads_[place];
    read.end = extent(read.address, false);
  }
  for (std::size_t place = 0; place < writes_.size(); ++place) {
    Write& write = writes_[place];
    write.end = extent(write.address, true);
  }
}

std::optional<std::uint64_t> BurstMemory::first_burst(std::uint64_t address) const {
  const auto found = std::find_if(windows_.begin(), windows_.end(),
                                  [&](const Window& one) { return one.begin == address; });
  return found == windows_.end() ? std::nullopt : found->touched_at;
}

/// What of this process lies there in memory; 0: nothing.
std::uint64_t BurstMemory::address_of(std::uint64_t place) const {
  return pages_ == nullptr ? place : pages_->address_at(place).value_or(0);
}

/// What is open there for that direction; of several, what reaches furthest.
BurstMemory::Window* BurstMemory::window(std::uint64_t address, bool writable) {
  Window* found = nullptr;
  for (Window& one : windows_) {
    const bool holds = one.writable == writable && address >= one.begin && address < one.end;
    found = holds && (found == nullptr || one.end > found->end) ? &one : found;
  }
  return found;
}

/// How far a burst there may go; 0: nowhere.
std::uint64_t BurstMemory::extent(std::uint64_t address, bool writable) {
  const Window* const open = window(address, writable);
  return open == nullptr ? 0 : open->end;
}

/// A burst is announced there.
std::uint64_t BurstMemory::touch(std::uint64_t address, bool writable, std::uint64_t now) {
  if (Window* const open = window(address, writable); open != nullptr) {
    open->touched_at = open->touched_at.value_or(now);
  }
  return extent(address, writable);
}

// --- before the clock ----------------------------------------------------------------------------

void BurstMemory::offer(MemoryPort& memory, std::uint64_t cycle) {
  *wires_.ar_ready = static_cast<std::uint8_t>(!reads_.is_full());
  *wires_.aw_ready = static_cast<std::uint8_t>(!writes_.is_full());
  // Reads and writes take turns where memory is the narrow place of both.
  const bool writes = awaits_data() && *wires_.w_valid != 0;
  const std::size_t before = writes && memory.prefers_writes(cycle) ? wires_.beat_bytes : 0;
  offer_read(memory, cycle, before);
  offer_answer(cycle);
  *wires_.w_ready =
      static_cast<std::uint8_t>(awaits_data() && memory.gives(Way::write, wires_.beat_bytes));
}

/// `before` bytes are somebody else's.
void BurstMemory::offer_read(MemoryPort& memory, std::uint64_t cycle, std::size_t before) {
  if (*wires_.r_valid != 0) {
    return;  // not taken yet
  }
  if (reads_.empty() || reads_.front().ready_at > cycle ||
      !memory.gives(Way::read, before + wires_.beat_bytes)) {
    return;
  }
  memory.move(Way::read, wires_.beat_bytes);
  const Read& read = reads_.front();
  const bool allowed = read.address + wires_.beat_bytes <= read.end;
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

void BurstMemory::observe(MemoryPort& memory, std::uint64_t cycle, std::uint64_t now) {
  if (*wires_.w_valid != 0 && *wires_.w_ready != 0) {
    memory.move(Way::write, wires_.beat_bytes);
    store(cycle);
  }
  accept(cycle, now);
}

/// Announcements, and answers that were taken.
void BurstMemory::accept(std::uint64_t cycle, std::uint64_t now) {
  if (*wires_.ar_valid != 0 && *wires_.ar_ready != 0) {
    const std::uint64_t address = address_of(*wires_.ar_address);
    reads_.push_back({address, touch(address, false, now), std::uint64_t{*wires_.ar_length} + 1,
                      *wires_.ar_id, cycle + std::max<std::uint64_t>(latency_, 1)});
  }
  if (*wires_.aw_valid != 0 && *wires_.aw_ready != 0) {
    const std::uint64_t address = address_of(*wires_.aw_address);
    writes_.push_back({address, touch(address, true, now), *wires_.aw_id, 0, std::nullopt});
  }
  taken_read_ = *wires_.r_valid != 0 && *wires_.r_ready != 0;
  taken_answer_ = *wires_.b_valid != 0 && *wires_.b_ready != 0;
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
  Write& write = writes_[complete_];
  if (write.address + strobed_bytes() > write.end) {
    write.response = slave_error;
  } else {
    put(at(write.address));
  }
  write.address += wires_.beat_bytes;
  if (*wires_.w_last != 0) {
    write.answer_at = cycle + std::max<std::uint64_t>(latency_, 1);
    ++complete_;
  }
}

/// The bytes of a beat that are to be written.
void BurstMemory::put(std::byte* place) const {
  constexpr std::size_t lanes = 8;
  for (std::size_t word = 0; word < wires_.beat_bytes; word += lanes) {
    const unsigned strobe = wires_.w_strobe[word / lanes];
    if (strobe == 0xFF) {
      std::memcpy(place + word, wires_.w_data + word, lanes);
      continue;
    }
    for (std::size_t lane = word; lane < word + lanes; ++lane) {
      if ((strobe >> lane % lanes & 1U) != 0) {
        std::memcpy(place + lane, wires_.w_data + lane, 1);
      }
    }
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
    --complete_;
  }
}

bool BurstMemory::is_idle() const {
  return reads_.empty() && writes_.empty() && *wires_.ar_valid == 0 && *wires_.aw_valid == 0 &&
         *wires_.w_valid == 0;
}

void BurstMemory::reset() {
  if (pages_ != nullptr) {
    pages_->reset();
  }
  windows_.clear();
  reads_.clear();
  writes_.clear();
  complete_ = 0;
  *wires_.r_valid = 0;
  *wires_.b_valid = 0;
  taken_read_ = taken_answer_ = false;
}

}  // namespace ligament::fpga::detail
