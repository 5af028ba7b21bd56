// SPDX-License-Identifier: Apache-2.0
/// What a design does for its gateways: memory for them, numbers for who publishes in software, and
/// their messages into the pool.
#include <algorithm>
#include <ligament/fpga_member.hpp>
#include <ligament/trace.hpp>
#include <utility>

namespace ligament::fpga {

Delegate Design::delegate() {
  return {.lend = [this](std::size_t gateway) { return lend(gateway); },
          .take = [this](std::vector<FilledRoom>&& stored) { publish(std::move(stored)); },
          .lend_exit = [this](std::size_t exit) { return lend_exit(exit); }};
}

void Design::set_gateway_output(std::size_t gateway, GatewayOutput output) {
  gateways_.at(gateway).output = std::move(output);
}

std::optional<Room> Design::lend(std::size_t gateway) {
  const auto& lend = gateways_[gateway].output.lend;
  return lend ? lend() : std::nullopt;
}

/// A slot's memory is its driver's: the next core in it publishes elsewhere.
std::optional<Room> Design::lend_exit(std::size_t exit) {
  const bool is_slot = !plan_.regions.empty();
  return is_slot || !exits_[exit].lend ? std::nullopt : exits_[exit].lend();
}

void Design::publish(std::vector<FilledRoom>&& stored) {
  for (FilledRoom& message : stored) {
    Gateway& from = gateways_[message.gateway];
    if (from.output.publish) {
      from.output.publish(std::move(message));
    }
  }
}

std::uint8_t Design::number_of(std::size_t gateway, std::uint64_t publisher) {
  constexpr std::size_t first = 64;
  constexpr std::size_t unknown = 255;
  auto& known = gateways_.at(gateway).publishers;
  auto found = std::find(known.begin(), known.end(), publisher);
  if (found == known.end() && first + known.size() < unknown) {
    found = known.insert(known.end(), publisher);
  }
  const auto place = static_cast<std::size_t>(found - known.begin());
  return static_cast<std::uint8_t>(found == known.end() ? unknown : first + place);
}

/// A crossing is a copy: told by the node that serves the gateway, of the message that it is about.
void Design::tell_crossing(const Crossing& crossing, std::int64_t begin_ns, std::int64_t end_ns) {
  const Member* const server = places_[plan_.gateways[crossing.gateway].place].member;
  const auto& messages = crossing.to_hardware ? gateways_[crossing.gateway].messages
                                              : messages_of(places_[crossing.node]);
  if (server == nullptr || crossing.message >= messages.size()) {
    return;
  }
  trace::tell_device_work(*server,
                          {.device = plan_.device,
                           .name = crossing.to_hardware ? "gateway in" : "gateway out",
                           .category = trace::Category::copy,
                           .base = trace::TimeBase::modelled,
                           .begin_ns = begin_ns,
                           .end_ns = end_ns},
                          messages[crossing.message]);
}

/// What the gateways counted in a run, and the memory port of all ends.
void Design::tell_gateways(trace::SpanValues& values, const std::vector<GatewayFigures>& before,
                           const PortFigures& port_before) const {
  for (std::size_t i = 0; i < gateway_figures_.size(); ++i) {
    const GatewayFigures& now = gateway_figures_[i];
    const std::string& topic = plan_.gateways[i].topic;
    values.tell(topic + " sent", now.sent - before[i].sent);
    values.tell(topic + " stored", now.stored - before[i].stored);
    values.tell(topic + " filtered", now.filtered - before[i].filtered);
  }
  values.tell("port busy", port_.busy - port_before.busy);
  values.tell("port reads", port_.reads - port_before.reads);
  values.tell("port writes", port_.writes - port_before.writes);
  if (plan_.memory.pages.count != 0) {
    values.tell("port refused", port_.refused - port_before.refused);
  }
}

void Design::add_gateway_figures(std::size_t place,
                                 ligament::detail::HardwareFigures& figures) const {
  for (std::size_t i = 0; i < gateway_figures_.size(); ++i) {
    if (plan_.gateways[i].place != place) {
      continue;
    }
    const GatewayFigures& now = gateway_figures_[i];
    figures.gateways.push_back(
        {plan_.gateways[i].topic, now.sent, now.stored, now.filtered, now.failed});
  }
  if (place == 0) {
    figures.port = {port_.busy, port_.reads, port_.writes};
  }
}

}  // namespace ligament::fpga
