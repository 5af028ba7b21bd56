// SPDX-License-Identifier: Apache-2.0
/// \file A subscription without its callback's type.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <ligament/subscription.hpp>
#include <memory>
#include <mutex>
#include <string>

#include "node/age_histogram.hpp"
#include "node/node_state.hpp"

namespace ligament::detail {

/// Finds gaps in the sequence numbers of each publisher, for trace events. Fixed memory: a topic
/// has at most 64 ends; a publisher beyond that is not followed.
class GapFinder {
 public:
  /// How many messages are missing before this one.
  std::uint64_t missing_before(std::uint64_t publisher, std::uint64_t sequence) {
    for (auto& [known, last] : seen_) {
      if (known == publisher || known == 0) {
        const std::uint64_t missing = known != 0 && sequence > last + 1 ? sequence - last - 1 : 0;
        known = publisher;
        last = sequence;
        return missing;
      }
    }
    return 0;
  }

 private:
  std::array<std::pair<std::uint64_t, std::uint64_t>, 64> seen_{};
};

struct SubscriptionState {
  std::shared_ptr<NodeState> node;
  std::string topic;
  QoSProfile qos;
  std::unique_ptr<pool::Reader> reader;
  SubscriptionEventCallbacks events;
  bool wants_events = false;  ///< some callback is set
  bool selective = false;
  bool ignores_own = false;
  TopicMode mode = TopicMode::shared;
  std::shared_ptr<CallbackGroup> group;
  std::mutex turn;  ///< of a selective one: a sender may take, too, while it waits for room
  GapFinder gaps;
  AgeHistogram ages;
  // Relaxed everywhere: figures, written by the executor's threads, read by the status thread.
  std::atomic<std::uint64_t> invalid{0};
  std::atomic<std::uint64_t> refused{0};
  std::atomic<std::uint64_t> foreign{0};
  std::atomic<std::uint64_t> copies{0};
  std::atomic<std::uint64_t> bytes_copied{0};
};

}  // namespace ligament::detail
