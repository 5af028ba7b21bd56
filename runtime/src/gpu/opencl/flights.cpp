// SPDX-License-Identifier: Apache-2.0
#include "gpu/opencl/flights.hpp"

#include <chrono>

#include "gpu/keep_for_ever.hpp"
#include "gpu/launch.hpp"

namespace ligament::gpu::opencl {
namespace {

/// What the driver is given to tell that a flight has landed.
struct Told {
  std::shared_ptr<Bell> bell;
  std::uint64_t number = 0;
};

void CL_CALLBACK tell(cl_event /*event*/, cl_int /*status*/, void* user_data) {
  const std::unique_ptr<Told> told(static_cast<Told*>(user_data));
  {
    const std::lock_guard lock(told->bell->mutex);
    told->bell->landed.insert(told->number);
  }
  told->bell->rung.notify_one();
}

Result<void> status_of(const std::vector<EventHandle>& events, const char* what) {
  for (const EventHandle& event : events) {
    cl_int state = CL_COMPLETE;
    (void)clGetEventInfo(event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                         nullptr);
    if (state < 0) {
      return failed(what, state);
    }
  }
  return {};
}

}  // namespace

Flights::Flights(std::chrono::nanoseconds deadline, Landed landed)
    : deadline_(deadline), landed_(std::move(landed)), thread_([this] { serve(); }) {}

Flights::~Flights() {
  wait_until_fewer_than(1);
  {
    const std::lock_guard lock(bell_->mutex);
    is_ending_ = true;
  }
  bell_->rung.notify_one();
  thread_.join();
}

/// The thread sleeps on: the driver wakes it when the flight has landed, so that a launch costs its
/// caller no wake-up. Only where somebody wants to know when the wait began is it woken now.
void Flights::add(Flight&& flight) {
  const cl_event last = flight.last.get();
  const bool is_watched = flight.completion->wants_times();
  std::unique_lock lock(bell_->mutex);
  const std::uint64_t number = ++last_number_;
  flight.number = number;
  if (under_way_.empty()) {
    front_since_ = Clock::now();
  }
  under_way_.push_back(std::move(flight));
  lock.unlock();
  auto told = std::make_unique<Told>(Told{bell_, number});
  if (last == nullptr) {
    tell(nullptr, CL_COMPLETE, told.release());
  } else if (clSetEventCallback(last, CL_COMPLETE, &tell, told.get()) == CL_SUCCESS) {
    (void)told.release();
    if (is_watched) {
      bell_->rung.notify_one();
    }
  } else {
    (void)clWaitForEvents(1, &last);
    tell(nullptr, CL_COMPLETE, told.release());
  }
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

bool Flights::has_landed(const Flight& flight) const {
  return bell_->landed.contains(flight.number);
}

/// Returns when the first one has landed or is overdue, or when there is none and all shall end.
/// Who sleeps without a flight looks again after a deadline, which is before that of any flight
/// that took off meanwhile.
void Flights::wait_for_front(std::unique_lock<std::mutex>& lock) {
  while (true) {
    if (under_way_.empty()) {
      if (is_ending_) {
        return;
      }
      bell_->rung.wait_for(lock, deadline_);
      continue;
    }
    Flight& front = under_way_.front();  // stays where it is: a deque, and only we take from it
    if (!front.is_told) {
      front.is_told = true;
      lock.unlock();
      front.completion->waiting();
      lock.lock();
    } else if (may_still_work_ || has_landed(front) || is_overdue()) {
      return;
    } else {
      bell_->rung.wait_until(lock, front_since_ + deadline_);
    }
  }
}

void Flights::serve() {
  std::unique_lock lock(bell_->mutex);
  while (true) {
    wait_for_front(lock);
    if (under_way_.empty()) {
      return;
    }
    Flight& flight = under_way_.front();
    // After a loss the rest of the queue is not waited for: it is behind what does not end.
    const bool is_here = !may_still_work_ && has_landed(flight);
    bell_->landed.erase(flight.number);
    lock.unlock();
    is_here || flight.last.get() == nullptr ? land(flight) : lose(flight);
    lock.lock();
    under_way_.pop_front();
    front_since_ = Clock::now();
    changed_.notify_all();
  }
}

void Flights::lose(Flight& flight) {
  give_up(true);
  flight.completion->ended(unexpected<Error>(did_not_end(flight.names, deadline_)));
  keep_for_ever(std::make_shared<Flight>(std::move(flight)));
}

void Flights::land(Flight& flight) {
  for (const auto* events : {&flight.kernels, &flight.copies}) {
    const std::string what = events == &flight.kernels ? flight.names : "a copy";
    if (auto done = status_of(*events, what.c_str()); flight.result && !done) {
      flight.result = done;
    }
  }
  if (!flight.result && flight.result.error().code == ErrorCode::device_lost) {
    give_up(false);
  }
  landed_(flight);
  flight.completion->ended(flight.result);
  flight.completion.reset();
}

}  // namespace ligament::gpu::opencl
