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

void forget_changes(WriterEvents& events) {
  events.deadline_missed.change = 0;
  events.liveliness_lost.change = 0;
  events.incompatible_qos.change = 0;
  events.incompatible_type.change = 0;
  events.matched.total_change = 0;
  events.matched.current_change = 0;
  events.stalled.total_change = 0;
  events.stalled.current_change = 0;
}

void forget_changes(ReaderEvents& events) {
  events.deadline_missed.change = 0;
  events.liveliness_changed.alive_change = 0;
  events.liveliness_changed.not_alive_change = 0;
  events.incompatible_qos.change = 0;
  events.incompatible_type.change = 0;
  events.message_lost.change = 0;
  events.matched.total_change = 0;
  events.matched.current_change = 0;
}

}  // namespace ligament::pool
