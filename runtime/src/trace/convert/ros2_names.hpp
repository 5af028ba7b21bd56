// SPDX-License-Identifier: Apache-2.0
/// \file Who is who in a recording of ros2_tracing: handles of a process become ids, and the
/// start-up events become rows.
///
/// A handle is an address: two processes may have the same one, and a later object may get that of
/// an earlier one. So an object's id is a hash of host, process, address and the time it was made,
/// and an address always stands for the object that was made last.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/convert/ros2_event.hpp"

namespace ligament::trace::ros2 {

using Id = std::uint64_t;
using Address = std::uint64_t;

/// A message: its publisher and the number that the importer gave it there. 0, 0: not known.
struct Message {
  Id publisher = 0;
  std::uint64_t seq = 0;
};

enum class CallbackKind : std::uint8_t { unknown, subscription, timer, service };

/// What a callback belongs to. A subscription's id may become known only after the callback.
struct Callback {
  CallbackKind kind = CallbackKind::unknown;
  Address owner = 0;  ///< rclcpp subscription, rcl timer or rcl service
  std::string symbol;
  bool named = false;
};

struct Timer {
  Id id = 0;
  std::int64_t period_ns = 0;
  bool told = false;  ///< its row is written
};

/// An intra-process buffer: the messages in its places.
struct Ring {
  Address ipb = 0;
  std::vector<Message> places;
};

/// The objects of one process by address.
struct Process {
  std::unordered_map<Address, Id> nodes;
  std::unordered_map<Address, Id> publishers;
  std::unordered_map<Address, Id> rmw_publishers;
  std::unordered_map<Address, Id> subscriptions;
  std::unordered_map<Address, Id> rmw_subscriptions;
  std::unordered_map<Address, Address> subscription_of_rclcpp;
  std::unordered_map<Address, Address> rclcpp_of_ipb;
  std::unordered_map<Address, Id> services;
  std::unordered_map<Address, Timer> timers;
  std::unordered_map<Address, Callback> callbacks;
  std::unordered_map<Address, Ring> rings;
};

/// FNV-1a, as ids of nodes and topics are hashed everywhere.
[[nodiscard]] Id hash_text(std::string_view text);
/// Id of an object of a process; never 0.
[[nodiscard]] Id object_id(const Stamp& stamp, Address address, std::uint64_t made);

/// Takes the start-up events, and answers whom an address means.
class Names {
 public:
  explicit Names(RowWriter& rows) : rows_(rows) {}

  /// False: not an event of this part.
  bool on_event(const Decoded& event);
  [[nodiscard]] Process& process(const Stamp& stamp);
  /// The subscription behind an rclcpp subscription; 0: not known.
  [[nodiscard]] Id subscription_of(const Process& process, Address rclcpp) const;
  /// The subscription that takes from a ring; 0: not known.
  [[nodiscard]] Id subscription_of_ring(const Process& process, const Ring& ring) const;
  /// Whose callback it is; an unknown one gets an id of its own, and `kind` says so.
  [[nodiscard]] Id owner_of(const Stamp& stamp, Address callback, CallbackKind& kind);

 private:
  bool on_endpoint(const Decoded& event);
  bool on_link(const Decoded& event);
  bool on_callback(const Decoded& event);
  void add_node(const Decoded& event);
  /// Its rows; returns its id.
  Id add_end(const Decoded& event, RowId row, ColumnId column);
  void add_publisher(const Decoded& event);
  void add_subscription(const Decoded& event);
  void add_service(const Decoded& event, RowId kind);
  void add_topic(const Stamp& stamp, std::string_view name);
  void tell_callback(const Stamp& stamp, Process& process, Address address);
  void tell_timer(const Stamp& stamp, Timer& timer, Id node);

  RowWriter& rows_;
  std::unordered_map<std::uint64_t, Process> processes_;
  std::uint64_t last_place_ = 0;
  Process* last_process_ = nullptr;
};

}  // namespace ligament::trace::ros2
