// SPDX-License-Identifier: Apache-2.0
/// \file Which request a message is or answers, between the pool and DDS (spec/wire/dds.md,
/// section 8).
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "ligament/detail/pool.hpp"
#include "transport/dds/participant.hpp"
#include "transport/dds/service_wire.hpp"

namespace ligament::edge {

/// What the way out puts in front of a sample's body; nothing: the sample does not concern DDS.
using HeaderOf = std::function<std::optional<dds::RequestHeader>(const pool::SampleInfo&)>;
/// What the way in makes of such a header; nothing: it answers nobody here.
using IdentityOf = std::function<std::optional<pool::RequestIdentity>(const dds::RequestHeader&)>;

/// The graph's clients by the 8 bytes that stand for them in DDS: their request writers' ids.
class ServiceClients {
 public:
  [[nodiscard]] dds::RequestHeader enter(const pool::SampleInfo& request);
  [[nodiscard]] std::optional<pool::RequestIdentity> find(const dds::RequestHeader& header) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::array<std::uint8_t, 8>, pool::Gid> clients_;
};

/// Whether a topic of the pool is one half of a service.
[[nodiscard]] bool is_request(std::string_view topic);
[[nodiscard]] bool is_reply(std::string_view topic);

/// Empty for a topic that is no half of a service.
[[nodiscard]] HeaderOf header_of(std::string_view topic, std::shared_ptr<ServiceClients> clients);
[[nodiscard]] IdentityOf identity_of(std::string_view topic,
                                     std::shared_ptr<ServiceClients> clients);

/// Names and user data of an endpoint's face, be it of a topic or of a service.
[[nodiscard]] dds::EndpointSpec face_of(const pool::EndpointDescription& description,
                                        pool::EndpointKind kind);

}  // namespace ligament::edge
