// SPDX-License-Identifier: Apache-2.0
#include <rmw/allocators.h>
#include <rmw/rmw.h>
#include <rmw/time.h>

#include <limits>

#include "endpoints.hpp"
#include "identifier.hpp"
#include "tracing.hpp"

namespace rmw_ligament_cpp {

namespace {

struct WaitSet {
  Context* context = nullptr;
};

/// What a call of `rmw_wait` waits for: rmw's arrays, whose entries may be null.
struct Wanted {
  rmw_subscriptions_t* subscriptions;
  rmw_guard_conditions_t* guard_conditions;
  rmw_services_t* services;
  rmw_clients_t* clients;
  rmw_events_t* events;

  /// Calls `act(entry, ready)` for each entry that is not null; stops when it returns true.
  template <typename Act>
  bool each(const Act& act) const;
};

template <typename Act>
bool each_of(std::size_t count, void** entries, const Act& act) {
  for (std::size_t i = 0; i < count; ++i) {
    if (entries[i] != nullptr && act(entries[i])) {
      return true;
    }
  }
  return false;
}

bool is_event_ready(void* entry) {
  const auto& event = *static_cast<rmw_event_t*>(entry);
  return static_cast<EventSource*>(event.data)->has_changed(event.event_type);
}

template <typename Act>
bool Wanted::each(const Act& act) const {
  const auto guard = [&](void*& entry) {
    return act(entry, static_cast<GuardCondition*>(entry)->is_triggered.load());
  };
  const auto subscription = [&](void*& entry) {
    return act(entry, static_cast<Subscription*>(entry)->is_ready());
  };
  const auto exchange = [&](void*& entry) {
    return act(entry, static_cast<Exchange*>(entry)->is_ready());
  };
  const auto event = [&](void*& entry) { return act(entry, is_event_ready(entry)); };
  return (subscriptions != nullptr &&
          each_of(subscriptions->subscriber_count, subscriptions->subscribers, subscription)) ||
         (guard_conditions != nullptr && each_of(guard_conditions->guard_condition_count,
                                                 guard_conditions->guard_conditions, guard)) ||
         (services != nullptr && each_of(services->service_count, services->services, exchange)) ||
         (clients != nullptr && each_of(clients->client_count, clients->clients, exchange)) ||
         (events != nullptr && each_of(events->event_count, events->events, event));
}

std::int64_t deadline_of(const rmw_time_t* timeout) {
  if (timeout == nullptr) {
    return ligament::pool::no_deadline;
  }
  const std::int64_t now = ligament::pool::monotonic_now_ns();
  const std::int64_t wait_ns = rmw_time_total_nsec(*timeout);
  return wait_ns > ligament::pool::no_deadline - now ? ligament::pool::no_deadline : now + wait_ns;
}

/// What is not ready becomes null; guard conditions that are seen triggered are so no more.
bool clear_unready(const Wanted& wanted) {
  bool any = false;
  (void)wanted.each([&any](void*& entry, bool is_ready) {
    any = any || is_ready;
    entry = is_ready ? entry : nullptr;
    return false;
  });
  if (wanted.guard_conditions != nullptr) {
    (void)each_of(wanted.guard_conditions->guard_condition_count,
                  wanted.guard_conditions->guard_conditions, [](void*& entry) {
                    static_cast<GuardCondition*>(entry)->is_triggered.store(false);
                    return false;
                  });
  }
  return any;
}

/// What is ready may have a callback, too: it is called before the wait ends, as by other
/// middlewares, which call it before they wake who waits.
void tell_ready(const Wanted& wanted, Callbacks& callbacks) {
  std::vector<Callbacks::Key> ready;
  (void)wanted.each([&ready](void*& entry, bool /*is_ready*/) {
    ready.emplace_back(entry, 0);
    return false;
  });
  if (wanted.events != nullptr) {
    (void)each_of(wanted.events->event_count, wanted.events->events, [&ready](void* entry) {
      const auto& event = *static_cast<rmw_event_t*>(entry);
      ready.emplace_back(event.data, event.event_type);
      return false;
    });
  }
  callbacks.tell(ready);
}

}  // namespace

}  // namespace rmw_ligament_cpp

using namespace rmw_ligament_cpp;

extern "C" {

rmw_wait_set_t* rmw_create_wait_set(rmw_context_t* context, size_t /*max_conditions*/) {
  Context* const own = context_of(context);
  if (own == nullptr) {
    return nullptr;
  }
  return guarded_make([&]() -> rmw_wait_set_t* {
    auto wait_set = std::make_unique<WaitSet>();
    wait_set->context = own;
    auto* handle = require(rmw_wait_set_allocate());
    *handle = {identifier, nullptr, wait_set.release()};
    return handle;
  });
}

rmw_ret_t rmw_destroy_wait_set(rmw_wait_set_t* wait_set) {
  RMW_LIGAMENT_CHECK(wait_set);
  delete static_cast<WaitSet*>(wait_set->data);
  rmw_wait_set_free(wait_set);
  return RMW_RET_OK;
}

rmw_ret_t rmw_wait(rmw_subscriptions_t* subscriptions, rmw_guard_conditions_t* guard_conditions,
                   rmw_services_t* services, rmw_clients_t* clients, rmw_events_t* events,
                   rmw_wait_set_t* wait_set, const rmw_time_t* wait_timeout) {
  RMW_LIGAMENT_CHECK(wait_set);
  tracing::end_callback();
  return guarded([&] {
    const Wanted wanted{subscriptions, guard_conditions, services, clients, events};
    const auto is_ready = [&wanted] {
      return wanted.each([](void*& /*entry*/, bool ready) { return ready; });
    };
    Context& own = *static_cast<WaitSet*>(wait_set->data)->context;
    const bool any = own.waits().wait(is_ready, deadline_of(wait_timeout),
                                      [&wanted] { return clear_unready(wanted); });
    if (any && own.callbacks().are_used()) {
      tell_ready(wanted, own.callbacks());
    }
    return any ? RMW_RET_OK : RMW_RET_TIMEOUT;
  });
}

}  // extern "C"
