// SPDX-License-Identifier: Apache-2.0
#include "events.hpp"

#include <rmw/events_statuses/events_statuses.h>
#include <rmw/rmw.h>

#include "context.hpp"
#include "endpoints.hpp"
#include "identifier.hpp"
#include "qos.hpp"

namespace rmw_ligament_cpp {

namespace {

using ligament::pool::CountStatus;
using ligament::pool::IncompatibleQosStatus;
using ligament::pool::LivelinessChangedStatus;
using ligament::pool::MatchedStatus;

/// `kept` has changes that were not taken yet; `fresh` is the status now, with what changed since.
bool merge(CountStatus& kept, const CountStatus& fresh) {
  kept = {fresh.total, kept.change + fresh.change};
  return fresh.change != 0;
}
bool merge(IncompatibleQosStatus& kept, const IncompatibleQosStatus& fresh) {
  kept = {fresh.total, kept.change + fresh.change, fresh.last_policy};
  return fresh.change != 0;
}
bool merge(MatchedStatus& kept, const MatchedStatus& fresh) {
  kept = {fresh.total, kept.total_change + fresh.total_change, fresh.current,
          kept.current_change + fresh.current_change};
  return fresh.total_change != 0 || fresh.current_change != 0;
}
bool merge(LivelinessChangedStatus& kept, const LivelinessChangedStatus& fresh) {
  kept = {fresh.alive, fresh.not_alive, kept.alive_change + fresh.alive_change,
          kept.not_alive_change + fresh.not_alive_change};
  return fresh.alive_change != 0 || fresh.not_alive_change != 0;
}

/// All of rmw's statuses of a number have these two members.
template <typename Status>
void tell(CountStatus& from, void* info) {
  auto& status = *static_cast<Status*>(info);
  status.total_count = static_cast<decltype(status.total_count)>(from.total);
  status.total_count_change = static_cast<decltype(status.total_count_change)>(from.change);
  from.change = 0;
}
void tell_qos(IncompatibleQosStatus& from, void* info) {
  auto& status = *static_cast<rmw_qos_incompatible_event_status_t*>(info);
  status.total_count = static_cast<std::int32_t>(from.total);
  status.total_count_change = static_cast<std::int32_t>(from.change);
  status.last_policy_kind = to_rmw(from.last_policy);
  from.change = 0;
}
void tell_matched(MatchedStatus& from, void* info) {
  auto& status = *static_cast<rmw_matched_status_t*>(info);
  status.total_count = from.total;
  status.total_count_change = from.total_change;
  status.current_count = from.current;
  status.current_count_change = static_cast<std::int32_t>(from.current_change);
  from.total_change = 0;
  from.current_change = 0;
}
void tell_liveliness(LivelinessChangedStatus& from, void* info) {
  auto& status = *static_cast<rmw_liveliness_changed_status_t*>(info);
  status.alive_count = static_cast<std::int32_t>(from.alive);
  status.not_alive_count = static_cast<std::int32_t>(from.not_alive);
  status.alive_count_change = static_cast<std::int32_t>(from.alive_change);
  status.not_alive_count_change = static_cast<std::int32_t>(from.not_alive_change);
  from.alive_change = 0;
  from.not_alive_change = 0;
}

}  // namespace

void EventSource::note(rmw_event_type_t type, bool has_changed_now) {
  Status& status = statuses_[type];
  status.is_new = status.is_new || has_changed_now;
  status.changes += has_changed_now ? 1 : 0;
}

bool EventSource::has_changed(rmw_event_type_t type) {
  const std::lock_guard guard(mutex_);
  absorb();
  return statuses_[type].is_new;
}

std::uint64_t EventSource::changes(rmw_event_type_t type) {
  const std::lock_guard guard(mutex_);
  absorb();
  return statuses_[type].changes;
}

void EventSource::take(rmw_event_type_t type, void* info) {
  const std::lock_guard guard(mutex_);
  absorb();
  statuses_[type].is_new = false;
  copy(type, info);
}

void WriterEventSource::absorb() {
  if (writer == nullptr || !writer->has_events()) {
    return;
  }
  const auto fresh = writer->take_events();
  note(RMW_EVENT_LIVELINESS_LOST, merge(now_.liveliness_lost, fresh.liveliness_lost));
  note(RMW_EVENT_OFFERED_DEADLINE_MISSED, merge(now_.deadline_missed, fresh.deadline_missed));
  note(RMW_EVENT_OFFERED_QOS_INCOMPATIBLE, merge(now_.incompatible_qos, fresh.incompatible_qos));
  note(RMW_EVENT_PUBLISHER_INCOMPATIBLE_TYPE,
       merge(now_.incompatible_type, fresh.incompatible_type));
  note(RMW_EVENT_PUBLICATION_MATCHED, merge(now_.matched, fresh.matched));
}

void WriterEventSource::copy(rmw_event_type_t type, void* info) {
  switch (type) {
    case RMW_EVENT_LIVELINESS_LOST:
      return tell<rmw_liveliness_lost_status_t>(now_.liveliness_lost, info);
    case RMW_EVENT_OFFERED_DEADLINE_MISSED:
      return tell<rmw_offered_deadline_missed_status_t>(now_.deadline_missed, info);
    case RMW_EVENT_OFFERED_QOS_INCOMPATIBLE:
      return tell_qos(now_.incompatible_qos, info);
    case RMW_EVENT_PUBLISHER_INCOMPATIBLE_TYPE:
      return tell<rmw_incompatible_type_status_t>(now_.incompatible_type, info);
    case RMW_EVENT_PUBLICATION_MATCHED:
      return tell_matched(now_.matched, info);
    default:
      return;
  }
}

void ReaderEventSource::absorb() {
  if (reader == nullptr || !reader->has_events()) {
    return;
  }
  const auto fresh = reader->take_events();
  note(RMW_EVENT_LIVELINESS_CHANGED, merge(now_.liveliness_changed, fresh.liveliness_changed));
  note(RMW_EVENT_REQUESTED_DEADLINE_MISSED, merge(now_.deadline_missed, fresh.deadline_missed));
  note(RMW_EVENT_REQUESTED_QOS_INCOMPATIBLE, merge(now_.incompatible_qos, fresh.incompatible_qos));
  note(RMW_EVENT_MESSAGE_LOST, merge(now_.message_lost, fresh.message_lost));
  note(RMW_EVENT_SUBSCRIPTION_INCOMPATIBLE_TYPE,
       merge(now_.incompatible_type, fresh.incompatible_type));
  note(RMW_EVENT_SUBSCRIPTION_MATCHED, merge(now_.matched, fresh.matched));
}

void ReaderEventSource::copy(rmw_event_type_t type, void* info) {
  switch (type) {
    case RMW_EVENT_LIVELINESS_CHANGED:
      return tell_liveliness(now_.liveliness_changed, info);
    case RMW_EVENT_REQUESTED_DEADLINE_MISSED:
      return tell<rmw_requested_deadline_missed_status_t>(now_.deadline_missed, info);
    case RMW_EVENT_REQUESTED_QOS_INCOMPATIBLE:
      return tell_qos(now_.incompatible_qos, info);
    case RMW_EVENT_MESSAGE_LOST:
      return tell<rmw_message_lost_status_t>(now_.message_lost, info);
    case RMW_EVENT_SUBSCRIPTION_INCOMPATIBLE_TYPE:
      return tell<rmw_incompatible_type_status_t>(now_.incompatible_type, info);
    case RMW_EVENT_SUBSCRIPTION_MATCHED:
      return tell_matched(now_.matched, info);
    default:
      return;
  }
}

namespace {

// By the names of the first and last: the number of RMW_EVENT_INVALID differs between
// distributions.
bool is_subscription_event(rmw_event_type_t type) {
  return type >= RMW_EVENT_LIVELINESS_CHANGED && type <= RMW_EVENT_SUBSCRIPTION_MATCHED;
}
bool is_publisher_event(rmw_event_type_t type) {
  return type >= RMW_EVENT_LIVELINESS_LOST && type <= RMW_EVENT_PUBLICATION_MATCHED;
}

rmw_ret_t init_event(rmw_event_t* event, EventSource& source, rmw_event_type_t type, bool fits) {
  if (!fits) {
    return fail("this endpoint has no event of that kind", RMW_RET_UNSUPPORTED);
  }
  if (event->implementation_identifier != nullptr) {
    return fail("the event is in use: it was not zero-initialised", RMW_RET_INVALID_ARGUMENT);
  }
  event->implementation_identifier = identifier;
  event->data = &source;
  event->event_type = type;
  return RMW_RET_OK;
}

}  // namespace

}  // namespace rmw_ligament_cpp

using namespace rmw_ligament_cpp;

extern "C" {

rmw_ret_t rmw_publisher_event_init(rmw_event_t* rmw_event, const rmw_publisher_t* publisher,
                                   rmw_event_type_t event_type) {
  RMW_CHECK_ARGUMENT_FOR_NULL(rmw_event, RMW_RET_INVALID_ARGUMENT);
  RMW_LIGAMENT_CHECK(publisher);
  const bool fits = is_publisher_event(event_type);
  return init_event(rmw_event, static_cast<Publisher*>(publisher->data)->events, event_type, fits);
}

rmw_ret_t rmw_subscription_event_init(rmw_event_t* rmw_event,
                                      const rmw_subscription_t* subscription,
                                      rmw_event_type_t event_type) {
  RMW_CHECK_ARGUMENT_FOR_NULL(rmw_event, RMW_RET_INVALID_ARGUMENT);
  RMW_LIGAMENT_CHECK(subscription);
  const bool fits = is_subscription_event(event_type);
  return init_event(rmw_event, static_cast<Subscription*>(subscription->data)->events, event_type,
                    fits);
}

rmw_ret_t rmw_take_event(const rmw_event_t* event_handle, void* event_info, bool* taken) {
  RMW_LIGAMENT_CHECK(event_handle);
  RMW_CHECK_ARGUMENT_FOR_NULL(event_info, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(taken, RMW_RET_INVALID_ARGUMENT);
  static_cast<EventSource*>(event_handle->data)->take(event_handle->event_type, event_info);
  *taken = true;  // a status is there also when nothing has changed
  return RMW_RET_OK;
}

rmw_ret_t rmw_event_set_callback(rmw_event_t* event, rmw_event_callback_t callback,
                                 const void* user_data) {
  RMW_LIGAMENT_CHECK(event);
  auto* source = static_cast<EventSource*>(event->data);
  const auto type = event->event_type;
  return guarded([&] {
    source->context.callbacks().set({source, type}, callback, user_data,
                                    [source, type] { return source->changes(type); });
    return RMW_RET_OK;
  });
}

bool rmw_event_type_is_supported(rmw_event_type_t rmw_event_type) {
  return is_subscription_event(rmw_event_type) || is_publisher_event(rmw_event_type);
}

}  // extern "C"
