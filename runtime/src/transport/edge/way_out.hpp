// SPDX-License-Identifier: Apache-2.0
/// \file From the pool into DDS: one topic. Samples are sent from where they lie and held until the
/// engine needs them no more.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "ligament/detail/pool.hpp"
#include "transport/dds/participant.hpp"
#include "transport/edge/service_ways.hpp"

namespace ligament::edge {

struct WayOutFigures {
  std::uint64_t sent = 0;
  std::uint64_t bytes = 0;
  std::uint64_t lost = 0;       ///< overwritten in the pool before they were taken
  std::uint64_t refused = 0;    ///< the engine's history stayed full for the blocking time
  std::uint64_t held_back = 0;  ///< takes that found max_held samples still with the engine
  bool operator==(const WayOutFigures&) const = default;

  void add(const WayOutFigures& more) {
    sent += more.sent;
    bytes += more.bytes;
    lost += more.lost;
    refused += more.refused;
    held_back += more.held_back;
  }
};

class WayOut {
 public:
  /// Joins the topic as a subscription. `wanted` says topic, type and QoS (section 6).
  [[nodiscard]] static expected<std::unique_ptr<WayOut>, std::string> open(
      pool::Domain& domain, pool::Waiter& waiter, const pool::EndpointDescription& wanted,
      MarkOf mark_of = nullptr);

  /// Samples of this publisher go to this writer. Replaces what was said before; an empty map
  /// stops all. A writer is destroyed only after it has been taken out here.
  void set_writers(std::map<std::uint64_t, OutFace> writers);
  /// Takes out one writer; the others go on.
  void forget(std::uint64_t publisher);

  /// Sends what is there, but not for ever: other topics wait. False: nothing was sent.
  bool pump();
  /// Whether a sample waits for room with the engine: to be pumped again soon.
  [[nodiscard]] bool is_blocked() const;
  /// Publishers here that the way hears.
  [[nodiscard]] std::size_t publishers() const { return reader_->matched_writers(); }
  [[nodiscard]] const pool::EndpointDescription& description() const { return description_; }
  [[nodiscard]] WayOutFigures figures() const;

 private:
  WayOut() = default;
  /// A sample of a transient-local publisher, copied: DDS keeps it for late comers.
  struct Latched {
    std::uint64_t publisher = 0;
    std::shared_ptr<const std::vector<std::byte>> memory;
    std::span<const std::byte> bytes;
    std::int64_t timestamp_ns = 0;
  };
  /// The publisher's time, and what its request answers.
  struct When {
    std::int64_t timestamp_ns = 0;
    std::optional<dds::SampleIdentity> related{};
  };
  /// What the engine had no room for: it is tried again for as long as ROS 2's implementations
  /// block, while other topics go on.
  struct Blocked {
    std::uint64_t publisher = 0;
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;
    When when;
    std::int64_t since_ns = 0;
  };
  bool write_blocked();
  void send(pool::HeldSample&& sample);
  void send_marked(const OutFace& face, pool::HeldSample&& sample);
  void send_latched(Latched&& sample);
  void keep_for_later(Latched&& sample);
  void write(std::uint64_t publisher, std::span<const std::byte> bytes,
             std::shared_ptr<const void> owner, const When& when);
  void count(std::size_t sent_bytes);

  pool::EndpointDescription description_;
  MarkOf mark_of_;  ///< of services; else empty
  std::unique_ptr<pool::Reader> reader_;
  mutable std::mutex mutex_;  ///< guards everything below
  std::map<std::uint64_t, OutFace> writers_;
  std::deque<Latched> early_;    ///< of publishers whose writers we have not been told yet
  std::deque<Blocked> blocked_;  ///< the first has been tried
  WayOutFigures figures_;
};

}  // namespace ligament::edge
