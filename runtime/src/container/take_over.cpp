// SPDX-License-Identifier: Apache-2.0
#include "container/take_over.hpp"

#include <chrono>
#include <span>
#include <thread>
#include <vector>

#include "container/move_places.hpp"
#include "container/move_times.hpp"
#include "container/problems.hpp"
#include "node/node_state.hpp"

namespace ligament::container {
namespace {

using Failure = unexpected<std::string>;

std::string first_of(const std::string& one, const std::string& other) {
  return one.empty() ? other : one;
}

/// Returns when all whom the old node hears and reaches have met this one.
expected<void, std::string> meet_all(MoveChannel& channel, const Node& node) {
  const std::int64_t deadline = pool::monotonic_now_ns() + meeting_patience_ns;
  for (;;) {
    if (auto sent = channel.send({{"step", "hello"}, {"node", node.get_fully_qualified_name()}});
        !sent) {
      return Failure(sent.error());
    }
    const auto answer = channel.receive("places", answer_patience_ns);
    if (!answer) {
      return Failure(answer.error());
    }
    const auto places = places_from(answer->value("places", Json::array()));
    const auto reach = reach_from(answer->value("reach", Json::array()));
    if (!places || !reach) {
      return Failure(places ? reach.error() : places.error());
    }
    const Places own_places = places_of(node);
    const Reach own_reach = reach_of(node);
    const std::string never =
        first_of(lacking_end(*places, own_places), lacking_end(*reach, own_reach));
    const std::string yet = first_of(unmet(*places, own_places), unmet(*reach, own_reach));
    if (yet.empty() && never.empty()) {
      return {};
    }
    if (!never.empty() || pool::monotonic_now_ns() > deadline) {
      return Failure(first_of(never, yet));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

expected<void, std::string> take_what_it_had(Node& node, const Json& stopped) {
  const auto places = places_from(stopped.value("places", Json::array()));
  if (!places) {
    return Failure(places.error());
  }
  go_to(node, *places);
  if (auto set = set_parameters(node, stopped.value("parameters", Json::array())); !set) {
    return set;
  }
  if (!stopped.contains("state")) {
    return {};
  }
  const Json& state = stopped["state"];
  if (!state.is_binary()) {
    return Failure("the other container sent a state that cannot be read");
  }
  const std::vector<std::uint8_t>& bytes = state.get_binary();
  if (!node.restore_state(std::as_bytes(std::span(bytes)))) {
    return Failure("the new node does not understand the state that the old one hands over");
  }
  return {};
}

/// Until the old node has stopped: what it says then. Publishers wait for the new one only while
/// the old one is about to.
expected<Json, std::string> follow(MoveChannel& channel, const Node& node) {
  for (;;) {
    auto message = channel.receive(stop_patience_ns + answer_patience_ns);
    if (!message || (*message)["step"] == "stopped") {
      return message;
    }
    if ((*message)["step"] == "rest") {
      rest(node);
      continue;
    }
    const auto places = places_from(message->value("places", Json::array()));
    if (!places) {
      return Failure(places.error());
    }
    go_to(node, *places);
    if (auto sent = channel.send({{"step", "awake"}}); !sent) {
      return Failure(sent.error());
    }
  }
}

expected<TakenOver, std::string> steps(MoveChannel& channel, Node& node) {
  if (auto met = meet_all(channel, node); !met) {
    return Failure(met.error());
  }
  if (auto sent = channel.send({{"step", "here"}, {"places", to_json(places_of(node))}}); !sent) {
    return Failure(sent.error());
  }
  const auto stopped = follow(channel, node);
  if (!stopped) {
    return Failure(stopped.error());
  }
  if (auto taken = take_what_it_had(node, *stopped); !taken) {
    return Failure(taken.error());
  }
  if (auto sent = channel.send({{"step", "taken"}}); !sent) {
    return Failure(sent.error());
  }
  if (auto go = channel.receive("go", answer_patience_ns); !go) {
    return Failure(go.error());
  }
  const Json& at = stopped->value("stopped_ns", Json(0));
  return TakenOver{at.is_number_integer() ? at.get<std::int64_t>() : 0};
}

}  // namespace

expected<TakenOver, std::string> take_over(MoveChannel& channel, Node& node) {
  auto taken = steps(channel, node);
  if (!taken) {
    rest(node);
    channel.refuse(taken.error());
  }
  return taken;
}

}  // namespace ligament::container
