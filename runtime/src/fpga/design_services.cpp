// SPDX-License-Identifier: Apache-2.0
/// What a design does for the services of its nodes: requests in, each response to who asked.
#include <algorithm>
#include <ligament/fpga_member.hpp>
#include <utility>

namespace ligament::fpga {
namespace {

/// Numbers of clients in frames: as of publishers in software.
constexpr std::uint8_t first_client = 64;
constexpr std::size_t most_clients = 64;

}  // namespace

void Design::ask(Member& member, Arrival&& arrival, const trace::MessageIdentity& message,
                 OpenRequest&& request) {
  const std::lock_guard turn(turns_);
  put(member, {std::move(arrival), message, std::move(request)});
}

/// Sets of a place, or requests, that go in together. What has not been answered in a run that
/// found no memory is still in.
std::size_t Design::most_at_once(std::size_t place) const {
  return plan_.nodes[place].offered_by
             ? std::min(plan_.in_flight, most_clients - places_[place].asked.size())
             : plan_.in_flight;
}

/// The first one that no client has.
std::uint8_t Design::free_number(const std::vector<Asked>& asked) {
  std::uint8_t number = first_client;
  while (std::any_of(asked.begin(), asked.end(),
                     [number](const Asked& one) { return one.client == number; })) {
    ++number;
  }
  return number;
}

/// A request's frame says whose it is, by a number of this run, and which of the client's.
void Design::label(Place& place, Waiting& waiting) {
  if (!waiting.request.respond) {
    return;
  }
  const RequestId& id = waiting.request.id;
  const auto known = std::find_if(place.asked.begin(), place.asked.end(), [&](const Asked& asked) {
    return asked.request.id.writer_guid == id.writer_guid;
  });
  const std::uint8_t client = known == place.asked.end() ? free_number(place.asked) : known->client;
  waiting.arrival.publisher = client;
  waiting.arrival.sequence = static_cast<std::uint64_t>(id.sequence_number);
  const auto sequence = static_cast<std::uint16_t>(id.sequence_number);
  place.asked.push_back({std::move(waiting.request), client, sequence});
}

/// Gives a response to who asked for it.
void Design::answer(Place& place, const Departure& departure) {
  const auto found = std::find_if(place.asked.begin(), place.asked.end(), [&](const Asked& asked) {
    return asked.client == departure.publisher && asked.sequence == departure.sequence;
  });
  if (found == place.asked.end()) {
    place.member->refuse("its response is to no request that waits for one");
    return;
  }
  if (!found->request.respond(departure.message)) {
    place.member->refuse("its response breaks the layout of the message");
  }
  place.asked.erase(found);
}

}  // namespace ligament::fpga
