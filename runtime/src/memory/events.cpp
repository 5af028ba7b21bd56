// SPDX-License-Identifier: Apache-2.0
#include "memory/events.hpp"

#include "memory/waiter.hpp"

namespace ligament::pool {

void EventFlag::raise() {
  if (!raised_.load(std::memory_order_relaxed) &&
      !raised_.exchange(true, std::memory_order_acq_rel) && waiter_ != nullptr) {
    waiter_->wake();
  }
}

namespace {

void forget(CountStatus& status) { status.change = 0; }
void forget(IncompatibleQosStatus& status) { status.change = 0; }
void forget(MatchedStatus& status) { status.total_change = status.current_change = 0; }
void forget(LivelinessChangedStatus& status) { status.alive_change = status.not_alive_change = 0; }

template <typename... Status>
void forget_each(Status&... statuses) {
  (forget(statuses), ...);
}

}  // namespace

void forget_changes(WriterEvents& events) {
  forget_each(events.deadline_missed, events.liveliness_lost, events.incompatible_qos,
              events.incompatible_type, events.matched, events.stalled);
}

void forget_changes(ReaderEvents& events) {
  forget_each(events.deadline_missed, events.liveliness_changed, events.incompatible_qos,
              events.incompatible_type, events.message_lost, events.matched);
}

}  // namespace ligament::pool
