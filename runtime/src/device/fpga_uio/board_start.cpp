// SPDX-License-Identifier: Apache-2.0
/// How a board is taken: who is there, its memory, its table of pages, its reset.
#include <fmt/format.h>

#include <thread>

#include "device/failure.hpp"
#include "device/fpga_uio/board.hpp"
#include "fpga/registers.hpp"

namespace ligament::device::fpga_uio {
namespace {

using fpga::detail::Place;
using fpga::detail::register_of;

/// Of spec/device/board.md and gateway.md: what is at the places that say who is there.
constexpr std::uint32_t shell_version_at = 0xFF00;
constexpr std::uint64_t shell_version = 0x1'4C49'4753;
constexpr std::uint32_t identity_at = 0x10008;
constexpr std::uint32_t counts_at = 0x10010;
constexpr std::uint32_t resets_at = 0x11000;
constexpr std::uint64_t whole_design = std::uint64_t{1} << 63U;
constexpr std::uint64_t recall_off_interrupt_on = 2;
/// Rights of an entry of the table of pages.
constexpr std::uint64_t may_be_read = 1;
constexpr std::uint64_t may_be_written = 2;
constexpr std::size_t boundary = 64;

std::size_t up_to(std::size_t bytes, std::size_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

}  // namespace

Result<void> Board::check_identity() {
  const struct {
    std::uint32_t place;
    std::uint64_t expected;
    const char* what;
  } known[] = {{board_version_at, board_version, "the board's registers"},
               {shell_version_at, shell_version, "lig_shell"}};
  for (const auto& [place, expected, what] : known) {
    const auto found = read(place);
    if (!found) {
      return unexpected<Error>(found.error());
    }
    if (*found != expected) {
      return failure(ErrorCode::artefact_invalid,
                     fmt::format("{} of '{}' say 0x{:016x} at 0x{:05x}, 0x{:016x} is expected: no "
                                 "design of Ligament is there, or one of another version",
                                 what, path(), *found, place, expected));
    }
  }
  const auto identity = read(identity_at);
  if (!identity) {
    return unexpected<Error>(identity.error());
  }
  if (*identity != plan_.identity) {
    return failure(ErrorCode::artefact_invalid,
                   fmt::format("'{}' holds the design 0x{:016x}, '{}' is of 0x{:016x}: build its "
                               "bitstream and load it, or export the graph again",
                               path(), *identity, plan_.path, plan_.identity));
  }
  const auto counts = read(counts_at);
  const std::uint64_t expected =
      plan_.settings | plan_.values << 16U | std::uint64_t{plan_.ends} << 32U;
  if (!counts || *counts != expected) {
    return counts ? lies("its counts of registers are not those of its identity")
                  : unexpected<Error>(counts.error());
  }
  return {};
}

Result<void> Board::take(const Plan& plan) {
  plan_ = plan;
  ways_.assign(plan_.streams.size(), {});
  auto done = check_identity();
  done = done ? place_memory() : done;
  return done ? reset() : done;
}

/// Each stream's piece begins a page, so that the table's rights are its alone.
Result<void> Board::place_memory() {
  std::size_t offset = 0;
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    if (plan_.streams[i].end) {
      const std::size_t bytes =
          up_to(plan_.streams[i].bytes + boundary + overrun, plan_.page_bytes);
      ways_[i].piece = {offset, bytes};
      offset += bytes;
    }
  }
  const std::size_t there = at_.memory.mapping.bytes().size();
  if (offset > there) {
    return failure(ErrorCode::memory_refused,
                   fmt::format("{} needs {} bytes of memory for its longest messages, '{}' has {}",
                               plan_.name, offset, path(), there));
  }
  if (plan_.pages == 0) {
    const bool contiguous =
        at_.memory.address_of(offset - 1) - at_.memory.address_of(0) == offset - 1;
    return contiguous
               ? Result<void>()
               : failure(ErrorCode::memory_refused,
                         fmt::format("the memory of '{}' is scattered, and {} has no table of "
                                     "pages: give its platform's link `pages`",
                                     path(), plan_.name));
  }
  if (offset / plan_.page_bytes > plan_.pages) {
    return failure(ErrorCode::memory_refused,
                   fmt::format("the table of pages of {} has {} entries, its longest messages need "
                               "{}",
                               plan_.name, plan_.pages, offset / plan_.page_bytes));
  }
  return {};
}

Result<void> Board::write_table() {
  constexpr std::uint64_t most_address = std::uint64_t{1} << 40U;
  const std::size_t bytes = plan_.page_bytes;
  if (plan_.pages == 0) {
    return {};
  }
  if (auto done = write(fpga::detail::page_number, 0); !done) {
    return done;
  }
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    const Piece& piece = ways_[i].piece;
    const std::uint64_t rights = plan_.streams[i].input ? may_be_read : may_be_written;
    for (std::size_t at = piece.offset; at < piece.offset + piece.bytes; at += bytes) {
      const std::uint64_t frame = at_.memory.address_of(at);
      if (frame % bytes != 0 || frame + bytes > most_address ||
          at_.memory.address_of(at + bytes - 1) != frame + bytes - 1) {
        return failure(ErrorCode::memory_refused,
                       fmt::format("the memory of '{}' at 0x{:x} is no page of {} bytes below 2^40",
                                   path(), frame, bytes));
      }
      if (auto done = write(fpga::detail::page_entry, frame | rights); !done) {
        return done;
      }
    }
  }
  return {};
}

/// Memory would answer bursts that nobody waits for any more: an earlier process may have ended
/// amidst one. This is how the driver knows that its memory is not written any more.
Result<void> Board::wait_for_quiet_port() {
  constexpr int most_tries = 300;
  std::array<std::uint64_t, 3> before{};
  for (int tries = 0; tries < most_tries; ++tries) {
    const auto now = port_counts();
    if (!now) {
      return unexpected<Error>(now.error());
    }
    if (tries > 0 && *now == before) {
      return {};
    }
    before = *now;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return failure(
      ErrorCode::device_lost,
      fmt::format("the memory port of '{}' never rests: its memory does not answer", path()));
}

Result<void> Board::reset() {
  ++figures_.resets;
  auto done = wait_for_quiet_port();
  for (const std::uint64_t level : {whole_design, std::uint64_t{0}}) {
    done = done ? write(resets_at, level) : done;
    const auto read_back = done ? read(resets_at) : unexpected<Error>(done.error());
    if (!read_back) {
      return unexpected<Error>(read_back.error());
    }
    if (*read_back != level) {
      return lies("its reset is not what was written");
    }
  }
  for (Way& way : ways_) {
    way = Way{.piece = way.piece, .header = way.header, .parted = way.parted, .fault = {}};
  }
  counts_.clear();
  done = write_table();
  for (std::uint32_t end = 0; end < plan_.ends && done; ++end) {
    done = write(register_of(end, Place::control), recall_off_interrupt_on);
  }
  return done;
}

}  // namespace ligament::device::fpga_uio
