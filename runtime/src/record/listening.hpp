// SPDX-License-Identifier: Apache-2.0
/// \file Which subscriptions a listener to a whole graph needs, and which publishers each is for.
///
///   Listening listening(*domain, *waiter, {.node = recorder_node, .selection = &selection});
///   if (listening.is_out_of_date()) listening.look();
///   for (auto& [name, topic] : listening.topics())
///     for (auto& [kind, reader] : topic.readers)
///       if (auto sample = reader->take(); sample && *sample)
///         if (listening.is_heard_by(topic, kind, (*sample)->info().publisher)) use(**sample);
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ligament/detail/pool.hpp"
#include "record/metadata.hpp"
#include "record/selection.hpp"

namespace ligament::record {

/// Ordinary names: where the graph has an edge, its proxy asks ROS 2 nodes for their messages.
inline constexpr const char* recorder_node = "/ligament_record";
inline constexpr const char* viewer_node = "/ligament_view";

struct ListeningOptions {
  const char* node;
  const Selection* selection;
  bool waits = false;           ///< keep-all publishers wait for this listener
  std::uint32_t depth = 1000;   ///< so far back a sample is taken
  std::uint32_t max_held = 16;  ///< samples of a topic that are held at once
};

/// Publishers that one subscription cannot hear together: who asks for history does not match
/// volatile ones, and who makes some wait does not match best-effort ones.
struct ListeningKind {
  bool is_transient = false;
  bool is_paced = false;
  auto operator<=>(const ListeningKind&) const = default;
};

struct HeardPublisher {
  ListeningKind kind;
  QoSProfile offered;
};

struct HeardTopic {
  std::string name;
  std::string type;
  TypeHash hash{};
  std::map<ListeningKind, std::unique_ptr<pool::Reader>> readers;
  std::map<std::uint64_t, HeardPublisher> publishers;  ///< those that are gone, too

  /// Published again before they were taken.
  [[nodiscard]] std::uint64_t lost() const;
};

/// Subscriptions to all topics of a domain that are selected, of one type each.
class Listening {
 public:
  Listening(pool::Domain& domain, pool::Waiter& waiter, const ListeningOptions& options)
      : domain_(domain), waiter_(waiter), options_(options) {}

  [[nodiscard]] bool is_out_of_date() const { return domain_.version() != version_; }
  void look();
  /// Each sample is kept once, by the subscription that is for its publisher's kind: a volatile one
  /// hears the others, too.
  [[nodiscard]] bool is_heard_by(HeardTopic& topic, ListeningKind kind, std::uint64_t publisher);
  [[nodiscard]] std::map<std::string, HeardTopic>& topics() { return topics_; }
  [[nodiscard]] const std::map<std::string, HeardTopic>& topics() const { return topics_; }
  /// Everybody who was there is gone.
  [[nodiscard]] bool has_ended() const { return has_ended_; }
  /// What a person should know, once each.
  [[nodiscard]] std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }
  void note(const std::string& text);

 private:
  void see(const pool::EndpointInfo& endpoint);
  void open(HeardTopic& topic, ListeningKind kind);
  [[nodiscard]] ListeningKind kind_of(const QoSProfile& offered) const;

  pool::Domain& domain_;
  pool::Waiter& waiter_;
  const ListeningOptions options_;
  std::map<std::string, HeardTopic> topics_;
  std::uint64_t version_ = 0;
  bool had_peers_ = false;
  bool has_ended_ = false;
  std::vector<std::string> notes_;
  std::vector<std::string> noted_;
};

}  // namespace ligament::record
