// SPDX-License-Identifier: Apache-2.0
/// \file Which request a message is or answers, between the pool and DDS (spec/wire/dds.md,
/// section 8).
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "ligament/detail/pool.hpp"
#include "transport/dds/participant.hpp"
#include "transport/dds/service_wire.hpp"

namespace ligament::edge {

/// Where a publisher's samples go.
struct ProxyWriter {
  dds::Writer* writer = nullptr;
  std::size_t history = 1;   ///< samples of its publisher that may wait for their readers
  bool is_keep_all = false;  ///< of those, none gives way to a newer one
  dds::ServiceForm form = dds::ServiceForm::header;  ///< of a request: what its servers understand
  pool::Gid reply_reader{};                          ///< of a request: where its client listens
};

/// How a request or reply goes out: with one of these.
struct OutMark {
  std::optional<dds::RequestHeader> header{};
  std::optional<dds::SampleIdentity> related{};
  /// May be empty. To be told the sample's number just before it goes: what waits gets it late.
  std::function<void(std::int64_t number)> note{};
};
/// Nothing: the sample does not concern DDS.
using MarkOf = std::function<std::optional<OutMark>(const pool::SampleInfo&, const ProxyWriter&)>;

/// What has come in: a message without identity; one that answers nobody here; or one to deliver.
enum class Arrival : std::uint8_t { malformed, not_ours, ours };
struct InMark {
  Arrival arrival = Arrival::malformed;
  pool::RequestIdentity identity;
  std::size_t header_size = 0;  ///< bytes that were taken out of the payload
};
/// Takes the header out of the payload, where the sample's writer puts one in.
using IdentityOf = std::function<InMark(const dds::Received&, std::span<std::byte> payload)>;
/// The form that a remote writer speaks; nothing: we know nothing of it (any more).
using FormOf = std::function<std::optional<dds::ServiceForm>(const pool::Gid& writer)>;

/// The graph's clients as servers outside know them: by 8 bytes, their request writers' ids; or by
/// a GUID, their reply readers' proxies, and the number of the request's sample.
class ServiceClients {
 public:
  [[nodiscard]] dds::RequestHeader enter(const pool::SampleInfo& request);
  [[nodiscard]] std::optional<pool::RequestIdentity> find(const dds::RequestHeader& header) const;

  /// To be entered before it is sent: the reply may be here before the writer has returned.
  void enter(const dds::SampleIdentity& sent, const pool::RequestIdentity& request);
  [[nodiscard]] std::optional<pool::RequestIdentity> find(const dds::SampleIdentity& sent) const;

 private:
  using Key = std::pair<pool::Gid, std::int64_t>;
  mutable std::mutex mutex_;
  std::map<std::array<std::uint8_t, 8>, pool::Gid> clients_;
  std::map<Key, pool::RequestIdentity> requests_;
  std::deque<Key> order_;  ///< of requests_: the oldest goes first
};

/// Whether a topic of the pool is one half of a service.
[[nodiscard]] bool is_request(std::string_view topic);
[[nodiscard]] bool is_reply(std::string_view topic);
/// "rq/addRequest" -> "rr/addReply".
[[nodiscard]] std::string reply_topic_of(std::string_view request_topic);
/// The name of a topic of the pool in DDS.
[[nodiscard]] std::string name_in_dds(const std::string& topic);

/// Empty for a topic that is no half of a service.
[[nodiscard]] MarkOf mark_of(std::string_view topic, std::shared_ptr<ServiceClients> clients);
[[nodiscard]] IdentityOf identity_of(std::string_view topic,
                                     std::shared_ptr<ServiceClients> clients, FormOf form_of);

/// Names and user data of an endpoint's proxy, be it of a topic or of a service.
[[nodiscard]] dds::EndpointSpec proxy_of(const pool::EndpointDescription& description,
                                         pool::EndpointKind kind);

}  // namespace ligament::edge
