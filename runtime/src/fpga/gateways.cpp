// SPDX-License-Identifier: Apache-2.0
#include "fpga/gateways.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ligament::fpga::detail {
namespace {

/// Words that one end's queues hold for certain (hdl/rtl/lig_shell.sv): a doorbell never finds one
/// full.
constexpr std::size_t most_words = 4;
/// Control: events interrupt.
constexpr std::uint64_t interrupts = 2;
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
      return "is longer than its topic's bound";
    case malformed:
      return "breaks its header's announcement";
    case bus_error:
      return "met an error of memory";
    default:
      return "was given back";
  }
}

}  // namespace

Gateways::Gateways(const Wires& wires, std::vector<GatewayPlan> plans, Delegate delegate,
                   std::uint64_t latency)
    : gateways_(plans.size()),
      delegate_(std::move(delegate)),
      memory_(wires.memory, latency),
      registers_(wires.registers),
      port_wires_(wires.port) {
  for (std::size_t number = 0; number < plans.size(); ++number) {
    Gateway& gateway = gateways_[number];
    gateway.plan = std::move(plans[number]);
    const NetworkWires& network = wires.networks.at(gateway.plan.network);
    gateway.frames = network.frames;
    gateway.drops = network.drops.at(gateway.plan.subscription);
    gateway.wires = wires.gateways.at(number);
  }
}

// --- words to the hardware -----------------------------------------------------------------------

void Gateways::begin() {
  handed_over_ = false;
  for (std::size_t number = 0; number < gateways_.size(); ++number) {
    gateways_[number].messages = 0;
    gateways_[number].of_node.clear();
    lend(number);
  }
}

/// As many rooms as there is memory for, at least one; none where nobody in hardware publishes.
void Gateways::lend(std::size_t number) {
  Gateway& gateway = gateways_[number];
  if (gateway.plan.publishers.empty()) {
    return;
  }
  while (gateway.lent.size() < most_words && lend_one(number)) {
  }
  if (gateway.lent.empty() && !news_.stored.empty()) {
    // All memory is in what was stored in this run: it has to go before the run's end.
    handed_over_ = true;
    delegate_.take(std::exchange(news_.stored, {}));
    (void)lend_one(number);
  }
  gateway.starved = gateway.lent.empty();
}

bool Gateways::lend_one(std::size_t number) {
  Gateway& gateway = gateways_[number];
  std::optional<Room> room;
  if (gateway.spare.empty()) {
    room = delegate_.lend(number);
  } else {
    room = std::move(gateway.spare.back());
    gateway.spare.pop_back();
  }
  if (!room) {
    return false;
  }
  const std::uint16_t tag = gateway.next_tag++;
  const auto address = reinterpret_cast<std::uint64_t>(room->memory.data());
  memory_.open(address, room->memory.size(), true);
  registers_.write(register_of(number, Place::room_address), address);
  registers_.write(register_of(number, Place::room_doorbell),
                   std::uint64_t{room->memory.size()} << 32U | tag);
  gateway.lent.emplace(tag, std::move(*room));
  return true;
}

void Gateways::push(std::size_t number, std::uint64_t cycle) {
  Gateway& gateway = gateways_[number];
  while (!gateway.waiting.empty() && gateway.sent.size() < most_words) {
    gateway.sent.push_back(
        {gateway.next_tag++, std::move(gateway.waiting.front()), gateway.messages++, cycle});
    const Sent& sent = gateway.sent.back();
    gateway.waiting.pop_front();
    const std::size_t pad = pad_of(sent.arrival);
    const auto address = reinterpret_cast<std::uint64_t>(sent.arrival.message.data()) - pad;
    const auto topic = static_cast<std::uint8_t>(gateway.plan.network);
    const auto header = frame_header(sent.arrival, topic);
    memory_.open(address, pad + sent.arrival.message.size(), false);
    registers_.write(register_of(number, Place::send_low), header[0]);
    registers_.write(register_of(number, Place::send_high), header[1]);
    registers_.write(register_of(number, Place::send_address), address);
    registers_.write(register_of(number, Place::send_doorbell), sent.tag);
  }
}

// --- a cycle -------------------------------------------------------------------------------------

void Gateways::offer(MemoryPort& memory, std::uint64_t cycle) {
  if (gateways_.empty()) {
    return;
  }
  for (std::size_t number = 0; number < gateways_.size(); ++number) {
    push(number, cycle);
  }
  if (registers_.has_interrupt()) {
    registers_.read(sent_ends);
    registers_.read(stored_ends);
  }
  registers_.offer();
  memory_.offer(memory, cycle);
}

void Gateways::observe(MemoryPort& memory, std::uint64_t cycle) {
  if (gateways_.empty()) {
    return;
  }
  memory_.observe(memory, cycle);
  if (const auto answer = registers_.observe()) {
    learn(*answer, cycle);
  }
}

void Gateways::settle() {
  if (!gateways_.empty()) {
    memory_.settle();
    registers_.settle();
  }
}

// --- events --------------------------------------------------------------------------------------

void Gateways::learn(const Registers::Answer& answer, std::uint64_t cycle) {
  if (answer.address == sent_ends) {
    ask_for_events(answer.value, Place::sent_low, Place::sent_high, Place::sent_event);
    return;
  }
  if (answer.address == stored_ends) {
    ask_for_events(answer.value, Place::stored_low, Place::stored_high, Place::stored_event);
    return;
  }
  const std::size_t number = answer.address >> 8U;
  Gateway& gateway = gateways_.at(number);
  switch (static_cast<Place>(answer.address & 0xFFU)) {
    case Place::sent_low:
    case Place::stored_low:
      gateway.header[0] = answer.value;
      break;
    case Place::sent_high:
    case Place::stored_high:
      gateway.header[1] = answer.value;
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

void Gateways::ask_for_events(std::uint64_t ends, Place low, Place high, Place event) {
  for (std::size_t number = 0; number < gateways_.size(); ++number) {
    if ((ends >> number & 1U) != 0) {
      registers_.read(register_of(number, low));
      registers_.read(register_of(number, high));
      registers_.read(register_of(number, event));
    }
  }
}

void Gateways::finish_send(std::size_t number, std::uint64_t event, std::uint64_t cycle) {
  Gateway& gateway = gateways_[number];
  const auto found = std::find_if(gateway.sent.begin(), gateway.sent.end(),
                                  [&](const Sent& one) { return one.tag == tag_in(event); });
  if (found == gateway.sent.end()) {
    return;  // of nothing that was sent: the hardware's word is not trusted
  }
  const Sent& sent = *found;
  memory_.close(reinterpret_cast<std::uint64_t>(sent.arrival.message.data()) -
                pad_of(sent.arrival));
  if (status_in(event) == done) {
    ++gateway.figures.sent;
    news_.crossings.push_back({.gateway = number,
                               .to_hardware = true,
                               .message = sent.message,
                               .begin = sent.begin,
                               .end = cycle + 1});
  } else {
    ++gateway.figures.failed;
  }
  gateway.sent.erase(found);
}

void Gateways::finish_room(std::size_t number, std::uint64_t event, std::uint64_t cycle) {
  Gateway& gateway = gateways_[number];
  const auto found = gateway.lent.find(tag_in(event));
  if (found == gateway.lent.end()) {
    return;
  }
  Room room = std::move(found->second);
  gateway.lent.erase(found);
  ++gateway.seen;
  const auto address = reinterpret_cast<std::uint64_t>(room.memory.data());
  const std::uint64_t begin = memory_.first_write(address).value_or(cycle);
  memory_.close(address);
  const std::size_t node = node_of(gateway);
  if (status_in(event) == done) {
    store(number, std::move(room),
          {.gateway = number, .node = node, .begin = begin, .end = cycle + 1});
  } else {
    fail(number, node, status_in(event));
    gateway.spare.push_back(std::move(room));
  }
  lend(number);
}

void Gateways::store(std::size_t number, Room&& room, Crossing crossing) {
  Gateway& gateway = gateways_[number];
  const auto size = static_cast<std::uint32_t>(gateway.header[0]);
  const std::size_t front = gateway.header[0] >> 56U & 63U;
  if (front + size > room.memory.size()) {
    fail(number, crossing.node, too_long);
    gateway.spare.push_back(std::move(room));
    return;
  }
  ++gateway.figures.stored;
  crossing.message = gateway.of_node[crossing.node]++;
  news_.crossings.push_back(crossing);
  news_.stored.push_back({number, crossing.node, std::move(room), front, size});
}

/// Who published the message of the event that is being read.
std::size_t Gateways::node_of(const Gateway& gateway) const {
  const std::size_t publisher = gateway.header[0] >> 48U & 0xFFU;
  const auto& nodes = gateway.plan.publishers;
  return nodes.empty() ? 0 : nodes[std::min(publisher, nodes.size() - 1)];
}

void Gateways::fail(std::size_t number, std::size_t node, std::uint8_t status) {
  ++gateways_[number].figures.failed;
  news_.troubles.push_back(
      {node, fmt::format("its message {} (status {} of lig_transfer_pkg::status_e)",
                         reason_of(status), status)});
}

// --- what is open --------------------------------------------------------------------------------

bool Gateways::owes() const {
  return std::any_of(gateways_.begin(), gateways_.end(), [](const Gateway& gateway) {
    const std::uint64_t seen = gateway.seen + *gateway.wires.looped + *gateway.wires.dropped;
    return seen + *gateway.drops < *gateway.frames;
  });
}

bool Gateways::is_starved() const {
  return std::any_of(gateways_.begin(), gateways_.end(),
                     [](const Gateway& gateway) { return gateway.starved; });
}

void Gateways::add_waiting(std::vector<Arrival>& arrivals) const {
  for (const Gateway& gateway : gateways_) {
    for (const Sent& sent : gateway.sent) {
      arrivals.push_back(sent.arrival);
    }
    arrivals.insert(arrivals.end(), gateway.waiting.begin(), gateway.waiting.end());
  }
}

std::vector<GatewayFigures> Gateways::figures() const {
  std::vector<GatewayFigures> all;
  for (const Gateway& gateway : gateways_) {
    all.push_back(gateway.figures);
    all.back().filtered += *gateway.wires.looped;
  }
  return all;
}

PortFigures Gateways::port() const {
  PortFigures figures = past_port_;
  if (!gateways_.empty()) {
    figures.busy += *port_wires_.busy;
    figures.reads += *port_wires_.reads;
    figures.writes += *port_wires_.writes;
  }
  return figures;
}

void Gateways::keep_counters() {
  past_port_ = port();
  for (Gateway& gateway : gateways_) {
    gateway.figures.filtered += *gateway.wires.looped;
  }
}

void Gateways::reset() {
  if (gateways_.empty()) {
    return;
  }
  memory_.reset();
  registers_.reset();
  // What has crossed in this run crosses again.
  for (const Crossing& crossing : std::exchange(news_.crossings, {})) {
    auto& figures = gateways_[crossing.gateway].figures;
    --(crossing.to_hardware ? figures.sent : figures.stored);
  }
  for (FilledRoom& stored : std::exchange(news_.stored, {})) {
    gateways_[stored.gateway].spare.push_back(std::move(stored.room));
  }
  for (std::size_t number = 0; number < gateways_.size(); ++number) {
    Gateway& gateway = gateways_[number];
    for (auto& [tag, room] : gateway.lent) {
      gateway.spare.push_back(std::move(room));
    }
    gateway.lent.clear();
    gateway.sent.clear();
    gateway.waiting.clear();
    gateway.seen = 0;
    registers_.write(register_of(number, Place::control), interrupts);
  }
}

}  // namespace ligament::fpga::detail
