// SPDX-License-Identifier: Apache-2.0
#include "container/move_places.hpp"

#include <algorithm>
#include <ligament/parameter.hpp>
#include <type_traits>

#include "node/node_state.hpp"
#include "node/subscription_state.hpp"

namespace ligament::container {
namespace {

using Subscriptions = std::vector<std::shared_ptr<SubscriptionBase>>;

unexpected<std::string> malformed(const char* what) {
  return unexpected<std::string>(std::string("the other container sent ") + what +
                                 " that cannot be read");
}

/// Those whose messages are for the node, whoever it is: not the replies to its own requests.
Subscriptions subscriptions_of(detail::NodeState& state) {
  Subscriptions all = detail::alive(state.mutex, state.subscriptions);
  for (const auto& service : detail::alive(state.mutex, state.services)) {
    all.push_back(service->requests());
  }
  return all;
}

template <typename Ends, typename Use>
void for_each_open(const Ends& ends, const Use& use) {
  std::map<std::string, std::size_t> count;
  for (const auto& end : ends) {
    if (end->id() != 0) {
      use(EndName{end->get_topic_name(), count[end->get_topic_name()]++}, *end);
    }
  }
}

const pool::ReaderPlace* find(const std::vector<pool::ReaderPlace>& places, std::uint64_t writer) {
  const auto found = std::find_if(places.begin(), places.end(),
                                  [writer](const auto& one) { return one.writer == writer; });
  return found == places.end() ? nullptr : &*found;
}

std::string missing_of(const pool::ReaderPlace& old_one, const pool::ReaderPlace* new_one) {
  if (new_one != nullptr) {
    return old_one.next < new_one->next ? "messages from before the new node came are not taken"
                                        : "";
  }
  if (old_one.is_live) {
    return "a publisher came meanwhile that the new node has not met";
  }
  return old_one.has_data ? "what a publisher left that has ended is not taken" : "";
}

}  // namespace

Places places_of(const Node& node) {
  Places places;
  for_each_open(subscriptions_of(node.state()), [&](const EndName& name, SubscriptionBase& one) {
    places[name] = one.state().reader->places();
  });
  return places;
}

Reach reach_of(const Node& node) {
  detail::NodeState& state = node.state();
  auto all = detail::alive(state.mutex, state.publishers);
  for (const auto& service : detail::alive(state.mutex, state.services)) {
    all.push_back(service->replies());
  }
  for (const auto& client : detail::alive(state.mutex, state.clients)) {
    all.push_back(client->requests());
  }
  Reach reach;
  for_each_open(all, [&](const EndName& name, PublisherBase& one) {
    reach[name] = one.get_subscription_count();
  });
  return reach;
}

void go_to(const Node& node, const Places& places) {
  detail::NodeState& state = node.state();
  for_each_open(subscriptions_of(state), [&](const EndName& name, SubscriptionBase& one) {
    const auto found = places.find(name);
    const std::vector<pool::ReaderPlace> none;
    one.state().reader->resume_at(found == places.end() ? none : found->second);
  });
  for (const auto& client : detail::alive(state.mutex, state.clients)) {
    if (client->replies()->is_open()) {
      client->replies()->state().reader->resume_at({});
    }
  }
}

void rest(const Node& node) {
  for_each_open(subscriptions_of(node.state()),
                [](const EndName& /*name*/, SubscriptionBase& one) { one.state().reader->rest(); });
}

std::size_t open_requests(const Node& node) {
  detail::NodeState& state = node.state();
  std::size_t open = 0;
  for (const auto& service : detail::alive(state.mutex, state.services)) {
    const auto figures = service->statistics();
    const auto closed = figures.replies + figures.failed + figures.dropped;
    open += figures.requests > closed ? figures.requests - closed : 0;
  }
  for (const auto& client : detail::alive(state.mutex, state.clients)) {
    open += client->statistics().pending;
  }
  return open;
}

std::string missing(const Places& before, const Places& after) {
  static const std::vector<pool::ReaderPlace> none;
  for (const auto& [name, places] : after) {
    const auto known = before.find(name);
    for (const pool::ReaderPlace& place : places) {
      const auto* new_one = find(known == before.end() ? none : known->second, place.writer);
      if (auto text = missing_of(place, new_one); !text.empty()) {
        return "on '" + name.first + "' " + text;
      }
    }
  }
  return "";
}

std::string lacking_end(const Places& old_ones, const Places& new_ones) {
  const auto found = std::find_if(old_ones.begin(), old_ones.end(), [&new_ones](const auto& one) {
    return !new_ones.contains(one.first);
  });
  return found == old_ones.end() ? ""
                                 : "the new node has no subscription on '" + found->first.first +
                                       "', as the old one has";
}

std::string lacking_end(const Reach& old_one, const Reach& new_one) {
  const auto found = std::find_if(old_one.begin(), old_one.end(), [&new_one](const auto& one) {
    return one.second != 0 && !new_one.contains(one.first);
  });
  return found == old_one.end()
             ? ""
             : "the new node does not publish on '" + found->first.first + "', as the old one does";
}

std::string unmet(const Places& old_ones, const Places& new_ones) {
  for (const auto& [name, places] : old_ones) {
    const auto found = new_ones.find(name);
    const bool has_met = std::all_of(places.begin(), places.end(), [&](const auto& place) {
      return !place.is_live ||
             (found != new_ones.end() && find(found->second, place.writer) != nullptr);
    });
    if (!has_met) {
      return "the new node does not hear all publishers of '" + name.first + "'";
    }
  }
  return "";
}

std::string unmet(const Reach& old_one, const Reach& new_one) {
  for (const auto& [name, count] : old_one) {
    const auto found = new_one.find(name);
    if (found != new_one.end() && found->second < count) {
      return "not all subscriptions on '" + name.first + "' hear the new node";
    }
  }
  return "";
}

nlohmann::json to_json(const Places& places) {
  auto json = nlohmann::json::array();
  for (const auto& [name, ends] : places) {
    auto list = nlohmann::json::array();
    for (const pool::ReaderPlace& one : ends) {
      list.push_back({one.writer, one.next, one.is_live, one.has_data});
    }
    json.push_back({name.first, name.second, std::move(list)});
  }
  return json;
}

nlohmann::json to_json(const Reach& reach) {
  auto json = nlohmann::json::array();
  for (const auto& [name, count] : reach) {
    json.push_back({name.first, name.second, count});
  }
  return json;
}

expected<Places, std::string> places_from(const nlohmann::json& json) {
  try {
    Places places;
    for (const auto& end : json) {
      auto& list = places[{end.at(0).get<std::string>(), end.at(1).get<std::size_t>()}];
      for (const auto& one : end.at(2)) {
        list.push_back({one.at(0).get<std::uint64_t>(), one.at(1).get<std::uint64_t>(),
                        one.at(2).get<bool>(), one.at(3).get<bool>()});
      }
    }
    return places;
  } catch (const nlohmann::json::exception&) {
    return malformed("places");
  }
}

expected<Reach, std::string> reach_from(const nlohmann::json& json) {
  try {
    Reach reach;
    for (const auto& end : json) {
      reach[{end.at(0).get<std::string>(), end.at(1).get<std::size_t>()}] =
          end.at(2).get<std::size_t>();
    }
    return reach;
  } catch (const nlohmann::json::exception&) {
    return malformed("a list of publishers");
  }
}

// --- parameters
// -----------------------------------------------------------------------------------

namespace {

nlohmann::json value_to_json(const ParameterValue& value) {
  return value.visit([](const auto& held) -> nlohmann::json {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(held)>, std::monostate>) {
      return nullptr;
    } else {
      return held;
    }
  });
}

template <typename T>
ParameterValue as(const nlohmann::json& json) {
  return ParameterValue(json.get<T>());
}

/// The type is said beside the value: an empty list, or a whole double, does not tell it.
ParameterValue value_from(ParameterType type, const nlohmann::json& json) {
  switch (type) {
    case ParameterType::bool_:
      return as<bool>(json);
    case ParameterType::integer:
      return as<std::int64_t>(json);
    case ParameterType::double_:
      return as<double>(json);
    case ParameterType::string:
      return as<std::string>(json);
    case ParameterType::byte_array:
      return as<std::vector<std::uint8_t>>(json);
    case ParameterType::bool_array:
      return as<std::vector<bool>>(json);
    case ParameterType::integer_array:
      return as<std::vector<std::int64_t>>(json);
    case ParameterType::double_array:
      return as<std::vector<double>>(json);
    case ParameterType::string_array:
      return as<std::vector<std::string>>(json);
    case ParameterType::not_set:
      break;
  }
  return {};
}

}  // namespace

nlohmann::json parameters_to_json(const Node& node) {
  const detail::ParameterSet& set = node.state().parameters;
  auto json = nlohmann::json::array();
  for (const std::string& name : set.names()) {
    if (const auto value = set.get(name); value && value->get_type() != ParameterType::not_set) {
      json.push_back({name, static_cast<unsigned>(value->get_type()), value_to_json(*value)});
    }
  }
  return json;
}

expected<void, std::string> set_parameters(Node& node, const nlohmann::json& json) {
  std::vector<Parameter> differing;
  try {
    for (const auto& one : json) {
      const auto name = one.at(0).get<std::string>();
      const auto type = static_cast<ParameterType>(one.at(1).get<std::uint8_t>());
      const auto value = value_from(type, one.at(2));
      const auto now = node.state().parameters.get(name);
      if (now && *now != value) {
        differing.emplace_back(name, value);
      }
    }
  } catch (const nlohmann::json::exception&) {
    return malformed("parameters");
  }
  if (differing.empty()) {
    return {};
  }
  if (const auto set = node.set_parameters_atomically(differing); !set.successful) {
    return unexpected<std::string>("the new node refuses the old one's parameters: " + set.reason);
  }
  return {};
}

}  // namespace ligament::container
