// SPDX-License-Identifier: Apache-2.0
/// \file The ends of a node as a move sees them: where its subscriptions are, whom its publishers
/// reach, its parameters; and all that as messages of the two containers (spec/run/moving.md).
#pragma once

#include <ligament/expected.hpp>
#include <ligament/node.hpp>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ligament::container {

/// A topic, and which of the node's ends on it, from 0, in the order in which it made them.
using EndName = std::pair<std::string, std::size_t>;
/// Where the subscriptions of a node are, those of its services' requests too.
using Places = std::map<EndName, std::vector<pool::ReaderPlace>>;
/// How many subscriptions each publisher of a node reaches.
using Reach = std::map<EndName, std::size_t>;

[[nodiscard]] Places places_of(const Node& node);
[[nodiscard]] Reach reach_of(const Node& node);
/// All of them go to these places and wake; those without any wake where they are.
void go_to(const Node& node, const Places& places);
/// No publisher waits for any of them from now on.
void rest(const Node& node);
/// Requests whose answers the node owes, and its own that wait for one.
[[nodiscard]] std::size_t open_requests(const Node& node);

/// What `after` still lacks to be where `before` has to be: it may begin there, and all that it
/// does not know has been taken. Empty: nothing.
[[nodiscard]] std::string missing(const Places& before, const Places& after);
/// An end that the old node has and the new one will never have. Empty: none.
[[nodiscard]] std::string lacking_end(const Places& old_ones, const Places& new_ones);
[[nodiscard]] std::string lacking_end(const Reach& old_one, const Reach& new_one);
/// Whom the old node hears or reaches, and the new one does not yet. Empty: nobody.
[[nodiscard]] std::string unmet(const Places& old_ones, const Places& new_ones);
[[nodiscard]] std::string unmet(const Reach& old_one, const Reach& new_one);

[[nodiscard]] nlohmann::json to_json(const Places& places);
[[nodiscard]] nlohmann::json to_json(const Reach& reach);
/// Errors: what another process sent is not in that form.
[[nodiscard]] expected<Places, std::string> places_from(const nlohmann::json& json);
[[nodiscard]] expected<Reach, std::string> reach_from(const nlohmann::json& json);

[[nodiscard]] nlohmann::json parameters_to_json(const Node& node);
/// Sets those that differ. Errors: the node refuses one, or it is not in that form.
[[nodiscard]] expected<void, std::string> set_parameters(Node& node, const nlohmann::json& json);

}  // namespace ligament::container
