// SPDX-License-Identifier: Apache-2.0
/// \file From the pool into DDS: one topic. Samples are sent from where they lie and held until the
/// engine needs them no more.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "ligament/detail/pool.hpp"
#include "transport/dds/participant.hpp"

namespace ligament::edge {

struct WayOutFigures {
  std::uint64_t sent = 0;
  std::uint64_t bytes = 0;
  std::uint64_t lost = 0;       ///< overwritten in the pool before they were taken
  std::uint64_t refused = 0;    ///< the engine's history stayed full for the blocking time
  std::uint64_t held_back = 0;  ///< takes that found max_held samples still with the engine
};

class WayOut {
 public:
  /// Joins the topic as a subscription. `wanted` says topic, type and QoS (section 6).
  [[nodiscard]] static expected<std::unique_ptr<WayOut>, std::string> open(
      pool::Domain& domain, pool::Waiter& waiter, const pool::EndpointDescription& wanted);

  /// Samples of this publisher go to this writer. Replaces what was said before; an empty map
  /// stops all. A writer is destroyed only after it has been taken out here.
  void set_writers(std::map<std::uint64_t, dds::Writer*> writers);

  /// Sends what is there. False: nothing was.
  bool pump();
  [[nodiscard]] const pool::EndpointDescription& description() const { return description_; }
  [[nodiscard]] WayOutFigures figures() const;

 private:
  WayOut() = default;
  void send(pool::HeldSample&& sample);

  pool::EndpointDescription description_;
  std::unique_ptr<pool::Reader> reader_;
  mutable std::mutex mutex_;  ///< guards everything below
  std::map<std::uint64_t, dds::Writer*> writers_;
  WayOutFigures figures_;
};

}  // namespace ligament::edge
