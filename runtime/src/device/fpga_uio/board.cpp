// SPDX-License-Identifier: Apache-2.0
#include "device/fpga_uio/board.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ligament/fpga_design.hpp>

#include "device/failure.hpp"
#include "fpga/ports.hpp"
#include "fpga/registers.hpp"

namespace ligament::device::fpga_uio {
namespace {

using fpga::detail::Place;
using fpga::detail::register_of;

/// Of the port: busy cycles, beats read and written.
constexpr std::array<std::uint32_t, 3> port_count_places{0xFF08, 0xFF10, 0xFF18};
constexpr std::uint64_t all_ones = ~std::uint64_t{0};
/// What goes in of a message over its bound: the words that say how it is encoded, and no field.
/// Every message has one, so its node's core is told that it is broken.
constexpr std::size_t cut_off_bytes = 4;

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

/// With a table, addresses are the table's (spec/device/pages.md): a place in the memory is one.
std::uint64_t Board::address_of(const Piece& piece) const {
  return plan_.pages == 0 ? at_.memory.address_of(piece.offset) : piece.offset;
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

Result<std::array<std::uint64_t, 3>> Board::port_counts() {
  std::array<std::uint64_t, 3> found{};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto count = read(port_count_places[i]);
    if (!count) {
      return unexpected<Error>(count.error());
    }
    found[i] = *count;
  }
  return found;
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
  const Stream& stream = plan_.streams[input.stream];
  const bool fits = input.message.size() <= stream.bytes;
  const std::size_t size =
      fits ? input.message.size() : std::min(cut_off_bytes, input.message.size());
  const auto message = input.message.first(size);
  std::byte* const to = at_.memory.mapping.bytes().data() + way.piece.offset;
  std::copy(message.begin(), message.end(), to);
  figures_.bytes_in += message.size();
  fpga::Arrival arrival;
  arrival.message = {to, message.size()};
  arrival.sequence = input.sequence;
  arrival.time_ns = input.time_ns;
  way.header = fpga::detail::frame_header(arrival, 0);
  return ring(input.stream);
}

/// Tells the design of the message in an input's piece.
Result<void> Board::ring(std::size_t stream) {
  Way& way = ways_[stream];
  const std::uint32_t end = *plan_.streams[stream].end;
  way.tag = next_tag_++;
  way.parted.again = false;
  auto done = write(register_of(end, Place::send_low), way.header[0]);
  done = done ? write(register_of(end, Place::send_high), way.header[1]) : done;
  done = done ? write(register_of(end, Place::send_address), address_of(way.piece)) : done;
  done = done ? write(register_of(end, Place::send_doorbell), way.tag) : done;
  way.out = done.has_value();
  ++way.sent;
  return done;
}

/// Counts of before, then the rooms, then the messages: those of before a reset first.
Result<void> Board::begin(std::span<const Input> inputs) {
  came_.clear();
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    const Stream& stream = plan_.streams[i];
    if (stream.input) {
      ways_[i].messages_before = last_count(stream.messages, 32);
      auto done = ways_[i].parted.again ? ring(i) : Result<void>();
      if (!done) {
        return done;
      }
      ways_[i].given_before = last_given(i);
      continue;
    }
    const auto messages = count(stream.messages, 32);
    const auto problems = messages ? count(stream.problem, 32) : messages;
    const auto wrong = problems ? bad(stream) : problems;
    if (!wrong) {
      return unexpected<Error>(wrong.error());
    }
    ways_[i].messages_before = *messages;
    ways_[i].problems_before = *problems;
    ways_[i].bad_before = *wrong;
    ways_[i].stored = ways_[i].broken = 0;
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
Result<RunOutcome> Board::run(std::span<const Input> inputs, const std::function<bool()>& stop) {
  RunOutcome outcome;
  stopped_ = false;
  babbler_.reset();
  std::vector<Input> entering(inputs.begin(), inputs.end());
  for (bool is_last = false;; is_last = true) {
    auto done = drop_surplus(outcome);
    entering = check(entering, outcome);
    done = done ? begin(entering) : done;
    auto owed = done ? wait_for_answers(stop) : unexpected<Error>(done.error());
    if (!owed) {
      return unexpected<Error>(owed.error());
    }
    const bool is_whole = owed->empty() && !stopped_;
    const bool is_over = is_whole || is_last || !may_repeat() || babbler_ || stopped_;
    if (!is_whole) {
      stopped_ ? leave_sets(*owed) : part_sets(!is_over, *owed, outcome);
    }
    if (is_over) {  // other nodes may have answered; a reset clears faults, and leaves memory
      done = finish(outcome, std::move(*owed));
    }
    done = done && !is_whole ? reset() : done;
    if (!done) {
      return unexpected<Error>(done.error());
    }
    if (is_over) {
      return outcome;
    }
    ++figures_.repeated;
  }
}

}  // namespace ligament::device::fpga_uio
