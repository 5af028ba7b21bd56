// SPDX-License-Identifier: Apache-2.0
/// \file What `pool_peer` is told of quality of service, and what it answers about events.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <sstream>
#include <string>

#include "ligament/detail/pool.hpp"

namespace ligament::pool::test {

using PeerOptions = std::map<std::string, std::string>;

inline PeerOptions read_options(std::istringstream& line) {
  PeerOptions options;
  for (std::string word; line >> word;) {
    const auto equals = word.find('=');
    options[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return options;
}

inline std::uint64_t number(const PeerOptions& options, const std::string& key,
                            std::uint64_t otherwise) {
  const auto found = options.find(key);
  return found == options.end() ? otherwise : std::stoull(found->second);
}

/// key=value: depth, reliable, latched, held, all, type, hash, node; in ms: lifespan, deadline,
/// lease; manual.
inline EndpointDescription describe(const std::string& topic, PeerOptions& options) {
  EndpointDescription description;
  description.topic = topic;
  description.type_name = options.count("type") != 0 ? options["type"] : "test/msg/Bytes";
  description.node = options.count("node") != 0 ? options["node"] : "/peer";
  QoS qos(number(options, "depth", 10));
  if (options["reliable"] == "0") qos.best_effort();
  if (options["latched"] == "1") qos.transient_local();
  if (options["all"] == "1") qos.keep_all();
  if (options.count("held") != 0) qos.max_held(number(options, "held", 0));
  description.qos = qos.profile();
  const auto ms = [&](const char* key) {
    return static_cast<std::int64_t>(number(options, key, 0)) * 1'000'000;
  };
  description.qos.lifespan_ns = ms("lifespan");
  description.qos.deadline_ns = ms("deadline");
  description.qos.liveliness_lease_ns = ms("lease");
  if (options["manual"] == "1") description.qos.liveliness = LivelinessPolicy::manual_by_topic;
  description.type_hash[0] = static_cast<std::uint8_t>(number(options, "hash", 0));
  return description;
}

/// max_bytes, ring, device; blocking in ms.
inline WriterOptions writer_options(PeerOptions& options) {
  WriterOptions chosen;
  chosen.max_bytes = number(options, "max_bytes", 0);
  chosen.ring = static_cast<std::uint32_t>(number(options, "ring", 0));
  chosen.device = options["device"] == "1";
  chosen.max_blocking_ns = static_cast<std::int64_t>(number(options, "blocking", 100)) * 1'000'000;
  return chosen;
}

/// Totals; what is now, where it can go down.
inline std::string events_text(Writer& writer) {
  const WriterEvents now = writer.take_events();
  return fmt::format("ok deadline {} lost {} qos {} type {} matched {} stalled {}",
                     now.deadline_missed.total, now.liveliness_lost.total,
                     now.incompatible_qos.total, now.incompatible_type.total, now.matched.current,
                     now.stalled.current);
}
inline std::string events_text(Reader& reader) {
  const ReaderEvents now = reader.take_events();
  return fmt::format("ok deadline {} alive {} not_alive {} qos {} type {} matched {} lost {}",
                     now.deadline_missed.total, now.liveliness_changed.alive,
                     now.liveliness_changed.not_alive, now.incompatible_qos.total,
                     now.incompatible_type.total, now.matched.current, now.message_lost.total);
}
inline std::string stats_text(const Writer& writer) {
  const WriterStats stats = writer.stats();
  return fmt::format("ok published {} waits {} overrun {} stalled {}", stats.published, stats.waits,
                     stats.overrun, stats.stalled);
}

}  // namespace ligament::pool::test
