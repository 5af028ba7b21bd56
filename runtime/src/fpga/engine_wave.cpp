// SPDX-License-Identifier: Apache-2.0
/// Which messages of a part are in the design, and when the waveform of some is written.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "fpga/engine.hpp"

namespace ligament::fpga {
namespace {

/// A positive number, all of the text.
std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && at == end && number > 0 ? std::optional{number} : std::nullopt;
}

}  // namespace

std::optional<WaveRequest> wave_request() {
  const char* const asked = std::getenv("LIGAMENT_WAVE");
  const std::string_view text = asked == nullptr ? "" : asked;
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) {
    return std::nullopt;
  }
  const auto first = number_in(text.substr(0, dash));
  const auto last = number_in(text.substr(dash + 1));
  if (!first || !last || *last < *first) {
    return std::nullopt;
  }
  WaveRequest request{*first, *last, {}};
  const char* const nodes = std::getenv("LIGAMENT_WAVE_NODES");
  std::istringstream names(nodes == nullptr ? "" : nodes);
  for (std::string name; names >> name;) {
    request.nodes.push_back(name);
  }
  return request;
}

namespace detail {
namespace {

/// Nothing moves any more: a waveform of a core that hangs ends here, and not with the patience.
constexpr std::uint64_t still_cycles = 4096;

}  // namespace

void Engine::find_frames(const std::vector<GatewayPlan>& gateways) {
  frames_.resize(stale_.size());
  for (std::size_t gateway = 0; gateway < gateways.size(); ++gateway) {
    auto& first = frames_[network_parts_.at(gateways[gateway].network)].gateway;
    first = first.value_or(gateway);
  }
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    Frames& frames = frames_[nodes_[node].part];
    for (const InputPlan& input : nodes_[node].inputs) {
      if (input.entry && *input.entry <= frames.entry.value_or(*input.entry)) {
        frames.entry = input.entry;
        frames.service = nodes_[node].offered_by ? std::optional{node} : std::nullopt;
      }
    }
  }
}

/// Before a run with these.
void Engine::count_frames(const std::vector<Arrival>& arrivals) {
  for (Frames& frames : frames_) {
    frames.before = frames.now;
    frames.wanted = false;
  }
  for (const Arrival& arrival : arrivals) {
    Frames& frames = frames_[ends_.part_of(arrival)];
    const bool counts = arrival.gateway ? !frames.entry && arrival.gateway == frames.gateway
                                        : arrival.entry == frames.entry;
    frames.now += static_cast<std::uint64_t>(counts);
  }
  for (const std::size_t part : wires_.wave.parts) {
    choose_wave(part);
  }
}

void Engine::choose_wave(std::size_t part) {
  Frames& frames = frames_.at(part);
  const std::uint64_t first = std::max(frames.before + 1, wires_.wave.first);
  const std::uint64_t last = std::min(frames.now, wires_.wave.last);
  frames.wanted = first <= last;
  const std::uint64_t given = frames.entry     ? ends_.given(*frames.entry)
                              : frames.gateway ? ends_.sent(*frames.gateway)
                                               : 0;
  frames.first = given + first - frames.before - 1;
  frames.last = given + last - frames.before - 1;
}

bool Engine::wave_is_on() {
  bool on = false;
  for (std::size_t part = 0; part < frames_.size(); ++part) {
    Frames& frames = frames_[part];
    frames.wanted = frames.wanted && !has_left(part);
    on = on || (frames.wanted && has_entered(frames));
  }
  return on && cycle_ - moved_at_ <= still_cycles;
}

bool Engine::has_entered(const Frames& frames) const {
  return frames.entry ? ends_.has_begun(*frames.entry, frames.first)
                      : frames.gateway && ends_.sent(*frames.gateway) > frames.first;
}

/// Every node has answered it, and what leaves the design is in memory. Where a queue dropped it on
/// its way, the run's end counts.
bool Engine::has_left(std::size_t part) const {
  const std::optional<std::size_t> service = frames_[part].service;
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    const NodePlan& plan = nodes_[node];
    const bool answers =
        plan.part == part && !plan.inputs.empty() && (service ? service == node : !plan.offered_by);
    if (answers && !states_[core_of(node)].isolated && answered(node) <= frames_[part].last) {
      return false;
    }
  }
  return true;
}

/// Messages or sets since the reset whose answers are where they go to.
std::uint64_t Engine::answered(std::size_t node) const {
  const NodePlan& plan = nodes_[node];
  std::uint64_t least = UINT64_MAX;
  for (const OutputPlan& output : plan.outputs) {
    const Watch& watch = watches_[output.probe];
    // What answers each message by itself leaves no frame for some.
    const bool arrives = output.exit && !nodes_[node].each;
    least = std::min(least, arrives ? watch.arrived : watch.answered);
  }
  for (const InputPlan& input : plan.inputs) {
    least = plan.outputs.empty() ? std::min(least, watches_[input.probe].done) : least;
  }
  return least;
}

/// The numbers of a run's messages: `3`, or `3-5`.
std::string Engine::frames_in(std::size_t part) const {
  const Frames& frames = frames_[part];
  return frames.before + 1 >= frames.now ? fmt::format("{}", frames.now)
                                         : fmt::format("{}-{}", frames.before + 1, frames.now);
}

}  // namespace detail
}  // namespace ligament::fpga
