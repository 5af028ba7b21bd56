// SPDX-License-Identifier: Apache-2.0
/// \file The objects of one client, and what they are in the pool.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/bus.hpp"
#include "agent/representation.hpp"

namespace ligament::xrce {

/// What a READ_DATA asked for, and what it still may get.
struct Reading {
  ReadData wanted;
  std::uint32_t left = 0;    ///< samples; `endless`: no limit
  std::int64_t ends_ns = 0;  ///< 0: no limit
  std::int64_t not_before_ns = 0;
  static constexpr std::uint32_t endless = 0xFFFF;
};

/// Requests that a requester waits for: a reply is delivered once.
struct Waiting {
  std::int64_t sequence = 0;
  Request request;
};

struct Entity {
  Kind kind = Kind::participant;
  std::uint16_t parent = 0;
  EntityRequest asked;  ///< what it was made by, which `reuse` compares; of the request the object
  int domain = 0;
  std::string node;  ///< of the participant that it belongs to
  std::string topic;
  std::string type;
  std::unique_ptr<BusNode> marker;
  std::unique_ptr<BusWriter> writer;
  std::unique_ptr<BusReader> reader;
  std::optional<Reading> reading;
  std::vector<Waiting> waiting;
  std::uint64_t serial = 0;   ///< no other entity of the client, before or after, has it
  std::int64_t requests = 0;  ///< made, ever: their numbers begin at 1
  /// Of its messages; at first a guess for those whose length only their end says.
  std::size_t longest = std::size_t{128} << 10U;
};

struct EntityOptions {
  int own_domain = 0;
  std::string fallback_node;  ///< for participants without a name
};

class Entities {
 public:
  Entities(Bus& bus, const Profiles& profiles, EntityOptions options)
      : bus_(bus), profiles_(profiles), options_(std::move(options)) {}

  struct Answer {
    Request request;
    Status status = Status::ok;
    std::string text;  ///< for people: why it is refused, or what it will not do
  };
  [[nodiscard]] Answer create(const Part& part);
  [[nodiscard]] Answer remove(const Request& request);
  void clear() { entities_.clear(); }

  /// Null: there is none.
  [[nodiscard]] Entity* find(std::uint16_t id);
  /// Those that may have something to deliver.
  [[nodiscard]] std::vector<std::pair<std::uint16_t, Entity*>> readings();
  [[nodiscard]] std::size_t size() const { return entities_.size(); }

 private:
  using Made = expected<Entity, Refusal>;
  [[nodiscard]] Made make(const EntityRequest& asked);
  [[nodiscard]] Made make_participant(const EntityRequest& asked);
  [[nodiscard]] Made make_topic(const EntityRequest& asked, const Entity& parent);
  [[nodiscard]] Made make_end(const EntityRequest& asked, const Entity& parent);
  [[nodiscard]] Made make_service(const EntityRequest& asked, const Entity& parent);
  [[nodiscard]] expected<pool::EndpointDescription, Refusal> describe(const Entity& entity,
                                                                      const QoSProfile& qos);
  void remove_with_children(std::uint16_t id);

  Bus& bus_;
  const Profiles& profiles_;
  EntityOptions options_;
  std::map<std::uint16_t, Entity> entities_;
  std::uint64_t made_ = 0;
};

}  // namespace ligament::xrce
