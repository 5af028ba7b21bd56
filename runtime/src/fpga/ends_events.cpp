// SPDX-License-Identifier: Apache-2.0
/// What a design says of its ends in memory: which messages were read, and what came to which room.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fpga/ends.hpp"

namespace ligament::fpga::detail {
namespace {

/// A node turns to a message at most that many messages later than its entry.
constexpr std::size_t most_begun = 256;
/// Of lig_transfer_pkg::status_e.
constexpr std::uint8_t done = 0;
constexpr std::uint8_t too_long = 3;
constexpr std::uint8_t malformed = 4;
constexpr std::uint8_t bus_error = 5;

std::uint8_t status_in(std::uint64_t event) { return static_cast<std::uint8_t>(event >> 16U); }
std::uint16_t tag_in(std::uint64_t event) { return static_cast<std::uint16_t>(event); }

/// Of a status other than Done.
const char* reason_of(std::uint8_t status) {
  switch (status) {
    case too_long:
      return "is longer than its bound";
    case malformed:
      return "breaks its header's announcement";
    case bus_error:
      return "met an error of memory";
    default:
      return "was given back";
  }
}

/// Where the message of an event lies in its room.
struct Extent {
  std::size_t front = 0;
  std::size_t size = 0;
};

Extent extent_in(const std::array<std::uint64_t, 2>& header) {
  return {header[0] >> 56U & 63U, static_cast<std::uint32_t>(header[0])};
}

}  // namespace

void Ends::learn(const Registers::Answer& answer, std::uint64_t cycle) {
  if (answer.address == sent_ends) {
    ask_for_events(answer.value, Place::sent_low, Place::sent_high, Place::sent_event);
    return;
  }
  if (answer.address == stored_ends) {
    ask_for_events(answer.value, Place::stored_low, Place::stored_high, Place::stored_event);
    return;
  }
  const std::size_t number = answer.address >> 8U;
  End& end = ends_.at(number);
  switch (static_cast<Place>(answer.address & 0xFFU)) {
    case Place::sent_low:
    case Place::stored_low:
      end.header[0] = answer.value;
      break;
    case Place::sent_high:
    case Place::stored_high:
      end.header[1] = answer.value;
      break;
    case Place::sent_event:
      finish_send(number, answer.value, cycle);
      break;
    case Place::stored_event:
      finish_room(number, answer.value, cycle);
      break;
    default:
      break;
  }
}

void Ends::ask_for_events(std::uint64_t ends, Place low, Place high, Place event) {
  for (std::size_t number = 0; number < ends_.size(); ++number) {
    if ((ends >> number & 1U) != 0) {
      registers_.read(register_of(number, low));
      registers_.read(register_of(number, high));
      registers_.read(register_of(number, event));
    }
  }
}

void Ends::finish_send(std::size_t number, std::uint64_t event, std::uint64_t cycle) {
  End& end = ends_[number];
  const auto found = std::find_if(end.sent.begin(), end.sent.end(),
                                  [&](const Sent& one) { return one.tag == tag_in(event); });
  if (found == end.sent.end()) {
    return;  // of nothing that was sent: the hardware's word is not trusted
  }
  const Sent& sent = *found;
  if (!end.gateway) {
    finish_entry(end, sent, status_in(event));
  } else if (status_in(event) == done) {
    ++end.gateway->figures.sent;
    news_.crossings.push_back({.gateway = number,
                               .to_hardware = true,
                               .message = sent.message,
                               .begin = sent.begin,
                               .end = cycle + 1});
  } else {
    ++end.gateway->figures.failed;
  }
  memory_.close(address_of(sent.arrival));
  end.sent.erase(found);
}

void Ends::finish_entry(End& end, const Sent& sent, std::uint8_t status) {
  if (status != done) {
    news_.causes.push_back(
        {end.reader, fmt::format("a message for its input {} {}", end.port, reason_of(status))});
  }
  end.began.push_back(began_at(sent));
  if (end.began.size() > most_begun) {
    end.began.pop_front();
  }
}

void Ends::finish_room(std::size_t number, std::uint64_t event, std::uint64_t cycle) {
  End& end = ends_[number];
  const auto found = end.lent.find(tag_in(event));
  if (found == end.lent.end()) {
    return;
  }
  Room room = std::move(found->second);
  end.lent.erase(found);
  ++end.seen;
  const auto address = reinterpret_cast<std::uint64_t>(room.memory.data());
  const std::uint64_t begin = memory_.first_burst(address).value_or(cycle);
  memory_.close(address);
  const auto [front, size] = extent_in(end.header);
  const bool fits = front + size <= room.memory.size();
  const std::uint8_t status = status_in(event) == done && !fits ? too_long : status_in(event);
  if (end.gateway) {
    const std::size_t node = node_of(end);
    finish_frame(number, status, std::move(room),
                 {.gateway = number, .node = node, .begin = begin, .end = cycle + 1});
  } else {
    finish_exit(number, status, std::move(room));
  }
  lend(number);
}

/// A frame that has come to a gateway.
void Ends::finish_frame(std::size_t number, std::uint8_t status, Room&& room, Crossing crossing) {
  End& end = ends_[number];
  Gateway& gateway = *end.gateway;
  if (status != done) {
    ++gateway.figures.failed;
    news_.troubles.push_back(
        {crossing.node,
         fmt::format("its message on {} {}", gateway.ports[crossing.node], fault_of(status))});
    end.spare.push_back(std::move(room));
    return;
  }
  ++gateway.figures.stored;
  crossing.message = gateway.of_node[crossing.node]++;
  news_.crossings.push_back(crossing);
  const auto [front, size] = extent_in(end.header);
  news_.stored.push_back({number, crossing.node, std::move(room), front, size});
}

/// A frame that has come to an exit. Those that were dropped there count as frames, too.
void Ends::finish_exit(std::size_t number, std::uint8_t status, Room&& room) {
  End& end = ends_[number];
  const std::size_t exit = number - gateways_;
  Answer answer{exit, end.seen - 1 + *end.wires.dropped, {}, {}};
  if (status == done) {
    const auto [front, size] = extent_in(end.header);
    std::span<std::byte> message = room.memory.subspan(front, size);
    if (pages_) {  // the room keeps its entries, and is lent again
      const std::span<const std::byte> stored = message;
      end.spare.push_back(std::exchange(room, private_room(size)));
      message = room.memory;
      std::copy(stored.begin(), stored.end(), message.begin());
    } else if (!room.lent) {
      end.handed.push_back(room);
    }
    answer.departure = {.exit = exit,
                        .message = message,
                        .publisher = static_cast<std::uint8_t>(end.header[0] >> 48U),
                        .sequence = static_cast<std::uint16_t>(end.header[0] >> 32U),
                        .keep = std::move(room.keep),
                        .lent = room.lent};
  } else {
    answer.fault = fault_of(status);
    end.spare.push_back(std::move(room));
  }
  answers_.push_back(std::move(answer));
}

/// Who published the message of the event that is being read.
std::size_t Ends::node_of(const End& end) const {
  const std::size_t publisher = end.header[0] >> 48U & 0xFFU;
  const auto& nodes = end.gateway->plan.publishers;
  return nodes.empty() ? 0 : nodes[std::min(publisher, nodes.size() - 1)];
}

std::uint64_t Ends::began_at(const Sent& sent) const {
  const std::uint64_t address = address_of(sent.arrival);
  return sent.behind ? memory_.first_burst(address).value_or(sent.begin) : sent.begin;
}

/// Since the reset.
std::uint64_t Ends::refusals() const {
  return port_wires_.refused == nullptr ? 0 : *port_wires_.refused;
}

/// What is wrong with a node's message. An error of memory may be one of the table: then it is
/// known where to.
std::string Ends::fault_of(std::uint8_t status) {
  const bool is_refused = status == bus_error && refusals() != refused_;
  refused_ = refusals();
  return is_refused ? fmt::format("was to go to {:#x}, where no page is open to it",
                                  *port_wires_.refused_address)
                    : fmt::format("{} (status {} of lig_transfer_pkg::status_e)", reason_of(status),
                                  status);
}

}  // namespace ligament::fpga::detail
