// SPDX-License-Identifier: Apache-2.0
/// \file What the nodes of this program have in common: their end of a topic in the pool.
#pragma once

#include <ligament/detail/pool.hpp>
#include <ligament/qos.hpp>
#include <utility>

#include "ends.hpp"

namespace bench {

/// What was made; the program ends where it was not.
template <typename T, typename Error>
T made(ligament::expected<T, Error>&& result) {
  if (!result) {
    fail(result.error().text);
  }
  return std::move(*result);
}

/// Reliable or not, the last ten.
[[nodiscard]] inline ligament::pool::EndpointDescription describe(const std::string& topic,
                                                                  const std::string& type,
                                                                  const std::string& type_hash,
                                                                  bool is_reliable) {
  ligament::pool::EndpointDescription description;
  description.topic = topic;
  description.type_name = type;
  description.node = "/bench";
  ligament::QoS qos(10);
  description.qos = (is_reliable ? qos.reliable() : qos.best_effort()).profile();
  if (type_hash.size() != 2 * description.type_hash.size()) {
    fail("--type-hash has 64 digits of base 16");
  }
  for (std::size_t index = 0; index < description.type_hash.size(); ++index) {
    description.type_hash[index] =
        static_cast<std::uint8_t>(std::stoul(type_hash.substr(2 * index, 2), nullptr, 16));
  }
  return description;
}

}  // namespace bench
