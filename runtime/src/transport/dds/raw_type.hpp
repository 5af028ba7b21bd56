// SPDX-License-Identifier: Apache-2.0
/// \file The one place that knows Cyclone's half-public interface for types and data of one's own:
/// serialised samples that are sent from where they lie, and received into memory of our choice.
///
/// Written against Cyclone DDS 0.10 (`dds/ddsi/ddsi_sertype.h`, `ddsi_serdata.h`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "transport/dds/inline_qos.hpp"

struct ddsi_sertype;
struct ddsi_serdata;

namespace ligament::dds {

/// Memory that a payload is being received into. Destroying it gives the memory back.
class Incoming {
 public:
  Incoming() = default;
  Incoming(const Incoming&) = delete;
  Incoming& operator=(const Incoming&) = delete;
  virtual ~Incoming() = default;
  [[nodiscard]] virtual std::span<std::byte> bytes() = 0;
};

/// What a received sample comes with beside its payload.
struct Marks {
  pool::Gid writer{};         ///< as its datagram names it; zero between writers of one process
  std::int64_t sequence = 0;  ///< its number among those of its writer; 0 as above
  std::optional<SampleIdentity> related;
};

/// Where the payloads of a topic are received. Called from the engine's threads.
class Inbox {
 public:
  Inbox() = default;
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;
  virtual ~Inbox() = default;
  /// Memory for a payload of `size` bytes, or null: it is dropped (and counted by the inbox).
  [[nodiscard]] virtual std::unique_ptr<Incoming> receive(std::size_t size, const Marks& marks) = 0;
};

/// A type that the engine knows by name only. The inbox outlives every reader of the topic;
/// null: nothing is received. The result is given to dds_create_topic_sertype, which owns it.
[[nodiscard]] ddsi_sertype* make_raw_type(const std::string& type_name,
                                          std::shared_ptr<Inbox> inbox);

/// Bytes to send, which stay where they are until `owner` is released by the engine.
/// `type` is that of the writer's topic.
[[nodiscard]] ddsi_serdata* make_raw_data(const ddsi_sertype* type,
                                          std::span<const std::byte> bytes,
                                          std::shared_ptr<const void> owner,
                                          std::int64_t source_timestamp_ns);

/// Such bytes that the engine sends with `related` in inline QoS. Null: it sends by something else
/// than datagrams, and cannot.
[[nodiscard]] ddsi_serdata* make_related_data(const ddsi_sertype* type,
                                              std::span<const std::byte> bytes,
                                              std::shared_ptr<const void> owner,
                                              std::int64_t source_timestamp_ns,
                                              const SampleIdentity& related);

[[nodiscard]] const Marks& marks_of(const ddsi_serdata& data);

/// What a received sample holds: taken out of it, at most once.
[[nodiscard]] std::unique_ptr<Incoming> take_incoming(ddsi_serdata& data);

}  // namespace ligament::dds
