// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <ligament/builtin_interfaces/msg/time.hpp>
#include <ligament/detail/pool.hpp>
#include <ligament/fpga_member.hpp>
#include <ligament/fpga_registers.hpp>
#include <ligament/trace.hpp>
#include <utility>

#include "node/node_state.hpp"

namespace ligament {

void Node::set_hardware_figures(std::function<detail::HardwareFigures()> figures) {
  const std::lock_guard lock(state_->mutex);
  state_->hardware_figures = std::move(figures);
}

namespace fpga {
namespace {

/// Less than what containers are given to end (`ligament run`).
constexpr std::int64_t drain_ns = 2'000'000'000;
/// How long messages wait for others to go in with them, behind the last one that came.
constexpr std::int64_t hurry_ns = 200'000'000;

Boundary boundary_of(const DesignPlan& plan) {
  Boundary boundary{{}, plan.rooms};
  for (const ServedGateway& served : plan.gateways) {
    boundary.gateways.push_back(served.plan);
  }
  return boundary;
}

}  // namespace

Design::Design(DesignPlan plan, Wires wires)
    : plan_(std::move(plan)),
      simulation_(std::make_unique<Simulation>(std::move(wires), plan_.nodes, plan_.memory,
                                               boundary_of(plan_), delegate())),
      hardware_(*simulation_) {
  set_up();
}

Design::Design(DesignPlan plan, Hardware& hardware) : plan_(std::move(plan)), hardware_(hardware) {
  set_up();
}

Design::~Design() = default;

void Design::set_up() {
  places_.resize(plan_.nodes.size());
  gateways_.resize(plan_.gateways.size());
  networks_ = hardware_.networks();
  gateway_figures_ = hardware_.gateways();
  std::vector<bool> first(networks_.size(), true);
  for (std::size_t place = 0; place < places_.size(); ++place) {
    for (const InputPlan& input : plan_.nodes[place].inputs) {
      places_[place].each = plan_.nodes[place].each;
      if (input.entry) {
        places_[place].entries.push_back(*input.entry);
        waiting_.resize(std::max(waiting_.size(), *input.entry + 1));
      }
    }
    for (const OutputPlan& output : plan_.nodes[place].outputs) {
      if (output.exit) {
        exits_.resize(std::max(exits_.size(), *output.exit + 1));
        exits_[*output.exit].place = place;
      } else if (first[output.network]) {
        first[output.network] = false;  // of a topic with several publishers, one tells
        places_[place].networks.push_back(output.network);
      }
    }
  }
  for (const ServedGateway& served : plan_.gateways) {
    if (first[served.plan.network]) {
      places_[served.place].networks.push_back(served.plan.network);
    }
  }
  find_sources();
  name_streams();
}

void Design::find_sources() {
  for (std::size_t number = 0; number < places_.size(); ++number) {
    find_sources_of(places_[number], number);
  }
}

/// Whose messages a node's own go back to: its own, or those of who is in front of it, the nearest
/// first. In a trace its work then belongs to them.
void Design::find_sources_of(Place& place, std::size_t number) {
  std::vector<std::size_t> front{number};
  const auto add_feeders = [&](std::size_t network) {
    for (std::size_t gateway = 0; gateway < plan_.gateways.size(); ++gateway) {
      if (plan_.gateways[gateway].plan.network == network) {
        place.sources.push_back({gateway, true});
      }
    }
    for (std::size_t other = 0; other < places_.size(); ++other) {
      const auto& outputs = plan_.nodes[other].outputs;
      const bool feeds = std::any_of(outputs.begin(), outputs.end(), [&](const auto& output) {
        return !output.exit && output.network == network;
      });
      if (feeds && std::find(front.begin(), front.end(), other) == front.end()) {
        front.push_back(other);
      }
    }
  };
  for (std::size_t i = 0; i < front.size(); ++i) {
    if (!places_[front[i]].entries.empty()) {
      place.sources.push_back({front[i], false});
    }
    for (const InputPlan& input : plan_.nodes[front[i]].inputs) {
      if (!input.entry) {
        add_feeders(input.network);
      }
    }
  }
}

/// Those of the nearest source that has any in this run. Of a node that answers each message its
/// own are no source of what it takes from others in the design.
const std::vector<trace::MessageIdentity>& Design::messages_of(const Place& place) const {
  for (const Source& source : place.sources) {
    if (place.each && !source.is_gateway && &places_[source.number] == &place) {
      continue;
    }
    const auto& messages =
        source.is_gateway ? gateways_[source.number].messages : places_[source.number].messages;
    if (!messages.empty()) {
      return messages;
    }
  }
  return place.messages;
}

/// The message that an answer goes back to: its own cause where the design knows it, else the one
/// at the same place in the order. None is told of what an earlier run has left.
const trace::MessageIdentity* Design::cause_of(const Place& place, std::optional<std::size_t> cause,
                                               std::size_t order) const {
  const auto& messages = cause ? place.messages : messages_of(place);
  const std::size_t number = cause.value_or(order);
  return !starved_ && number < messages.size() ? &messages[number] : nullptr;
}

/// A node's own place; of a service, that of the node that offers it.
Design::Place& Design::node_of(std::size_t place) {
  return places_.at(plan_.nodes.at(place).offered_by.value_or(place));
}

/// Who is in a slot is known when its core is there.
void Design::join(Member& member, std::size_t place) {
  const std::lock_guard turn(turns_);
  if (!plan_.regions.empty()) {
    return;
  }
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (&node_of(i) == &places_.at(place)) {
      places_[i].member = &member;
    }
  }
}

void Design::leave(std::size_t place) {
  const std::lock_guard turn(turns_);
  if (!plan_.regions.empty()) {
    return;
  }
  if (const std::uint64_t messages = left(place); messages != 0) {
    tell_left(*places_[place].member, messages);
  }
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (&node_of(i) == &places_[place]) {
      forget(i);
    }
  }
  for (std::size_t gateway = 0; gateway < gateways_.size(); ++gateway) {
    if (plan_.gateways[gateway].place == place) {
      gateways_[gateway].output = {};
      gateways_[gateway].waiting.clear();
    }
  }
}

void Design::forget(std::size_t place) {
  places_[place].member = nullptr;
  for (const OutputPlan& output : plan_.nodes[place].outputs) {
    if (output.exit) {
      exits_[*output.exit].publish = {};
      exits_[*output.exit].lend = {};
    }
  }
  for (const std::size_t entry : places_[place].entries) {
    waiting_[entry].clear();
  }
}

void Design::set_exit(std::size_t exit, std::function<void(const Departure&)> publish,
                      std::function<std::optional<Room>()> lend) {
  const std::lock_guard turn(turns_);
  exits_.at(exit).publish = std::move(publish);
  exits_[exit].lend = std::move(lend);
}

std::size_t Design::whole_sets(const Place& place) const {
  std::size_t least = SIZE_MAX;
  std::size_t most = 0;
  for (const std::size_t entry : place.entries) {
    least = std::min(least, waiting_[entry].size());
    most = std::max(most, waiting_[entry].size());
  }
  return place.entries.empty() ? 0 : place.each ? most : least;
}

void Design::take(Member& member, Arrival&& arrival, const trace::MessageIdentity& message) {
  const std::lock_guard turn(turns_);
  put(member, {std::move(arrival), message, {}});
}

void Design::put(Member& member, Waiting&& waiting) {
  const Arrival& arrival = waiting.arrival;
  auto& queue =
      arrival.gateway ? gateways_.at(*arrival.gateway).waiting : waiting_.at(arrival.entry);
  queue.push_back(std::move(waiting));
  came_at_ns_ = pool::monotonic_now_ns();
  if (plan_.in_flight == 1 || is_full()) {
    run(member, plan_.in_flight);
  }
}

/// Whether as many messages wait at each entry and gateway of a part as may go in together, or as
/// many requests of a service. Those of other parts may be long in coming.
bool Design::is_full() const {
  struct Count {
    std::size_t sources = 0;
    std::size_t full = 0;
    bool any_each = false;  ///< a node that answers each message has enough, whatever others have
  };
  std::vector<Count> parts(places_.size());
  const auto count = [&](std::size_t place, bool is_full) {
    Count& part = parts[plan_.nodes[place].part];
    ++part.sources;
    part.full += static_cast<std::size_t>(is_full);
  };
  for (std::size_t i = 0; i < gateways_.size(); ++i) {
    count(plan_.gateways[i].place, gateways_[i].waiting.size() >= plan_.in_flight);
  }
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const bool has_sets = whole_sets(places_[i]) >= most_at_once(i);
    if (plan_.nodes[i].offered_by) {
      if (has_sets) {
        return true;
      }
    } else if (places_[i].each) {
      parts[plan_.nodes[i].part].any_each |= has_sets;
    } else if (!places_[i].entries.empty()) {
      count(i, has_sets);
    }
  }
  return std::any_of(parts.begin(), parts.end(), [](const Count& part) {
    return part.sources > 0 ? part.full == part.sources : part.any_each;
  });
}

void Design::hurry() {
  const std::lock_guard turn(turns_);
  if (pool::monotonic_now_ns() - came_at_ns_ < hurry_ns) {
    return;
  }
  for (Place& place : places_) {
    if (place.member != nullptr && whole_sets(place) > 0) {
      run(*place.member, plan_.in_flight);
      return;
    }
  }
  for (std::size_t gateway = 0; gateway < gateways_.size(); ++gateway) {
    Member* const server = places_[plan_.gateways[gateway].place].member;
    if (server != nullptr && !gateways_[gateway].waiting.empty()) {
      run(*server, plan_.in_flight);
      return;
    }
  }
}

/// Whole sets of every node, at most so many. The first of each entry go in first.
void Design::collect(std::size_t most, std::vector<Arrival>& arrivals) {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    Place& place = places_[i];
    place.messages.clear();
    const std::size_t sets = std::min({most, most_at_once(i), whole_sets(place)});
    for (std::size_t set = 0; set < sets; ++set) {
      for (const std::size_t entry : place.entries) {
        if (waiting_[entry].empty()) {
          continue;  // of a node that answers each message
        }
        if (place.each || entry == place.entries.front()) {
          waiting_[entry].front().arrival.number = place.messages.size();
          place.messages.push_back(waiting_[entry].front().message);
        }
        label(place, waiting_[entry].front());
        arrivals.push_back(std::move(waiting_[entry].front().arrival));
        waiting_[entry].pop_front();
      }
    }
  }
  for (Gateway& gateway : gateways_) {
    gateway.messages.clear();
    for (std::size_t i = 0; i < most && !gateway.waiting.empty(); ++i) {
      gateway.messages.push_back(gateway.waiting.front().message);
      arrivals.push_back(std::move(gateway.waiting.front().arrival));
      gateway.waiting.pop_front();
    }
  }
}

void Design::run(Member& member, std::size_t most) {
  std::vector<Arrival> arrivals;
  collect(most, arrivals);
  if (arrivals.empty() && !starved_) {
    return;  // the others of the set are still to come
  }
  for (const Place& place : places_) {
    if (place.member != nullptr && !starved_) {  // else it still works with what they were
      place.member->set_registers();
    }
  }
  trace::Span span(member, hardware_.name(), trace::Category::device, first_message_of(member));
  const std::int64_t doorbell_ns = trace::enabled() ? pool::monotonic_now_ns() : 0;
  say_working(member);
  Outcome outcome = hardware_.run(std::move(arrivals), [&] {
    say_working(member);
    return is_over_time(member);
  });
  const auto before = networks_;
  const auto gateways_before = gateway_figures_;
  const PortFigures port_before = port_;
  account(outcome, doorbell_ns);
  span.finish([&](auto& values) {
    if (hardware_.counts_cycles()) {
      // The span's own length is the simulator's; the hardware's time is its cycles.
      values.tell("cycles", outcome.end - outcome.begin);
      values.tell("clock_hz", plan_.memory.clock_hz);
    }
    for (const auto& [name, count] : outcome.counts) {
      values.tell(name, count);
    }
    tell_networks(values, before);
    tell_gateways(values, gateways_before, port_before);
  });
  tell_losses(outcome);
  hand_over(outcome);
  publish(std::move(outcome.stored));
  starved_ = outcome.starved;
  if (starved_) {
    member.look_again();
  }
}

void Design::go_on(Member& member) {
  const std::lock_guard turn(turns_);
  if (starved_) {
    run(member, plan_.in_flight);
  }
}

expected<void, std::string> Design::settle(Member& member) {
  using Failure = unexpected<std::string>;
  const std::lock_guard turn(turns_);
  if (plan_.regions.empty() && (places_.size() != 1 || !gateways_.empty())) {
    return Failure("its core is in one design with others, or with gateways");
  }
  const auto place = std::find_if(places_.begin(), places_.end(),
                                  [&](const Place& one) { return one.member == &member; });
  if (place == places_.end()) {
    return {};
  }
  if (member.awaits_response()) {
    return Failure("its core waits for a response to its request");
  }
  const auto owes = [&] { return starved_ || whole_sets(*place) > 0; };
  for (int tries = 0; owes() && tries < 64; ++tries) {
    run(member, plan_.in_flight);
  }
  if (member.awaits_response()) {  // those runs may have made it ask
    return Failure("its core waits for a response to its request");
  }
  if (owes()) {
    return Failure("its core has found no memory for what it owes");
  }
  const bool is_part = std::any_of(place->entries.begin(), place->entries.end(),
                                   [this](std::size_t entry) { return !waiting_[entry].empty(); });
  return is_part ? expected<void, std::string>(Failure("a message waits for others of its set"))
                 : expected<void, std::string>();
}

/// The message that a member's callback has set off a run for.
trace::MessageIdentity Design::first_message_of(const Member& member) const {
  for (const Place& place : places_) {
    if (place.member == &member && !place.messages.empty()) {
      return place.messages.front();
    }
  }
  for (std::size_t gateway = 0; gateway < gateways_.size(); ++gateway) {
    const auto& messages = gateways_[gateway].messages;
    if (places_[plan_.gateways[gateway].place].member == &member && !messages.empty()) {
      return messages.front();
    }
  }
  return {};
}

/// Its clock turns: who waits for this process to take is not to count that as standing still,
/// however slow the host is. Often enough by far, and too seldom to cost anything.
void Design::say_working(const Member& member) {
  constexpr std::int64_t seldom_ns = 20'000'000;
  const std::int64_t now = pool::monotonic_now_ns();
  if (now - said_working_ns_ >= seldom_ns) {
    said_working_ns_ = now;
    member.state().context->domain()->say_working();
  }
}

/// Whether a run that has been asked to stop has had its time to answer what it took. Without this
/// it would be killed, and what others in its container have to say would be lost.
bool Design::is_over_time(const Member& member) {
  if (member.state().context->is_valid()) {
    return false;
  }
  const std::int64_t now = pool::monotonic_now_ns();
  leave_at_ns_ = leave_at_ns_ == 0 ? now + drain_ns : leave_at_ns_;
  return now >= leave_at_ns_;
}

/// Publishes what came out, each as what the message caused that its node worked on. Requests that
/// got no response are let go: their clients wait in vain, as those of a server that died.
void Design::hand_over(const Outcome& outcome) {
  std::vector<std::size_t> left(exits_.size());
  for (const Departure& departure : outcome.departures) {
    const Exit& exit = exits_[departure.exit];
    Place& place = places_[exit.place];
    if (place.member == nullptr) {
      continue;
    }
    const auto* const cause = cause_of(place, departure.cause, left[departure.exit]++);
    const bool stays = departure.lent;
    trace::Span span(*place.member, stays ? "out of hardware" : "into the pool",
                     stays ? trace::Category::transport : trace::Category::copy,
                     cause != nullptr ? *cause : trace::MessageIdentity{});
    if (plan_.nodes[exit.place].offered_by) {
      answer(place, departure);
    } else if (exit.publish) {
      exit.publish(departure);
    }
  }
  for (Place& place : places_) {
    if (!outcome.starved) {
      place.asked.clear();
    }
  }
}

// --- members -------------------------------------------------------------------------------------

Member::Member(const std::string& name, const NodeOptions& options, std::shared_ptr<Design> design,
               std::size_t place)
    : Node(name, options), design_(std::move(design)), place_{place} {
  design_->join(*this, place_);
  set_hardware_figures([this] { return design_->figures(place_); });
  again_ = create_wall_timer(std::chrono::milliseconds(10), [this] {
    again_->cancel();
    design_->go_on(*this);
  });
  again_->cancel();
  if (design_->in_flight() > 1) {
    timer_ = create_wall_timer(std::chrono::milliseconds(50), [this] { design_->hurry(); });
  }
}

Member::~Member() {
  set_hardware_figures({});
  design_->leave(place_);
}

void Member::add_timer(const std::string& parameter, std::size_t entry) {
  using builtin_interfaces::msg::Time;
  using Traits = MessageTraits<Time>;
  const auto period = std::chrono::milliseconds(get_parameter(parameter).as_int());
  ticks_.push_back(create_timer(period, [this, entry, sequence = std::uint64_t{0}]() mutable {
    constexpr std::int64_t second_ns = 1'000'000'000;
    const std::int64_t now_ns = now().nanoseconds();
    Time time;
    time.sec = static_cast<std::int32_t>(now_ns / second_ns);
    time.nanosec = static_cast<std::uint32_t>(now_ns % second_ns);
    auto stored = std::make_shared<std::vector<std::byte>>(Traits::layout_of(time)->size);
    (void)Traits::serialize(time, *stored);  // it has no lengths that could be wrong
    design_->take(*this,
                  {.entry = entry,
                   .message = *stored,
                   .sequence = ++sequence,
                   .time_ns = now_ns,
                   .keep = stored},
                  {});
  }));
}

std::size_t Member::queue_depth() const { return std::max<std::size_t>(5, design_->in_flight()); }

bool Member::awaits_response() const {
  return std::any_of(clients_.begin(), clients_.end(),
                     [](const auto& client) { return client->is_waiting(); });
}

void Member::set_registers() {
  for (const Followed& followed : registers_) {
    *followed.wire =
        register_bits(get_parameter(followed.parameter).get_parameter_value(), followed.choices);
  }
}

void Member::expect(const std::string& error) {
  if (!error.empty()) {
    state().report(NodeErrorKind::system, error);
  }
}

void Member::refuse(const std::string& why) {
  {
    const std::lock_guard lock(told_mutex_);
    if (std::find(told_.begin(), told_.end(), why) != told_.end()) {
      return;
    }
    told_.push_back(why);
  }
  report_error("a message gives no output: " + why);
}

}  // namespace fpga
}  // namespace ligament
