// SPDX-License-Identifier: Apache-2.0
/// What a design on a board says: events, counters, refusals. All of it is checked: it may be no
/// board of ours, or one that is broken.
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "device/failure.hpp"
#include "device/fpga_uio/board.hpp"
#include "fpga/registers.hpp"

namespace ligament::device::fpga_uio {
namespace {

using fpga::detail::Place;
using fpga::detail::register_of;
using std::chrono::steady_clock;

/// A refusal that says: there is nothing to say (lig_fields_pkg).
constexpr std::uint8_t nothing = 9;
/// How long an interrupt may be lost before events are looked for without it. A refusal has no
/// event, so this is also how soon it is seen.
constexpr int reread_ms = 2;

const char* clause_of(Status status) {
  switch (status) {
    case Status::too_long:
      return "is longer than its bound";
    case Status::bus_error:
      return "met an error of memory";
    default:
      return "was given back";
  }
}

}  // namespace

/// 4 bytes that are 1: as `/dev/uioN` wants it. A stand-in's is a socket: it may be gone, which is
/// no signal's matter.
Result<void> Board::enable_interrupt() {
  const std::uint32_t on = 1;
  const int file = at_.interrupt.get();
  const ssize_t written =
      at_.stand_in ? ::send(file, &on, sizeof on, MSG_NOSIGNAL) : ::write(file, &on, sizeof on);
  const bool gone = written != sizeof on && errno != EAGAIN;
  return gone ? failure(ErrorCode::device_lost,
                        fmt::format("the interrupt of '{}' cannot be enabled: {}", path(),
                                    at_.stand_in ? "the stand-in has ended" : "see dmesg"))
              : Result<void>();
}

/// True: it has fired.
Result<bool> Board::wait_for_interrupt() {
  pollfd waits{at_.interrupt.get(), POLLIN, 0};
  if (::poll(&waits, 1, reread_ms) <= 0) {
    return false;
  }
  std::uint32_t fired = 0;
  const ssize_t got = ::read(at_.interrupt.get(), &fired, sizeof fired);
  if (got == sizeof fired) {
    ++figures_.interrupts;
    return true;
  }
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
    return false;
  }
  return failure(ErrorCode::device_lost,
                 fmt::format("'{}' gives no interrupts any more: {}", path(),
                             at_.stand_in ? "the stand-in's process has ended" : "see dmesg"));
}

Result<std::optional<Fault>> Board::wait_for_answers() {
  auto progress_at = steady_clock::now();
  bool was_over = false;
  for (;;) {
    const auto fired = wait_for_interrupt();
    if (!fired) {
      return unexpected<Error>(fired.error());
    }
    const auto read = collect(false);
    const auto stored = read ? collect(true) : read;
    if (!stored) {
      return unexpected<Error>(stored.error());
    }
    const bool came = *read || *stored;
    figures_.missed += static_cast<std::uint64_t>(came && !*fired);
    if (came || *fired) {
      if (auto enabled = enable_interrupt(); !enabled) {
        return unexpected<Error>(enabled.error());
      }
    }
    moved_ = false;
    auto owed = who_owes();
    if (!owed) {
      return owed;
    }
    // Counters are read one after the other: what was between two of them is seen the next time.
    const bool has_topics = plan_.nodes.size() > 1;
    if (!*owed && (was_over || !has_topics)) {
      return owed;
    }
    was_over = !*owed && !moved_;
    const auto now = steady_clock::now();
    progress_at = came || moved_ ? now : progress_at;
    if (*owed && now - progress_at > patience_) {
      return owed;
    }
  }
}

/// Events of sends, or of rooms; true: there were some.
Result<bool> Board::collect(bool stored) {
  using fpga::detail::sent_ends;
  using fpga::detail::stored_ends;
  bool any = false;
  for (;;) {
    const auto ends = read(stored ? stored_ends : sent_ends);
    if (!ends) {
      return unexpected<Error>(ends.error());
    }
    if (*ends == 0) {
      return any;
    }
    if (plan_.ends < 64 && *ends >> plan_.ends != 0) {
      return lies("there is an event of an end that it does not have");
    }
    for (std::uint32_t end = 0; end < plan_.ends; ++end) {
      if ((*ends >> end & 1U) == 0) {
        continue;
      }
      const auto event = take_event(end, stored);
      const auto known = event ? (stored ? finish_room(end, *event) : finish_send(end, *event))
                               : unexpected<Error>(event.error());
      if (!known) {
        return unexpected<Error>(known.error());
      }
      any = true;
    }
  }
}

/// Reading its last register takes it.
Result<Board::Event> Board::take_event(std::uint32_t end, bool stored) {
  const auto low = read(register_of(end, stored ? Place::stored_low : Place::sent_low));
  const auto high =
      low ? read(register_of(end, stored ? Place::stored_high : Place::sent_high)) : low;
  const auto word =
      high ? read(register_of(end, stored ? Place::stored_event : Place::sent_event)) : high;
  if (!word) {
    return unexpected<Error>(word.error());
  }
  Event event{{*low, *high},
              static_cast<std::uint16_t>(*word),
              static_cast<Status>(static_cast<std::uint8_t>(*word >> 16U))};
  if (*word >> 63U == 0 || event.status > Status::late) {
    return lies(fmt::format("the event 0x{:016x} at end {}", *word, end));
  }
  return event;
}

Result<void> Board::finish_send(std::uint32_t end, const Event& event) {
  const auto stream = stream_at(end, true);
  if (!stream || !ways_[*stream].out || ways_[*stream].tag != event.tag) {
    return lies(
        fmt::format("it has read message {} at end {}, which was not sent", event.tag, end));
  }
  ways_[*stream].out = false;
  if (event.status != Status::done) {
    ways_[*stream].fault =
        fmt::format("a message for its input {} {}", plan_.streams[*stream].port,
                    event.status == Status::malformed ? "breaks its header's announcement"
                                                      : clause_of(event.status));
  }
  return {};
}

/// A malformed message is the rest of one that was refused or broken off: its node's values say so,
/// and it is no answer.
Result<void> Board::finish_room(std::uint32_t end, const Event& event) {
  const auto stream = stream_at(end, false);
  if (!stream || !ways_[*stream].out || ways_[*stream].tag != event.tag) {
    return lies(fmt::format("it has filled room {} at end {}, which was not lent", event.tag, end));
  }
  Way& way = ways_[*stream];
  way.out = false;
  if (event.status == Status::malformed) {
    return lend(*stream);
  }
  ++way.stored;
  if (event.status != Status::done) {
    way.fault = fmt::format("the message of its output {} {}", plan_.streams[*stream].port,
                            clause_of(event.status));
    return {};
  }
  const std::size_t front = event.header[0] >> 56U & 63U;
  const std::size_t size = static_cast<std::uint32_t>(event.header[0]);
  if (size == 0 || size > plan_.streams[*stream].bytes || front + size > way.piece.bytes) {
    return lies(fmt::format("a message of {} bytes for {} of {}", size, plan_.streams[*stream].port,
                            plan_.streams[*stream].node));
  }
  const auto memory = std::as_const(at_.memory.mapping).bytes();
  came_.push_back({*stream, memory.subspan(way.piece.offset + front, size)});
  figures_.bytes_out += size;
  return {};
}

/// A counter of 32 bits, as one that does not come round.
Result<std::uint64_t> Board::count(std::uint32_t place, unsigned shift) {
  const auto value = read(place);
  if (!value) {
    return value;
  }
  std::uint64_t& known = counts_[{place, shift}];
  const auto more = static_cast<std::uint32_t>(static_cast<std::uint32_t>(*value >> shift) -
                                               static_cast<std::uint32_t>(known));
  moved_ = moved_ || more != 0;
  known += more;
  return known;
}

/// Messages of an output that were refused or broke off.
Result<std::uint64_t> Board::bad(const Stream& stream) {
  const auto problems = count(stream.problem, 32);
  const auto refusals = problems ? count(stream.refusal, 32) : problems;
  return refusals ? Result<std::uint64_t>(*problems + *refusals) : refusals;
}

/// Messages that an input has got, or will get.
Result<std::uint64_t> Board::given(std::size_t number) {
  const Stream& stream = plan_.streams[number];
  if (stream.end) {
    return ways_[number].sent;
  }
  const auto frames = count(plan_.places.at(stream.topic + ".frames"), 0);
  const auto drops = frames ? count(stream.drops, 0) : frames;
  return drops ? Result<std::uint64_t>(*frames - std::min(*frames, *drops)) : drops;
}

Result<std::optional<Fault>> Board::who_owes() {
  for (const NodeStreams& node : plan_.nodes) {
    const auto what = owed_by(node);
    if (!what) {
      return unexpected<Error>(what.error());
    }
    if (!what->empty()) {
      return std::optional(Fault{node.name, *what});
    }
  }
  return std::optional<Fault>();
}

/// What a node owes, as a sentence without its beginning; empty: nothing.
Result<std::string> Board::owed_by(const NodeStreams& node) {
  std::uint64_t sets = UINT64_MAX;
  for (const std::size_t input : node.inputs) {
    if (ways_[input].out) {
      return fmt::format("a message for its input {} was not read from memory",
                         plan_.streams[input].port);
    }
    const auto messages = given(input);
    if (!messages) {
      return unexpected<Error>(messages.error());
    }
    sets = std::min(sets, *messages);
  }
  for (const std::size_t number : node.outputs.empty() ? node.inputs : node.outputs) {
    const Stream& stream = plan_.streams[number];
    const auto messages = count(stream.messages, 32);
    if (!messages) {
      return unexpected<Error>(messages.error());
    }
    if (*messages < sets) {
      return fmt::format("no answer on its {} {}", stream.input ? "input" : "output", stream.port);
    }
    if (stream.input) {
      continue;
    }
    const Way& way = ways_[number];
    if (stream.end && way.stored < *messages - std::min(*messages, way.messages_before)) {
      const auto wrong = bad(stream);
      if (!wrong) {
        return unexpected<Error>(wrong.error());
      }
      if (*wrong == way.bad_before) {
        return fmt::format("the message of its output {} did not come to memory", stream.port);
      }
    }
  }
  return std::string();
}

/// What is wrong with the answers. A core that says more than it was asked for is named; only its
/// first answer counts.
Result<void> Board::tell(RunOutcome& outcome) {
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    const Stream& stream = plan_.streams[i];
    if (!ways_[i].fault.empty()) {
      outcome.faults.push_back({stream.node, ways_[i].fault});
    }
    if (stream.input) {
      continue;
    }
    const auto wrong = bad(stream);
    if (!wrong) {
      return unexpected<Error>(wrong.error());
    }
    if (*wrong == ways_[i].bad_before) {
      continue;
    }
    const auto problem = read(stream.problem);
    const auto refusal = problem ? read(stream.refusal) : problem;
    if (!refusal) {
      return unexpected<Error>(refusal.error());
    }
    const auto code = static_cast<std::uint8_t>(*refusal);
    if (code != nothing || static_cast<std::uint8_t>(*problem) != 0) {
      outcome.faults.push_back(
          {stream.node,
           fmt::format("its output {} has no message: refused with code {}, problem {} of "
                       "lig_fields_pkg",
                       stream.port, code, static_cast<unsigned>(*problem & 0xFFU))});
    }
  }
  return {};
}

}  // namespace ligament::device::fpga_uio
