// SPDX-License-Identifier: Apache-2.0
#include "trace/convert/ros2_names.hpp"

#include <algorithm>

namespace ligament::trace::ros2 {

namespace {

constexpr std::uint64_t fnv_offset = 14695981039346656037ULL;
constexpr std::uint64_t fnv_prime = 1099511628211ULL;
/// More places than any history depth that means something; a damaged event must not cost memory.
constexpr std::uint64_t most_places = 1U << 20;

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  for (int byte = 0; byte < 8; ++byte) {
    hash = (hash ^ ((value >> (8 * byte)) & 0xff)) * fnv_prime;
  }
  return hash;
}

Id find(const std::unordered_map<Address, Id>& map, Address address) {
  const auto found = map.find(address);
  return found != map.end() ? found->second : 0;
}

/// A node's fully qualified name.
std::string qualified(std::string_view space, std::string_view name) {
  std::string full(space);
  if (full.empty() || full.back() != '/') {
    full += '/';
  }
  return full.append(name);
}

}  // namespace

Id hash_text(std::string_view text) {
  std::uint64_t hash = fnv_offset;
  for (const char character : text) {
    hash = (hash ^ static_cast<unsigned char>(character)) * fnv_prime;
  }
  return hash;
}

Id object_id(const Stamp& stamp, Address address, std::uint64_t made) {
  const std::uint64_t where = (std::uint64_t{stamp.host} << 32) | stamp.pid;
  const Id id = mix(mix(mix(fnv_offset, where), address), made);
  return id != 0 ? id : 1;
}

Process& Names::process(const Stamp& stamp) {
  const std::uint64_t place = (std::uint64_t{stamp.host} << 32) | stamp.pid;
  if (last_process_ == nullptr || last_place_ != place) {
    last_place_ = place;
    last_process_ = &processes_[place];
  }
  return *last_process_;
}

Id Names::subscription_of(const Process& process, Address rclcpp) const {
  const auto handle = process.subscription_of_rclcpp.find(rclcpp);
  return handle != process.subscription_of_rclcpp.end()
             ? find(process.subscriptions, handle->second)
             : 0;
}

Id Names::subscription_of_ring(const Process& process, const Ring& ring) const {
  const auto rclcpp = process.rclcpp_of_ipb.find(ring.ipb);
  return rclcpp != process.rclcpp_of_ipb.end() ? subscription_of(process, rclcpp->second) : 0;
}

Id Names::owner_of(const Stamp& stamp, Address callback, CallbackKind& kind) {
  const Process& objects = process(stamp);
  const auto found = objects.callbacks.find(callback);
  kind = found != objects.callbacks.end() ? found->second.kind : CallbackKind::unknown;
  Id id = 0;
  if (kind == CallbackKind::subscription) {
    id = subscription_of(objects, found->second.owner);
  } else if (kind == CallbackKind::service) {
    id = find(objects.services, found->second.owner);
  } else if (kind == CallbackKind::timer) {
    const auto timer = objects.timers.find(found->second.owner);
    id = timer != objects.timers.end() ? timer->second.id : 0;
  }
  if (id == 0) {
    kind = CallbackKind::unknown;
    return object_id(stamp, callback, 0);
  }
  return id;
}

bool Names::on_event(const Decoded& event) {
  return on_endpoint(event) || on_link(event) || on_callback(event);
}

bool Names::on_endpoint(const Decoded& event) {
  switch (event.id) {
    case EventId::rcl_init:
    case EventId::rmw_publisher_init:
    case EventId::rmw_subscription_init:
    case EventId::rcl_lifecycle_state_machine_init:
    case EventId::rcl_lifecycle_transition:
      return true;
    case EventId::rcl_node_init:
      add_node(event);
      return true;
    case EventId::rcl_publisher_init:
      add_publisher(event);
      return true;
    case EventId::rcl_subscription_init:
      add_subscription(event);
      return true;
    case EventId::rcl_service_init:
      add_service(event, RowId::service_init);
      return true;
    case EventId::rcl_client_init:
      add_service(event, RowId::client_init);
      return true;
    default:
      return false;
  }
}

bool Names::on_link(const Decoded& event) {
  Process& objects = process(event.stamp);
  const Address first = event.values[0];
  const Address second = event.values[1];
  switch (event.id) {
    case EventId::rclcpp_subscription_init:
      objects.subscription_of_rclcpp[second] = first;
      for (auto& [address, callback] : objects.callbacks) {
        if (callback.kind == CallbackKind::subscription && callback.owner == second) {
          tell_callback(event.stamp, objects, address);
        }
      }
      return true;
    case EventId::rclcpp_ipb_to_subscription:
      objects.rclcpp_of_ipb[first] = second;
      return true;
    case EventId::rclcpp_buffer_to_ipb:
      objects.rings[first].ipb = second;
      return true;
    case EventId::rclcpp_construct_ring_buffer:
      objects.rings[first] = {0, std::vector<Message>(std::min(second, most_places))};
      return true;
    case EventId::rclcpp_ring_buffer_clear:
      for (Message& place : objects.rings[first].places) {
        place = {};
      }
      return true;
    case EventId::rcl_timer_init:
      objects.timers[first] = {object_id(event.stamp, first, event.stamp.ticks),
                               static_cast<std::int64_t>(second), false};
      return true;
    case EventId::rclcpp_timer_link_node:
      tell_timer(event.stamp, objects.timers[first], find(objects.nodes, second));
      return true;
    default:
      return false;
  }
}

bool Names::on_callback(const Decoded& event) {
  Process& objects = process(event.stamp);
  const Address first = event.values[0];
  const Address second = event.values[1];
  const auto add = [&](CallbackKind kind) {
    // The address may have been another callback's before.
    objects.callbacks[second] = {kind, first, {}, false};
    return true;
  };
  switch (event.id) {
    case EventId::rclcpp_subscription_callback_added:
      return add(CallbackKind::subscription);
    case EventId::rclcpp_service_callback_added:
      return add(CallbackKind::service);
    case EventId::rclcpp_timer_callback_added:
      return add(CallbackKind::timer);
    case EventId::rclcpp_callback_register:
      objects.callbacks[first].symbol = event.texts[1];
      tell_callback(event.stamp, objects, first);
      return true;
    default:
      return false;
  }
}

void Names::add_node(const Decoded& event) {
  const std::string name = qualified(event.texts[3], event.texts[2]);
  const Id id = hash_text(name);
  process(event.stamp).nodes[event.values[0]] = id;
  rows_.row(event.stamp, RowId::node_init, {{ColumnId::node, id}}, {{ColumnId::name, name}});
}

void Names::add_topic(const Stamp& stamp, std::string_view name) {
  rows_.row(stamp, RowId::topic_init, {{ColumnId::topic, hash_text(name)}},
            {{ColumnId::name, name}});
}

Id Names::add_end(const Decoded& event, RowId row, ColumnId column) {
  const Id id = object_id(event.stamp, event.values[2], event.stamp.ticks);
  add_topic(event.stamp, event.texts[3]);
  rows_.row(event.stamp, row,
            {{column, id},
             {ColumnId::topic, hash_text(event.texts[3])},
             {ColumnId::node, find(process(event.stamp).nodes, event.values[1])},
             {ColumnId::depth, event.values[4]}});
  return id;
}

void Names::add_publisher(const Decoded& event) {
  const Id id = add_end(event, RowId::publisher_init, ColumnId::publisher);
  Process& objects = process(event.stamp);
  objects.publishers[event.values[0]] = objects.rmw_publishers[event.values[2]] = id;
}

void Names::add_subscription(const Decoded& event) {
  const Id id = add_end(event, RowId::subscription_init, ColumnId::subscription);
  Process& objects = process(event.stamp);
  objects.subscriptions[event.values[0]] = objects.rmw_subscriptions[event.values[2]] = id;
}

void Names::add_service(const Decoded& event, RowId kind) {
  Process& objects = process(event.stamp);
  const Id id = object_id(event.stamp, event.values[0], event.stamp.ticks);
  if (kind == RowId::service_init) {
    objects.services[event.values[0]] = id;
  }
  rows_.row(event.stamp, kind,
            {{ColumnId::handle, id}, {ColumnId::node, find(objects.nodes, event.values[1])}},
            {{ColumnId::name, event.texts[3]}});
}

void Names::tell_callback(const Stamp& stamp, Process& process, Address address) {
  Callback& callback = process.callbacks[address];
  CallbackKind kind{};
  const Id owner = owner_of(stamp, address, kind);
  if (callback.named || callback.symbol.empty() || kind == CallbackKind::unknown) {
    return;
  }
  callback.named = true;
  rows_.row(stamp, RowId::callback_name, {{ColumnId::handle, owner}},
            {{ColumnId::name, callback.symbol}});
}

void Names::tell_timer(const Stamp& stamp, Timer& timer, Id node) {
  if (timer.id == 0 || timer.told) {
    return;  // its own start-up event was lost
  }
  timer.told = true;
  rows_.row(stamp, RowId::timer_init,
            {{ColumnId::handle, timer.id},
             {ColumnId::node, node},
             {ColumnId::period_ns, bits_of(timer.period_ns)}});
}

}  // namespace ligament::trace::ros2
