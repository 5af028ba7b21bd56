// SPDX-License-Identifier: Apache-2.0
#include "trace/convert/ros2_mapper.hpp"

namespace ligament::trace::ros2 {

namespace {

std::uint64_t place_of(const Stamp& stamp, std::uint32_t number) {
  return (std::uint64_t{stamp.host} << 32) | number;
}

Id executor_of(const Stamp& stamp) { return object_id(stamp, stamp.tid, 0); }

}  // namespace

Mapper::Thread& Mapper::thread_of(const Decoded& event) {
  const Stamp& stamp = event.stamp;
  if (last_thread_ != nullptr && last_pid_ == stamp.pid &&
      last_place_ == place_of(stamp, stamp.tid)) {
    return *last_thread_;
  }
  if (processes_.try_emplace(place_of(stamp, stamp.pid), true).second) {
    rows_.row(stamp, RowId::process_start, {}, {{ColumnId::container, event.program}});
  }
  last_pid_ = stamp.pid;
  last_place_ = place_of(stamp, stamp.tid);
  const auto [entry, is_new] = threads_.try_emplace(last_place_);
  if (is_new) {
    rows_.row(stamp, RowId::thread_start, {}, {{ColumnId::name, event.program}});
  }
  last_thread_ = &entry->second;
  return *last_thread_;
}

void Mapper::on_event(const Decoded& event) {
  Thread& thread = thread_of(event);
  if (thread.published.open) {
    thread.published.open = false;
    rows_.row(event.stamp, RowId::send_end,
              {{ColumnId::publisher, thread.published.message.publisher},
               {ColumnId::seq, thread.published.message.seq}});
  }
  // In order of frequency.
  static_cast<void>(on_executor(event, thread) || on_take(event, thread) ||
                    on_publish(event, thread) || on_ring(event, thread) || names_.on_event(event));
}

bool Mapper::on_executor(const Decoded& event, Thread& thread) {
  const Stamp& stamp = event.stamp;
  switch (event.id) {
    case EventId::rclcpp_executor_get_next_ready:
      if (thread.waiting) {
        rows_.row(stamp, RowId::wait_end, {{ColumnId::executor, executor_of(stamp)}});
      }
      thread.waiting = false;
      thread.ready_ns = stamp.time_ns;
      return true;
    case EventId::rclcpp_executor_wait_for_work:
      thread.waiting = true;
      rows_.row(stamp, RowId::wait_begin, {{ColumnId::executor, executor_of(stamp)}});
      return true;
    case EventId::rclcpp_executor_execute:
      thread.execute_ns = stamp.time_ns;
      return true;
    case EventId::callback_start:
      callback_start(event, thread);
      return true;
    case EventId::callback_end: {
      CallbackKind kind{};
      rows_.row(stamp, RowId::callback_end,
                {{ColumnId::handle, names_.owner_of(stamp, event.values[0], kind)}});
      return true;
    }
    default:
      return false;
  }
}

void Mapper::callback_start(const Decoded& event, Thread& thread) {
  CallbackKind kind{};
  const Id owner = names_.owner_of(event.stamp, event.values[0], kind);
  const std::optional<Taken> taken = thread.taken;
  thread.taken.reset();
  if (kind == CallbackKind::unknown) {
    ++unknowns_.unnamed_callbacks;
  }
  if (kind != CallbackKind::subscription) {
    rows_.row(event.stamp, RowId::callback_start,
              {{ColumnId::handle, owner}, {ColumnId::publisher, 0}, {ColumnId::seq, 0}});
  } else if (!taken || taken->subscription != owner) {
    // It was called with a message, but which one was lost.
    rows_.row(event.stamp, RowId::callback_start, {{ColumnId::handle, owner}});
  } else if (taken->intra) {
    rows_.row(event.stamp, RowId::callback_start,
              {{ColumnId::handle, owner},
               {ColumnId::publisher, taken->message.publisher},
               {ColumnId::seq, taken->message.seq},
               {ColumnId::intra, 1}});
  } else {
    rows_.row(event.stamp, RowId::callback_start,
              {{ColumnId::handle, owner},
               {ColumnId::source_ns, bits_of(taken->source_ns)},
               {ColumnId::rcl_ns, bits_of(taken->rcl_ns)},
               {ColumnId::intra, 0}});
  }
}

bool Mapper::on_take(const Decoded& event, Thread& thread) {
  switch (event.id) {
    case EventId::rmw_take:
      rmw_take(event, thread);
      return true;
    case EventId::rcl_take:
      if (thread.taken) {
        thread.taken->rcl_ns = event.stamp.time_ns;
      }
      return true;
    case EventId::rclcpp_take:
      return true;
    case EventId::rclcpp_ring_buffer_dequeue:
      dequeue(event, thread);
      return true;
    default:
      return false;
  }
}

void Mapper::rmw_take(const Decoded& event, Thread& thread) {
  if (event.values[3] == 0) {
    ++unknowns_.empty_takes;
    return;
  }
  const Process& process = names_.process(event.stamp);
  const auto found = process.rmw_subscriptions.find(event.values[0]);
  if (found == process.rmw_subscriptions.end()) {
    ++unknowns_.middleware_takes;
    return;
  }
  thread.taken = Taken{.subscription = found->second,
                       .message = {},
                       .source_ns = static_cast<std::int64_t>(event.values[2]),
                       .rcl_ns = event.stamp.time_ns,
                       .intra = false};
  rows_.row(event.stamp, RowId::take,
            {{ColumnId::subscription, found->second},
             {ColumnId::source_ns, event.values[2]},
             {ColumnId::ready_ns, bits_of(thread.ready_ns)},
             {ColumnId::execute_ns, bits_of(thread.execute_ns)},
             {ColumnId::intra, 0}});
}

void Mapper::dequeue(const Decoded& event, Thread& thread) {
  Process& process = names_.process(event.stamp);
  Ring& ring = process.rings[event.values[0]];
  const Id subscription = names_.subscription_of_ring(process, ring);
  if (subscription == 0) {
    ++unknowns_.unknown_rings;
    return;
  }
  Message message;
  if (event.values[1] < ring.places.size()) {
    std::swap(message, ring.places[event.values[1]]);
  }
  thread.taken = Taken{
      .subscription = subscription, .message = message, .source_ns = 0, .rcl_ns = 0, .intra = true};
  if (message.publisher == 0) {
    rows_.row(event.stamp, RowId::take,
              {{ColumnId::subscription, subscription}, {ColumnId::intra, 1}});
    return;
  }
  rows_.row(event.stamp, RowId::take,
            {{ColumnId::subscription, subscription},
             {ColumnId::publisher, message.publisher},
             {ColumnId::seq, message.seq},
             {ColumnId::ready_ns, bits_of(thread.ready_ns)},
             {ColumnId::intra, 1}});
}

bool Mapper::on_ring(const Decoded& event, Thread& thread) {
  if (event.id != EventId::rclcpp_ring_buffer_enqueue) {
    return false;
  }
  enqueue(event, thread);
  return true;
}

void Mapper::enqueue(const Decoded& event, Thread& thread) {
  Process& process = names_.process(event.stamp);
  Ring& ring = process.rings[event.values[0]];
  if (event.values[1] >= ring.places.size()) {
    return;  // the ring's own start-up event is missing: its takes are counted as unknown
  }
  Message& place = ring.places[event.values[1]];
  if (event.values[3] != 0 && place.publisher != 0) {
    rows_.row(event.stamp, RowId::drop,
              {{ColumnId::subscription, names_.subscription_of_ring(process, ring)},
               {ColumnId::publisher, place.publisher},
               {ColumnId::count, 1}});
  }
  place = thread.published.message;
}

Id Mapper::publisher_of(const Decoded& event, Address address, bool count) {
  const Process& process = names_.process(event.stamp);
  const auto found = process.publishers.find(address);
  if (found != process.publishers.end()) {
    return found->second;
  }
  unknowns_.unnamed_publishes += count ? 1 : 0;
  return object_id(event.stamp, address, 0);
}

void Mapper::begin_publish(const Decoded& event, Thread& thread, Id publisher) {
  const std::uint64_t seq = ++published_[publisher];
  thread.published = {.message = {publisher, seq},
                      .address = event.values[1],
                      .in_rcl = false,
                      .sent = false,
                      .open = false};
  const bool same = thread.rclcpp_message == event.values[1] && thread.rclcpp_ns != 0;
  thread.rclcpp_message = 0;
  rows_.row(event.stamp, RowId::publish,
            {{ColumnId::publisher, publisher},
             {ColumnId::seq, seq},
             {ColumnId::begin_ns, bits_of(same ? thread.rclcpp_ns : event.stamp.time_ns)}});
}

bool Mapper::on_publish(const Decoded& event, Thread& thread) {
  switch (event.id) {
    case EventId::rclcpp_publish:
      thread.rclcpp_message = event.values[0];
      thread.rclcpp_ns = event.stamp.time_ns;
      return true;
    case EventId::rclcpp_intra_publish:
      begin_publish(event, thread, publisher_of(event, event.values[0], true));
      return true;
    case EventId::rcl_publish:
      rcl_publish(event, thread);
      return true;
    case EventId::rmw_publish:
      rmw_publish(event, thread);
      return true;
    default:
      return false;
  }
}

void Mapper::rcl_publish(const Decoded& event, Thread& thread) {
  const Id publisher = publisher_of(event, event.values[0], true);
  const Published& before = thread.published;
  // rclcpp gives a message first to its own process, then the same one to rcl.
  const bool goes_on =
      before.message.publisher == publisher && before.address == event.values[1] && !before.in_rcl;
  if (!goes_on) {
    begin_publish(event, thread, publisher);
  }
  thread.published.in_rcl = true;
  thread.rclcpp_message = 0;
}

void Mapper::rmw_publish(const Decoded& event, Thread& thread) {
  Published& published = thread.published;
  const bool has_stamp = event.has(2);
  if (event.has(0)) {
    const Process& process = names_.process(event.stamp);
    const auto known = process.rmw_publishers.find(event.values[0]);
    const bool ours = published.in_rcl && !published.sent && published.address == event.values[1];
    if (known == process.rmw_publishers.end() && !ours) {
      ++unknowns_.middleware_publishes;
      return;
    }
    if (!ours) {  // the events of the layers above were lost
      begin_publish(event, thread, known->second);
    }
  } else if (!published.in_rcl || published.sent || published.address != event.values[1]) {
    ++unknowns_.middleware_publishes;
    return;
  }
  published.in_rcl = true;
  published.sent = true;
  published.open = !has_stamp;
  if (has_stamp) {
    rows_.row(event.stamp, RowId::send,
              {{ColumnId::publisher, published.message.publisher},
               {ColumnId::seq, published.message.seq},
               {ColumnId::source_ns, event.values[2]}});
    return;
  }
  rows_.row(
      event.stamp, RowId::send,
      {{ColumnId::publisher, published.message.publisher}, {ColumnId::seq, published.message.seq}});
}

}  // namespace ligament::trace::ros2
