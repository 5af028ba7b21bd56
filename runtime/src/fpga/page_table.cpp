// SPDX-License-Identifier: Apache-2.0
#include "fpga/page_table.hpp"

#include <algorithm>

namespace ligament::fpga::detail {
namespace {

/// Bits of an address of memory (ADDRESS_WIDTH of hdl/rtl/lig_axi_pages.sv).
constexpr unsigned address_bits = 40;
/// Of an entry.
constexpr std::uint64_t may_be_read = 1;
constexpr std::uint64_t may_be_written = 2;

}  // namespace

// --- frames --------------------------------------------------------------------------------------

std::uint64_t Frames::place_of(std::uint64_t page) {
  if (const auto known = places_.find(page); known != places_.end()) {
    return known->second;
  }
  const std::uint64_t frames = (std::uint64_t{1} << address_bits) / page_bytes_;
  std::uint64_t place = 0;
  do {
    place = chance_() % frames * page_bytes_;
  } while (!pages_.emplace(place, page).second);
  places_.emplace(page, place);
  return place;
}

std::optional<std::uint64_t> Frames::address_at(std::uint64_t place) const {
  const auto found = pages_.find(place / page_bytes_ * page_bytes_);
  return found == pages_.end() ? std::nullopt : std::optional{found->second + place % page_bytes_};
}

// --- the table -----------------------------------------------------------------------------------

PageTable::PageTable(const Pages& pages, std::uint64_t seed, Registers& registers)
    : count_{pages.count}, bytes_{pages.bytes}, registers_{registers}, frames_{pages.bytes, seed} {}

std::optional<std::uint64_t> PageTable::open(std::uint64_t address, std::size_t bytes,
                                             bool writable) {
  const std::size_t pages = pages_in(address, bytes);
  if (pages > count_) {
    return count_ * bytes_ + address % bytes_;
  }
  const Run* const known = find(address, bytes, writable);
  Run* const run = known != nullptr ? &runs_[static_cast<std::size_t>(known - runs_.data())]
                                    : add(address, pages, writable);
  if (run == nullptr) {
    return std::nullopt;
  }
  ++run->users;
  run->used_at = ++uses_;
  return run->first * bytes_ + (address - run->begin);
}

void PageTable::close(std::uint64_t seen) {
  const std::size_t entry = seen / bytes_;
  for (Run& run : runs_) {
    if (entry >= run.first && entry < run.first + run.pages) {
      --run.users;
    }
  }
}

bool PageTable::knows(std::uint64_t address, std::size_t bytes, bool writable) const {
  return find(address, bytes, writable) != nullptr;
}

std::size_t PageTable::pages_in(std::uint64_t address, std::size_t bytes) const {
  return (address % bytes_ + bytes + bytes_ - 1) / bytes_;
}

const PageTable::Run* PageTable::find(std::uint64_t address, std::size_t bytes,
                                      bool writable) const {
  const auto found = std::find_if(runs_.begin(), runs_.end(), [&](const Run& run) {
    return run.writable == writable && address >= run.begin &&
           address + bytes <= run.begin + run.pages * bytes_;
  });
  return found == runs_.end() ? nullptr : &*found;
}

/// Those that were used longest ago make room.
PageTable::Run* PageTable::add(std::uint64_t address, std::size_t pages, bool writable) {
  auto first = gap(pages);
  while (!first && drop_oldest()) {
    first = gap(pages);
  }
  if (!first) {
    return nullptr;
  }
  const auto behind =
      std::find_if(runs_.begin(), runs_.end(), [&](const Run& run) { return run.first > *first; });
  const auto run = runs_.insert(behind, {*first, pages, page_of(address), writable, 0, 0});
  write(*run);
  return &*run;
}

/// The first one: so no entry is written before those in front of it.
std::optional<std::size_t> PageTable::gap(std::size_t pages) const {
  std::size_t first = 0;
  for (const Run& run : runs_) {
    if (run.first - first >= pages) {
      return first;
    }
    first = run.first + run.pages;
  }
  return count_ - first >= pages ? std::optional{first} : std::nullopt;
}

bool PageTable::drop_oldest() {
  auto oldest = runs_.end();
  for (auto run = runs_.begin(); run != runs_.end(); ++run) {
    const bool older = oldest == runs_.end() || run->used_at < oldest->used_at;
    oldest = run->users == 0 && older ? run : oldest;
  }
  if (oldest == runs_.end()) {
    return false;
  }
  runs_.erase(oldest);
  return true;
}

void PageTable::write(const Run& run) {
  const std::uint64_t rights = run.writable ? may_be_written : may_be_read;
  registers_.write(page_number, run.first);
  for (std::size_t page = 0; page < run.pages; ++page) {
    registers_.write(page_entry, frames_.place_of(run.begin + page * bytes_) | rights);
  }
}

}  // namespace ligament::fpga::detail
