// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/flights.hpp"

#include <chrono>
#include <cstring>

#include "gpu/keep_for_ever.hpp"
#include "gpu/launch.hpp"

namespace ligament::gpu::cuda {
/// Told by the driver; outlives its flights, because a lost device may tell late.
struct Flights::Signal {
  std::mutex mutex;
  std::condition_variable told;
  std::uint64_t times = 0;

  static void tell(void* signal) {
    auto* own = static_cast<Signal*>(signal);
    const std::lock_guard lock(own->mutex);
    ++own->times;
    own->told.notify_all();
  }
};

Flights::Flights(const Device& device, std::chrono::nanoseconds deadline, Landed landed)
    : device_(device),
      deadline_(deadline),
      landed_(std::move(landed)),
      signal_(std::make_shared<Signal>()),
      thread_([this] { serve(); }) {}

Flights::~Flights() {
  wait_until_fewer_than(1);
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
  // The driver may still be about to tell what was found out by asking.
  std::unique_lock lock(signal_->mutex);
  const bool is_all_told =
      signal_->told.wait_for(lock, is_lost_ ? std::chrono::seconds(0) : std::chrono::seconds(10),
                             [this] { return signal_->times == asked_; });
  lock.unlock();
  if (!is_all_told) {
    keep_for_ever(std::move(signal_));
  }
}

void Flights::add(Flight&& flight) {
  {
    const std::lock_guard lock(mutex_);
    under_way_.push_back(std::move(flight));
  }
  changed_.notify_all();
}

void Flights::wait_until_fewer_than(std::size_t count) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return under_way_.size() < count; });
}

bool Flights::is_lost() const {
  const std::lock_guard lock(mutex_);
  return is_lost_;
}

bool Flights::may_still_work() const {
  const std::lock_guard lock(mutex_);
  return may_still_work_;
}

void Flights::give_up(bool may_still_work) {
  const std::lock_guard lock(mutex_);
  is_lost_ = true;
  may_still_work_ = may_still_work_ || may_still_work;
}

void Flights::serve() {
  device_.make_current();
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return is_ending_ || !under_way_.empty(); });
    if (under_way_.empty()) {
      return;
    }
    Flight& flight = under_way_.front();  // stays where it is: a deque, and only we take from it
    lock.unlock();
    land(flight);
    lock.lock();
    under_way_.pop_front();
    changed_.notify_all();
  }
}

void Flights::lose(Flight& flight) {
  give_up(true);
  flight.completion->ended(unexpected<Error>(did_not_end(flight.names, deadline_)));
  keep_for_ever(std::make_shared<Flight>(std::move(flight)));
}

/// The driver tells, but not of a fault: so the event is asked now and then too.
bool Flights::wait_for(Flight& flight) {
  const Driver& driver = *device_.driver;
  std::unique_lock lock(signal_->mutex);
  std::uint64_t seen = signal_->times;
  lock.unlock();
  if (driver.stream_wait(device_.told.get(), flight.last.get(), 0) == status::success &&
      driver.host_function(device_.told.get(), &Signal::tell, signal_.get()) == status::success) {
    ++asked_;
  }
  const auto end = std::chrono::steady_clock::now() + deadline_;
  while (true) {
    const Status status = driver.event_query(flight.last.get());
    if (status != status::not_ready) {
      if (flight.result && status != status::success) {
        flight.result = failed(driver, flight.names.c_str(), status);
      }
      return true;
    }
    if (std::chrono::steady_clock::now() >= end) {
      return false;
    }
    lock.lock();
    (void)signal_->told.wait_for(lock, std::chrono::milliseconds(1),
                                 [&] { return signal_->times != seen; });
    seen = signal_->times;
    lock.unlock();
  }
}

void Flights::land(Flight& flight) {
  flight.completion->waiting();
  // After a loss the rest is not waited for: it is behind what does not end.
  if (flight.last && (may_still_work() || !wait_for(flight))) {
    lose(flight);
    return;
  }
  if (!flight.result && flight.result.error().code == ErrorCode::device_lost) {
    give_up(false);
  }
  if (flight.result) {
    for (const HostCopy& copy : flight.host_copies) {
      std::memcpy(copy.to.data(), copy.from, copy.to.size());
    }
  }
  landed_(flight);
  flight.completion->ended(flight.result);
  flight.completion.reset();
}

}  // namespace ligament::gpu::cuda
