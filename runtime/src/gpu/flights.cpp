// SPDX-License-Identifier: Apache-2.0
#include "gpu/flights.hpp"

#include <algorithm>
#include <utility>

#include "gpu/launch.hpp"
#include "gpu/retain_until_exit.hpp"

namespace ligament::gpu {
namespace {

constexpr std::chrono::milliseconds between_questions{1};

}  // namespace

Told::Told(std::shared_ptr<Bell> bell, std::uint64_t number)
    : bell_(std::move(bell)), number_(number) {
  const std::lock_guard lock(bell_->mutex);
  ++bell_->to_ring;
}

Told::~Told() {
  {
    const std::lock_guard lock(bell_->mutex);
    --bell_->to_ring;
  }
  bell_->rung.notify_one();
}

void Told::tell(void* told) {
  const std::unique_ptr<Told> own(static_cast<Told*>(told));
  const std::lock_guard lock(own->bell_->mutex);
  if (own->number_ > own->bell_->last_gone) {
    own->bell_->landed.insert(own->number_);
  }
}

Flights::Flights(std::chrono::nanoseconds deadline, bool tells_faults)
    : deadline_(deadline), tells_faults_(tells_faults), thread_([this] { serve(); }) {}

Flights::~Flights() {
  wait_until_fewer_than(1);
  {
    const std::lock_guard lock(bell_->mutex);
    is_ending_ = true;
  }
  bell_->rung.notify_one();
  thread_.join();
  // The driver may still be about to tell what was found out by asking; its queues have to stay
  // until then. Of a lost device nobody knows.
  std::unique_lock lock(bell_->mutex);
  if (!is_lost_) {
    (void)bell_->rung.wait_for(lock, std::chrono::seconds(10),
                               [this] { return bell_->to_ring == 0; });
  }
}

/// The thread sleeps on: the driver wakes it when the flight has landed, so that a launch costs its
/// caller no wake-up. It is woken now where the driver may not, or where somebody wants to know
/// when the wait began.
void Flights::add(std::unique_ptr<Flight> flight) {
  const bool is_watched = flight->completion->wants_times();
  flight->number_ = ++last_number_;
  // Before anybody else has it, and without the lock: the driver may tell at once.
  flight->is_surely_told_ = ask(*flight) && tells_faults_;
  std::unique_lock lock(bell_->mutex);
  const bool may_sleep_on =
      flight->is_surely_told_ && !is_watched && !bell_->landed.contains(flight->number_);
  if (under_way_.empty()) {
    front_since_ = Clock::now();
  }
  under_way_.push_back(std::move(flight));
  lock.unlock();
  if (!may_sleep_on) {
    bell_->rung.notify_one();
  }
}

bool Flights::ask(Flight& flight) {
  if (!flight.has_work()) {
    return false;
  }
  auto told = std::make_unique<Told>(bell_, flight.number_);
  const bool is_asked = flight.ask_to_be_told(told.get());
  if (is_asked) {
    (void)told.release();
  }
  return is_asked;
}

void Flights::wait_until_fewer_than(std::size_t count) {
  std::unique_lock lock(bell_->mutex);
  changed_.wait(lock, [&] { return under_way_.size() < count; });
}

bool Flights::is_lost() const {
  const std::lock_guard lock(bell_->mutex);
  return is_lost_;
}

bool Flights::may_still_work() const {
  const std::lock_guard lock(bell_->mutex);
  return may_still_work_;
}

void Flights::give_up(bool may_still_work) {
  const std::lock_guard lock(bell_->mutex);
  is_lost_ = true;
  may_still_work_ = may_still_work_ || may_still_work;
}

bool Flights::has_landed(Flight& flight, std::unique_lock<std::mutex>& lock) {
  if (bell_->landed.contains(flight.number_) || flight.is_surely_told_) {
    return bell_->landed.contains(flight.number_);
  }
  lock.unlock();  // the driver may be about to tell
  const bool has = flight.has_landed();
  lock.lock();
  return has;
}

/// Who sleeps without a flight looks again after a deadline, which is before that of any flight
/// that took off meanwhile. After a loss the rest of the queue is not waited for: it is behind what
/// does not end.
Flights::Wait Flights::wait_for_front(std::unique_lock<std::mutex>& lock) {
  while (true) {
    if (under_way_.empty()) {
      if (is_ending_) {
        return Wait::none_will_come;
      }
      bell_->rung.wait_for(lock, deadline_);
      continue;
    }
    Flight& front = *under_way_.front();  // stays: only this thread takes from the queue
    if (!std::exchange(front.is_waited_for_, true)) {
      lock.unlock();
      front.completion->waiting();
      lock.lock();
    }
    if (!front.has_work()) {
      return Wait::landed;
    }
    if (!may_still_work_ && has_landed(front, lock)) {
      return Wait::landed;
    }
    const auto end = front_since_ + deadline_;
    if (may_still_work_ || Clock::now() >= end) {
      return Wait::overdue;
    }
    if (!bell_->landed.contains(front.number_)) {
      bell_->rung.wait_until(
          lock, front.is_surely_told_ ? end : std::min(end, Clock::now() + between_questions));
    }
  }
}

void Flights::serve() {
  std::unique_lock lock(bell_->mutex);
  for (Wait wait{}; (wait = wait_for_front(lock)) != Wait::none_will_come;) {
    std::unique_ptr<Flight> flight = std::move(under_way_.front());
    bell_->landed.erase(flight->number_);
    bell_->last_gone = flight->number_;
    lock.unlock();
    if (wait == Wait::landed) {
      land(*flight);
      flight.reset();
    } else {
      lose(std::move(flight));
    }
    lock.lock();
    under_way_.pop_front();
    front_since_ = Clock::now();
    changed_.notify_all();
  }
}

void Flights::lose(std::unique_ptr<Flight> flight) {
  give_up(true);
  flight->completion->ended(unexpected<Error>(did_not_end(flight->names, deadline_)));
  retain_until_exit(std::move(flight));
}

void Flights::land(Flight& flight) {
  flight.land();
  if (!flight.result && flight.result.error().code == ErrorCode::device_lost) {
    give_up(false);
  }
  flight.completion->ended(flight.result);
  flight.completion.reset();
}

}  // namespace ligament::gpu
