// SPDX-License-Identifier: Apache-2.0
#include "device/fpga_uio/board.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ligament/fpga_design.hpp>
#include <thread>

#include "device/failure.hpp"
#include "fpga/ports.hpp"
#include "fpga/registers.hpp"

namespace ligament::device::fpga_uio {
namespace {

using fpga::detail::Place;
using fpga::detail::register_of;
using std::chrono::steady_clock;

/// Of spec/device/board.md and gateway.md: what is at the places that say who is there.
constexpr std::uint32_t shell_version_at = 0xFF00;
constexpr std::uint64_t shell_version = 0x1'4C49'4753;
constexpr std::uint32_t board_version_at = 0x10000;
constexpr std::uint64_t board_version = 0x1'4C49'4742;
constexpr std::uint32_t identity_at = 0x10008;
constexpr std::uint32_t counts_at = 0x10010;
constexpr std::uint32_t resets_at = 0x11000;
constexpr std::uint64_t whole_design = std::uint64_t{1} << 63U;
constexpr std::uint64_t recall_off_interrupt_on = 2;
/// Of the port: busy cycles, beats read and written.
constexpr std::array<std::uint32_t, 3> port_counts{0xFF08, 0xFF10, 0xFF18};
/// Rights of an entry of the table of pages.
constexpr std::uint64_t may_be_read = 1;
constexpr std::uint64_t may_be_written = 2;
constexpr std::uint64_t all_ones = ~std::uint64_t{0};
constexpr std::size_t boundary = 64;
/// A read may take that much behind a message (gateway.md, 1).
constexpr std::size_t overrun = 64;

std::size_t up_to(std::size_t bytes, std::size_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

}  // namespace

unexpected<Error> Board::lies(const std::string& what) {
  return failure(ErrorCode::device_lost, fmt::format("'{}' says what cannot be: {}; {} is given up",
                                                     path(), what, plan_.name));
}

/// A board that is gone answers with ones: no register that is read here may have only ones.
Result<std::uint64_t> Board::read(std::uint32_t place) {
  auto value = at_.registers->read(place);
  if (!value || *value != all_ones) {
    return value;
  }
  const auto version = at_.registers->read(board_version_at);
  if (version && *version == board_version) {
    return value;
  }
  return failure(
      ErrorCode::device_lost,
      fmt::format("'{}' reads as ones, its version too: the board is off its bus, has no "
                  "power or no bitstream",
                  path()));
}

Result<void> Board::write(std::uint32_t place, std::uint64_t value) {
  return at_.registers->write(place, value);
}

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

/// With a table, addresses are the table's (spec/device/pages.md): a place in the memory is one.
std::uint64_t Board::address_of(const Piece& piece) const {
  return plan_.pages == 0 ? at_.memory.address_of(piece.offset) : piece.offset;
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
  std::array<std::uint64_t, port_counts.size()> before{};
  for (int tries = 0; tries < most_tries; ++tries) {
    bool same = tries > 0;
    for (std::size_t i = 0; i < port_counts.size(); ++i) {
      const auto now = read(port_counts[i]);
      if (!now) {
        return unexpected<Error>(now.error());
      }
      same = same && *now == before[i];
      before[i] = *now;
    }
    if (same) {
      return {};
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return failure(
      ErrorCode::device_lost,
      fmt::format("the memory port of '{}' never rests: its memory does not answer", path()));
}

Result<void> Board::reset() {
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
    way = Way{.piece = way.piece, .fault = {}};
  }
  counts_.clear();
  done = write_table();
  for (std::uint32_t end = 0; end < plan_.ends && done; ++end) {
    done = write(register_of(end, Place::control), recall_off_interrupt_on);
  }
  return done;
}

Result<void> Board::set(const std::string& setting, std::uint64_t value) {
  const auto found = plan_.places.find(setting);
  if (found == plan_.places.end()) {
    return failure(ErrorCode::unavailable,
                   fmt::format("{} has no setting '{}'", plan_.name, setting));
  }
  return write(found->second, value);
}

Result<std::uint64_t> Board::value(const std::string& name) {
  const auto found = plan_.places.find(name);
  return found == plan_.places.end()
             ? failure(ErrorCode::unavailable,
                       fmt::format("{} has no value '{}'", plan_.name, name))
             : read(found->second);
}

std::optional<std::size_t> Board::stream_at(std::uint32_t end, bool input) const {
  const auto found = std::find_if(
      plan_.streams.begin(), plan_.streams.end(),
      [&](const Stream& stream) { return stream.end == end && stream.input == input; });
  return found == plan_.streams.end()
             ? std::nullopt
             : std::optional{static_cast<std::size_t>(found - plan_.streams.begin())};
}

Result<void> Board::lend(std::size_t stream) {
  Way& way = ways_[stream];
  const std::uint32_t end = *plan_.streams[stream].end;
  way.tag = next_tag_++;
  const std::uint64_t capacity = way.piece.bytes - overrun;
  auto done = write(register_of(end, Place::room_address), address_of(way.piece));
  done = done ? write(register_of(end, Place::room_doorbell), way.tag | capacity << 32U) : done;
  way.out = done.has_value();
  return done;
}

Result<void> Board::send(const Input& input) {
  Way& way = ways_[input.stream];
  const std::uint32_t end = *plan_.streams[input.stream].end;
  std::byte* const to = at_.memory.mapping.bytes().data() + way.piece.offset;
  std::copy(input.message.begin(), input.message.end(), to);
  figures_.bytes_in += input.message.size();
  fpga::Arrival arrival;
  arrival.message = {to, input.message.size()};
  arrival.sequence = input.sequence;
  arrival.time_ns = input.time_ns;
  const auto header = fpga::detail::frame_header(arrival, 0);
  way.tag = next_tag_++;
  auto done = write(register_of(end, Place::send_low), header[0]);
  done = done ? write(register_of(end, Place::send_high), header[1]) : done;
  done = done ? write(register_of(end, Place::send_address), address_of(way.piece)) : done;
  done = done ? write(register_of(end, Place::send_doorbell), way.tag) : done;
  way.out = done.has_value();
  ++way.sent;
  return done;
}

/// A core that has answered more often than it was asked: what it says would be taken for the
/// answer to the next message, so its design begins anew.
Result<void> Board::drop_surplus(RunOutcome& outcome) {
  std::size_t faults = 0;
  for (const NodeStreams& node : plan_.nodes) {
    std::uint64_t sets = UINT64_MAX;
    for (const std::size_t input : node.inputs) {
      const auto messages = given(input);
      if (!messages) {
        return unexpected<Error>(messages.error());
      }
      sets = std::min(sets, *messages);
    }
    for (const std::size_t output : node.outputs) {
      const auto messages = count(plan_.streams[output].messages, 32);
      if (!messages) {
        return unexpected<Error>(messages.error());
      }
      if (*messages > sets) {
        outcome.faults.push_back({node.name, fmt::format("it has given a message on its output {} "
                                                         "that nobody asked for",
                                                         plan_.streams[output].port)});
        ++faults;
      }
    }
  }
  return faults != 0 ? reset() : Result<void>();
}

/// Counts of before, then the rooms, then the messages.
Result<void> Board::begin(std::span<const Input> inputs) {
  came_.clear();
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    const Stream& stream = plan_.streams[i];
    if (stream.input) {
      continue;
    }
    const auto messages = count(stream.messages, 32);
    const auto wrong = messages ? bad(stream) : messages;
    if (!wrong) {
      return unexpected<Error>(wrong.error());
    }
    ways_[i].messages_before = *messages;
    ways_[i].bad_before = *wrong;
    ways_[i].stored = 0;
    ways_[i].fault.clear();
    if (stream.end && !ways_[i].out) {
      if (auto done = lend(i); !done) {
        return done;
      }
    }
  }
  for (const Input& input : inputs) {
    if (auto done = send(input); !done) {
      return done;
    }
  }
  return enable_interrupt();
}

/// A doorbell may be lost on its way, and nobody can tell whether: what was not read goes in once
/// more, behind a reset, as nothing of it has left the design.
Result<RunOutcome> Board::run(std::span<const Input> inputs) {
  RunOutcome outcome;
  for (const Input& input : inputs) {
    const Stream& stream = plan_.streams.at(input.stream);
    if (input.message.size() > stream.bytes) {
      outcome.faults.push_back(
          {stream.node, fmt::format("a message for its input {} has {} bytes, its bound is {}",
                                    stream.port, input.message.size(), stream.bytes)});
      return outcome;
    }
  }
  for (const bool is_last : {false, true}) {
    auto done = drop_surplus(outcome);
    done = done ? begin(inputs) : done;
    const auto owed = done ? wait_for_answers() : unexpected<Error>(done.error());
    if (!owed) {
      return unexpected<Error>(owed.error());
    }
    if (!*owed) {
      done = tell(outcome);
      outcome.outputs = came_;
      return done ? Result<RunOutcome>(std::move(outcome)) : unexpected<Error>(done.error());
    }
    const bool unread =
        came_.empty() && std::any_of(inputs.begin(), inputs.end(),
                                     [&](const Input& input) { return ways_[input.stream].out; });
    const bool is_over = is_last || !unread;
    if (is_over) {  // other nodes may have answered; a reset clears faults, and leaves memory
      done = tell(outcome);
      outcome.outputs = came_;
    }
    if (done = done ? reset() : done; !done) {
      return unexpected<Error>(done.error());
    }
    if (is_over) {
      outcome.faults.push_back(**owed);
      return outcome;
    }
    ++figures_.repeated;
  }
  return outcome;
}

}  // namespace ligament::device::fpga_uio
