// SPDX-License-Identifier: Apache-2.0
/// \file What a CREATE asks for, in one form whatever form it came in: binary, XML or a reference.
#pragma once

#include <cstdint>
#include <ligament/expected.hpp>
#include <ligament/qos.hpp>
#include <string>
#include <string_view>

#include "agent/message.hpp"
#include "agent/xml.hpp"

namespace ligament::xrce {

/// A refusal: what the client is told, and what the person at the agent is.
struct Refusal {
  Status status = Status::invalid_data;
  std::string text;
};

/// Names are those of DDS, as they came.
struct EntityRequest {
  Request request;
  Kind kind = Kind::participant;
  std::uint16_t parent = 0;    ///< an object id; of a participant the domain id
  std::string name;            ///< of a participant, topic or service
  std::string type;            ///< of a topic; of a writer or reader that says it itself
  std::uint16_t topic_id = 0;  ///< writer, reader: 0 where it says name and type
  std::string request_type;
  std::string reply_type;
  std::string request_topic;
  std::string reply_topic;
  QoSProfile qos;
  bool operator==(const EntityRequest&) const = default;
};

/// Profiles that clients may refer to, from a file of Fast DDS's form.
class Profiles {
 public:
  Profiles() = default;
  /// Nothing where the text is no XML.
  [[nodiscard]] static std::optional<Profiles> parse(std::string_view text);
  /// The element `tag` of that profile name; null: none.
  [[nodiscard]] const Element* find(std::string_view tag, std::string_view profile) const;

 private:
  Element root_;
};

[[nodiscard]] expected<EntityRequest, Refusal> read_create(const Part& part,
                                                           const Profiles& profiles);

}  // namespace ligament::xrce
