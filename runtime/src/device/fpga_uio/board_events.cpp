// SPDX-License-Identifier: Apache-2.0
/// What a design on a board says: interrupts and events. All of it is checked: it may be no board
/// of ours, or one that is broken.
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

/// What an output may say that is no message, in a run, before it is taken for one that never ends.
constexpr std::uint64_t most_broken = 16;
/// A run that goes on for so many times its patience is none that ends: a board can say
/// without end that something moves.
constexpr int most_patiences = 30;
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

unexpected<Error> Board::interrupt_lost(const char* what) const {
  return failure(ErrorCode::device_lost,
                 at_.stand_in ? fmt::format("the stand-in '{}' has ended", path())
                              : fmt::format("the interrupt of '{}' {}: see dmesg", path(), what));
}

/// 4 bytes that are 1: as `/dev/uioN` wants it. A stand-in's is a socket: it may be gone, which is
/// no signal's matter.
Result<void> Board::enable_interrupt() {
  const std::uint32_t on = 1;
  const int file = at_.interrupt.get();
  const ssize_t written =
      at_.stand_in ? ::send(file, &on, sizeof on, MSG_NOSIGNAL) : ::write(file, &on, sizeof on);
  const bool gone = written != sizeof on && errno != EAGAIN;
  return gone ? interrupt_lost("cannot be enabled") : Result<void>();
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
  return interrupt_lost("gives nothing any more");
}

/// Waits for an interrupt, and takes the events that are there; true: there were some.
Result<bool> Board::look() {
  const auto fired = wait_for_interrupt();
  const auto read = fired ? collect(false) : fired;
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
  return came;
}

Result<std::vector<Fault>> Board::wait_for_answers(const std::function<bool()>& stop) {
  const auto began_at = steady_clock::now();
  auto progress_at = began_at;
  bool was_over = false;
  for (;;) {
    stopped_ = stop && stop();
    const auto came = look();
    if (!came) {
      return unexpected<Error>(came.error());
    }
    if (stopped_) {  // what has come by now is told
      return who_owes(true);
    }
    moved_ = false;
    auto owed = who_owes(false);
    if (!owed) {
      return owed;
    }
    if (babbler_) {
      auto all = who_owes(true);
      if (all) {
        all->insert(all->begin(), *babbler_);
      }
      return all;
    }
    // Counters are read one after the other: what was between two of them is seen the next time.
    const bool has_topics = plan_.nodes.size() > 1;
    if (owed->empty() && (was_over || !has_topics)) {
      return owed;
    }
    was_over = owed->empty() && !moved_;
    const auto now = steady_clock::now();
    progress_at = *came || moved_ ? now : progress_at;
    const bool is_endless = now - began_at > most_patiences * patience_;
    if (!owed->empty() && (is_endless || now - progress_at > patience_)) {
      auto all = who_owes(true);
      if (!all || !all->empty()) {
        return all;
      }
    }
    if (is_endless) {
      return lies("its counters never rest");
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
    if (++way.broken <= most_broken) {
      return lend(*stream);
    }
    babbler_ = {plan_.streams[*stream].node,
                fmt::format("its output {} gives what is no message, without end",
                            plan_.streams[*stream].port)};
    return {};
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
  came_.push_back(
      {*stream, memory.subspan(way.piece.offset + front, size), pool::monotonic_now_ns()});
  figures_.bytes_out += size;
  return {};
}

}  // namespace ligament::device::fpga_uio
