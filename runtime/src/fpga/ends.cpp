// SPDX-License-Identifier: Apache-2.0
#include "fpga/ends.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

namespace ligament::fpga::detail {
namespace {

/// Words that one end's queues hold for certain (hdl/rtl/lig_shell.sv): a doorbell never finds one
/// full.
constexpr std::size_t most_words = 4;
/// Messages that an exit has memory for: one comes while the other is told of.
constexpr std::size_t exit_rooms = 2;
/// Control: events interrupt.
constexpr std::uint64_t interrupts = 2;

}  // namespace

Room private_room(std::size_t bytes) {
  constexpr std::align_val_t page{4096};
  std::shared_ptr<void> keep(::operator new(bytes, page),
                             [](void* memory) { ::operator delete(memory, page); });
  return {{static_cast<std::byte*>(keep.get()), bytes}, std::move(keep)};
}

Ends::Ends(const Wires& wires, const std::vector<NodePlan>& nodes, Boundary&& boundary,
           Delegate delegate, std::uint64_t latency)
    : ends_(wires.ends.size()),
      gateways_(boundary.gateways.size()),
      delegate_(std::move(delegate)),
      memory_(wires.memory, latency),
      registers_(wires.registers),
      port_wires_(wires.port) {
  for (std::size_t number = 0; number < ends_.size(); ++number) {
    End& end = ends_[number];
    end.wires = wires.ends[number];
    if (number < gateways_) {
      GatewayPlan& plan = boundary.gateways[number];
      const NetworkWires& network = wires.networks.at(plan.network);
      end.gateway = Gateway{};
      end.gateway->frames = network.frames;
      end.gateway->drops = network.drops.at(plan.subscription);
      end.gateway->plan = std::move(plan);
    } else if (number - gateways_ < boundary.rooms.size()) {
      end.room_bytes = boundary.rooms[number - gateways_];
    }
  }
  find_parts(nodes);
}

void Ends::find_parts(const std::vector<NodePlan>& nodes) {
  for (const NodePlan& node : nodes) {
    const auto joins = [&](std::size_t network, const std::string* output) {
      for (std::size_t number = 0; number < gateways_; ++number) {
        End& end = ends_[number];
        if (end.gateway->plan.network != network) {
          continue;
        }
        end.reads_for = end.writes_for = node.part;
        if (output != nullptr) {
          end.gateway->ports[static_cast<std::size_t>(&node - nodes.data())] = *output;
        }
      }
    };
    for (const InputPlan& input : node.inputs) {
      if (input.entry) {
        End& end = entry(*input.entry);
        end.reads_for = node.part;
        end.reader = static_cast<std::size_t>(&node - nodes.data());
        end.port = input.port;
      } else {
        joins(input.network, nullptr);
      }
    }
    for (const OutputPlan& output : node.outputs) {
      output.exit ? void(entry(*output.exit).writes_for = node.part)
                  : joins(output.network, &output.port);
    }
  }
}

void Ends::change(std::size_t entry, const std::string& port, std::size_t room_bytes) {
  End& end = this->entry(entry);
  end.port = port;
  end.room_bytes = room_bytes;
  end.handed.clear();
}

std::size_t Ends::part_of(const Arrival& arrival) const {
  return (arrival.gateway ? ends_.at(*arrival.gateway) : entry(arrival.entry)).reads_for;
}

// --- words to the hardware -----------------------------------------------------------------------

void Ends::scatter(const Pages& pages, std::uint64_t seed) {
  memory_.scatter(pages_.emplace(pages, seed, registers_));
}

void Ends::prepare(const std::vector<Arrival>& arrivals) {
  if (!pages_) {
    return;
  }
  preparing_ = true;
  for (std::size_t number = 0; number < ends_.size(); ++number) {
    lend(number);
  }
  preparing_ = false;
  for (const Arrival& arrival : arrivals) {
    memory_.prepare(address_of(arrival), pad_of(arrival) + arrival.message.size());
  }
}

void Ends::send(Arrival&& arrival) {
  End& end = arrival.gateway ? ends_.at(*arrival.gateway) : entry(arrival.entry);
  end.waiting.push_back(std::move(arrival));
  ++waiting_;
}

void Ends::begin(const Parts& parts) {
  for (std::size_t number = 0; number < ends_.size(); ++number) {
    End& end = ends_[number];
    if (parts[end.reads_for]) {
      end.messages = 0;
    }
    if (!parts[end.writes_for]) {
      continue;
    }
    if (end.gateway) {
      end.gateway->of_node.clear();
      end.gateway->handed_over = false;
    }
    lend(number);
  }
}

bool Ends::has_handed_over(const Parts& parts) const {
  return std::any_of(ends_.begin(), ends_.end(), [&](const End& end) {
    return end.gateway && end.gateway->handed_over && parts[end.writes_for];
  });
}

/// As many rooms as there is memory for, at least one; none where nobody in hardware publishes.
void Ends::lend(std::size_t number) {
  End& end = ends_[number];
  const bool stores = end.gateway ? !end.gateway->plan.publishers.empty() : end.room_bytes != 0;
  if (!stores) {
    return;
  }
  const std::size_t most = end.gateway ? most_words : exit_rooms;
  while (end.lent.size() < most && lend_one(number)) {
  }
  if (end.lent.empty() && !news_.stored.empty()) {
    // All memory is in what was stored in this run: it has to go before the run's end.
    for (const FilledRoom& stored : news_.stored) {
      ends_[stored.gateway].gateway->handed_over = true;
    }
    delegate_.take(std::exchange(news_.stored, {}));
    (void)lend_one(number);
  }
  end.starved = end.lent.empty();
}

bool Ends::lend_one(std::size_t number) {
  End& end = ends_[number];
  // Whether a room needs entries of the table is chance, and entries take cycles. So amidst a run
  // an end gets one only if it has no other.
  if (pages_ && !preparing_ && !end.lent.empty()) {
    return false;
  }
  std::optional<Room> room = new_room(number);
  if (!room) {
    return false;
  }
  const auto address = reinterpret_cast<std::uint64_t>(room->memory.data());
  const std::size_t size = room->memory.size();
  const auto place = memory_.open(address, size, true);
  if (!place) {
    end.spare.push_back(std::move(*room));
    return false;
  }
  const std::uint16_t tag = end.next_tag++;
  registers_.write(register_of(number, Place::room_address), *place);
  registers_.write(register_of(number, Place::room_doorbell), std::uint64_t{size} << 32U | tag);
  end.lent.emplace(tag, std::move(*room));
  return true;
}

/// Of a gateway: a loan of the pool, if there is one. Of an exit: the same, else the driver's own:
/// if what came into some has been published, that, because its pages are there already.
std::optional<Room> Ends::new_room(std::size_t number) {
  End& end = ends_[number];
  while (!end.spare.empty()) {
    Room room = std::move(end.spare.back());
    end.spare.pop_back();
    if (end.gateway || room.lent || room.memory.size() == end.room_bytes) {
      return room;
    }  // of a core that was in this slot before
  }
  if (end.gateway) {
    return delegate_.lend(number);
  }
  if (auto room = lends_exits() ? delegate_.lend_exit(number - gateways_) : std::nullopt) {
    return room;
  }
  const auto free = std::find_if(end.handed.begin(), end.handed.end(),
                                 [](const Room& room) { return room.keep.use_count() == 1; });
  if (free == end.handed.end()) {
    return private_room(end.room_bytes);
  }
  Room room = std::move(*free);
  end.handed.erase(free);
  return room;
}

/// One message at a time, so that no end waits for the words of all of another's.
void Ends::push(std::size_t number, std::uint64_t cycle) {
  End& end = ends_[number];
  if (end.waiting.empty() || end.sent.size() == most_words) {
    return;
  }
  const Arrival& next = end.waiting.front();
  const std::size_t bytes = pad_of(next) + next.message.size();
  const auto place = memory_.open(address_of(next), bytes, false);
  if (!place) {
    return;  // until others have been read
  }
  const bool behind = !end.sent.empty();
  end.sent.push_back(
      {end.next_tag++, std::move(end.waiting.front()), end.messages++, cycle, behind});
  ++end.given;
  const Sent& sent = end.sent.back();
  end.waiting.pop_front();
  --waiting_;
  const std::size_t topic = end.gateway ? end.gateway->plan.network : 0;
  const auto header = frame_header(sent.arrival, static_cast<std::uint8_t>(topic));
  registers_.write(register_of(number, Place::send_low), header[0]);
  registers_.write(register_of(number, Place::send_high), header[1]);
  registers_.write(register_of(number, Place::send_address), *place);
  registers_.write(register_of(number, Place::send_doorbell), sent.tag);
}

// --- a cycle -------------------------------------------------------------------------------------

void Ends::offer_words(std::uint64_t now) {
  if (ends_.empty()) {
    return;
  }
  for (std::size_t number = 0; waiting_ != 0 && number < ends_.size(); ++number) {
    push(number, now);
  }
  if (registers_.has_interrupt()) {
    registers_.read(sent_ends);
    registers_.read(stored_ends);
  }
  if (registers_.is_busy()) {
    registers_.offer();
  }
}

void Ends::offer_memory(MemoryPort& memory, std::uint64_t cycle) {
  if (!ends_.empty()) {
    memory_.offer(memory, cycle);
  }
}

void Ends::observe_memory(MemoryPort& memory, std::uint64_t cycle, std::uint64_t now) {
  if (!ends_.empty()) {
    memory_.observe(memory, cycle, now);
  }
}

void Ends::observe_words(std::uint64_t now) {
  if (ends_.empty() || !registers_.is_busy()) {
    return;
  }
  if (const auto answer = registers_.observe()) {
    learn(*answer, now);
  }
}

void Ends::settle_memory() {
  if (!ends_.empty()) {
    memory_.settle();
  }
}

void Ends::settle_words() {
  if (!ends_.empty() && registers_.is_busy()) {
    registers_.settle();
  }
}

// --- what is open --------------------------------------------------------------------------------

bool Ends::owes() const {
  return std::any_of(ends_.begin(), ends_.end(), [](const End& end) {
    const std::uint64_t seen = end.seen + *end.wires.looped + *end.wires.dropped;
    return end.gateway && seen + *end.gateway->drops < *end.gateway->frames;
  });
}

bool Ends::is_starved() const {
  return std::any_of(ends_.begin(), ends_.end(), [](const End& end) { return end.starved; });
}

std::uint64_t Ends::given(std::size_t entry) const { return this->entry(entry).given; }

std::uint64_t Ends::waiting(std::size_t entry) const { return this->entry(entry).waiting.size(); }

std::optional<std::uint64_t> Ends::began(std::size_t entry, std::uint64_t message) const {
  const End& end = this->entry(entry);
  const std::uint64_t over = end.given - end.sent.size();
  const std::uint64_t first = over - end.began.size();
  if (message < first || message >= end.given) {
    return std::nullopt;
  }
  return message < over ? end.began[message - first] : began_at(end.sent[message - over]);
}

bool Ends::has_begun(std::size_t entry, std::uint64_t message) const {
  const End& end = this->entry(entry);
  const std::uint64_t over = end.given - end.sent.size();
  if (message < over || message >= end.given) {
    return message < over;
  }
  const Sent& sent = end.sent[message - over];
  return !sent.behind || !is_unread(sent);
}

/// Its window was never touched.
bool Ends::is_unread(const Sent& sent) const {
  return !memory_.first_burst(address_of(sent.arrival));
}

bool Ends::is_unread(std::size_t entry) const {
  const auto& sent = this->entry(entry).sent;
  return std::any_of(sent.begin(), sent.end(), [this](const Sent& one) { return is_unread(one); });
}

void Ends::drop_unread() {
  for (End& end : ends_) {
    for (auto sent = end.sent.begin(); end.gateway && sent != end.sent.end();) {
      if (!is_unread(*sent)) {
        ++sent;
        continue;
      }
      memory_.close(address_of(sent->arrival));
      ++end.gateway->figures.failed;
      sent = end.sent.erase(sent);
    }
  }
}

void Ends::add_waiting(std::vector<Arrival>& arrivals) const {
  for (const End& end : ends_) {
    for (const Sent& sent : end.sent) {
      arrivals.push_back(sent.arrival);
    }
    arrivals.insert(arrivals.end(), end.waiting.begin(), end.waiting.end());
  }
}

std::vector<GatewayFigures> Ends::figures() const {
  std::vector<GatewayFigures> all;
  for (const End& end : ends_) {
    if (end.gateway) {
      all.push_back(end.gateway->figures);
      all.back().filtered += *end.wires.looped;
    }
  }
  return all;
}

PortFigures Ends::port() const {
  PortFigures figures = past_port_;
  if (!ends_.empty()) {
    figures.busy += *port_wires_.busy;
    figures.reads += *port_wires_.reads;
    figures.writes += *port_wires_.writes;
  }
  figures.refused += refusals();
  return figures;
}

void Ends::keep_counters(const Parts& parts) {
  for (End& end : ends_) {
    if (end.gateway && parts[end.writes_for]) {
      end.gateway->figures.filtered += *end.wires.looped;
    }
  }
}

void Ends::reset() {
  if (ends_.empty()) {
    return;
  }
  memory_.reset();
  registers_.reset();
  refused_ = 0;
  Parts all;
  for (const End& end : ends_) {
    all.resize(std::max({all.size(), end.reads_for + 1, end.writes_for + 1}), true);
  }
  reset(all);
  for (std::size_t number = 0; number < ends_.size(); ++number) {
    registers_.write(register_of(number, Place::control), interrupts);
  }
}

void Ends::reset(const Parts& parts) {
  forget_news(parts);
  for (End& end : ends_) {
    if (parts[end.reads_for]) {
      forget_sends(end);
    }
    if (parts[end.writes_for]) {
      forget_rooms(end);
    }
  }
}

/// What has crossed in this run crosses again.
void Ends::forget_news(const Parts& parts) {
  for (const Crossing& crossing : std::exchange(news_.crossings, {})) {
    End& end = ends_[crossing.gateway];
    if (parts[end.writes_for]) {
      --(crossing.to_hardware ? end.gateway->figures.sent : end.gateway->figures.stored);
    } else {
      news_.crossings.push_back(crossing);
    }
  }
  for (FilledRoom& stored : std::exchange(news_.stored, {})) {
    End& end = ends_[stored.gateway];
    if (parts[end.writes_for]) {
      end.spare.push_back(std::move(stored.room));
    } else {
      news_.stored.push_back(std::move(stored));
    }
  }
  std::erase_if(answers_,
                [&](const Answer& answer) { return parts[entry(answer.exit).writes_for]; });
}

void Ends::forget_sends(End& end) {
  for (const Sent& sent : end.sent) {
    memory_.close(address_of(sent.arrival));
  }
  waiting_ -= end.waiting.size();
  end.sent.clear();
  end.waiting.clear();
  end.began.clear();
  end.given = 0;
}

void Ends::forget_rooms(End& end) {
  for (auto& [tag, room] : end.lent) {
    memory_.close(reinterpret_cast<std::uint64_t>(room.memory.data()));
    end.spare.push_back(std::move(room));
  }
  end.lent.clear();
  end.seen = 0;
}

}  // namespace ligament::fpga::detail
