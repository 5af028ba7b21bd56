// SPDX-License-Identifier: Apache-2.0
/// \file What has callbacks, as an executor of several threads sees it: is there something to do,
/// take it, and run it, on another thread perhaps.
#pragma once

#include <cstdint>
#include <ligament/callback_group.hpp>
#include <ligament/node.hpp>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace ligament::detail {

/// One callback that shall run, with all it needs. It keeps its endpoint alive.
class Work {
 public:
  struct Message {
    std::shared_ptr<SubscriptionBase> subscription;
    pool::HeldSample sample;
  };
  struct SubscriptionEvents {
    std::shared_ptr<SubscriptionBase> subscription;
  };
  struct PublisherEvents {
    std::shared_ptr<PublisherBase> publisher;
  };
  struct LateRequests {
    std::shared_ptr<ClientBase> client;
  };
  struct Timer {
    std::shared_ptr<TimerBase> timer;
  };
  using What = std::variant<std::monostate, Message, SubscriptionEvents, PublisherEvents,
                            LateRequests, Timer>;

  What what;
  std::shared_ptr<CallbackGroup> group;
  std::shared_ptr<NodeState> node;

  /// Runs the callback. What it throws goes through; the group is left with `clear()`.
  void run();
  /// Lets go of all of it; whether somebody waits for its group.
  [[nodiscard]] bool clear();
};

class Source {
 public:
  using Endpoint = std::variant<std::weak_ptr<SubscriptionBase>, std::weak_ptr<PublisherBase>,
                                std::weak_ptr<ClientBase>, std::weak_ptr<TimerBase>>;

  Source(Endpoint endpoint, std::shared_ptr<CallbackGroup> group, std::shared_ptr<NodeState> node);

  /// Takes what there is to do, if its group is free; enters the group then. One thread at a time.
  [[nodiscard]] bool take(Work& work);
  /// Whether take() would find something now that needs no clock. Where the group is in the way, it
  /// says who waits.
  [[nodiscard]] bool is_ready();
  /// When to look again for what needs a clock (CLOCK_MONOTONIC, ns). The same about the group.
  [[nodiscard]] std::int64_t look_again_ns(std::int64_t now_ns);

  /// From now on at most `depth` messages more, and nothing that needs a clock.
  void begin_drain();

 private:
  [[nodiscard]] bool take(const std::shared_ptr<SubscriptionBase>& subscription, Work& work);
  [[nodiscard]] bool take(const std::shared_ptr<PublisherBase>& publisher, Work& work) const;
  [[nodiscard]] bool take(const std::shared_ptr<ClientBase>& client, Work& work) const;
  [[nodiscard]] bool take(const std::shared_ptr<TimerBase>& timer, Work& work) const;
  [[nodiscard]] bool has_data() const;

  Endpoint endpoint_;
  std::shared_ptr<CallbackGroup> group_;
  std::shared_ptr<NodeState> node_;
  std::optional<std::uint32_t> left_;  ///< messages that a drain may still take
};

/// All of a node, in the order in which it made them.
void add_sources(const std::shared_ptr<NodeState>& node, std::vector<Source>& sources);

}  // namespace ligament::detail
